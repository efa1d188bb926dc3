//! The ladder of built-in players, weakest first, one file each, and the champion above them.
//! What was tried and measured: README.md.

pub mod champion;
mod random;
mod registry;
mod shipped;
mod sight;
mod signature;
mod stand;

pub use registry::{CARDS, make};
pub use signature::{arrange, bouts};
