//! What is kept of a match: its transcripts, its log, and where they are recorded.

pub(super) mod journal;
pub mod log;
mod recording;
mod seats;
pub mod transcript;

pub use recording::{MatchRecord, RecordError, RecordLine, Recording, UnfinishedMatch, lines_of};
pub(super) use recording::{Queued, Writer};
pub use seats::DecisionTimes;
