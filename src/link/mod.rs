//! Byte transports: the HTTP listener of REST and referee, the outgoing HTTP client and the addresses it may
//! call, lines over TCP, programs on pipes.

mod accepting;
mod caller;
mod counted;
mod hosts;
mod http_in;
pub mod http_out;
pub mod lines;
pub mod program;
mod reach;
pub mod relay;
mod shares;
mod socket;
pub mod target;

pub use accepting::{AcceptFaults, Accepted, Acceptor};
pub use caller::Caller;
pub use hosts::{Hosts, Misdirected};
pub use http_in::{HttpIn, LeavesAt, PeerAddress};
pub use http_out::{Answer, CallError, HttpOptions, HttpOut, callable};
pub use lines::{AnyLine, LineError, keep_alive};
pub use reach::{Allowed, OwnDoor, Reach};
pub use shares::{Busy, Peer, Share, Shares, Shortage, Stay};
pub use socket::Socket;
pub use target::{Target, TargetError};
