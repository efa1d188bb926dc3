//! The champion's belief about the energy of cells.

use super::terrain::Terrain;
use crate::lighthouses::rules::{Cell, ENERGY_MAX, View};

/// The energy of every cell as far as known.
#[derive(Clone, Debug)]
pub struct Cells {
    /// Energy now: seen, or grown since.
    energy: Vec<u8>,
    /// Rounds since a cell was in sight, up to 255.
    unseen: Vec<u8>,
    round: Option<u32>,
    /// The share of the expected energy that was found on cells long out of sight.
    found: f32,
    discounted: bool,
}

impl Cells {
    /// No energy anywhere, before the first round.
    #[must_use]
    pub fn new(terrain: &Terrain, alone: bool) -> Self {
        Self {
            energy: vec![0; terrain.chart.cells()],
            unseen: vec![0; terrain.chart.cells()],
            round: None,
            found: if alone { 1.0 } else { 0.8 },
            discounted: !alone,
        }
    }

    /// Advances to the round of this view and takes in what it shows.
    pub fn see(&mut self, terrain: &Terrain, view: &View) {
        let passed = match self.round {
            None => view.round.saturating_add(1),
            Some(before) => view.round.saturating_sub(before),
        };
        self.round = Some(view.round);
        let passed = passed.min(255) as u8;
        if passed > 0 {
            let increments = terrain.chart.increments();
            for (cell, increment) in self.energy.iter_mut().zip(increments) {
                let grown = increment.saturating_mul(passed);
                *cell = cell.saturating_add(grown).min(ENERGY_MAX);
            }
            for unseen in &mut self.unseen {
                *unseen = unseen.saturating_add(passed);
            }
        }
        let (mut expected, mut there) = (0.0, 0.0);
        for (cell, energy) in &view.seen {
            let Some(own) = self.energy.get_mut(cell.index()) else {
                continue;
            };
            let unseen = &mut self.unseen[cell.index()];
            if *unseen > 8 && *cell != view.position {
                expected += f32::from(*own);
                there += f32::from(*energy);
            }
            *unseen = 0;
            *own = (*energy).min(ENERGY_MAX);
        }
        if let Some(own) = self.energy.get_mut(view.position.index()) {
            *own = 0;
        }
        if self.discounted && expected > 0.0 {
            let weight = (expected / 4000.0).min(0.25);
            self.found += weight * (there / expected - self.found);
        }
    }

    /// The energy believed to be on a cell, less what others may have taken meanwhile.
    #[inline]
    #[must_use]
    pub fn energy(&self, cell: Cell) -> u8 {
        let energy = self.energy[cell.index()];
        let unseen = self.unseen[cell.index()];
        if unseen < 3 || !self.discounted {
            return energy;
        }
        let trust = 1.0 - (1.0 - self.found) * (f32::from(unseen) / 12.0).min(1.0);
        (f32::from(energy) * trust) as u8
    }
}
