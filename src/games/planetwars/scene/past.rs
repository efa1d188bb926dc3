//! Ships and growth of every player over the last turns.

use crate::rules::{Planet, PlayerId};
use std::collections::VecDeque;

/// Turns that are kept at most, the present one included.
const TURNS_MAX: usize = 40;
/// Turns that are kept however many players there are.
const TURNS_MIN: usize = 8;
/// Pairs of figures that are kept at most otherwise: with many players, those of fewer turns.
const FIGURES_MAX: usize = 200;

/// What each player had turn by turn, the present turn last.
#[derive(Clone, Debug, Default)]
pub struct Past {
    players: Vec<PlayerId>,
    turns: VecDeque<Vec<(i64, i64)>>,
}

impl Past {
    /// Nothing yet of these players.
    #[must_use]
    pub fn for_players(players: Vec<PlayerId>) -> Self {
        Self {
            players,
            turns: VecDeque::new(),
        }
    }

    /// The players.
    #[must_use]
    pub fn players(&self) -> &[PlayerId] {
        &self.players
    }

    /// A turn begins. `flying`: a player's ships in flight, as far as they are known.
    pub fn note(&mut self, planets: &[Planet], flying: impl Fn(PlayerId) -> i64) {
        let players = self.players.iter();
        let now = players.map(|player| {
            let own = planets.iter().filter(|planet| planet.owner == *player);
            let start = (flying(*player), 0i64);
            own.fold(start, |(ships, growth), planet| {
                let ships = ships.saturating_add(planet.ships);
                (ships, growth.saturating_add(planet.growth))
            })
        });
        let now = now.collect();
        self.turns.push_back(now);
        let most = FIGURES_MAX / self.players.len().max(1);
        while self.turns.len() > most.clamp(TURNS_MIN, TURNS_MAX) {
            self.turns.pop_front();
        }
    }

    /// Ships and growth of the player at this place, turn by turn.
    #[must_use]
    pub fn of_place(&self, place: usize) -> Vec<(i64, i64)> {
        let turns = self.turns.iter();
        turns.filter_map(|turn| turn.get(place).copied()).collect()
    }
}
