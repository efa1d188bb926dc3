//! The store against itself: acknowledged data is there, rejected data is not.

pub(crate) mod fake;
mod naming;
mod opening;
mod writing;
