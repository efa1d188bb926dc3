//! What lets the world in: so far callbacks over HTTP/1.1.

mod body;
mod callbacks;
mod connection;
pub mod hubs;
mod limits;
mod options;
mod routes;
mod socket;
#[cfg(test)]
mod tests;
mod wording;

pub use callbacks::{Callbacks, CallbacksError};
pub use options::CallbackOptions;
