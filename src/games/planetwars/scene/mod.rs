//! What is to be seen of a game (README.md, section 7): everything for its judge, for a player what it receives and
//! its own fleets.

mod news;
mod picture;
mod state;

pub use news::news;
pub use picture::{draw, draw_narrow};
pub use state::{CURVES, PlayerState, State};
