//! Koehandel: auctions and trades for quartets of animals, with money that nobody sees.
//! Protocol, rulings and the tests that pin them: README.md.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod bots;
pub mod cards;
mod contest;
pub mod dialect;
pub mod facts;
pub mod fold;
pub mod guard;
mod match_facts;
pub mod message;
pub mod models;
pub mod options;
pub mod player;
pub mod referee;
pub mod rules;
pub mod scene;
mod sentences;
pub mod view;

pub use contest::KIT;

#[cfg(test)]
mod tests;
