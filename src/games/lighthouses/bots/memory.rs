//! What a player remembers of the energy on the island: as last seen, grown since.

use crate::rules::{Cell, Chart, ENERGY_MAX, View};

/// After this many rounds every cell that grows at all is full.
const ROUNDS_TO_FULL: u32 = ENERGY_MAX as u32;

/// Energy by cell, as far as one player can know.
#[derive(Clone)]
pub(super) struct Memory {
    energy: Vec<u8>,
    /// By cell, the round in which it was last seen.
    seen: Vec<u32>,
    /// Rounds whose growth is counted.
    counted: u32,
    /// The share of unseen energy that is left after one more round.
    trust: f32,
}

impl Memory {
    /// Of an island on which nothing has grown yet.
    pub(super) fn new(chart: &Chart, players: usize) -> Self {
        let others = players.saturating_sub(1).min(15) as f32;
        Self {
            energy: vec![0; chart.cells()],
            seen: vec![0; chart.cells()],
            counted: 0,
            trust: 1.0 - 0.002 * others,
        }
    }

    /// Takes in the view of a turn.
    pub(super) fn look(&mut self, chart: &Chart, view: &View) {
        let now = view.round.saturating_add(1);
        let rounds = now.saturating_sub(self.counted).min(ROUNDS_TO_FULL);
        self.counted = self.counted.max(now);
        for (energy, increment) in self.energy.iter_mut().zip(chart.increments()) {
            let grown = u32::from(*energy) + rounds * u32::from(*increment);
            *energy = grown.min(ENERGY_MAX.into()) as u8;
        }
        let here = (view.position, 0);
        for (cell, energy) in view.seen.iter().copied().chain([here]) {
            if let Some(known) = self.energy.get_mut(cell.index()) {
                *known = energy.min(ENERGY_MAX);
            }
            if let Some(seen) = self.seen.get_mut(cell.index()) {
                *seen = self.counted;
            }
        }
    }

    /// What lies on a cell now if nobody has been there unseen.
    pub(super) fn now(&self, cell: Cell) -> u8 {
        self.energy.get(cell.index()).copied().unwrap_or_default()
    }

    /// What a player arriving there at step `steps` may expect.
    pub(super) fn after(&self, chart: &Chart, cell: Cell, steps: u16) -> f32 {
        let increment = chart.increments().get(cell.index()).copied();
        let grown =
            u32::from(self.now(cell)) + u32::from(steps) * u32::from(increment.unwrap_or_default());
        let seen = self.seen.get(cell.index()).copied().unwrap_or_default();
        let unseen = self.counted.saturating_sub(seen).min(400) as i32;
        grown.min(ENERGY_MAX.into()) as f32 * self.trust.powi(unseen)
    }
}
