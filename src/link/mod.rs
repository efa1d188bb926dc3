//! Byte transports: the HTTP listener of REST and referee, the outgoing HTTP client that calls players and
//! whom it may call, lines over TCP, programs on pipes.

mod caller;
mod counted;
mod hosts;
mod http_in;
pub mod http_out;
pub mod lines;
mod places;
pub mod program;
mod reach;
pub mod relay;
mod socket;
pub mod target;

pub use caller::Caller;
pub use hosts::{Hosts, Misdirected};
pub use http_in::{HttpIn, Peer};
pub use http_out::{Answer, CallError, HttpOptions, HttpOut, callable};
pub use lines::{AnyLine, LineError, keep_alive};
pub use reach::{Allowed, OwnDoor, Reach};
pub use socket::Socket;
pub use target::{Target, TargetError};
