//! How a match counts among teams.

use crate::game::{Duel, Outcome, Seat, Seats};
use crate::kit::Kit;

/// Whether two seats play in one team; `teams` by seat.
#[must_use]
pub fn are_mates(teams: &[u8], one: Seat, other: Seat) -> bool {
    let team = |seat: Seat| teams.get(seat.index());
    team(one).is_some() && team(one) == team(other)
}

impl dyn Kit + '_ {
    /// Each seat's share of the win ([`crate::GameCard::win_shares`]); where there are `teams`, by seat, each seat has the share of its team.
    #[must_use]
    pub fn win_shares_in(&self, teams: Option<&[u8]>, outcome: &Outcome) -> Seats<f64> {
        let Some(teams) = teams else {
            return (self.card().win_shares)(outcome);
        };
        let teams: Vec<usize> = teams.iter().copied().map(usize::from).collect();
        let shares = (self.card().win_shares)(&outcome.of_teams(&teams));
        let share = |team: &usize| shares.values().get(*team).copied().unwrap_or_default();
        teams.iter().map(share).collect()
    }

    /// As `win_shares_in` and [`crate::GameCard::duels`] where the results of some seats are not their own: they are last, and have
    /// no results against each other. A team is last with its last player; mates of another have what the team won.
    #[must_use]
    pub fn earned(
        &self,
        teams: Option<&[u8]>,
        outcome: &Outcome,
        is_last: impl Fn(Seat) -> bool,
    ) -> (Seats<f64>, Vec<Duel>) {
        let outcome = Outcome {
            cause: outcome.cause.by_rules(),
            ..outcome.clone()
        };
        let whole_team_is_last = |seat: Seat| {
            let mut mates = outcome.scores.iter().map(|(mate, _)| mate);
            mates.all(|mate| {
                let own = mate == seat || teams.is_some_and(|teams| are_mates(teams, mate, seat));
                !own || is_last(mate)
            })
        };
        let shares = self.win_shares_in(teams, &outcome.placing_last(whole_team_is_last));
        let shares = shares.iter().map(|(seat, share)| match is_last(seat) {
            true => 0.0,
            false => *share,
        });
        let duels = (self.card().duels)(&outcome.placing_last(&is_last)).into_iter();
        let duels = duels.filter_map(|duel| match (is_last(duel.first), is_last(duel.second)) {
            (true, true) => None,
            (false, false) => Some(duel),
            (lost, _) => Some(Duel {
                share: if lost { 0.0 } else { 1.0 },
                ..duel
            }),
        });
        (shares.collect(), duels.collect())
    }
}
