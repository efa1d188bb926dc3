//! Rung 7: what it has learnt, and how its search uses it.

mod belief;
pub mod bids;
mod declare;
mod endgame;
mod held;
pub mod inputs;
mod knobs;
pub mod net;
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
