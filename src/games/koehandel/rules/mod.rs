//! The rules: one auction or trade after another until no trade is possible (README.md, section 2).

mod act;
mod game;
mod setup;
mod state;

#[cfg(test)]
mod tests;

pub use act::{Act, Ask, Money, in_order, is_in_order, listed};
pub use game::imagine::Hidden;
pub use game::{Koehandel, score};
pub use setup::{Setup, Unreachable};
pub use state::Auction;
