//! Rung 7: what it has learnt, and how its search uses it.

mod belief;
pub mod bids;
mod declare;
mod endgame;
mod held;
mod knobs;
mod player;
pub mod policy;
mod search;
pub mod table;

#[cfg(test)]
pub use belief::Belief;
pub use knobs::{CHAMPION, Knobs};
pub(in crate::planowanie::bots) use player::DESCRIPTION;
pub use player::{champion, thinking};
#[cfg(test)]
pub use table::SHIPPED;
