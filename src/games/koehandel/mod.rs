//! Koehandel: auctions and trades for quartets of animals, with money that nobody sees.
//! Protocol, rulings and the tests that pin them: README.md.

pub mod bots;
pub mod cards;
pub mod fold;
pub mod message;
pub mod models;
pub mod options;
pub mod rules;
pub mod view;

#[cfg(test)]
mod tests;
