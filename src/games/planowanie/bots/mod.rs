//! The ladder of built-in players, weakest first, one file each, and what they share.
//! What was tried and measured: README.md.

pub mod champion;
mod duel;
mod greedy;
mod ismcts;
mod judgement;
mod mcbid;
mod pimc;
mod position;
mod random;
mod registry;
mod rules;
mod searcher;
mod train;
mod worlds;

pub use duel::{Table, signature};
pub use registry::{CARDS, make};
pub use train::train;
