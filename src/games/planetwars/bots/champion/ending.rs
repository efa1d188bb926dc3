//! How much of a game is left, and what counts at its end.

use super::chart::Sight;
use super::timing::Timing;

/// Rounds of a game, which the wire does not give; those of the tournament of 2015, whose judge counts no ships in
/// flight at the end (planetwars/README.md, the table of section 1).
pub(super) const ROUNDS: u32 = 200;
const ROUNDS_2015: u32 = 201;

/// How a game ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ending {
    /// Rounds to go, at least 1.
    pub(super) rounds: u32,
    /// Whether ships in flight count then.
    pub(super) flight_counts: bool,
}

impl Ending {
    /// As the game seems to end that has this timing and is in this state. A longer game goes on as if many rounds were
    /// left.
    pub(super) fn from_timing(timing: Timing, now: &Sight) -> Self {
        let of_2015 = now.is_bare() && timing.is_of_2015();
        let all = if of_2015 { ROUNDS_2015 } else { ROUNDS };
        match all.saturating_sub(now.turn) {
            0 => Self {
                rounds: ROUNDS,
                flight_counts: true,
            },
            rounds => Self {
                rounds,
                flight_counts: !of_2015,
            },
        }
    }

    /// Whether ships that land after n turns from now count in the end.
    pub(super) fn counts(self, turns: usize) -> bool {
        self.flight_counts || turns <= self.rounds as usize
    }
}
