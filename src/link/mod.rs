//! Byte transports: the outgoing HTTP client that calls players, lines over TCP, programs on pipes.

mod caller;
mod counted;
pub mod http_out;
pub mod lines;
pub mod program;
pub mod relay;
pub mod target;

pub use caller::Caller;
pub use http_out::{Answer, CallError, HttpOptions, HttpOut, Reach};
pub use lines::{AnyLine, LineError, keep_alive};
pub use target::{Target, TargetError};
