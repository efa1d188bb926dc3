//! The store against itself: acknowledged data is there, rejected data is not.

mod contents;
mod damage;
pub(crate) mod fake;
mod lists;
mod naming;
mod opening;
mod packing;
mod pruning;
mod rivals;
mod tournaments;
mod writing;
