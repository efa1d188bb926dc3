//! The rules: one auction or trade after another until no trade is possible (README.md, section 2).

mod act;
mod auction;
mod game;
mod imagine;
mod setup;
mod trade;

#[cfg(test)]
mod tests;

pub(in crate::koehandel) use act::check;
pub use act::{Act, Ask, Money};
pub use game::{Ear, Koehandel, score};
pub use imagine::{Bidding, Moment};
pub use setup::Setup;
