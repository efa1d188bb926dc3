//! What a game starts from.

use super::ruleset::{ROUNDS_MAX, Ruleset};
use super::world::{
    COORDINATE_MAX, NEUTRAL, PLANETS_MAX, PLAYERS, Planet, PlanetId, PlayerId, SHIPS_MAX, TEAM_MAX,
};
use drover_game::game::SetupError;
use serde::{Deserialize, Serialize};

/// Why a game cannot be played from a setup.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SetupFault {
    /// Too few or too many players, or not as many teams.
    #[error("{count} players and {teams} teams: {} to {} can play, each in a team", PLAYERS.start(), PLAYERS.end())]
    Players {
        /// Players.
        count: usize,
        /// Teams of players.
        teams: usize,
    },
    /// A team is too large.
    #[error("team {team} has {size} players; {TEAM_MAX} are allowed")]
    Team {
        /// The team.
        team: u8,
        /// Its players.
        size: usize,
    },
    /// Two players share a number, or one is 0.
    #[error("players need numbers of their own, from 1")]
    Numbers,
    /// No planets, or too many.
    #[error("{0} planets: 1 to {PLANETS_MAX} are played with")]
    Planets(usize),
    /// Two planets share a number.
    #[error("two planets have the number {0}")]
    Twice(PlanetId),
    /// A planet lies too far out.
    #[error("planet {id} lies at {x}, {y}: up to {COORDINATE_MAX} can be played")]
    Far {
        /// The planet.
        id: PlanetId,
        /// Where it lies.
        x: f64,
        /// Where it lies.
        y: f64,
    },
    /// A planet has or grows too many or too few ships.
    #[error("planet {id} has {ships} ships and grows by {growth}: too many or too few")]
    Ships {
        /// The planet.
        id: PlanetId,
        /// Its ships.
        ships: i64,
        /// Its growth.
        growth: i64,
    },
    /// A planet's owner does not play.
    #[error("planet {id} belongs to {owner}, who does not play")]
    Owner {
        /// The planet.
        id: PlanetId,
        /// Its owner.
        owner: PlayerId,
    },
    /// The rules cannot be played.
    #[error(
        "{rounds} rounds and {delay} turns of delay: 1 to {ROUNDS_MAX}, and 0 or 1, can be played"
    )]
    Rules {
        /// Rounds of a game.
        rounds: u32,
        /// Turns that each flight takes longer.
        delay: u32,
    },
}

impl From<SetupFault> for SetupError {
    fn from(fault: SetupFault) -> Self {
        Self::new(fault)
    }
}

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
    /// [`SetupFault`] names what is wrong.
    pub fn check(&self) -> Result<(), SetupFault> {
        self.check_players()?;
        if self.planets.is_empty() || self.planets.len() > PLANETS_MAX {
            return Err(SetupFault::Planets(self.planets.len()));
        }
        let mut ids: Vec<PlanetId> = self.planets.iter().map(|planet| planet.id).collect();
        ids.sort_unstable();
        if let Some(twice) = ids.windows(2).find(|pair| pair.first() == pair.last()) {
            return Err(SetupFault::Twice(twice[0]));
        }
        self.planets
            .iter()
            .try_for_each(|planet| self.check_planet(planet))?;
        let Ruleset { rounds, delay, .. } = self.ruleset;
        if !(1..=ROUNDS_MAX).contains(&rounds) || delay > 1 {
            return Err(SetupFault::Rules { rounds, delay });
        }
        Ok(())
    }

    fn check_players(&self) -> Result<(), SetupFault> {
        let count = self.players.len();
        if !PLAYERS.contains(&count) || self.teams.len() != count {
            let teams = self.teams.len();
            return Err(SetupFault::Players { count, teams });
        }
        for team in &self.teams {
            let size = self.teams.iter().filter(|other| *other == team).count();
            if size > TEAM_MAX {
                return Err(SetupFault::Team { team: *team, size });
            }
        }
        let mut players = self.players.clone();
        players.sort_unstable();
        players.dedup();
        if players.len() != count || players.first() == Some(&NEUTRAL) {
            return Err(SetupFault::Numbers);
        }
        Ok(())
    }

    fn check_planet(&self, planet: &Planet) -> Result<(), SetupFault> {
        let Planet { id, x, y, .. } = *planet;
        let near = |at: f64| at.abs() <= COORDINATE_MAX;
        if !near(x) || !near(y) {
            return Err(SetupFault::Far { id, x, y });
        }
        let (ships, growth) = (planet.ships, planet.growth);
        let fits = |number: i64| (-SHIPS_MAX..=SHIPS_MAX).contains(&number);
        if ships < 0 || !fits(ships) || !fits(growth) {
            return Err(SetupFault::Ships { id, ships, growth });
        }
        let owner = planet.owner;
        if owner != NEUTRAL && !self.players.contains(&owner) {
            return Err(SetupFault::Owner { id, owner });
        }
        Ok(())
    }
}
