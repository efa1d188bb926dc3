//! Matches in which whoever enters may play several seats: his whole team.

use super::spans::Spans;
use super::tally::Counted;
use games::{Cause, Kit, Outcome, Seat, SetupError};
use serde_json::Value;

/// Who plays the seats of one match.
pub(super) struct Sides {
    /// Those who enter, by side.
    table: Vec<usize>,
    /// The side of each seat.
    line_up: Vec<usize>,
}

/// What has been seen of a match, by seat.
pub(super) struct Seen {
    pub(super) outcome: Outcome,
    pub(super) faults: Vec<(Seat, Cause)>,
    pub(super) refused: Vec<u32>,
    pub(super) missed: Vec<u32>,
    pub(super) took: Vec<Spans>,
}

impl Sides {
    /// Seats those who enter as the game's options say.
    ///
    /// # Errors
    /// [`SetupError`] if the options do not fit so many.
    pub(super) fn new(kit: &dyn Kit, options: &Value, table: &[usize]) -> Result<Self, SetupError> {
        Ok(Self {
            table: table.to_vec(),
            line_up: kit.seat_owners(options, table.len())?,
        })
    }

    /// Who plays each seat.
    pub(super) fn entrants(&self) -> impl Iterator<Item = usize> {
        let sides = self.line_up.iter();
        sides.filter_map(|side| self.table.get(*side).copied())
    }

    /// The match as it counts for those who enter: a side has the score of its first seat, and what all
    /// its seats did.
    pub(super) fn counted(&self, kit: &dyn Kit, seen: Seen) -> Counted {
        let sides = 0..self.table.len();
        let outcome = seen.outcome.of_teams(&self.line_up);
        let sum = |counts: &[u32]| {
            let of = |side: usize| {
                let seats = self.line_up.iter().zip(counts);
                seats
                    .filter(|(other, _)| **other == side)
                    .map(|(_, count)| count)
                    .sum()
            };
            sides.clone().map(of).collect()
        };
        let mut took = vec![Spans::default(); self.table.len()];
        for (side, spans) in self.line_up.iter().zip(&seen.took) {
            if let Some(took) = took.get_mut(*side) {
                took.merge(spans);
            }
        }
        let faults = seen.faults.iter().filter_map(|(seat, cause)| {
            let side = self.line_up.get(seat.index())?;
            Some((Seat(*side as u8), *cause))
        });
        Counted {
            table: self.table.clone(),
            shares: kit.win_shares(&outcome),
            duels: kit.duels(&outcome),
            faults: faults.collect(),
            outcome,
            refused: sum(&seen.refused),
            missed: sum(&seen.missed),
            took,
        }
    }
}
