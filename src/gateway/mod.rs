//! The entrances: callbacks over HTTP/1.1, hubs that we dial, shims on a Unix socket.

mod body;
mod callbacks;
mod connection;
pub mod hubs;
mod options;
mod referees;
mod replicas;
mod routes;
mod shared;
pub mod shims;
#[cfg(test)]
mod tests;
mod waited;
mod wording;

pub use callbacks::{Callbacks, CallbacksError};
pub use options::CallbackOptions;
pub use referees::OwnReferee;
