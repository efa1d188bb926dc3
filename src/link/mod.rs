//! Byte transports: the outgoing HTTP client that calls players, lines over TCP, programs on pipes.

mod accepting;
mod caller;
mod counted;
mod crowd;
pub mod http_out;
pub mod lines;
pub mod program;
pub mod relay;
mod shares;
pub mod target;

pub use accepting::AcceptFaults;
pub use caller::Caller;
pub use crowd::{Busy, Crowd, Fullness, Stay, TurnedAway};
pub use http_out::{Answer, CallError, HttpOptions, HttpOut, Reach};
pub use lines::{AnyLine, LineError, keep_alive};
pub use shares::{Peer, Share, Shares, Shortage, is_short};
pub use target::{Target, TargetError};
