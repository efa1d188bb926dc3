//! What was answered in a session, in the game's words.

use super::names::names_in;
use super::seat::lines_from;
use crate::history::{self, SessionRow};
use crate::store::types::{Direction, EntryId};
use crate::store::{MatchRow, Store, StoreError};
use std::collections::{HashMap, HashSet};

/// The last answer to each of these entries of a session's transcript, in words; nothing of a game that does not exist or
/// of a transcript that was pruned.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn answers(
    store: &Store,
    row: &MatchRow,
    session: &SessionRow,
    wanted: &HashSet<EntryId>,
) -> Result<HashMap<EntryId, String>, StoreError> {
    let Some(kit) = store.reader().kit(&row.game).filter(|_| !session.pruned) else {
        return Ok(HashMap::new());
    };
    let names = names_in(kit, row, Some(session), false);
    let entries = history::whole_transcript(store.reader(), session).await?;
    let lines = lines_from(session.opened.side, kit, &entries);
    let mut found = HashMap::new();
    let mut asked = None;
    for line in &lines {
        match line.direction {
            Direction::In => asked = Some(line),
            Direction::Out => {
                let asking = asked.and_then(|asked| Some((asked, entries.get(asked.at)?.id)));
                let asking = asking.filter(|(_, entry)| wanted.contains(entry));
                let Some((asked, entry)) = asking else {
                    continue;
                };
                let words = kit
                    .card()
                    .answered(asked.text.as_bytes(), &line.text, &names);
                found.insert(entry, words);
            }
        }
    }
    Ok(found)
}
