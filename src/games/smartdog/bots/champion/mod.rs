//! Rungs 4 to 6: players that maintain a belief of the whole position and simulate it by the rules. They
//! differ in how far they look. Design and measurements: ../README.md.

mod arrival;
mod deed;
mod draft;
mod explore;
mod flock;
mod greedy;
mod hidden;
mod origins;
mod pack;
mod player;
mod recall;
mod reply;
mod role_search;
mod search;
mod simulator;
mod terrain;
mod tried;
mod value;
mod world;

pub use deed::Deed;
pub use player::{CHAMPION, HERDER, Herder, Knobs, SEARCHER};
pub use reply::Model;
pub use search::Reach;
pub use value::Weights;
