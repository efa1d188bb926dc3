//! Runs games: drives a table against its seats, over HTTP or in process, and keeps what happened.

mod board;
pub mod clock;
mod drive;
pub mod host;
mod journal;
pub mod log;
pub mod match_info;
mod page;
mod past;
pub mod query;
pub mod record;
pub mod seat_link;
pub mod seat_spec;
mod seat_task;
pub mod server;
pub mod transcript;

pub use clock::now_us;
pub use host::{Ending, Host, HostSettings, OnMatch, StartError, Started};
pub use match_info::{HostedMatch, MatchEnd, MatchInfo, MatchRequest};
pub use record::{MatchRecord, RecordError, RecordLine, Recording, UnfinishedMatch, Unrecorded};
pub use seat_link::{HttpSeat, SeatLink, SeatReply};
pub use seat_spec::{SeatSpec, SeatSpecError};
pub use server::{ServerSettings, serve};
pub use transcript::Kept;
