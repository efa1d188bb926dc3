//! What remains of the forces that meet on a planet (README.md, section 1.4).

use super::ruleset::Battle;
use super::world::{NEUTRAL, PlayerId};

/// Ships of one player that land on one planet in one turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Force {
    /// Their owner.
    pub owner: PlayerId,
    /// How many.
    pub ships: i64,
}

impl Force {
    /// These ships of this player.
    #[must_use]
    pub const fn new(owner: PlayerId, ships: i64) -> Self {
        Self { owner, ships }
    }
}

/// The planet's owner and ships after a battle of its garrison with these arrivals, at most one per player.
/// `forces` is reordered.
#[must_use]
pub fn fight(rule: Battle, garrison: Force, arrivals: &mut Vec<Force>) -> Force {
    let Force { owner, ships } = garrison;
    let strongest_attacker = arrivals
        .iter()
        .filter(|force| force.owner != owner)
        .map(|force| force.ships)
        .max();
    match arrivals.iter_mut().find(|force| force.owner == owner) {
        Some(own) => own.ships += ships,
        None => arrivals.push(garrison),
    }
    let Some(attack) = strongest_attacker else {
        // Only the owner's own ships have landed.
        return arrivals.first().copied().unwrap_or(garrison);
    };
    arrivals.sort_by_key(|force| std::cmp::Reverse(force.ships));
    let (Some(first), Some(second), Some(last)) =
        (arrivals.first(), arrivals.get(1), arrivals.last())
    else {
        return garrison;
    };
    if first.ships == second.ships {
        let defends = arrivals
            .iter()
            .any(|force| force.owner == owner && force.ships == first.ships);
        if rule == Battle::Untouched && defends {
            return Force {
                owner,
                ships: attack,
            };
        }
        let keeps = defends || rule != Battle::SmallestLoser;
        return Force::new(if keeps { owner } else { NEUTRAL }, 0);
    }
    let lost = match rule {
        Battle::Merged => second.ships,
        Battle::Untouched if first.owner == owner => 0,
        Battle::Untouched => second.ships,
        Battle::SmallestLoser => last.ships,
    };
    Force::new(first.owner, first.ships - lost)
}
