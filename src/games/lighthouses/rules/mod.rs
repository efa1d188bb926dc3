//! The rules alone: the chart of a map, who holds which lighthouse and link, energy, turns and points
//! (README.md, section 1).

mod chart;
mod game;
mod network;
mod triangle;

pub use chart::{Cell, Chart, ENERGY_MAX, Lighthouse, Point, Step, VIEW_REACH};
pub use game::{Act, Ask, Event, Lighthouses, PLAYERS, Player, ROUNDS_MAX, Setup, View};
pub use network::{Beacon, Network, POINTS, Refusal, UPKEEP};
pub use triangle::spans;
