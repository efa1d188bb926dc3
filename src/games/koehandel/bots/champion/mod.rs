//! Rung 9: the champion.

pub mod belief;
mod candidates;
pub mod memory;
mod player;
pub mod playout;
pub mod reading;

pub use player::{Champion, DESCRIPTION};
