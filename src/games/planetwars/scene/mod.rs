//! What is to be seen of a game (README.md, section 7): everything for its judge, for a player what it receives and
//! its own fleets.

mod past;
mod picture;
mod state;

pub use past::Past;
pub use picture::draw;
pub use state::{PlayerState, State, news};
