//! Names of rivals that are given during a match.

use super::actor::{self, Actor, FOLD_WITHIN};
use super::core::DialogueState;
use super::mailbox::{Message, Named, Session};
use super::sessions::Sessions;
use crate::history::{self, OpponentKind};
use crate::identities::{Names, NoRoom, seat_name};
use crate::replay::{Naming, named};
use crate::store::types::{Direction, EntryId, NewEntry, SessionId};
use crate::store::{SeatRow, Store, StoreError};
use crate::thinking::guarded;
use games::Kit;
use serde_json::Value;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::oneshot;

/// The live session that took names in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TakenIn {
    /// Its number.
    pub session: SessionId,
    /// Whether the seats of its match are named, so that what the match teaches counts for the names. Where it is not
    /// known which seat the session has, they are not: the names advise its bot alone.
    pub seats_named: bool,
}

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
    /// There is no room for them.
    #[error(transparent)]
    Full(#[from] NoRoom),
    /// They could not be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Sessions {
    /// Names rivals at somebody else's referee: for the session that is live, whose decisions are advised by their
    /// models from then on, or, while none is, for the one that begins later. With names given before they are merged
    /// as [`seat_name`] does.
    ///
    /// # Errors
    /// [`NamingError`].
    pub async fn name(&self, names: Names) -> Result<Option<TakenIn>, NamingError> {
        let found = self.live_at(&names);
        let (1, Some(session)) = (found.len(), found.first()) else {
            if found.len() > 1 {
                return Err(NamingError::Ambiguous(found.len()));
            }
            return self.keep(names).map(|()| None);
        };
        let (reply, told) = oneshot::channel();
        let message = Message::Name(names.rivals.clone(), reply);
        if !actor::send(&self.registry, session, message) {
            return Err(NamingError::Busy);
        }
        let taken = told.await.map_err(|_| NamingError::Busy)??;
        if taken.is_none() {
            self.keep(names)?;
        }
        Ok(taken)
    }

    fn keep(&self, names: Names) -> Result<(), NamingError> {
        Ok(self.registry.dependencies.identities.name(names)?)
    }

    /// The live sessions that these names may be for.
    fn live_at(&self, names: &Names) -> Vec<Arc<Session>> {
        let mut found = Vec::new();
        for shard in &self.registry.shards {
            for (key, session) in shard.lock().iter() {
                let live = || session.peek(|core| !core.ended).unwrap_or(true);
                if names.are_for(key.player()) && live() {
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
    /// Takes names in: entries of the transcript, advice for the bot, and names of the match's seats. Those that stand
    /// already are no entries again.
    pub(super) async fn name(&mut self, rivals: Vec<(u8, String)>) -> Named {
        // A dialogue that cannot be woken hears of it when it is folded.
        let _ = self.wake(Instant::now() + FOLD_WITHIN).await;
        let kit = self.session.key.bot.kit();
        let store = self.registry.dependencies.store.clone();
        let Some(core) = self.core.as_deref().filter(|core| !core.ended) else {
            return Ok(None);
        };
        let (id, seat, match_id) = (core.id, core.seat, core.match_id.clone());
        let before = named(&core.setup).map(|(place, name)| (place.to_owned(), name.to_owned()));
        let standing = standing(&store, before.collect(), (id, core.head)).await?;
        let mut given = Vec::new();
        for (place, name) in &rivals {
            let word = kit.place_word(*place);
            let stands = |(at, known): &(String, String)| Some(&**at) == word && known == name;
            if let Some(rival) = word.filter(|_| !standing.iter().any(stands)) {
                given.push(Naming {
                    rival: rival.to_owned(),
                    name: name.clone(),
                    model: model(&store, kit, name).await?,
                });
            }
        }
        if !given.is_empty() {
            self.hear_names(&given).await?;
        }
        Ok(Some(TakenIn {
            session: id,
            seats_named: name_seats(&store, (&match_id, seat), &rivals).await?,
        }))
    }

    /// Tells the dialogue and stores it.
    async fn hear_names(&mut self, given: &[Naming]) -> Result<(), StoreError> {
        let Some(core) = self.core.as_deref_mut() else {
            return Ok(());
        };
        let at_us = self.registry.now_us();
        let mut entries = Vec::new();
        for naming in given {
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
        Ok(())
    }
}

/// Who sits where as far as a session with this head was told, `names` when it began and others since: places in the
/// wire's words, and names.
async fn standing(
    store: &Store,
    mut names: Vec<(String, String)>,
    (session, head): (SessionId, Option<EntryId>),
) -> Result<Vec<(String, String)>, StoreError> {
    let Some(head) = head else {
        return Ok(names);
    };
    let told = history::transcript(store.reader(), session, head).await?;
    for Naming { rival, name, .. } in told.iter().filter_map(|entry| Naming::decode(&entry.text)) {
        seat_name(&mut names, rival, &name);
    }
    Ok(names)
}

/// What is known of an opponent now.
async fn model(store: &Store, kit: &dyn Kit, name: &str) -> Result<Option<Value>, StoreError> {
    let numbers = history::models_now(store.reader(), kit.game(), &[name], 0).await?;
    let models = history::model_versions(store.reader(), &numbers)
        .await?
        .into_iter();
    let mut of_name =
        models.filter(|model| model.kind == OpponentKind::Named && model.name == name);
    Ok(of_name.next().map(|model| model.model))
}

/// Names the seats of a match, where it is known from which of them the places are counted; says whether it is. A name
/// leaves the seat where it was.
async fn name_seats(
    store: &Store,
    (match_id, own): (&str, Option<u8>),
    rivals: &[(u8, String)],
) -> Result<bool, StoreError> {
    let Some(own) = own else {
        return Ok(false);
    };
    let row = history::match_row(store.reader(), match_id).await?;
    let seats = row.map_or_else(Vec::new, |row| row.seats);
    let named = rivals.iter().filter_map(|(place, name)| {
        let at = seat_at(own, *place, seats.len())?;
        Some((at, name))
    });
    let named: Vec<(u8, &String)> = named.collect();
    let moved = |row: &&SeatRow| {
        let name = row.name.as_ref().filter(|_| row.seat != own);
        name.is_some_and(|known| {
            let mut named = named.iter();
            named.any(|(at, name)| *at != row.seat && *name == known)
        })
    };
    for row in seats.iter().filter(moved) {
        store.unname_seat(match_id, row.seat).await?;
    }
    for (at, name) in &named {
        store.name_seat(match_id, *at, name).await?;
    }
    Ok(!seats.is_empty())
}
