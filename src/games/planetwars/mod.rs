//! Planet Wars in teams: planets, fleets, and rings of words between allies who do not know each other.
//! Rules, wire and the readings chosen: README.md.

pub mod bots;
pub mod dialect;
pub mod facts;
pub mod generate;
mod kit;
pub mod map;
pub mod options;
pub mod player;
pub mod referee;
pub mod rules;

pub use kit::KIT;

#[cfg(test)]
mod tests;
