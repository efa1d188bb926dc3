//! Where hidden fleets of others probably go: by what speaks against each goal, and by where fleets of the same
//! player were seen to land.

use super::change::Change;
use super::ships::NOBODY;

/// The goals kept per guess, those that are doubted least.
const GOALS: usize = 8;
/// The share of the goal that is doubted least, and the square of the doubt beyond its at which a goal has half of
/// that.
const SHARE: f64 = 1_000.0;
const HALF_AS_LIKELY: f64 = 12.0;
/// How much likelier our planet is where nothing was left behind: a player that leaves a planet empty attacks.
const ALL_OUT: f64 = 20.0;
/// How much likelier each fleet seen to land makes a goal of the same holder, and what remains of that when the next
/// one lands.
const LEARNT: f64 = 3.0;
const KEPT: f64 = 0.9;

/// Ships that left a planet for somewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Guess {
    /// Their owner.
    pub(super) owner: u8,
    /// Where they left.
    pub(super) from: u8,
    /// How many ships.
    pub(super) ships: i32,
    /// The turn in which they were ordered.
    pub(super) launched: u32,
    /// Whether nothing was left behind.
    pub(super) all: bool,
    /// Where they may go, what is doubted least first: how likely that is, [`Tally::shares`] says.
    pub(super) goals: Vec<Goal>,
}

/// Where ships may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Goal {
    /// What speaks against it, in half turns of flight.
    pub(super) doubt: i32,
    /// The planet.
    pub(super) to: u8,
    /// Whose planet it was.
    pub(super) holder: Holder,
}

/// Whose planet a goal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Holder {
    /// The team's.
    Ours,
    /// Nobody's.
    Free,
    /// The fleet's owner's, or another's.
    Theirs,
}

impl Holder {
    /// Whose planet this was before this turn.
    pub(super) fn from_change(change: Change<'_>, place: usize) -> Self {
        match change.before.owner[place] {
            NOBODY => Self::Free,
            holder if change.sides.of(holder) > 0 => Self::Ours,
            _ => Self::Theirs,
        }
    }
}

impl Guess {
    /// Ships of a player that left a planet for somewhere.
    pub(super) fn new(change: Change<'_>, owner: u8, from: usize, ships: i32) -> Self {
        let before = change.before;
        let all = ships >= before.ships[from];
        let mut goals: Vec<Goal> = (0..before.owner.len())
            .filter(|to| *to != from)
            .map(|to| Goal {
                doubt: doubt(change, owner, ships, all, from, to),
                to: to as u8,
                holder: Holder::from_change(change, to),
            })
            .collect();
        // Nobody takes a free planet where ships rot, unless there is nothing else.
        let rots =
            |goal: &Goal| goal.holder == Holder::Free && before.growth[usize::from(goal.to)] < 0;
        if !goals.iter().all(rots) {
            goals.retain(|goal| !rots(goal));
        }
        goals.sort_unstable();
        goals.truncate(GOALS);
        Self {
            owner,
            from: from as u8,
            ships,
            launched: before.turn,
            all,
            goals,
        }
    }
}

/// What speaks against it that these ships of a player, all that there were or not, left one planet for another.
fn doubt(change: Change<'_>, owner: u8, ships: i32, all: bool, from: usize, to: usize) -> i32 {
    let Change {
        chart,
        sides,
        before,
        ..
    } = change;
    let turns = chart.turns(from, to).min(1_000) as i32;
    let holder = before.owner[to];
    let near = turns * 2;
    // A player that never attacked the team is assumed peaceful.
    let spared = sides.of(owner) == 0 || sides.of(holder) == sides.of(owner);
    if holder == owner {
        return 12 + near;
    }
    if holder != NOBODY && spared {
        return 1_000 + near;
    }
    let grown = if holder == NOBODY {
        0
    } else {
        before.growth[to].max(0) * turns
    };
    let need = before.ships[to] + grown + 1;
    let off = ships - need;
    if holder != NOBODY && all {
        // Everything left: that is no step to a free planet.
        return near;
    }
    // What is more than enough for a free planet is better kept at home.
    let over = if holder == NOBODY {
        off.saturating_mul(2)
    } else {
        off
    };
    near + if off < 0 { 4 - 4 * off } else { over.min(20) }
}

