//! Runs games: drives a table against its seats, over HTTP, over pipes or in process, seats those who dial a hub,
//! and keeps what happened.

pub mod arbiter;
mod board;
pub mod budget;
pub mod clock;
pub mod demo;
mod drive;
pub mod host;
pub mod hub;
mod journal;
mod lanes;
pub mod local;
pub mod log;
pub mod match_info;
mod page;
mod past;
pub mod query;
pub mod record;
pub mod report;
mod resume;
pub mod schedule;
pub mod seat_builtin;
pub mod seat_link;
pub mod seat_spec;
mod seat_task;
pub mod server;
mod setup;
mod sides;
pub mod spans;
pub mod started;
pub mod store_recording;
pub mod tally;
pub mod transcript;
pub mod watch;
pub mod wired;

pub use clock::now_us;
pub use host::{Host, HostSettings, OnMatch};
pub use match_info::{HostedMatch, MatchEnd, MatchInfo, MatchRequest};
pub use record::{MatchRecord, RecordError, RecordLine, Recording, UnfinishedMatch, Unrecorded};
pub use seat_link::{HttpSeat, SeatLink, SeatReply};
pub use seat_spec::{SeatSpec, SeatSpecError};
pub use server::{ServerSettings, serve};
pub use setup::{OwnAddress, merged};
pub use started::{Ending, StartError, Started};
pub use transcript::Kept;
