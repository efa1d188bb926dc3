//! What is kept of a match: its transcripts, its log, and where they are recorded.

pub mod log;
mod orphans;
mod recording;
mod seat_session;
mod seats;
mod writer;

pub use orphans::result_of;
pub use recording::{MatchRecord, RecordError, RecordLine, Recording, UnfinishedMatch, lines_of};
pub use seats::DecisionTimes;
pub(super) use writer::{Patience, Writer};
