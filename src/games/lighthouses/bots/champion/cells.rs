//! The champion's belief about the energy of cells.

use super::terrain::Terrain;
use crate::rules::{Cell, ENERGY_MAX, View};

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

#[cfg(test)]
mod tests {
    use super::super::terrain::Terrain;
    use super::super::tests::island;
    use super::Cells;
    use crate::rules::{Cell, Point, View};

    fn cell(terrain: &Terrain, place: (i32, i32)) -> Cell {
        terrain.chart.cell(Point::from(place)).unwrap()
    }

    /// What is seen in a round from a corner of the island.
    fn view(terrain: &Terrain, round: u32, seen: Vec<(Cell, u8)>) -> View {
        View {
            round,
            seen,
            ..View::unseen(&terrain.chart, cell(terrain, (1, 1)))
        }
    }

    /// All cells of the island with this energy, but not this one.
    fn all_but(terrain: &Terrain, left_out: Cell, energy: u8) -> Vec<(Cell, u8)> {
        let all = (0..terrain.chart.cells() as u16).map(Cell);
        let shown = |cell: &Cell| terrain.chart.island()[cell.index()] && *cell != left_out;
        all.filter(shown).map(|cell| (cell, energy)).collect()
    }

    #[test]
    fn cells_grow_in_rounds_that_were_missed_too() {
        let terrain = island(9, &[(5, 5)]).terrain;
        let mut cells = Cells::new(&terrain, true);
        let near = cell(&terrain, (5, 6));
        assert_eq!(terrain.chart.increments()[near.index()], 4);
        for (round, seen, expected) in [
            (0, None, 4),
            (1, None, 8),
            (4, None, 20),
            (4, None, 20),
            (5, Some(3), 3),
            (7, None, 11),
            (9, None, 19),
            (60, None, 100),
            (61, Some(200), 100),
            (62, Some(0), 0),
            (5_000, None, 100),
        ] {
            let seen = seen.map(|energy| (near, energy)).into_iter().collect();
            cells.see(&terrain, &view(&terrain, round, seen));
            assert_eq!(cells.energy(near), expected, "round {round}");
        }
        assert_eq!(cells.energy(cell(&terrain, (1, 1))), 0, "where it stands");
    }

    /// The energy believed to be on a cell that had 100 when it was last seen n rounds ago.
    fn believed(alone: bool, rounds: u32) -> u8 {
        let terrain = island(9, &[(5, 5)]).terrain;
        let mut cells = Cells::new(&terrain, alone);
        let near = cell(&terrain, (5, 6));
        cells.see(&terrain, &view(&terrain, 0, vec![(near, 100)]));
        cells.see(&terrain, &view(&terrain, rounds, vec![]));
        cells.energy(near)
    }

    #[test]
    fn cells_out_of_sight_are_trusted_less_unless_nobody_else_plays() {
        assert_eq!(
            [1, 2, 6, 12, 40].map(|rounds| believed(true, rounds)),
            [100; 5]
        );
        let shared = [1, 2, 6, 12, 40].map(|rounds| believed(false, rounds));
        assert_eq!(shared, [100, 100, 90, 80, 80]);
    }

    /// The energy believed to be on a cell of 100 after nothing was seen for n rounds, and then all others
    /// with this energy.
    fn after_finding(rounds: u32, energy: u8) -> u8 {
        let terrain = island(9, &[(5, 5)]).terrain;
        let mut cells = Cells::new(&terrain, false);
        let (hidden, nowhere) = (cell(&terrain, (5, 6)), Cell(u16::MAX));
        cells.see(
            &terrain,
            &view(&terrain, 0, all_but(&terrain, nowhere, 100)),
        );
        let found = all_but(&terrain, hidden, energy);
        cells.see(&terrain, &view(&terrain, rounds, found));
        cells.see(&terrain, &view(&terrain, rounds + 12, vec![]));
        cells.energy(hidden)
    }

    #[test]
    fn what_was_missing_elsewhere_is_believed_to_be_missing() {
        // A quarter of the way from 80 % to what was found.
        for (energy, expected) in [(0, 60), (40, 70), (80, 80), (100, 85)] {
            let believed = after_finding(20, energy);
            assert!(believed.abs_diff(expected) <= 1, "{energy}: {believed}");
        }
        assert_eq!(after_finding(8, 0), 80, "recent sightings say nothing");
    }
}
