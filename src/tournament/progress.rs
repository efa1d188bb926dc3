//! How far a tournament has come.

use crate::history;
use crate::store::{Store, StoreError, TournamentRow};
use ratings::schedule::{Field, Format, Round};
use std::time::Duration;

/// Rounds by whose pace the rest is reckoned: what came before may have been interrupted.
const RECENT: u32 = 4;
/// After this time without anything the pace says nothing.
const IDLE_US: i64 = 3_600_000_000;

/// How far a tournament has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Rounds that were decided.
    pub rounds: u32,
    /// Rounds in all, if its format says so; a condition may end it before.
    pub rounds_total: Option<u32>,
    /// Matches of the last round that have ended.
    pub ended: u64,
    /// Matches of the last round.
    pub planned: u64,
    /// Rounds that were decided before the recent ones.
    pub before: u32,
    /// When the first of the recent ones was decided.
    pub since_us: i64,
    /// When a match ended last, or a round was decided.
    pub last_us: i64,
}

impl Progress {
    /// Reads it; `None` before the first round, and where what is stored is in a form that is not known.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn read(store: &Store, row: &TournamentRow) -> Result<Option<Self>, StoreError> {
        let before = row.rounds.saturating_sub(RECENT);
        let recent = history::tournament_rounds(store.reader(), &row.id, before..row.rounds);
        let mut recent = recent.await?;
        let Some(since_us) = recent.first().map(|round| round.decided_us) else {
            return Ok(None);
        };
        let Some(last) = recent.pop() else {
            return Ok(None);
        };
        // One of a form that is not known says nothing of its length.
        let Ok(round) = serde_json::from_value::<Round>(last.decision) else {
            return Ok(None);
        };
        let only = last.round..row.rounds;
        let ended = history::tournament_matches(store.reader(), &row.id, only).await?;
        let last_end = ended.iter().map(|played| played.ended_us).max();
        Ok(Some(Self {
            rounds: row.rounds,
            rounds_total: rounds_total(row),
            ended: ended.len() as u64,
            planned: planned(row, &round),
            before,
            since_us,
            last_us: last.decided_us.max(last_end.unwrap_or(i64::MIN)),
        }))
    }

    /// The share of all matches that have ended, from 0 to 1; `None` where nobody knows how many there will be.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        let total = f64::from(self.rounds_total?.max(self.rounds));
        let of_round = self.ended as f64 / self.planned.max(1) as f64;
        Some((f64::from(self.rounds - 1) + of_round.min(1.0)) / total)
    }

    /// How long the rest takes at the pace of the recent rounds; `None` where nobody knows, and where nothing has happened
    /// for long.
    #[must_use]
    pub fn left(&self, now_us: i64) -> Option<Duration> {
        let share = self.share()?;
        let total = f64::from(self.rounds_total?.max(self.rounds));
        let done = share - f64::from(self.before) / total;
        let taken_us = self.last_us.saturating_sub(self.since_us);
        if done <= 0.0 || taken_us <= 0 || now_us.saturating_sub(self.last_us) > IDLE_US {
            return None;
        }
        Duration::try_from_secs_f64(taken_us as f64 / 1e6 * (1.0 - share) / done).ok()
    }
}

fn rounds_total(row: &TournamentRow) -> Option<u32> {
    let format: Format = serde_json::from_value(row.setup["schedule"].clone()).ok()?;
    let house = row.entrants.iter().filter(|entrant| entrant.house).count();
    format.rounds(&Field {
        entrants: row.entrants.len() - house,
        house,
        seats: usize::try_from(row.setup["seats"].as_u64()?).ok()?,
        // What is drawn does not change how many there are.
        seed: 0,
    })
}

fn planned(row: &TournamentRow, round: &Round) -> u64 {
    let decks = row.setup["decks"].as_u64().unwrap_or(1);
    let rotates = row.setup["rotate"].as_bool().unwrap_or(true);
    let tables = round.tables.iter();
    let matches = tables.map(|table| if rotates { table.len() as u64 } else { 1 });
    matches.fold(0, |all, matches| {
        all.saturating_add(matches.saturating_mul(decks))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_is_reckoned_by_the_pace_of_the_last_rounds() {
        let us = |seconds: i64| 1_000_000 * seconds;
        let progress = Progress {
            rounds: 3,
            rounds_total: Some(10),
            ended: 5,
            planned: 10,
            before: 0,
            since_us: us(1_000),
            last_us: us(1_060),
        };
        assert_eq!(progress.share(), Some(0.25));
        let left = progress.left(us(1_070));
        assert_eq!(left, Some(Duration::from_secs(180)));
        // A night before the recent rounds is not counted, and in one nothing is said.
        let recent = Progress {
            before: 2,
            ..progress.clone()
        };
        let left = recent.left(us(1_070)).unwrap();
        assert_eq!((left.as_secs_f64() + 0.5) as u64, 900);
        assert_eq!(progress.left(us(9_000)), None);
        let open = Progress {
            rounds_total: None,
            ..progress.clone()
        };
        assert_eq!((open.share(), open.left(us(1_070))), (None, None));
        let first = Progress {
            rounds: 1,
            ended: 0,
            ..progress
        };
        assert_eq!(first.left(us(1_070)), None);
    }
}
