//! The store against itself: acknowledged data is there, rejected data is not.

mod damage;
pub(crate) mod fake;
pub(crate) mod opening;
mod packing;
mod pruning;
mod writing;
