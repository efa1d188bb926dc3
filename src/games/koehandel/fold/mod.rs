//! A seat's knowledge folded from what it hears.

mod deal;
mod knowledge;
mod settle;
mod trade;

pub use deal::Deal;
pub use knowledge::Fold;
