//! Lines: what the judge writes and takes, what a player reads and says (README.md, section 2).

pub mod judge;
pub mod player;
