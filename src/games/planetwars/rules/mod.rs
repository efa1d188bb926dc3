//! The rules as a state machine: planets, fleets in flight, battles, growth, the teams' rings.

mod battle;
mod distances;
mod game;
mod ruleset;
mod setup;
mod world;

pub use battle::{Force, fight};
pub use distances::Distances;
pub use game::{Event, LOST, PlanetWars};
pub use ruleset::{
    Alive, Battle, Dropped, Growth, ROUNDS_MAX, Ruleset, SamePlanet, Travel, ZeroShips,
};
pub use setup::{Setup, SetupFault};
pub use world::{
    Act, Ask, COORDINATE_MAX, Launch, NEUTRAL, PLANETS_MAX, PLAYERS, Planet, PlanetId, PlayerId,
    SHIPS_MAX, ShownFleet, TEAM_MAX, View, owners,
};
