//! Byte transports. So far: the outgoing HTTP client that calls players.

mod counted;
pub mod http_out;
pub mod target;

pub use http_out::{Answer, CallError, HttpOptions, HttpOut, Reach};
pub use target::{Target, TargetError};
