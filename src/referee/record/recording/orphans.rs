//! Closing what a killed run left open.

use super::{Recording, UnfinishedMatch};
use crate::clock::now_us;
use crate::referee::record::ends::{cancelled, result_of};
use crate::referee::record::error::RecordError;
use crate::replay::replay_match;
use crate::store::types::{Append, Close, MatchResult, Side};
use crate::thinking::guarded;
use games::{Cause, Kit};

impl Recording {
    /// Closes the game's matches by this referee that were never closed, and their sessions: by the result
    /// that their transcripts give, else as cancelled. So are all of a tournament: one that has not filled its place there
    /// is played again, whatever it came to.
    ///
    /// # Errors
    /// [`RecordError`].
    pub async fn close_unfinished(
        &self,
        kit: &dyn Kit,
        referee: &str,
        why: &str,
    ) -> Result<(), RecordError> {
        for unfinished in self.unfinished(kit.card().name, referee).await? {
            let id = unfinished.row.id.clone();
            let of_tournament = unfinished
                .row
                .seats
                .iter()
                .any(|seat| seat.entrant.is_some());
            let ended = match of_tournament {
                true => None,
                false => guarded(|| result(kit, &unfinished)).ok().flatten(),
            };
            let result = ended.unwrap_or_else(|| cancelled(why.to_owned()));
            unfinished.record.close(result).await?;
            self.close_players(&id, why).await?;
        }
        Ok(())
    }

    /// Closes the sessions of our own players in a match.
    async fn close_players(&self, match_id: &str, why: &str) -> Result<(), RecordError> {
        let Some(store) = self.storage() else {
            return Ok(());
        };
        for session in store.sessions_of(match_id).await? {
            let head = store.head(&session).await?;
            let open = session.opened.side == Side::Player && session.ended_us.is_none();
            let Some((last, seq)) = head.filter(|_| open) else {
                continue;
            };
            let close = Close {
                detail: why.to_owned(),
                ..Close::new(now_us(), Cause::Cancelled)
            };
            let append = Append {
                close: Some(Box::new(close)),
                ..Append::after(session.id, Some(last), seq)
            };
            store.append(append).await?;
        }
        Ok(())
    }
}

/// The result that a match's transcripts give, if they reach its end.
fn result(kit: &dyn Kit, unfinished: &UnfinishedMatch) -> Option<MatchResult> {
    let table = kit.reopen(&unfinished.row.setup).ok()?;
    let seats = unfinished.past.iter();
    let entries = seats.flat_map(|(seat, past)| past.iter().map(move |entry| (seat, entry)));
    let replayed = replay_match(table, kit.card().wire, entries.collect(), true);
    let table = replayed.match_.table();
    Some(result_of(&table.outcome()?, &table.blames()))
}
