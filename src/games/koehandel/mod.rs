//! Koehandel: auctions and trades for quartets of animals, with money that nobody sees.
//! Protocol, rulings and the tests that pin them: README.md.

pub mod cards;
pub mod message;
pub mod options;
pub mod rules;
pub mod view;
