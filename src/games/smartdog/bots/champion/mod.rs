//! Rungs 4 to 6: players that maintain a belief of the whole position and simulate it by the rules. They
//! differ in how far they look. Design and measurements: ../README.md.

mod arrival;
mod deed;
mod draft;
mod explore;
mod flock;
mod greedy;
mod hidden;
mod player;
mod reach;
mod reply;
mod role_search;
mod search;
mod simulator;
mod terrain;
mod tracked;
mod tried;
mod value;
mod world;

pub use deed::Deed;
pub use player::{CHAMPION, HERDER, Herder, Knobs, SEARCHER};
pub use reach::Reach;
pub use reply::Model;
pub use value::Weights;
