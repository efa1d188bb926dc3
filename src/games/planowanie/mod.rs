//! Planowanie: tricks that are declared beforehand, two to four players, any deck.
//! Rules, wire and the readings chosen: README.md.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod bots;
pub mod cards;
pub mod clock;
mod contest;
pub mod dialect;
pub mod facts;
pub mod options;
pub mod player;
pub mod referee;
pub mod rules;
pub mod scene;
mod sentences;
mod table;

pub use contest::KIT;

#[cfg(test)]
mod tests;
