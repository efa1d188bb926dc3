//! Shadows: bots that hear what the playing bot of a session hears, and whose answers are stored and never sent. Each
//! thinks on a thread of its own at the lowest priority; the session only hands it copies of what it stored.

mod attached;
mod findings;
mod mind;

pub(super) use attached::{Heard, Shadow, Shadows};
#[cfg(test)]
pub(super) use attached::{RUNNING_MAX, WAITING_MAX};
pub use findings::{DIFFERENCES_MAX, ShadowDifference, ShadowReport};
