//! Reading matches that were cut short, so that they are resumed or closed.

use super::{Recording, UnfinishedMatch};
use crate::referee::record::error::RecordError;
use crate::store::types::{LiveSession, MatchRow, Side};
use crate::store::{Storage, StoreError};
use games::{Seat, Seats};

impl Recording {
    /// The game's matches by this referee that were never closed, and that no other replica plays.
    ///
    /// # Errors
    /// [`RecordError`].
    pub async fn unfinished(
        &self,
        game: &str,
        referee: &str,
    ) -> Result<Vec<UnfinishedMatch>, RecordError> {
        let mut unfinished = Vec::new();
        if let Some(store) = self.storage() {
            for row in store.unfinished(game, referee).await? {
                let tenancy = match self.tenancies() {
                    Some(tenancies) => match tenancies.adopt(&row.id).await? {
                        Some(tenancy) => Some(tenancy),
                        None => continue,
                    },
                    None => None,
                };
                let mut found = self.unfinished_match(&**store, row).await?;
                found.record.tenancy = tenancy;
                unfinished.push(found);
            }
        }
        Ok(unfinished)
    }

    async fn unfinished_match(
        &self,
        store: &dyn Storage,
        row: MatchRow,
    ) -> Result<UnfinishedMatch, StoreError> {
        let ids = store.players_of(&row.id).await?;
        let mut record = self.record(&row, &ids);
        let mut past = Seats::from_fn(row.seats.len(), |_| Vec::new());
        let mut stored = store.sessions_of(&row.id).await?;
        stored.retain(|session| session.opened.side == Side::Referee);
        for session in stored {
            let seat = Seat(session.opened.seat.unwrap_or(u8::MAX));
            let head = store.head(&session).await?;
            if let Some(own) = record.sessions.get_mut(seat.index()) {
                if let Some((last, seq)) = head {
                    past[seat] = store.transcript(session.id, last).await?;
                    (own.last, own.seq) = (Some(last), seq);
                }
                if session.ended_us.is_none() && self.is_shared() {
                    store
                        .take_up(LiveSession {
                            id: session.id,
                            opened: session.opened.clone(),
                            head: own.last,
                            seq: own.seq,
                            last_us: session.opened_us,
                        })
                        .await?;
                }
                own.id = session.id;
                own.opened = session.opened;
                own.closed = session.ended_us.is_some();
                own.written = true;
            }
        }
        let seeds = record.sessions.iter().map(|session| session.opened.seed);
        Ok(UnfinishedMatch {
            seeds: seeds.collect(),
            row,
            ids,
            past,
            record,
        })
    }
}
