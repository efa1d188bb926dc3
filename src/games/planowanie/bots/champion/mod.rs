//! Rung 7: what it has learnt, and how its search uses it.

mod aim;
mod belief;
pub mod bids;
mod declare;
pub mod entries;
mod held;
pub mod inputs;
mod knobs;
pub mod net;
mod player;
pub mod policy;
mod search;
mod standing;
pub mod table;
#[cfg(test)]
mod tests;

#[cfg(test)]
pub use belief::Belief;
pub use knobs::{CHAMPION, Knobs};
pub(in crate::bots) use player::DESCRIPTION;
pub use player::{champion, thinking};
#[cfg(test)]
pub use table::SHIPPED;
#[cfg(test)]
pub(in crate::bots) use tests::seen;
