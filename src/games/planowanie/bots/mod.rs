//! The ladder of built-in players, weakest first, one file each, and what they share.
//! What was tried and measured: README.md.

mod adam;
pub mod champion;
mod greedy;
mod ismcts;
mod judgement;
mod mcbid;
mod pimc;
mod position;
mod random;
mod reason;
mod registry;
mod rules;
mod searcher;
mod signature;
mod train;
mod tree;
mod worlds;

pub use registry::{CARDS, make};
pub use signature::bouts;
pub use train::SelfPlay;
