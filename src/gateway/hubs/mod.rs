//! Connections to hubs that we dial: each is kept open forever, one game after another.
//!
//! `dialler` keeps the connections going and `backoff` spaces the tries. In `game`, a seat dials and sends the dialogue's
//! opening lines, tries the other spelling of the hub's name if the first is refused, and waits in the queue. `dial` reads
//! lines and joins them until `Dialect::completes` says that they are a whole message: a turn is one entry of the transcript,
//! not thirty. The message with `start` opens a session (`Sessions::begin`), together with everything exchanged before it;
//! each further one is an ordinary `Sessions::callback`, answered in one write. When the connection ends, so does the
//! session. One that a stop interrupted is closed as `disconnect` at the next start.

mod backoff;
mod dial;
mod dialler;
mod game;
mod status;

pub use dial::{Dial, HubStream};
pub use dialler::Hubs;
pub use status::{HubStatus, Phase};
