//! The ladder of built-in players, weakest first, one file each, every one both alone against all and as one
//! of a team. What was tried and measured: README.md.

mod bully;
pub mod champion;
mod chart;
pub mod drill;
mod dual;
mod field;
mod frontier;
mod idle;
mod orders;
mod player;
mod prospector;
mod rage;
mod random;
mod reason;
mod registry;
pub mod ring;
mod signature;
mod surplus;

pub use registry::{CARDS, make};
#[cfg(test)]
pub(super) use signature::CLOSE;
pub(super) use signature::bouts;
