//! How a match counts among teams.

use crate::game::{Outcome, Seat, Seats};
use crate::kit::Kit;

/// Whether two seats play in one team; `teams` by seat.
#[must_use]
pub fn are_mates(teams: &[u8], one: Seat, other: Seat) -> bool {
    let team = |seat: Seat| teams.get(seat.index());
    team(one).is_some() && team(one) == team(other)
}

impl dyn Kit + '_ {
    /// As [`Kit::win_shares`]; where there are `teams`, by seat, each seat has the share of its team.
    #[must_use]
    pub fn win_shares_in(&self, teams: Option<&[u8]>, outcome: &Outcome) -> Seats<f64> {
        let Some(teams) = teams else {
            return self.win_shares(outcome);
        };
        let teams: Vec<usize> = teams.iter().copied().map(usize::from).collect();
        let shares = self.win_shares(&outcome.of_teams(&teams));
        let share = |team: &usize| shares.values().get(*team).copied().unwrap_or_default();
        teams.iter().map(share).collect()
    }
}
