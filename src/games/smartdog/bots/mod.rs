//! The ladder of built-in players, weakest first, one file each, with the champion at the top. What was tried
//! and measured: README.md.

pub mod champion;
mod random;
mod registry;
mod shipped;
mod shown;
mod sight;
mod signature;
mod stand;

pub use registry::{CARDS, make};
pub use shown::play_by;
pub use signature::bouts;
