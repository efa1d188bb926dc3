//! What games over pipes cost: a shim's latency, a shim whose daemon is killed, an arbiter's games.

pub mod arbiter;
pub mod echo;
pub mod rounds;
pub mod shim;
pub mod shim_crash;
pub mod shim_games;
pub mod turns;
mod whole;
