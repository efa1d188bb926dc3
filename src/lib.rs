//! Drover hosts many game bots behind one service, referees their games and keeps every match.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod api;
pub mod store;
