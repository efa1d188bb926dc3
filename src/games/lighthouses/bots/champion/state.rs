//! A position in the champion's search: who holds what, and what everything that stands will still score.
//!
//! Nothing is played round by round. A lighthouse's energy is stored as what it would have been in the root's
//! round, so decay costs nothing; whatever stands (a lighthouse, a link, a triangle) is worth its points in
//! all rounds until the first of its corners runs dry, and only that value is updated when something changes.

use super::terrain::Terrain;
use super::worth::{FORESIGHT, Worth};
use crate::rules::{self, Beacon, Lighthouse, UPKEEP};

/// The most rounds ahead that plans may reach.
pub const HORIZON_MAX: usize = 100;
/// The owner of an unowned lighthouse.
pub const NOBODY: u8 = u8::MAX;
/// Higher energies are treated as this one.
const ENERGY_MAX: u32 = 1 << 24;
/// Points for a lighthouse, and for a link, as they are added up here.
pub const POINTS: f32 = rules::POINTS as f32;

/// A position.
#[derive(Clone, Debug)]
pub struct State {
    /// Rounds from the root.
    pub time: usize,
    /// Cell.
    pub at: u16,
    /// My energy.
    pub purse: u32,
    /// Keys I hold.
    pub keys: u64,
    /// The value of all that stood and stands, opponents' things counting against.
    pub value: f32,
    /// My lighthouses.
    pub mine: u64,
    /// The first round in which a lighthouse runs dry.
    next_fall: u16,
    owner: [u8; 64],
    /// Energy at the root's time, as if all that was put in since had been there: e + 10 t.
    energy: [u32; 64],
    /// The first round in which it is unowned for lack of energy.
    dry: [u16; 64],
    /// The first round in which it is not expected to stand any more.
    until: [u16; 64],
    links: [u64; 64],
}

/// How many rounds a lighthouse with this energy at the root's time stands.
#[inline]
fn rounds(energy: u32) -> u16 {
    energy.div_ceil(UPKEEP).min(FORESIGHT as u32) as u16
}

impl Default for State {
    fn default() -> Self {
        Self {
            time: 0,
            at: 0,
            purse: 0,
            keys: 0,
            value: 0.0,
            mine: 0,
            next_fall: FORESIGHT as u16,
            owner: [NOBODY; 64],
            energy: [0; 64],
            dry: [0; 64],
            until: [0; 64],
            links: [0; 64],
        }
    }
}

impl State {
    /// The lighthouses as reported, with oddities removed: links beyond the chart, to oneself or between
    /// owners are dropped, one-sided ones are treated as whole ones.
    #[must_use]
    pub fn from_beacons(terrain: &Terrain, worth: &Worth, beacons: &[Beacon]) -> Self {
        let mut state = Self::default();
        for (at, beacon) in beacons.iter().enumerate().take(terrain.count) {
            if let Some(owner) = beacon.owner
                && beacon.energy > 0
            {
                state.owner[at] = owner.0.min(NOBODY - 1);
                state.energy[at] = beacon.energy.min(ENERGY_MAX);
                state.dry[at] = rounds(state.energy[at]);
                state.until[at] = worth.life(at, state.owner[at], state.energy[at]);
                if state.owner[at] == worth.me {
                    state.mine |= 1 << at;
                }
            }
        }
        state.link_as_reported(beacons, terrain.count);
        state.value = state.total(terrain, worth);
        state.find_fall(terrain.count);
        state
    }

    fn link_as_reported(&mut self, beacons: &[Beacon], count: usize) {
        let all = if count >= 64 {
            u64::MAX
        } else {
            (1 << count) - 1
        };
        for (at, beacon) in beacons.iter().enumerate().take(count) {
            for other in bits(beacon.links & all & !(1 << at)) {
                self.links[at] |= 1 << other;
                self.links[other] |= 1 << at;
            }
        }
        for at in 0..count {
            let owner = self.owner[at];
            let same = |other: &usize| owner != NOBODY && self.owner[*other] == owner;
            let kept = bits(self.links[at]).filter(same);
            self.links[at] = kept.fold(0, |set, other| set | 1 << other);
        }
    }

