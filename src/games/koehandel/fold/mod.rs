//! A seat's knowledge, folded from the messages it receives.

mod course;
mod deal;
mod knowledge;
mod mend;
mod settle;
mod state;
mod trade;

pub use course::Verdict;
pub use deal::{Deal, Sold, Traded};
pub use knowledge::Fold;
pub use mend::Rows;
