//! Rung 9: the champion.

mod base;
pub mod belief;
mod candidates;
mod memory;
mod player;
pub mod playout;
pub mod reading;

pub use memory::{Memory, Noted};
pub use player::{Champion, DESCRIPTION};

#[cfg(test)]
mod tests;
