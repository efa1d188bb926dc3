//! What a game starts from.

use super::ruleset::{ROUNDS_MAX, Ruleset};
use super::world::{
    COORDINATE_MAX, NEUTRAL, PLANETS_MAX, PLAYERS, Planet, PlanetId, PlayerId, SHIPS_MAX, TEAM_MAX,
};
use serde::{Deserialize, Serialize};

/// What a game starts from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The planets.
    pub planets: Vec<Planet>,
    /// Each seat's number on the wire.
    pub players: Vec<PlayerId>,
    /// Each seat's team, counted from 0.
    pub teams: Vec<u8>,
    /// The rules.
    #[serde(default)]
    pub ruleset: Ruleset,
}

impl Setup {
    /// A duel: the players 1 and 2, each a team by itself.
    #[must_use]
    pub fn duel(planets: Vec<Planet>, ruleset: Ruleset) -> Self {
        Self {
            planets,
            players: vec![1, 2],
            teams: vec![0, 1],
            ruleset,
        }
    }

    /// Whether a game can be played from here.
    ///
    /// # Errors
    /// A sentence that names what is wrong.
    pub fn check(&self) -> Result<(), String> {
        let count = self.players.len();
        if !PLAYERS.contains(&count) || self.teams.len() != count {
            return Err(format!(
                "{count} players and {} teams: {} to {} can play, each in a team",
                self.teams.len(),
                PLAYERS.start(),
                PLAYERS.end()
            ));
        }
        for team in &self.teams {
            let size = self.teams.iter().filter(|other| *other == team).count();
            if size > TEAM_MAX {
                return Err(format!(
                    "team {team} has {size} players; {TEAM_MAX} are allowed"
                ));
            }
        }
        let mut players = self.players.clone();
        players.sort_unstable();
        players.dedup();
        if players.len() != count || players.first() == Some(&NEUTRAL) {
            return Err("players need numbers of their own, from 1".to_owned());
        }
        if self.planets.is_empty() || self.planets.len() > PLANETS_MAX {
            let planets = self.planets.len();
            return Err(format!(
                "{planets} planets: 1 to {PLANETS_MAX} are played with"
            ));
        }
        let mut ids: Vec<PlanetId> = self.planets.iter().map(|planet| planet.id).collect();
        ids.sort_unstable();
        if let Some(twice) = ids.windows(2).find(|pair| pair.first() == pair.last()) {
            return Err(format!("two planets have the number {}", twice[0]));
        }
        for planet in &self.planets {
            let id = planet.id;
            let near = |at: f64| at.abs() <= COORDINATE_MAX;
            if !near(planet.x) || !near(planet.y) {
                return Err(format!(
                    "planet {id} lies at {}, {}: up to {COORDINATE_MAX} can be played",
                    planet.x, planet.y
                ));
            }
            let fits = |number: i64| (-SHIPS_MAX..=SHIPS_MAX).contains(&number);
            if planet.ships < 0 || !fits(planet.ships) || !fits(planet.growth) {
                return Err(format!(
                    "planet {id} has {} ships and grows by {}: too many or too few",
                    planet.ships, planet.growth
                ));
            }
            if planet.owner != NEUTRAL && !self.players.contains(&planet.owner) {
                let owner = planet.owner;
                return Err(format!("planet {id} belongs to {owner}, who does not play"));
            }
        }
        if !(1..=ROUNDS_MAX).contains(&self.ruleset.rounds) || self.ruleset.delay > 1 {
            return Err(format!(
                "{} rounds and {} turns of delay: 1 to {ROUNDS_MAX}, and 0 or 1, can be played",
                self.ruleset.rounds, self.ruleset.delay
            ));
        }
        Ok(())
    }
}
