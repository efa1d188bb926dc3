//! Matches in which an entrant may play several seats: a whole team.

use super::match_player::PlayedMatch;
use super::tally::Counted;
use crate::referee::histogram::Histogram;
use games::{Kit, Seat, SetupError};
use serde_json::Value;

/// How a match among the entrants `table`, by side, counts for them.
///
/// # Errors
/// [`SetupError`] if the options do not fit this many.
pub fn counted(
    kit: &dyn Kit,
    options: &Value,
    table: &[usize],
    played: &PlayedMatch,
) -> Result<Counted, SetupError> {
    Ok(Sides::new(kit, options, table)?.counted(kit, played))
}

/// The players of one match's seats.
pub(super) struct Sides {
    /// Entrants, by side.
    table: Vec<usize>,
    /// The side of each seat.
    line_up: Vec<usize>,
}

impl Sides {
    /// Seats entrants according to the game's options.
    ///
    /// # Errors
    /// [`SetupError`] if the options do not fit this many.
    pub(super) fn new(kit: &dyn Kit, options: &Value, table: &[usize]) -> Result<Self, SetupError> {
        Ok(Self {
            table: table.to_vec(),
            line_up: kit.seat_owners(options, table.len())?,
        })
    }

    /// The entrant on each seat.
    pub(super) fn entrants(&self) -> impl Iterator<Item = usize> {
        let sides = self.line_up.iter();
        sides.filter_map(|side| self.table.get(*side).copied())
    }

    /// The match as it counts for entrants: a side gets the score of its first seat, and the counts of all
    /// its seats.
    pub(super) fn counted(&self, kit: &dyn Kit, played: &PlayedMatch) -> Counted {
        let sides = 0..self.table.len();
        let outcome = played.outcome.of_teams(&self.line_up);
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
        let mut took = vec![Histogram::default(); self.table.len()];
        for (side, times) in self.line_up.iter().zip(&played.took) {
            if let Some(took) = took.get_mut(*side) {
                took.merge(times);
            }
        }
        let faults = played.blames.iter().filter_map(|blame| {
            let side = self.line_up.get(blame.seat.index())?;
            Some((Seat(*side as u8), blame.cause))
        });
        Counted {
            table: self.table.clone(),
            shares: kit.win_shares(&outcome),
            duels: kit.duels(&outcome),
            faults: faults.collect(),
            outcome,
            refused: sum(&played.refused),
            missed: sum(&played.missed),
            took,
        }
    }
}
