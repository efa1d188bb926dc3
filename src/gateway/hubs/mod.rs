//! Connections to hubs that we dial: each is kept open forever, one game after another.

mod backoff;
mod dial;
mod dialler;
mod game;
mod status;

pub use dialler::Hubs;
pub use status::{HubStatus, Phase};
