//! Lines: what the judge writes and accepts, what a player reads and sends (README.md, section 2).

pub mod google;
pub mod judge;
pub mod player;
mod state;