    /// The value of all that stands, from the first round on.
    fn total(&self, terrain: &Terrain, worth: &Worth) -> f32 {
        let mut total = 0.0;
        for at in (0..terrain.count).filter(|at| self.owner[*at] != NOBODY) {
            let links = self.links[at];
            let weight = worth.owners[usize::from(self.owner[at])];
            total += weight * POINTS * worth.between(0, self.until[at]);
            for other in bits(links & !low(at)) {
                let until = self.until[at].min(self.until[other]);
                total += weight * POINTS * worth.between(0, until);
                for third in bits(links & self.links[other] & !low(other)) {
                    let until = until.min(self.until[third]);
                    let area = terrain.area(at, other, third);
                    total += weight * area * worth.between(0, until);
                }
            }
        }
        total
    }

    /// Copies another position; only the first `count` lighthouses.
    #[inline]
    pub fn copy(&mut self, other: &Self, count: usize) {
        self.time = other.time;
        self.at = other.at;
        self.purse = other.purse;
        self.keys = other.keys;
        self.value = other.value;
        self.mine = other.mine;
        self.next_fall = other.next_fall;
        self.owner[..count].copy_from_slice(&other.owner[..count]);
        self.energy[..count].copy_from_slice(&other.energy[..count]);
        self.dry[..count].copy_from_slice(&other.dry[..count]);
        self.until[..count].copy_from_slice(&other.until[..count]);
        self.links[..count].copy_from_slice(&other.links[..count]);
    }

    /// A lighthouse's owner, [`NOBODY`] if it has none.
    #[inline]
    #[must_use]
    pub fn owner(&self, at: usize) -> u8 {
        self.owner[at]
    }

    /// A lighthouse's energy now.
    #[inline]
    #[must_use]
    pub fn energy(&self, at: usize) -> u32 {
        self.energy[at].saturating_sub(self.time as u32 * UPKEEP)
    }

    /// The first round, counted from the root, in which a lighthouse has no energy left.
    #[inline]
    #[must_use]
    pub fn dry(&self, at: usize) -> u16 {
        self.dry[at]
    }

    /// Until which round a lighthouse is expected to stand, counted from the root.
    #[inline]
    #[must_use]
    pub fn until(&self, at: usize) -> u16 {
        self.until[at]
    }

    /// The set of lighthouses linked with this one.
    #[inline]
    #[must_use]
    pub fn links(&self, at: usize) -> u64 {
        self.links[at]
    }

    fn find_fall(&mut self, count: usize) {
        let standing = (0..count).filter(|at| self.owner[*at] != NOBODY);
        let first = standing.map(|at| self.dry[at]).min();
        self.next_fall = first.unwrap_or(FORESIGHT as u16);
    }

    /// Lets time pass. What runs dry becomes unowned; its value ended there already.
    #[inline]
    pub fn pass(&mut self, rounds: usize, count: usize) {
        self.time += rounds;
        if self.time >= usize::from(self.next_fall) {
            for at in 0..count {
                if self.owner[at] != NOBODY && usize::from(self.dry[at]) <= self.time {
                    self.fall(at);
                }
            }
            self.find_fall(count);
        }
    }

    fn fall(&mut self, at: usize) {
        for other in bits(self.links[at]) {
            self.links[other] &= !(1 << at);
        }
        self.links[at] = 0;
        self.owner[at] = NOBODY;
        self.mine &= !(1 << at);
    }

    /// What the lighthouse, its links and its triangles are worth from now on.
    fn standing(&self, terrain: &Terrain, worth: &Worth, at: usize) -> f32 {
        let (until, links) = (self.until[at], self.links[at]);
        let mut sum = POINTS * worth.between(self.time, until);
        for other in bits(links) {
            let until = until.min(self.until[other]);
            sum += POINTS * worth.between(self.time, until);
            for third in bits(links & self.links[other] & !low(other)) {
                let until = until.min(self.until[third]);
                sum += terrain.area(at, other, third) * worth.between(self.time, until);
            }
        }
        sum * worth.owners[usize::from(self.owner[at])]
    }

