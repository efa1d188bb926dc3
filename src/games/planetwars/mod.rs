//! Planet Wars in teams: planets, fleets, and rings of words between allies who do not know each other.
//! Rules, wire and the readings chosen: README.md.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod bots;
mod contest;
pub mod dialect;
pub mod facts;
pub mod generate;
pub mod map;
mod maps;
pub mod options;
pub mod player;
pub mod referee;
pub mod rules;
pub mod scene;
mod sentences;

pub use contest::KIT;

#[cfg(test)]
mod tests;
