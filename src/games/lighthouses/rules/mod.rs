//! The rules alone: the chart of a map, who holds which lighthouse and link, energy, turns and points
//! (README.md, section 1).

mod chart;
mod game;
mod network;
mod point;
mod triangle;

pub use chart::{Cell, Chart, ENERGY_MAX, LIGHTHOUSES_MAX, Lighthouse, SIDE_MAX, Step, VIEW_REACH};
pub use game::{Act, Ask, Event, Lighthouses, PLAYERS, Player, ROUNDS_MAX, Setup, View};
pub use network::{Beacon, Network, POINTS, Refusal, UPKEEP};
pub use point::Point;
pub use triangle::spans;
