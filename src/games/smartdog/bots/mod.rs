//! The ladder of built-in players, weakest first, one file each, with the champion at the top. What was tried
//! and measured: README.md.

pub mod champion;
mod random;
mod registry;
mod shipped;
mod sight;
mod signature;
mod stand;

pub use registry::{CARDS, make};
pub use signature::{arrange, bouts};
