//! The store against itself: acknowledged data is there, rejected data is not.

mod damage;
pub(crate) mod fake;
mod naming;
mod opening;
mod packing;
mod tournaments;
mod writing;
