//! `drover bench …`: measures the daemon's promises on this machine.

mod bare;
pub mod callbacks;
mod child;
pub mod crash;
mod hub_process;
pub mod hubs;
pub mod idle;
mod load;
pub mod matches;
mod messages;
mod remembered;
mod site;
pub mod soak;
mod stats;
pub mod stdio;
mod verbs;

pub use stdio::echo::run as echo;
pub use verbs::{Verb, run};
