//! Smart-dog: herding sheep on a torus, one to four players, commands in order of arrival.
//! Rules, maps and the readings chosen: README.md.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod atlas;
pub mod bots;
pub mod cartographer;
mod contest;
pub mod dialect;
pub mod facts;
pub mod generate;
pub mod known;
pub mod last_turn;
pub mod map;
pub mod maps;
pub mod match_options;
pub mod options;
pub mod player;
pub mod reception;
pub mod referee;
pub mod rules;
pub mod scene;
mod sentences;

pub use contest::KIT;

#[cfg(test)]
mod tests;
