//! Rung 9: the champion.

pub mod base;
pub mod belief;
mod candidates;
mod memory;
pub mod outlook;
mod player;
pub mod playout;
mod position;
pub mod reading;
mod sale;
mod scenario;

pub use memory::Memory;
pub use player::{Base, Champion, DESCRIPTION};
pub use position::{Horizon, worth};
pub use sale::Noted;

#[cfg(test)]
mod tests;