/// Whose planets a player's fleets were seen to land on, with what had been left behind: by holder, how many, the
/// earlier ones counting less.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Tally {
    all_out: [f64; 3],
    others: [f64; 3],
}

impl Tally {
    /// A fleet that left nothing behind, or something, landed on a planet of this holder.
    pub(super) fn landed(&mut self, all: bool, holder: Holder) {
        let seen = if all {
            &mut self.all_out
        } else {
            &mut self.others
        };
        for count in seen.iter_mut() {
            *count *= KEPT;
        }
        seen[holder as usize] += 1.0;
    }

    /// By goal: how likely these ships go there.
    pub(super) fn shares(&self, guess: &Guess) -> Vec<u32> {
        let least = guess.goals.first().map_or(0, |goal| goal.doubt);
        let seen = if guess.all { self.all_out } else { self.others };
        let share = |goal: &Goal| {
            let doubt = f64::from(goal.doubt - least);
            let all_out = guess.all && goal.holder == Holder::Ours;
            let known = 1.0 + LEARNT * seen[goal.holder as usize];
            let known = if all_out { known * ALL_OUT } else { known };
            (SHARE * HALF_AS_LIKELY / (HALF_AS_LIKELY + doubt * doubt) * known) as u32
        };
        guess.goals.iter().map(share).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guess(all: bool) -> Guess {
        let holders = [Holder::Free, Holder::Ours, Holder::Theirs];
        let goals = (0u8..).zip([4, 7, 12]).zip(holders);
        let goals = goals.map(|((to, doubt), holder)| Goal { doubt, to, holder });
        Guess {
            owner: 2,
            from: 9,
            ships: 5,
            launched: 0,
            all,
            goals: goals.collect(),
        }
    }

    #[test]
    fn what_is_doubted_less_is_likelier_unless_a_planet_was_left_empty() {
        let none = Tally::default();
        assert_eq!(none.shares(&guess(false)), [1_000, 571, 157]);
        assert_eq!(none.shares(&guess(true)), [1_000, 11_428, 157]);
    }

    #[test]
    fn fleets_go_where_those_before_were_seen_to_land() {
        let mut tally = Tally::default();
        tally.all_out[Holder::Free as usize] = 2.0;
        assert_eq!(tally.shares(&guess(true)), [7_000, 11_428, 157]);
        assert_eq!(tally.shares(&guess(false)), [1_000, 571, 157]);
    }

    #[test]
    fn fleets_that_landed_earlier_count_less_and_those_that_left_something_apart() {
        let mut tally = Tally::default();
        for holder in [Holder::Free, Holder::Ours, Holder::Free] {
            tally.landed(true, holder);
        }
        tally.landed(false, Holder::Theirs);
        let close = |seen: [f64; 3], expected: [f64; 3]| {
            let mut both = seen.iter().zip(expected);
            both.all(|(seen, expected)| (seen - expected).abs() < 1e-9)
        };
        assert!(close(tally.all_out, [0.9, 1.81, 0.0]), "{tally:?}");
        assert!(close(tally.others, [0.0, 0.0, 1.0]), "{tally:?}");
        let known = [1.0 + 3.0 * 1.81, 1.0 + 3.0 * 0.9];
        let shares = tally.shares(&guess(true));
        assert_eq!(shares[0], (1_000.0 * known[0]) as u32);
        assert_eq!(shares[1] / 10, (11_428.5 * known[1]) as u32 / 10);
        assert_eq!(tally.shares(&guess(false)), [1_000, 571, 631]);
    }
}
