//! One match, without I/O and without a clock: the table, the time of each seat, faults, and what is recorded.
//!
//! In go lines and answers with the times at which they came, players that are gone, and time; out come [`Effect`]s, which
//! the caller takes and carries out in order. Early, late, too much, not stored, all gone, who is out and for what: all of
//! it is decided here, for every wire; what differs between wires is a value, [`Rules`]. The same machine follows stored
//! transcripts ([`Match::stored_call`], [`Match::stored_reply`]) and goes on from where they end.
//!
//! Times are microseconds since 1970-01-01 UTC by a clock of the caller's that never goes back.

mod clock;
mod conduct;
mod effect;
mod journal;
mod machine;
mod reply;
mod rules;

pub use clock::is_late;
pub use conduct::{Came, Conduct};
pub use effect::{Called, Content, Effect, Message, Recorded, Replied};
pub use machine::answers::out_of_time;
pub use machine::replay::Difference;
pub use machine::{Attendance, Failure, Match, Place, Stuck};
pub use reply::RecordedReply;
pub use rules::{FAILURES_MAX, LINES_MAX, Rules};
