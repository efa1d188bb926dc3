//! `drover bench …`: measures the daemon's promises on this machine.

mod bare;
pub mod callbacks;
mod load;
mod messages;
mod site;
mod stats;
mod verbs;

pub use verbs::{Verb, run};
