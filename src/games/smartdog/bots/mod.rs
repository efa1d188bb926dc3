//! The ladder of built-in players, weakest first, one file each, and the champion above them.

mod registry;
mod stand;

pub use registry::{CARDS, make};
