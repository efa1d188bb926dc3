//! The store against itself: what is acknowledged is there, what is refused is not.

pub(crate) mod fake;
mod naming;
mod opening;
mod writing;
