//! A siege: everything that is free goes to one planet, from both sides.

use super::super::line::Root;
use super::super::ships::NOBODY;
use super::super::ships::bits;
use super::{Board, ByTurn, PARTS, Spot};

/// A planet in a siege, its ships in parts.
#[derive(Clone, Copy, Debug)]
struct Siege {
    /// +1 if it is ours, -1 if theirs, else 0.
    held: i32,
    /// Whether it is nobody's, and does not grow.
    nobody: bool,
    ships: i32,
    /// Whether it was ever ours: before that nothing that is free goes there.
    ours_once: bool,
    /// What is free, could be there by now and has not fought yet, on both sides.
    near: [i32; 2],
}

impl Siege {
    fn grow(&mut self, growth: i32) {
        if !self.nobody {
            self.ships = (self.ships + growth).max(0);
        }
    }

    fn leave(&mut self, ships: i32) {
        self.ships = (self.ships - ships).max(0);
    }

    /// A battle with what lands on both sides, and with all that is near.
    fn fight(&mut self, [mut friends, mut foes]: [i32; 2]) {
        if self.held == 0 {
            self.take(friends, foes);
        } else {
            if self.ours_once {
                let [ours, theirs] = std::mem::take(&mut self.near);
                friends += ours;
                foes += theirs;
            }
            self.ships += (friends - foes) * self.held;
            if self.ships < 0 {
                (self.held, self.ships) = (-self.held, -self.ships);
            }
        }
        self.ours_once |= self.held > 0;
    }

    /// A battle for a planet that is neither ours nor theirs.
    fn take(&mut self, friends: i32, foes: i32) {
        let most = friends.max(foes);
        if most > self.ships {
            self.held = if friends >= foes { 1 } else { -1 };
            self.ships = most - self.ships.max(friends.min(foes));
            self.nobody = false;
        } else {
            self.ships -= most;
        }
    }
}

impl Spot {
    /// Parts of ships that leave it in that turn.
    fn leaves(&self, turn: usize) -> i32 {
        let leaving = self.leaving.iter();
        let leaving = leaving.filter(|at| usize::from(at.turn) == turn);
        leaving.map(|at| at.ships * PARTS).sum()
    }
}

impl Board<'_> {
    /// Turns that a planet is ours minus those that it is theirs, and whose it is in the end, if everything
    /// free goes there.
    pub(super) fn besiege(&self, spot: &Spot, ours: &ByTurn, theirs: &ByTurn) -> (i32, i32) {
        let Root {
            owner,
            ships,
            growth,
            grows_first,
        } = spot.root;
        let (lands, leaves) = (bits(&spot.landings), bits(&spot.leaving));
        let (held, growth) = (self.sides.of(owner), growth * PARTS);
        if lands == 0 && leaves == 0 && growth >= 0 && held > 0 {
            return self.besiege_quiet(ships * PARTS, growth, grows_first, ours, theirs);
        }
        let mut siege = Siege {
            held,
            nobody: owner == NOBODY,
            ships: ships * PARTS,
            ours_once: held > 0,
            near: [0; 2],
        };
        if leaves & 1 == 1 {
            siege.leave(spot.leaves(0));
        }
        let mut sum = 0;
        for turn in 1..=self.horizon {
            if grows_first {
                siege.grow(growth);
            }
            siege.near[0] += ours[turn];
            siege.near[1] += theirs[turn];
            let lands = lands >> turn & 1 == 1;
            siege.fight(if lands {
                self.landing(spot, turn)
            } else {
                [0; 2]
            });
            if !grows_first {
                siege.grow(growth);
            }
            if leaves >> turn & 1 == 1 && siege.held > 0 {
                siege.leave(spot.leaves(turn));
            }
            sum += siege.held;
        }
        (sum, siege.held)
    }

    /// Parts of ships on both sides that land on a planet in that turn.
    fn landing(&self, spot: &Spot, turn: usize) -> [i32; 2] {
        let mut both = [0; 2];
        let landings = spot.landings.iter();
        for landing in landings.filter(|at| usize::from(at.turn) == turn) {
            match self.sides.of(landing.owner) {
                1 => both[0] += landing.ships * PARTS,
                -1 => both[1] += landing.ships * PARTS,
                _ => {}
            }
        }
        both
    }

    /// Like [`Self::besiege`], for an own planet with no landings or departures.
    fn besiege_quiet(
        &self,
        mut ships: i32,
        growth: i32,
        grows_first: bool,
        ours: &ByTurn,
        theirs: &ByTurn,
    ) -> (i32, i32) {
        let (first, last) = if grows_first {
            (growth, 0)
        } else {
            (0, growth)
        };
        let (mut held, mut sum) = (1, 0);
        for turn in 1..=self.horizon {
            ships += first + (ours[turn] - theirs[turn]) * held;
            if ships < 0 {
                (held, ships) = (-held, -ships);
            }
            ships += last;
            sum += held;
        }
        (sum, held)
    }
}
