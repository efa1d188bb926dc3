//! The ladder of built-in players, weakest first, one file each, with the champion at the top. What was tried
//! and measured: README.md.

pub mod champion;
mod drifter;
mod habits;
mod harvester;
mod memory;
mod nearest;
mod passer;
mod paths;
mod plans;
mod reason;
mod registry;
mod ring;
mod scout;
mod signature;
pub mod strangers;
pub mod triangle;

pub use registry::{CARDS, make};
pub(super) use signature::bouts;
