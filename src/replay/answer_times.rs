//! How long the answers of a match took: one figure for each decision, whichever transcript shows it.

use crate::history::{self, LedgerLine, PageAt, SessionRow};
use crate::store::types::{EntryId, SessionId, Side};
use crate::store::{Store, StoreError};
use serde::Serialize;
use std::collections::HashMap;
use utoipa::ToSchema;

/// The most decisions of a match that are read.
const DECISIONS_MAX: u32 = 1_000_000;
/// Times below these, in milliseconds, are no times: in matches within one process answers follow at once.
pub const MEASURED_MS: f64 = 0.005;

/// How long an answer took, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, ToSchema)]
pub struct AnswerTime {
    /// From the arrival of the question to the answer's leaving, where the bot's session is ours; else from the referee's
    /// question to the answer's arrival.
    pub took_ms: f64,
    /// The part of it in which the bot thought, where that was measured.
    pub thought_ms: Option<f64>,
}

impl AnswerTime {
    fn new(line: &LedgerLine, side: Side) -> Self {
        let ms = |us: u32| f64::from(us) / 1e3;
        let thought_us = line.row.thought_us.saturating_sub(line.row.queued_us);
        Self {
            took_ms: ms(line.row.sent_us),
            thought_ms: (side == Side::Player).then(|| ms(thought_us)),
        }
    }

    /// Whether it was measured at all.
    #[must_use]
    pub fn is_measured(&self) -> bool {
        self.took_ms >= MEASURED_MS
    }
}

/// The times of decisions by the entries that asked for them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerTimes(HashMap<EntryId, AnswerTime>);

impl AnswerTimes {
    /// Reads what the ledger has of these sessions of a match. Where a seat's own session is among them, its times are
    /// those of our referee's transcript of the seat, too.
    ///
    /// # Errors
    /// [`StoreError::Read`].
    pub async fn read(store: &Store, sessions: &[SessionRow]) -> Result<Self, StoreError> {
        let ids: Vec<SessionId> = sessions.iter().map(|row| row.id).collect();
        let all = PageAt::first(DECISIONS_MAX);
        let lines = history::ledger_page(store.reader(), &ids, &all).await?;
        let side = |line: &LedgerLine| {
            let session = sessions.iter().find(|row| row.id == line.row.session);
            session.map_or(Side::Player, |row| row.opened.side)
        };
        Ok(Self::new(
            lines
                .items
                .into_iter()
                .map(|line| (side(&line), line))
                .collect(),
        ))
    }

    fn new(mut lines: Vec<(Side, LedgerLine)>) -> Self {
        lines.sort_by_key(|(_, line)| line.row.at_us);
        let of_players: Vec<&LedgerLine> = lines
            .iter()
            .filter(|(side, line)| *side == Side::Player && line.seat.is_some())
            .map(|(_, line)| line)
            .collect();
        let times = lines.iter().map(|(side, line)| {
            let time = AnswerTime::new(line, *side);
            let own = answered(line, &of_players).filter(|_| *side == Side::Referee);
            let time = own.map_or(time, |own| AnswerTime::new(own, Side::Player));
            (line.row.entry, time)
        });
        Self(times.collect())
    }

    /// The time of the decision that this entry asked for, if it did.
    #[must_use]
    pub fn asked_by(&self, entry: EntryId) -> Option<AnswerTime> {
        self.0.get(&entry).copied()
    }
}

/// The seat's own decision, of these in the order of their times, that our referee waited for.
fn answered<'a>(waited: &LedgerLine, own: &[&'a LedgerLine]) -> Option<&'a LedgerLine> {
    let asked_us = waited.row.at_us;
    let answered_us = asked_us.saturating_add(waited.row.sent_us.into());
    let first = own.partition_point(|own| own.row.at_us < asked_us);
    let meanwhile = own.iter().skip(first);
    let mut meanwhile = meanwhile.take_while(|own| own.row.at_us <= answered_us);
    meanwhile.find(|own| own.seat == waited.seat).copied()
}

#[cfg(test)]
mod tests {
    use super::{AnswerTime, AnswerTimes};
    use crate::history::LedgerLine;
    use crate::store::types::{EntryId, LedgerRow, SessionId, Side};

    fn line(side: Side, seat: u8, entry: i64, at_us: i64, took_us: u32) -> (Side, LedgerLine) {
        let row = LedgerRow {
            session: SessionId(entry),
            entry: EntryId(entry),
            at_us,
            queued_us: 100,
            thought_us: took_us - 100,
            committed_us: took_us,
            sent_us: took_us,
            limit_us: 5_000_000,
            fallback: false,
        };
        let line = LedgerLine {
            id: entry,
            game: "toy".to_owned(),
            match_id: "1".to_owned(),
            seat: Some(seat),
            bot: String::new(),
            called: None,
            row,
            cause: None,
        };
        (side, line)
    }

    #[test]
    fn a_decision_has_one_time_in_both_transcripts_of_its_seat() {
        let times = AnswerTimes::new(vec![
            line(Side::Referee, 0, 1, 10_000, 5_000),
            line(Side::Player, 0, 2, 11_000, 2_300),
            line(Side::Referee, 0, 3, 40_000, 5_000),
            line(Side::Referee, 1, 4, 10_000, 7_000),
        ]);
        let own = AnswerTime {
            took_ms: 2.3,
            thought_ms: Some(2.1),
        };
        let refereed = |took_ms| AnswerTime {
            took_ms,
            thought_ms: None,
        };
        let expected = [own, own, refereed(5.0), refereed(7.0)];
        for (entry, time) in (1..).zip(expected) {
            assert_eq!(times.asked_by(EntryId(entry)), Some(time), "{entry}");
        }
        assert_eq!(times.asked_by(EntryId(9)), None);
        assert!(own.is_measured() && !refereed(0.001).is_measured());
    }
}
