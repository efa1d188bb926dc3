//! What is to be seen of a match (README.md, section 9): the whole field for its hub, for a player what its dogs
//! see and receive.

mod news;
mod picture;
mod state;

pub use news::news;
pub use picture::{draw, draw_narrow};
pub use state::{CELLS_MAX, CURVES, DogState, PlayerState, SheepState, State};
