//! A seat's knowledge, folded from the messages it receives.

mod deal;
mod knowledge;
mod state;

pub use deal::{Deal, Sold, Traded};
pub use knowledge::Fold;
pub use knowledge::course::Verdict;
pub use knowledge::fix::Rows;
