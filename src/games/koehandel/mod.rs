//! Koehandel: auctions and trades for quartets of animals, with money that nobody sees.
//! Protocol, rulings and the tests that pin them: README.md.

pub mod bots;
pub mod cards;
pub mod dialect;
pub mod facts;
pub mod fold;
pub mod guard;
mod kit;
pub mod message;
pub mod models;
pub mod options;
pub mod player;
pub mod referee;
pub mod rules;
pub mod view;

pub use kit::KIT;

#[cfg(test)]
mod tests;
