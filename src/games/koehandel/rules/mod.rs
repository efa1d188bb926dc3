//! The rules: one auction or trade after another until no trade is possible (README.md, section 2).

mod act;
mod auction;
mod game;
mod setup;
mod trade;

#[cfg(test)]
mod tests;

pub use act::{Act, Ask, Money};
pub use game::{Ear, Koehandel, Silence, score};
pub use setup::Setup;
