//! Rung 7: what it has learnt, and how it searches with it.

mod belief;
pub mod bids;
mod declare;
mod mind;
mod player;
pub mod policy;
mod search;
pub mod table;

pub(in crate::planowanie::bots) use player::DESCRIPTION;
pub use mind::{CHAMPION, Mind};
pub use player::{champion, thinking};
