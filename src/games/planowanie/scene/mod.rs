//! What is to be seen of a game: the state by the arbiter or by one player, and its picture (README.md,
//! section 6).

mod face;
mod picture;
mod state;
mod watch;

pub use face::{face, suit};
pub use picture::{draw, draw_narrow};
pub use state::{CURVES, Played, Player, Result, State, Taken};
pub(super) use watch::Position;
pub use watch::Watch;
