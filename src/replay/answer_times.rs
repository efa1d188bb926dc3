//! How long the answers of a match took: one figure for each decision, whichever transcript shows it.

use crate::history::{self, LedgerLine, PageAt, SessionRow};
use crate::store::types::{EntryId, SessionId, Side};
use crate::store::{Store, StoreError};
use serde::Serialize;
use std::collections::{BTreeMap, HashMap};
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

/// The times of decisions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerTimes {
    /// By the entry that asked.
    asked: HashMap<EntryId, AnswerTime>,
    /// Those of the seats' own sessions: by seat, and when the question arrived.
    own: BTreeMap<(u8, i64), AnswerTime>,
}

impl AnswerTimes {
    /// Reads what the ledger has of these sessions of a match.
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
        let lines = lines.items.into_iter().map(|line| (side(&line), line));
        Ok(Self::new(lines))
    }

    pub(super) fn new(lines: impl IntoIterator<Item = (Side, LedgerLine)>) -> Self {
        let mut times = Self::default();
        for (side, line) in lines {
            let time = AnswerTime::new(&line, side);
            times.asked.insert(line.row.entry, time);
            if let (Side::Player, Some(seat)) = (side, line.seat) {
                times.own.insert((seat, line.row.at_us), time);
            }
        }
        times
    }

    /// The time of the decision that this entry asked for, if it did.
    #[must_use]
    pub fn asked_by(&self, entry: EntryId) -> Option<AnswerTime> {
        self.asked.get(&entry).copied()
    }

    /// The time that the seat's own session has of the decision that it was asked for between these moments, in microseconds
    /// since 1970-01-01 UTC: our referee's transcript of such a seat has no rows in the ledger.
    #[must_use]
    pub fn waited_for(&self, seat: u8, from_us: i64, to_us: i64) -> Option<AnswerTime> {
        let mut meanwhile = self.own.range((seat, from_us)..=(seat, to_us.max(from_us)));
        meanwhile.next().map(|(_, time)| *time)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::{AnswerTime, AnswerTimes};
    use crate::history::LedgerLine;
    use crate::store::types::{EntryId, LedgerRow, SessionId, Side};

    pub(crate) fn line(
        side: Side,
        seat: u8,
        entry: i64,
        at_us: i64,
        took_us: u32,
    ) -> (Side, LedgerLine) {
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
        let times = AnswerTimes::new([
            line(Side::Player, 0, 2, 11_000, 2_300),
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
        assert_eq!(times.asked_by(EntryId(2)), Some(own));
        assert_eq!(times.asked_by(EntryId(4)), Some(refereed(7.0)));
        assert_eq!(times.asked_by(EntryId(9)), None);
        assert_eq!(times.waited_for(0, 10_000, 15_000), Some(own));
        for (seat, from_us, to_us) in [(0, 11_001, 40_000), (0, 10_999, 10_000), (1, 9_000, 40_000)]
        {
            assert_eq!(times.waited_for(seat, from_us, to_us), None, "{seat}");
        }
        assert!(own.is_measured() && !refereed(0.001).is_measured());
    }
}
