//! The ladder of built-in players, weakest first, one file each, with the champion at the top. What was tried
//! and measured: README.md.

pub mod champion;
mod duel;
mod random;
mod registry;
mod shipped;
mod sight;
mod stand;

pub use duel::{Stage, signature};
pub use registry::{CARDS, make};
