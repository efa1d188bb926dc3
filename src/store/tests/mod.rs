//! The store against itself: acknowledged data is there, rejected data is not.

mod archives;
pub(crate) mod fake;
mod file;
pub(crate) mod opening;
mod packing;
mod pruning;
mod queue;
mod server;
mod writing;
