//! The ladder of built-in players, weakest first, one file each, every one of them alone against all and as
//! one of a team. What was tried and measured: README.md.

pub mod champion;
pub mod drill;
mod duel;
mod idle;
mod registry;
pub mod ring;

pub use duel::Duel;
pub use registry::{CARDS, make};
