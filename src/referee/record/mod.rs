//! What is kept of a match: its transcripts, its log, and where they are recorded.

mod ends;
mod error;
pub mod log;
mod open_record;
mod recording;
mod seat_session;
mod seats;
mod tenancy;
mod writer;

pub use ends::{cancelled, result_of};
pub use error::RecordError;
pub use open_record::OpenRecord;
pub use recording::{MatchRecord, RecordLine, Recording, UnfinishedMatch, lines_of};
pub use seats::DecisionTimes;
pub(super) use writer::{Patience, Writer};
