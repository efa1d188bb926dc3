//! Drover hosts many game bots behind one service, referees their games and keeps every match.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod access;
pub mod api;
pub mod cli;
pub mod clock;
pub mod config;
pub mod daemon;
pub mod fuzzing;
pub mod gateway;
pub mod histogram;
pub mod identities;
pub mod link;
pub mod logs;
pub mod metrics;
mod plain;
pub mod programs;
pub mod referee;
pub mod replay;
pub mod secrets;
pub mod seldom;
pub mod session;
mod sheet;
pub mod shim;
pub mod store;
pub mod thinking;
pub mod tournament;

#[cfg(test)]
mod fake;
