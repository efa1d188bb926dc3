//! Matches in which an entrant may play several seats: a whole team.

use super::match_player::PlayedMatch;
use super::tally::Counted;
use crate::histogram::Histogram;
use games::{Cause, Duel, Kit, Seat, Seats, SetupError};
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
        let faults: Vec<(Seat, Cause)> = faults.collect();
        let (shares, duels) = match outcome.scores.is_empty() {
            true => given_up(self.table.len(), &faults),
            false => (kit.win_shares(&outcome), kit.duels(&outcome)),
        };
        Counted {
            table: self.table.clone(),
            shares,
            duels,
            faults,
            outcome,
            refused: sum(&played.refused),
            missed: sum(&played.missed),
            took,
        }
    }
}

/// How a match counts that was given up for all: those at fault have lost, all others have won, and have no results
/// against each other.
fn given_up(sides: usize, faults: &[(Seat, Cause)]) -> (Seats<f64>, Vec<Duel>) {
    let at_fault = |side: Seat| faults.iter().any(|(seat, _)| *seat == side);
    let duels = Duel::of_given_up(sides, at_fault);
    let winners = (0..sides).filter(|side| !at_fault(Seat(*side as u8)));
    let share = match duels.is_empty() {
        true => 0.0,
        false => 1.0 / winners.count() as f64,
    };
    let shares = Seats::from_fn(sides, |side| if at_fault(side) { 0.0 } else { share });
    (shares, duels)
}

#[cfg(test)]
mod tests {
    use super::counted;
    use crate::store::TournamentMatch;
    use crate::store::types::SeatNotes;
    use crate::tournament::PlayedMatch;
    use games::{Cause, Duel, Seat};
    use serde_json::json;

    #[test]
    fn a_match_given_up_for_all_is_three_losses_of_the_offender_and_nothing_else() {
        let fault = |fault| SeatNotes {
            fault,
            ..SeatNotes::default()
        };
        let stored = TournamentMatch {
            number: 0,
            round: 0,
            table: 0,
            match_id: String::new(),
            seed: 1,
            entrants: Vec::new(),
            cause: Cause::Disconnect,
            blame: Some(1),
            detail: String::new(),
            scores: Vec::new(),
            notes: vec![
                fault(None),
                fault(Some(Cause::Disconnect)),
                fault(None),
                fault(None),
            ],
            started_us: 0,
            ended_us: 1,
        };
        let kit = games::find("smartdog").unwrap();
        let options = json!({ "on_fault": "abort" });
        let of = |stored| {
            let played = PlayedMatch::from(stored);
            counted(kit, &options, &[7, 5, 3, 1], &played).unwrap()
        };
        let given_up = of(stored.clone());
        let duel = |first, second, share| Duel {
            first: Seat(first),
            second: Seat(second),
            share,
        };
        assert_eq!(
            given_up.duels,
            [duel(0, 1, 1.0), duel(1, 2, 0.0), duel(1, 3, 0.0)]
        );
        assert_eq!(
            given_up.shares.values(),
            [1.0 / 3.0, 0.0, 1.0 / 3.0, 1.0 / 3.0]
        );
        assert!(given_up.outcome.scores.is_empty());
        // Nobody's fault, nobody's result.
        let nobodys = of(TournamentMatch {
            notes: Vec::new(),
            ..stored
        });
        assert_eq!(
            (nobodys.duels.len(), nobodys.shares.values()),
            (0, &[0.0; 4][..])
        );
    }
}
