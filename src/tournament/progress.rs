//! How far a tournament has come.

use crate::history;
use crate::store::{Store, StoreError, TournamentRow};
use ratings::schedule::{Field, Format, Round};
use std::time::Duration;

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
}

impl Progress {
    /// Reads it; `None` before the first round, and where what is stored is in a form that is not known.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn read(store: &Store, row: &TournamentRow) -> Result<Option<Self>, StoreError> {
        let Some(last) = row.rounds.checked_sub(1) else {
            return Ok(None);
        };
        let only = last..row.rounds;
        let stored = history::tournament_rounds(store.reader(), &row.id, only.clone()).await?;
        let Some(stored) = stored.into_iter().next() else {
            return Ok(None);
        };
        // One of a form that is not known says nothing of its length.
        let Ok(round) = serde_json::from_value::<Round>(stored.decision) else {
            return Ok(None);
        };
        let ended = history::tournament_matches(store.reader(), &row.id, only).await?;
        Ok(Some(Self {
            rounds: row.rounds,
            rounds_total: rounds_total(row),
            ended: ended.len() as u64,
            planned: planned(row, &round),
        }))
    }

    /// The share of all matches that have ended, from 0 to 1; `None` where nobody knows how many there will be.
    #[must_use]
    pub fn share(&self) -> Option<f64> {
        let total = f64::from(self.rounds_total?.max(self.rounds));
        let of_round = self.ended as f64 / self.planned.max(1) as f64;
        Some((f64::from(self.rounds - 1) + of_round.min(1.0)) / total)
    }

    /// How long the rest takes at the pace so far; `None` where nobody knows.
    #[must_use]
    pub fn left(&self, taken: Duration) -> Option<Duration> {
        let share = self.share().filter(|share| *share > 0.0)?;
        Duration::try_from_secs_f64(taken.as_secs_f64() * (1.0 - share) / share).ok()
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
    fn the_rest_is_reckoned_by_the_pace_so_far() {
        let progress = Progress {
            rounds: 3,
            rounds_total: Some(10),
            ended: 5,
            planned: 10,
        };
        assert_eq!(progress.share(), Some(0.25));
        let left = progress.left(Duration::from_secs(60));
        assert_eq!(left, Some(Duration::from_secs(180)));
        let open = Progress {
            rounds_total: None,
            ..progress.clone()
        };
        assert_eq!(
            (open.share(), open.left(Duration::from_secs(60))),
            (None, None)
        );
        let first = Progress {
            rounds: 1,
            ended: 0,
            ..progress
        };
        assert_eq!(first.left(Duration::from_secs(60)), None);
    }
}
