//! Users' programs: what one is started from, and where it is found by name.

mod bots;
mod instance;
mod launch;
mod log;
mod report;
mod runner;

pub use bots::{Bots, RUNNING_MAX};
pub use instance::{Instance, Opening, Reply};
pub use launch::{Launch, Programs};
pub use report::Report;
