//! Turns of flight between planets.

use super::ruleset::Travel;
use super::world::Planet;

/// Turns of flight between any two planets, by their places in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distances {
    planets: usize,
    turns: Vec<u32>,
}

impl Distances {
    /// Measures all pairs. The same on every machine: squares of numbers and a correctly rounded root.
    #[must_use]
    pub fn new(planets: &[Planet], travel: Travel) -> Self {
        let between = |from: &Planet, to: &Planet| {
            let (dx, dy) = (from.x - to.x, from.y - to.y);
            let distance = (dx * dx + dy * dy).sqrt();
            match travel {
                Travel::Ceil => distance.ceil() as u32,
                Travel::Floor => distance.floor() as u32,
            }
        };
        let pairs = planets
            .iter()
            .flat_map(|from| planets.iter().map(move |to| (from, to)));
        Self {
            planets: planets.len(),
            turns: pairs.map(|(from, to)| between(from, to)).collect(),
        }
    }

    /// Turns from one planet to another, 0 for places that do not exist and from a planet to itself. Planets
    /// closer than the rounding may be 0 apart too; a flight still takes one turn.
    #[must_use]
    pub fn turns(&self, from: usize, to: usize) -> u32 {
        if to >= self.planets {
            return 0;
        }
        let turns = self.turns.get(from * self.planets + to);
        turns.copied().unwrap_or_default()
    }

    /// The longest distance there is.
    #[must_use]
    pub fn longest(&self) -> u32 {
        self.turns.iter().copied().max().unwrap_or_default()
    }
}
