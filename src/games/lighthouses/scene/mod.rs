//! What is to be seen of a game (README.md, section 6): everything for its engine, for a player what it receives.

mod news;
mod picture;
mod state;

pub use news::news;
pub use picture::draw;
pub use state::{CELLS_MAX, CURVES, LighthouseState, PlayerState, State, TriangleState, deed};