    /// I put energy into a lighthouse; this takes no time here.
    pub fn charge(&mut self, terrain: &Terrain, worth: &Worth, at: usize, strength: u32) {
        let owner = self.owner[at];
        let spent = self.time as u32 * UPKEEP;
        self.purse -= strength;
        let mut rest = strength;
        let mut until = self.time as u16;
        if owner != NOBODY {
            self.value -= self.standing(terrain, worth, at);
            let left = self.energy[at] - spent;
            until = until.max(self.until[at]);
            if owner == worth.me {
                rest += left;
                until -= worth.life(at, owner, left).min(until);
            } else if strength < left {
                self.energy[at] -= strength;
                self.dry[at] = rounds(self.energy[at]);
                let after = worth.life(at, owner, left - strength);
                let less = worth.life(at, owner, left).saturating_sub(after);
                self.until[at] = until - less.min(until);
                self.next_fall = self.next_fall.min(self.dry[at]);
                self.value += self.standing(terrain, worth, at);
                return;
            } else {
                rest -= left;
                until = self.time as u16;
                self.fall(at);
            }
        }
        if rest == 0 {
            return;
        }
        self.owner[at] = worth.me;
        self.mine |= 1 << at;
        self.energy[at] = rest.min(ENERGY_MAX) + spent;
        self.dry[at] = rounds(self.energy[at]);
        // What is added to an own one prolongs its expected life by no more than that.
        self.until[at] = until + worth.life(at, worth.me, rest);
        self.value += self.standing(terrain, worth, at);
        self.next_fall = self.next_fall.min(self.dry[at]);
    }

    /// Whether any link crosses this one.
    #[inline]
    #[must_use]
    pub fn crossed(&self, terrain: &Terrain, a: usize, b: usize) -> bool {
        let crossings = terrain.crossings(a, b);
        let links = self.links.iter().zip(crossings);
        links.fold(0, |sum, (links, crossing)| sum | links & crossing) != 0
    }

    /// The value from now on of a link of mine, with the triangles that it closes.
    #[inline]
    #[must_use]
    pub fn gain(&self, terrain: &Terrain, worth: &Worth, a: usize, b: usize) -> f32 {
        let until = self.until[a].min(self.until[b]);
        let mut sum = POINTS * worth.between(self.time, until);
        for third in bits(self.links[a] & self.links[b]) {
            let until = until.min(self.until[third]);
            sum += terrain.area(a, b, third) * worth.between(self.time, until);
        }
        sum
    }

    /// I link two lighthouses of mine; this takes no time here.
    pub fn join(&mut self, terrain: &Terrain, worth: &Worth, a: usize, b: usize) {
        self.value += self.gain(terrain, worth, a, b);
        self.links[a] |= 1 << b;
        self.links[b] |= 1 << a;
        self.keys &= !(1 << b);
    }

    /// The lighthouses that I may link `from` with, ignoring crossings.
    #[inline]
    #[must_use]
    pub fn joinable(&self, terrain: &Terrain, from: usize) -> u64 {
        let reach = terrain.linkable(from) & self.mine & self.keys;
        reach & !self.links[from] & !(1 << from)
    }

    /// A hash shared by positions of the same shape: place, links, my lighthouses, which of their keys I hold, and
    /// how many times 256 energy.
    #[must_use]
    pub fn shape(&self, count: usize) -> u64 {
        let mut mix = self.mine ^ u64::from(self.at) << 40;
        for links in &self.links[..count] {
            mix = (mix.rotate_left(5) ^ links).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
        mix ^= u64::from(self.purse / 256);
        mix = mix.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mix ^ self.keys & self.mine).wrapping_mul(0x94D0_49BB_1331_11EB)
    }
}

/// The indices of a set's lighthouses, in order.
#[inline]
pub fn bits(set: u64) -> impl Iterator<Item = usize> {
    Lighthouse::in_set(set).map(Lighthouse::index)
}

/// The set of all up to this one.
#[inline]
fn low(at: usize) -> u64 {
    (2u64 << at).wrapping_sub(1)
}
