//! Matches in which an entrant may play several seats: a whole team.

use super::played_match::PlayedMatch;
use super::tally::Counted;
use games::Histogram;
use games::{Cause, Duel, Kit, LineUp, Participation, Seat, Seats, SetupError, are_mates};
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

/// How a match counts for its seats, each of which is an entrant, with the team of each where there are teams.
pub fn counted_seats(kit: &dyn Kit, teams: Option<&[u8]>, played: &PlayedMatch) -> Counted {
    let seats: Vec<usize> = (0..played.seats.len()).collect();
    let sides = Sides {
        table: seats.clone(),
        line_up: seats,
        teams: teams.map(<[u8]>::to_vec),
    };
    sides.counted(kit, played)
}

/// The players of one match's seats.
pub(super) struct Sides {
    /// Entrants, by side.
    table: Vec<usize>,
    /// The side of each seat.
    line_up: Vec<usize>,
    /// The team of each side, where there are teams: those of a mixed team are sides of their own.
    teams: Option<Vec<u8>>,
}

impl Sides {
    /// Seats entrants according to the game's options.
    ///
    /// # Errors
    /// [`SetupError`] if the options do not fit this many.
    pub(super) fn new(kit: &dyn Kit, options: &Value, table: &[usize]) -> Result<Self, SetupError> {
        let LineUp { owners, teams } = kit.line_up(options, table.len())?;
        let first = |side| owners.iter().position(|other| *other == side);
        let teams = teams.map(|teams| {
            let team = |side| teams.get(first(side)?).copied();
            (0..table.len()).filter_map(team).collect()
        });
        Ok(Self {
            table: table.to_vec(),
            teams,
            line_up: owners,
        })
    }

    /// The entrant on each seat.
    pub(super) fn entrants(&self) -> impl Iterator<Item = usize> {
        let sides = self.line_up.iter();
        sides.filter_map(|side| self.table.get(*side).copied())
    }

    /// How the seats of each side took part, where that is known.
    fn participation(&self, played: &PlayedMatch) -> Vec<Vec<Participation>> {
        let mut sides = vec![Vec::new(); self.table.len()];
        for (side, part) in self.line_up.iter().zip(&played.participation) {
            if let Some(side) = sides.get_mut(*side) {
                side.extend(part.clone());
            }
        }
        sides
    }

    /// Whose each seat is, by side.
    pub(super) fn line_up(&self) -> &[usize] {
        &self.line_up
    }

    /// The match as it counts for entrants: a side gets the score of its first seat, the share of its team, and the
    /// counts of all its seats. Sides of one team have no results against each other.
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
        let teams = self.teams.as_deref();
        let is_last = |side| faults.contains(&(side, Cause::NotPlayed));
        let (shares, mut duels) = match outcome.scores.is_empty() {
            true => given_up(self.table.len(), &faults),
            false => kit.earned(teams, &outcome, is_last),
        };
        if let Some(teams) = teams {
            duels.retain(|duel| !are_mates(teams, duel.first, duel.second));
        }
        Counted {
            table: self.table.clone(),
            teams: self.teams.clone().unwrap_or_default(),
            shares,
            duels,
            faults,
            outcome,
            refused: sum(&played.refused),
            missed: sum(&played.missed),
            took,
            participation: self.participation(played),
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
    use crate::history::TournamentMatch;
    use crate::store::types::SeatNotes;
    use crate::tournament::PlayedMatch;
    use games::{Cause, Duel, Seat};
    use serde_json::json;

    /// A match of four that ended by the fault of the second.
    fn given_up() -> TournamentMatch {
        let fault = |fault| SeatNotes {
            fault,
            ..SeatNotes::default()
        };
        TournamentMatch {
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
            participation: Vec::new(),
        }
    }

    #[test]
    fn a_match_given_up_for_all_is_three_losses_of_the_offender_and_nothing_else() {
        let stored = given_up();
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

    #[test]
    fn mates_of_a_mixed_team_share_what_it_won_and_have_no_results_against_each_other() {
        let kit = games::find("planetwars").unwrap();
        let stored = TournamentMatch {
            scores: vec![9, 9, 4, 4],
            cause: Cause::Normal,
            blame: None,
            notes: Vec::new(),
            ..given_up()
        };
        let played = PlayedMatch::from(stored);
        let of = |teams, table: &[usize]| {
            let options = json!({ "teams": teams });
            let counted = counted(kit, &options, table, &played).unwrap();
            let duels = counted.duels.iter();
            let duels: Vec<_> = duels
                .map(|duel| (duel.first.0, duel.second.0, duel.share))
                .collect();
            (counted.shares.values().to_vec(), duels)
        };
        let mixed = vec![(0, 2, 1.0), (0, 3, 1.0), (1, 2, 1.0), (1, 3, 1.0)];
        assert_eq!(
            of(json!([2, 2]), &[7, 5, 3, 1]),
            (vec![1.0, 1.0, 0.0, 0.0], mixed)
        );
        // Whole teams are a side each.
        let whole = (vec![1.0, 0.0], vec![(0, 1, 1.0)]);
        assert_eq!(of(json!([2, 2]), &[7, 5]), whole);
        assert_eq!(of(json!(2), &[7, 5]), whole);
        // Everybody alone: equal ones have drawn.
        assert_eq!(of(json!(null), &[7, 5, 3, 1]).0, [0.5, 0.5, 0.0, 0.0]);
    }
}
