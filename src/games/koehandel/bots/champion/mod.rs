//! Rung 9: the champion.

mod base;
pub mod belief;
mod candidates;
mod memory;
mod player;
pub mod playout;
pub mod reading;
mod sale;

pub use memory::Memory;
pub use player::{Champion, DESCRIPTION};
pub use sale::Noted;

#[cfg(test)]
mod tests;
