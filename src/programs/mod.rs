//! Users' programs: what one is started from, and where it is found by name.

mod launch;

pub use launch::{Launch, Programs};
