//! Rungs 4 to 6: players who believe in a whole position and simulate it by the rules. They differ
//! in how far they look. How it is built and what was measured: ../README.md.

mod deed;
mod long;
mod player;
mod reply;
mod search;
mod solver;
mod terrain;
mod value;
mod world;

pub use deed::Deed;
pub use player::{CHAMPION, HERDER, Herder, Mind, SEARCHER};
pub use search::Reach;
pub use solver::{Proof, solve};
pub use value::Weights;
