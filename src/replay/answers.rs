//! What was answered in a session, in the game's words.

use super::names::names_in;
use super::seat::{SeatLine, lines_from};
use crate::history::{self, SessionRow};
use crate::store::types::{Direction, EntryId, Side};
use crate::store::{MatchRow, Store, StoreError};
use games::Kit;
use games::card::NO_ANSWER;
use games::scene::Names;
use std::collections::{HashMap, HashSet};

/// The answer to each of these entries of a session's transcript, in words; nothing of a game that does not exist or
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
    let (side, mut found) = (session.opened.side, HashMap::new());
    for (at, line) in lines.iter().enumerate() {
        let asked = entries.get(line.at).map(|entry| entry.id);
        let asked = asked.filter(|asked| line.direction == Direction::In && wanted.contains(asked));
        if let Some(asked) = asked {
            found.insert(asked, answer_words(kit, side, &lines, at, &names));
        }
    }
    Ok(found)
}

/// The answer to one of a seat's lines, in words. Our bot's own session keeps no empty answer: if it goes on without one,
/// that may be one in the game, such as a pass.
pub(super) fn answer_words(
    kit: &dyn Kit,
    side: Side,
    lines: &[SeatLine],
    at: usize,
    names: &Names,
) -> String {
    let (asked, after) = match lines.get(at..) {
        Some([asked, after @ ..]) => (asked.text.as_bytes(), after),
        _ => return String::new(),
    };
    let said = after
        .iter()
        .take_while(|line| line.direction == Direction::Out);
    let silent = side == Side::Player && !after.is_empty();
    let said = said.last().map(|said| said.text.as_str());
    let words = said.or(silent.then_some(""));
    let words = words.map(|said| kit.card().answered(asked, said, names));
    words.unwrap_or_else(|| NO_ANSWER.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{NO_ANSWER, answer_words};
    use crate::replay::seat::SeatLine;
    use crate::store::types::{Direction, Side};
    use games::scene::Names;

    #[test]
    fn an_answer_that_is_not_kept_is_what_silence_means_in_the_game() {
        let line = || SeatLine {
            direction: Direction::In,
            text: "?market=1&id=2&type=auction&goods=F&money=t&opponent=W&auctioneer=E".to_owned(),
            at: 0,
        };
        let (kit, lines) = (games::find("koehandel").unwrap(), [line(), line()]);
        let words = |side, at| answer_words(kit, side, &lines, at, &Names::default());
        assert_eq!(words(Side::Player, 0), "passes on the goat");
        assert_eq!(words(Side::Player, 1), NO_ANSWER);
        assert_eq!(words(Side::Referee, 0), "gives no answer");
    }
}
