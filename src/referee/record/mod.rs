//! What is kept of a match: its transcripts, its log, and where they are recorded.

mod ends;
mod error;
pub mod log;
mod recording;
mod seat_session;
mod seats;
mod tenancy;
mod writer;

pub(super) use ends::cancelled;
pub use ends::result_of;
pub use error::RecordError;
pub use recording::{MatchRecord, RecordLine, Recording, UnfinishedMatch, lines_of};
pub use seats::DecisionTimes;
pub(super) use writer::{Patience, Writer};
