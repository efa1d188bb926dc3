//! Names of rivals that are given during a match.

use super::actor::{Actor, FOLD_WITHIN};
use super::core::DialogueState;
use super::mailbox::{Entered, Message, Named, Session};
use super::sessions::Sessions;
use crate::identities::Names;
use crate::replay::Naming;
use crate::store::types::{Direction, NewEntry, SessionId};
use crate::store::{OpponentKind, Store, StoreError};
use crate::thinking::guarded;
use games::Kit;
use serde_json::Value;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::oneshot;

/// Why names are not taken, as a sentence.
#[derive(Debug, thiserror::Error)]
pub enum NamingError {
    /// Each of our players there sees the others from its own seat.
    #[error(
        "{0} of our players sit there; say from whose seat the places are seen: its number on the wire"
    )]
    Ambiguous(usize),
    /// Too many messages wait for the session, or all is stopping.
    #[error("the session is busy: try again")]
    Busy,
    /// There is no room for names of further matches.
    #[error("names of too many matches are known already")]
    Full,
    /// They could not be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Sessions {
    /// Names rivals at somebody else's referee, for sessions that begin later and for the one that is live, if any:
    /// from then on its decisions are advised by their models, and what it learns counts for their names.
    ///
    /// # Errors
    /// [`NamingError`].
    pub async fn name(&self, names: Names) -> Result<Option<SessionId>, NamingError> {
        let found = self.live_at(&names);
        let (1, Some(session)) = (found.len(), found.first()) else {
            if found.len() > 1 {
                return Err(NamingError::Ambiguous(found.len()));
            }
            return self.keep(names).map(|()| None);
        };
        let (reply, told) = oneshot::channel();
        let message = Message::Name(names.rivals.clone(), reply);
        let registry = &self.registry;
        let max = registry.options.mailbox_max;
        match session.enter(message, max, |message| (message, ())) {
            Entered::Idle(core, message) => {
                let actor = Actor::new(Arc::clone(registry), Arc::clone(session), core);
                let runtime = &registry.runtime;
                registry.tracker.spawn_on(actor.run(message), runtime);
            }
            Entered::Waits(()) => {}
            Entered::Full => return Err(NamingError::Busy),
        }
        let told = told.await.map_err(|_| NamingError::Busy)??;
        self.keep(names)?;
        Ok(told)
    }

    fn keep(&self, names: Names) -> Result<(), NamingError> {
        let kept = self.registry.dependencies.identities.name(names);
        kept.then_some(()).ok_or(NamingError::Full)
    }

    /// The live sessions that these names may be for.
    fn live_at(&self, names: &Names) -> Vec<Arc<Session>> {
        let mut found = Vec::new();
        for shard in &self.registry.shards {
            for (key, session) in shard.lock().iter() {
                let live = || session.peek(|core| !core.ended).unwrap_or(true);
                if names.are_for(
                    key.bot.kit().game(),
                    key.bot.referee(),
                    (key.market, key.id),
                ) && live()
                {
                    found.push(Arc::clone(session));
                }
            }
        }
        found
    }
}

/// The seat so many places clockwise from another, of so many.
pub(super) fn seat_at(seat: u8, place: u8, seats: usize) -> Option<u8> {
    let at = (usize::from(seat) + usize::from(place)).checked_rem(seats)?;
    u8::try_from(at).ok()
}

impl Actor {
    /// Takes names in: entries of the transcript, advice for the bot, and names of the match's seats.
    pub(super) async fn name(&mut self, rivals: Vec<(u8, String)>) -> Named {
        // A dialogue that cannot be woken hears of it when it is folded.
        let _ = self.wake(Instant::now() + FOLD_WITHIN).await;
        let kit = self.session.key.bot.kit();
        let store = self.registry.dependencies.store.clone();
        let mut given = Vec::new();
        for (place, name) in &rivals {
            if let Some(rival) = kit.place_word(*place) {
                given.push(Naming {
                    rival: rival.to_owned(),
                    name: name.clone(),
                    model: model(&store, kit, name).await?,
                });
            }
        }
        let Some(core) = self.core.as_deref_mut().filter(|core| !core.ended) else {
            return Ok(None);
        };
        let at_us = self.registry.now_us();
        let mut entries = Vec::new();
        for naming in &given {
            entries.push(NewEntry::new(at_us, Direction::In, naming.encode()));
            let Naming { rival, name, model } = naming;
            if let DialogueState::Awake(dialogue) = &mut core.mind
                && guarded(|| dialogue.named(rival, name, model.as_ref())).is_err()
            {
                core.mind = DialogueState::Asleep;
            }
        }
        let facts = self.registry.facts(&self.session.key.bot, core, None);
        if let Err(error) = self.registry.append(core, entries, facts, None).await {
            // What it heard is not in the transcript: it is folded anew without it.
            core.mind = DialogueState::Asleep;
            core.pending_facts.clear();
            return Err(error);
        }
        if let DialogueState::Awake(_) = core.mind {
            core.facts_stored_to = core.seq * 2;
        }
        name_seats(&store, (&core.match_id, core.seat), rivals).await?;
        Ok(Some(core.id))
    }
}

/// What is known of an opponent now.
async fn model(store: &Store, kit: &dyn Kit, name: &str) -> Result<Option<Value>, StoreError> {
    let numbers = store.models_now(kit.game(), &[name], 0).await?;
    let models = store.model_versions(&numbers).await?.into_iter();
    let mut of_name =
        models.filter(|model| model.kind == OpponentKind::Named && model.name == name);
    Ok(of_name.next().map(|model| model.model))
}

/// Names the seats of a match, where it is known from which of them the places are counted.
async fn name_seats(
    store: &Store,
    (match_id, seat): (&str, Option<u8>),
    rivals: Vec<(u8, String)>,
) -> Result<(), StoreError> {
    let row = store.match_row(match_id).await?;
    let seats = row.map_or(0, |row| row.seats.len());
    for (place, name) in rivals {
        if let Some(at) = seat.and_then(|seat| seat_at(seat, place, seats)) {
            store.name_seat(match_id, at, &name).await?;
        }
    }
    Ok(())
}
