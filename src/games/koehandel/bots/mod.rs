//! The ladder of built-in players, weakest first, one file each, with the champion at the top. What was tried
//! and measured: README.md.

pub mod champion;
pub mod evolved;
pub mod face;
mod filler;
mod guide;
pub mod policy;
mod random;
mod reason;
mod registry;
mod setbuilder;
mod signature;
pub mod styles;
mod trader;
pub mod tuned;

pub use evolved::Rule;
pub use registry::{CARDS, listens, make};
pub use signature::bouts;
