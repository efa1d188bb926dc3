//! One planet's future: its owner and ships turn by turn, from landings and departures.

use super::ships::{Move, NOBODY, bits};
use crate::rules::{Battle, Force, fight};

/// How many turns futures reach ahead.
pub(super) const HORIZON: usize = 40;
/// Entries of a table by turn, including the present one.
pub(super) const TURNS: usize = HORIZON + 1;

/// The known present state of a planet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Root {
    /// Its owner.
    pub(super) owner: u8,
    /// Its ships.
    pub(super) ships: i32,
    /// Its growth.
    pub(super) growth: i32,
    /// Whether planets grow before battles.
    pub(super) grows_first: bool,
}

impl Root {
    /// Its ships when fleets land in the next turn.
    pub(super) fn garrison(&self) -> i32 {
        if self.grows_first && self.owner != NOBODY {
            (self.ships + self.growth).max(0)
        } else {
            self.ships
        }
    }
}

/// A planet's future.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// Its owner.
    pub(super) owner: [u8; TURNS],
    /// Ships that stay there when the turn's departures have left.
    pub(super) ships: [i32; TURNS],
    /// Ships that may leave in that turn, or earlier if they are there, without losing the planet sooner than
    /// it would be lost anyway.
    pub(super) spare: [i32; TURNS],
    /// Ships that each side loses beyond what it destroys of the other: to neutral planets, between allies, and
    /// where a planet shrinks. Ours count negative.
    pub(super) waste: i32,
    /// The owner's ships after the battle of a turn.
    low: [i32; TURNS],
}

impl Default for Line {
    fn default() -> Self {
        Self {
            owner: [NOBODY; TURNS],
            ships: [0; TURNS],
            spare: [0; TURNS],
            waste: 0,
            low: [0; TURNS],
        }
    }
}

impl Line {
    /// Recomputes the future. `side` gives for each player +1 for ours, -1 for theirs, else 0.
    pub(super) fn roll(&mut self, root: Root, landings: &[Move], leaving: &[Move], side: &[i32]) {
        let Root {
            mut owner,
            mut ships,
            growth,
            grows_first,
        } = root;
        self.waste = 0;
        let mut forces: Vec<Force> = Vec::new();
        let (lands, leaves) = (bits(landings), bits(leaving));
        for turn in 0..TURNS {
            if turn > 0 {
                if grows_first && owner != NOBODY {
                    ships = self.grown(ships, growth, owner, side);
                }
                if lands >> turn & 1 == 1 {
                    let garrison = Move {
                        turn: turn as u8,
                        owner,
                        ships,
                    };
                    (owner, ships) = self.battle(garrison, landings, &mut forces, side);
                }
                self.low[turn] = ships;
                if !grows_first && owner != NOBODY {
                    ships = self.grown(ships, growth, owner, side);
                }
            } else {
                self.low[0] = ships;
            }
            if leaves >> turn & 1 == 1 {
                let gone = leaving
                    .iter()
                    .filter(|at| usize::from(at.turn) == turn && at.owner == owner);
                ships = (ships - gone.map(|at| at.ships).sum::<i32>()).max(0);
            }
            self.owner[turn] = owner;
            self.ships[turn] = ships;
        }
        if growth < 0 {
            self.reckon_rotting(growth, lands | leaves);
        } else {
            self.reckon_spare();
        }
    }

    /// Ships after growth; what rots is lost for nothing.
    fn grown(&mut self, ships: i32, growth: i32, owner: u8, side: &[i32]) -> i32 {
        if growth < 0 {
            let of = side.get(usize::from(owner)).copied().unwrap_or_default();
            self.waste -= of * ships.min(-growth);
        }
        (ships + growth).max(0)
    }

    /// A planet's owner and ships after a turn with these landings.
    pub(super) fn step(root: Root, landings: &[Move], side: &[i32]) -> (u8, i32) {
        let mut owner = root.owner;
        let mut ships = root.garrison();
        if !landings.is_empty() {
            let garrison = Move {
                turn: 1,
                owner,
                ships,
            };
            (owner, ships) = Self::default().battle(garrison, landings, &mut Vec::new(), side);
        }
        if !root.grows_first && owner != NOBODY {
            ships = (ships + root.growth).max(0);
        }
        (owner, ships)
    }

    fn battle(
        &mut self,
        garrison: Move,
        landings: &[Move],
        forces: &mut Vec<Force>,
        side: &[i32],
    ) -> (u8, i32) {
        forces.clear();
        for landing in landings.iter().filter(|at| at.turn == garrison.turn) {
            let owner = u32::from(landing.owner);
            let ships = i64::from(landing.ships);
            match forces.iter_mut().find(|force| force.owner == owner) {
                Some(force) => force.ships += ships,
                None => forces.push(Force { owner, ships }),
            }
        }
        let of = |owner: u32| side.get(owner as usize).copied().unwrap_or_default();
        let whole = Force::new(u32::from(garrison.owner), i64::from(garrison.ships));
        let before = forces.iter().chain([&whole]);
        let before: i64 = before
            .map(|force| i64::from(of(force.owner)) * force.ships)
            .sum();
        let after = fight(Battle::Merged, whole, forces);
        self.waste += (i64::from(of(after.owner)) * after.ships - before) as i32;
        (after.owner as u8, after.ships as i32)
    }

    /// What may leave a planet that shrinks: what would be gone anyway by the next landing or departure too.
    fn reckon_rotting(&mut self, growth: i32, busy: u64) {
        let mut later = i32::MAX;
        for turn in (0..TURNS).rev() {
            let owner = self.owner[turn];
            if self.owner.get(turn + 1) != Some(&owner) {
                later = i32::MAX;
            }
            let busy = busy >> turn & 1 == 1;
            later = if busy {
                later.min(self.ships[turn])
            } else {
                later
            };
            let free = later.min(self.ships[turn]);
            self.spare[turn] = if owner == NOBODY { 0 } else { free };
            if busy {
                later = later.min(self.low[turn]);
            }
            later = later.saturating_sub(growth);
        }
    }

    fn reckon_spare(&mut self) {
        let mut later = i32::MAX;
        let mut next = None;
        for turn in (0..TURNS).rev() {
            let owner = self.owner[turn];
            if next != Some(owner) {
                later = i32::MAX;
                next = Some(owner);
            }
            later = later.min(self.ships[turn]);
            self.spare[turn] = if owner == NOBODY { 0 } else { later };
            later = later.min(self.low[turn]);
        }
    }
}
