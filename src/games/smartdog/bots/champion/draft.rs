//! The first plans: turn by turn and dog by dog what is best at once, as long as the plans are. They cost little
//! and give every dog something to do before beams improve them dog by dog.

use super::deed::{Deed, deeds};
use super::simulator::{Deeds, Simulator};
use super::terrain::Terrain;
use crate::rules::SmartDog;

/// A draft in progress.
#[derive(Clone)]
pub(super) struct Draft {
    /// Where the line has come to.
    pub(super) game: SmartDog,
    /// What the dogs that have chosen do this turn.
    taken: Deeds,
    /// The turns before, by turn and dog.
    pub(super) turns: Vec<Deeds>,
    sum: f64,
    depth: usize,
}

impl Draft {
    pub(super) fn new(simulator: &Simulator, depth: usize) -> Self {
        Self {
            game: simulator.root.clone(),
            taken: Deeds::new(),
            turns: Vec::new(),
            sum: 0.0,
            depth,
        }
    }

    /// Lets the next dog choose. At the end: the last value, and the sum of all.
    pub(super) fn step(
        &mut self,
        simulator: &mut Simulator,
        terrain: &mut Terrain,
    ) -> Option<(f64, f64)> {
        let own = simulator.evaluation.own.get(self.taken.len()).copied()?;
        let mut best: Option<(f64, Deed)> = None;
        let begun = simulator.begin(&self.game);
        for deed in deeds(&self.game, simulator.me, own) {
            let game = simulator.played(&begun, self.taken.iter().copied().chain([deed]));
            let value = simulator.evaluation.value(&game, terrain);
            if best.is_none_or(|(most, _)| value > most + 1e-9) {
                best = Some((value, deed));
            }
            simulator.reuse([game]);
        }
        simulator.reuse([begun.game]);
        let (value, deed) = best?;
        self.taken.push(deed);
        if self.taken.len() < simulator.evaluation.own.len() {
            return None;
        }
        self.sum += value;
        let taken = std::mem::take(&mut self.taken);
        simulator.play(&mut self.game, taken.iter().copied());
        self.turns.push(taken);
        (self.turns.len() >= self.depth).then_some((value, self.sum))
    }
}
