//! The rules: one auction or trade after another until no trade is possible (README.md, section 2).

mod act;
mod auction;
mod game;
mod imagine;
mod scene;
mod setup;
mod state;
mod trade;

#[cfg(test)]
mod tests;

pub use act::{Act, Ask, Money, in_order, is_in_order, listed};
pub use game::{Koehandel, score};
pub use imagine::Hidden;
pub use setup::Setup;
pub use state::Auction;
