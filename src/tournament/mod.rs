//! Plays many matches: who plays whom over which deck, one runner for all ways of playing a match, and the
//! totals.

mod dialled;
mod hosted;
mod in_process;
mod keep;
mod match_player;
mod programs;
mod report;
mod runner;
mod schedule;
mod sides;
mod sink;
mod stop;
mod tally;

pub use dialled::Dialled;
pub use hosted::Hosted;
pub use in_process::InProcess;
pub use keep::{REFEREE, keep, open_recording};
pub use match_player::{MatchError, MatchPlayer, Plan, PlayedMatch};
pub use programs::Programs;
pub use report::{Conditions, Report, SeatReport};
pub use runner::{FinishedMatch, play, run};
pub use schedule::{PlannedMatch, Schedule};
pub use sink::MatchSink;
pub use stop::Stop;
pub use tally::{Counted, EntrantTally, Tally};
