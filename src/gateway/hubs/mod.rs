//! Connections to hubs that we dial: each is kept for ever, one game after the other.

mod backoff;
mod dial;
mod dialler;
mod game;
mod status;

pub use dialler::{HubPlan, Hubs};
pub use status::{HubStatus, Phase};
