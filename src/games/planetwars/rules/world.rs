//! What is told and what is ordered.

use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A planet's number on the wire; maps may begin at 0 and have gaps.
pub type PlanetId = u32;
/// A player's number on the wire, from 1.
pub type PlayerId = u32;

/// The owner of planets that nobody owns.
pub const NEUTRAL: PlayerId = 0;
/// Most planets of a map.
pub const PLANETS_MAX: usize = 100;
/// How far from the origin a planet may lie.
pub const COORDINATE_MAX: f64 = 1_000_000.0;
/// How many players a game may have.
pub const PLAYERS: std::ops::RangeInclusive<usize> = 1..=100;
/// Most players of a team.
pub const TEAM_MAX: usize = 10;
/// Most ships of a planet or fleet at the start, and most growth: sums stay far below what an `i64` holds.
pub const SHIPS_MAX: i64 = 1_000_000_000;

/// A planet as it is told (README.md, section 2).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Planet {
    /// Its number.
    pub id: PlanetId,
    /// Where it lies.
    pub x: f64,
    /// Where it lies.
    pub y: f64,
    /// Ships that grow in a turn while somebody owns it.
    pub growth: i64,
    /// Whose it is; [`NEUTRAL`] if nobody's.
    pub owner: PlayerId,
    /// Ships on it, from 0.
    pub ships: i64,
}

/// What a player is told before each of his turns.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Turns that are over: 0 at first. Not on the wire; counted by whoever reads it.
    pub turn: u32,
    /// All planets, in an order that never changes.
    pub planets: Arc<Vec<Planet>>,
    /// The word from the player before in the ring; `None` where the wire told none.
    pub message: Option<u32>,
    /// Who is told.
    pub you: PlayerId,
}

/// The only decision there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask;

/// Ships sent from planet to planet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Launch {
    /// Whence.
    pub from: PlanetId,
    /// Whither.
    pub to: PlanetId,
    /// How many.
    pub ships: i64,
}

/// A player's answer to a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Act {
    /// Fleets that leave now, in the order in which they are ordered.
    pub launches: Vec<Launch>,
    /// Planets whose growth is raised by one, in rulesets that have that.
    pub upgrades: Vec<PlanetId>,
    /// The word for the next player in the ring.
    pub message: Option<u32>,
}
