//! Names of rivals that are given during a match.

use super::append;
use super::bot_address::Key;
use super::core::SessionState;
use super::mailbox::Named;
use super::message::TakenIn;
use super::opening::seat_at;
use super::registry::Registry;
use crate::identities::{NoRoom, seat_name};
use crate::replay::{Naming, named};
use crate::store::types::{Direction, EntryId, NewEntry, SessionId};
use crate::store::{OpponentKind, SeatRow, Storage, StoreError};
use games::Kit;
use serde_json::Value;

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

/// Takes names in: entries of the transcript, advice for the bot, and names of the match's seats. Those that stand
/// already are no entries again.
pub(super) async fn take_in(
    registry: &Registry,
    key: &Key,
    core: Option<&mut SessionState>,
    rivals: &[(u8, String)],
) -> Named {
    let (kit, store) = (key.bot.kit(), &*registry.dependencies.store);
    let Some(core) = core.filter(|core| !core.ended) else {
        return Ok(None);
    };
    let setup = core.setup();
    let before = named(&setup).map(|(place, name)| (place.to_owned(), name.to_owned()));
    let standing = standing(store, before.collect(), core.id, core.head).await?;
    let mut given = Vec::new();
    for (place, name) in rivals {
        let word = kit.card().places.word(*place);
        let stands = |(at, known): &(String, String)| Some(&**at) == word && known == name;
        if let Some(rival) = word.filter(|_| !standing.iter().any(stands)) {
            given.push(Naming {
                rival: rival.to_owned(),
                name: name.clone(),
                model: model(store, kit, name).await?,
            });
        }
    }
    if !given.is_empty() {
        learn_names(registry, kit, core, &given).await?;
    }
    let (session, seat, match_id) = (core.id, core.seat, core.match_id.clone());
    Ok(Some(TakenIn {
        session,
        seats_named: name_seats(store, &match_id, seat, rivals).await?,
    }))
}

/// Gives the dialogue the names, and stores them.
async fn learn_names(
    registry: &Registry,
    kit: &dyn Kit,
    core: &mut SessionState,
    given: &[Naming],
) -> Result<(), StoreError> {
    let at_us = registry.now_us();
    let mut entries = Vec::new();
    for naming in given {
        entries.push(NewEntry::new(at_us, Direction::In, naming.encode()));
        let Naming { rival, name, model } = naming;
        // One that panics is folded again.
        let _ = core
            .own
            .with(|dialogue| dialogue.named(rival, name, model.as_ref()));
    }
    let facts = append::facts(registry, kit, core, None);
    if let Err(error) = append::append(registry, core, entries, facts, None).await {
        core.unlearn();
        return Err(error);
    }
    if core.own.is_awake() {
        core.facts_stored_to = core.seq * 2;
    }
    Ok(())
}

/// Who sits where as far as this session knows, `names` when it began and others since: places in the
/// wire's words, and names.
async fn standing(
    store: &dyn Storage,
    mut names: Vec<(String, String)>,
    session: SessionId,
    head: Option<EntryId>,
) -> Result<Vec<(String, String)>, StoreError> {
    let Some(head) = head else {
        return Ok(names);
    };
    let told = store.transcript(session, head).await?;
    for Naming { rival, name, .. } in told.iter().filter_map(|entry| Naming::decode(&entry.text)) {
        seat_name(&mut names, rival, &name);
    }
    Ok(names)
}

/// What is known of an opponent now.
async fn model(
    store: &dyn Storage,
    kit: &dyn Kit,
    name: &str,
) -> Result<Option<Value>, StoreError> {
    let numbers = store.models_now(kit.card().name, &[name], 0).await?;
    let models = store.model_versions(&numbers).await?.into_iter();
    let mut of_name =
        models.filter(|model| model.kind == OpponentKind::Named && model.name == name);
    Ok(of_name.next().map(|model| model.model))
}

/// Names the seats of a match, where it is known from which of them the places are counted; says whether it is. A name
/// leaves the seat where it was.
async fn name_seats(
    store: &dyn Storage,
    match_id: &str,
    own: Option<u8>,
    rivals: &[(u8, String)],
) -> Result<bool, StoreError> {
    let Some(own) = own else {
        return Ok(false);
    };
    let row = store.match_row(match_id).await?;
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
        store.rename_seat(match_id, row.seat, None).await?;
    }
    for (at, name) in &named {
        store.rename_seat(match_id, *at, Some(name)).await?;
    }
    Ok(!seats.is_empty())
}
