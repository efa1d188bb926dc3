//! A seat's knowledge folded from what it hears.

mod course;
mod deal;
mod knowledge;
mod mend;
mod settle;
mod state;
mod trade;

pub use course::Verdict;
pub use deal::Deal;
pub use knowledge::Fold;
pub use mend::Rows;
