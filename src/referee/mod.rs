//! Runs games: drives a table against its seats, over HTTP or in process, and keeps what happened.

pub mod clock;
mod drive;
mod journal;
pub mod log;
mod past;
pub mod record;
pub mod seat_link;
pub mod seat_spec;
mod seat_task;
pub mod transcript;

pub use clock::now_us;
pub use record::{MatchRecord, RecordError, RecordLine, Recording, UnfinishedMatch, Unrecorded};
pub use seat_link::{HttpSeat, SeatLink, SeatReply};
pub use seat_spec::{SeatSpec, SeatSpecError};
pub use transcript::Kept;
