//! Drover hosts many game bots behind one service, referees their games and keeps every match.
//!
//! # Layout
//!
//! From the bottom up; a module uses only lower ones. `ARCHITECTURE.md` has three walks through them.
//!
//! - `store` (SQLite), `link` (HTTP, TCP, pipes), `thinking` (the pool) and `config` carry everything else.
//! - `cluster` decides which of several replicas owns what.
//! - `history` reads what is stored; `replay` folds a transcript; `programs` supervises user bots; `access` and `identities` know who may see what.
//! - `session` is our side of a seat, `referee` the other side of the wire, `shim` the player that a foreign arbiter starts.
//! - `gateway` lets callbacks, hubs and shims in; `tournament` plays many matches.
//! - `api` shows what was stored, as REST and as pages.
//! - `daemon` wires these together, and `cli` is what a person types.
//!
//! The rules, wires and bots are in the package `games`, which knows nothing of all this.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod access;
pub mod api;
mod chart;
pub mod cli;
pub mod clock;
pub mod cluster;
pub mod config;
pub mod daemon;
pub mod fuzzing;
pub mod gateway;
pub mod history;
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
pub mod simulated;
pub mod store;
mod style;
pub mod thinking;
pub mod tournament;

#[cfg(test)]
mod toy;
