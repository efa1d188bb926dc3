//! What can be done next: go somewhere, then put in energy and link.

use super::knobs::Knobs;
use super::legs::Leg;
use super::state::{NOBODY, State, bits};
use super::terrain::Terrain;
use super::worth::Worth;
use crate::rules::{Cell, ENERGY_MAX, UPKEEP};

/// For how many rounds a lighthouse may be charged, besides half and all of the purse.
const SPANS: [u32; 3] = [15, 35, 70];
/// The most links made in one visit.
const LINKS_MAX: usize = 4;

/// The island as believed at the root, and what the current plan has taken of it.
#[derive(Clone, Debug, Default)]
pub struct Land {
    /// By cell: the energy now and its growth per round.
    cells: Vec<[u8; 2]>,
    /// By cell: the last round in which the plan takes its energy, 0 for never.
    taken: Vec<u8>,
}

impl Land {
    /// Takes over the beliefs.
    pub fn fill(&mut self, terrain: &Terrain, energy: impl Fn(Cell) -> u8) {
        let increments = terrain.chart.increments();
        self.cells.clear();
        let cells = (0..increments.len()).map(|cell| Cell(cell as u16));
        let all = cells.zip(increments);
        self.cells
            .extend(all.map(|(cell, increment)| [energy(cell), *increment]));
        self.taken.clear();
        self.taken.resize(increments.len(), 0);
    }

    /// Marks what the plan has taken by now: `path[t]` at time t.
    pub fn take(&mut self, path: &[u16], time: usize) {
        for (round, cell) in path.iter().enumerate().take(time + 1).skip(1) {
            self.taken[usize::from(*cell)] = round as u8;
        }
    }

    /// Undoes [`Land::take`].
    pub fn untake(&mut self, path: &[u16], time: usize) {
        for cell in path.iter().take(time + 1).skip(1) {
            self.taken[usize::from(*cell)] = 0;
        }
    }

    /// What a leg starting at `time` collects.
    #[inline]
    #[must_use]
    pub fn collect(&self, leg: &Leg, time: usize) -> u32 {
        let mut sum = 0;
        for (step, cell) in leg.cells.iter().enumerate() {
            let cell = usize::from(*cell);
            let [energy, increment] = self.cells[cell];
            let taken = self.taken[cell];
            let round = (time + step + 1) as u32;
            let base = if taken == 0 { energy.into() } else { 0 };
            let grown = u32::from(increment) * (round - u32::from(taken));
            let energy = (base + grown).min(ENERGY_MAX.into());
            sum += energy * (leg.pays >> step & 1) as u32;
        }
        sum
    }
}

/// The first deed of a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    /// None.
    Stay,
    /// This much energy is put in.
    Charge(u32),
    /// A link is made.
    Link(usize),
}

/// What errands are built from.
#[derive(Clone)]
pub struct Trade {
    /// The terrain.
    pub terrain: Terrain,
    /// The value of points.
    pub worth: Worth,
    /// The tunables.
    pub knobs: Knobs,
}

impl Trade {
    /// Whether a visit in this many rounds with this much energy can lead to anything.
    #[inline]
    #[must_use]
    pub fn useful(&self, state: &State, to: usize, arrival: usize, purse: u32) -> bool {
        let owner = state.owner(to);
        if owner == NOBODY || usize::from(state.dry(to)) <= arrival {
            return purse > 0;
        }
        owner == self.worth.me || state.energy(to) < purse + (arrival - state.time) as u32 * UPKEEP
    }

    /// All that can be done on a lighthouse where `state` has just arrived: every sequence, and each shorter
    /// part of it, is emitted with its first deed.
    pub fn visit(&self, state: &State, spare: &mut [State; 2], mut put: impl FnMut(Deed, &State)) {
        let here = self.here(state);
        let [first, second] = spare;
        if state.owner(here) == self.worth.me {
            put(Deed::Stay, state);
            self.charges(state, first, |amount, state| {
                put(Deed::Charge(amount), state);
            });
            first.copy(state, self.terrain.count);
            if let Some(begin) = self.link(first) {
                let deed = Deed::Link(begin);
                put(deed, first);
                for _ in 1..LINKS_MAX {
                    if self.link(first).is_none() {
                        break;
                    }
                    put(deed, first);
                }
                self.charges(first, second, |_, state| put(deed, state));
            }
        } else {
            self.charges(state, first, |amount, state| {
                let deed = Deed::Charge(amount);
                put(deed, state);
                second.copy(state, self.terrain.count);
                for _ in 0..LINKS_MAX {
                    if self.link(second).is_none() {
                        break;
                    }
                    put(deed, second);
                }
            });
        }
    }

    fn here(&self, state: &State) -> usize {
        let here = self.terrain.chart.lighthouse_at(Cell(state.at));
        here.map_or(0, |at| at.index())
    }

    /// One more round on a lighthouse.
    pub fn wait(&self, state: &mut State, here: usize) {
        state.pass(1, self.terrain.count);
        state.purse += self.terrain.drip[here];
    }

    /// The amounts worth putting in, one after the other.
    fn charges(&self, from: &State, state: &mut State, mut put: impl FnMut(u32, &State)) {
        let here = self.here(from);
        let owner = from.owner(here);
        let own = owner == self.worth.me;
        let (need, there) = match owner {
            NOBODY => (0, 0),
            _ if own => (0, from.energy(here)),
            _ => (from.energy(here), 0),
        };
        if from.purse <= need {
            return;
        }
        let surplus = from.purse - need;
        let mut before = 0;
        let spans = SPANS.map(|span| (span * UPKEEP).saturating_sub(there));
        for amount in spans.into_iter().chain([surplus / 2, surplus]) {
            let amount = amount.min(surplus);
            // Amounts hardly above the previous one count as the same.
            if amount <= before + 8 && !(amount == surplus && before == 0) {
                continue;
            }
            before = amount;
            state.copy(from, self.terrain.count);
            state.charge(&self.terrain, &self.worth, here, need + amount);
            self.wait(state, here);
            put(need + amount, state);
        }
    }

    /// Makes the most promising link from here.
    fn link(&self, state: &mut State) -> Option<usize> {
        let here = self.here(state);
        let (terrain, worth) = (&self.terrain, &self.worth);
        let mut best = (0.0, None);
        for to in bits(state.joinable(terrain, here)) {
            if state.crossed(terrain, here, to) {
                continue;
            }
            let gain = state.gain(terrain, worth, here, to);
            let both = terrain.linkable(here) & terrain.linkable(to);
            let joined = state.links(here) & state.links(to);
            let mut promise = 0.0f32;
            for third in bits(both & !joined) {
                let area = terrain.area(here, to, third);
                let own = state.owner(third) == worth.me;
                promise = promise.max(if own { area } else { 0.5 * area });
            }
            let until = state.until(here).min(state.until(to));
            let promise = promise * worth.between(state.time, until) * self.knobs.promise as f32;
            if gain + promise > best.0 {
                best = (gain + promise, Some(to));
            }
        }
        let to = best.1?;
        state.join(terrain, worth, here, to);
        self.wait(state, here);
        Some(to)
    }
}
