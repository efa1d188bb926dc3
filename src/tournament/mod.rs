//! Plays many matches: who plays whom over which deck, one runner for all ways of playing a match, and the
//! totals.

mod chance;
mod course;
mod dialled;
mod entrant;
mod file;
mod hosted;
mod in_process;
mod keep;
mod knowledge;
mod match_player;
mod programs;
mod report;
mod runner;
mod schedule;
mod sides;
mod sink;
pub mod standings;
mod stop;
mod stored;
mod tally;
#[cfg(test)]
mod tests;

pub use chance::secret_of;
pub use course::{Aim, Course, Ended, Play, Target, Watch, Watcher};
pub use dialled::Dialled;
pub use entrant::Entrant;
pub use file::{Cup, FileError, Models, TournamentFile};
pub use hosted::Hosted;
pub use in_process::InProcess;
pub use keep::{Extent, Kept, REFEREE, keep, open_recording};
pub use knowledge::Knowledge;
pub use match_player::{MatchError, MatchPlayer, Plan, PlayedMatch};
pub use programs::{Programs, broken};
pub use report::{Conditions, Failure, Figures, Origin, Report, SeatReport};
pub use runner::{CONCURRENCY_MAX, FinishedMatch, play, run};
pub use schedule::{PlannedMatch, Schedule};
pub use sides::{counted, counted_seats};
pub use sink::MatchSink;
pub use stop::Stop;
pub use stored::{StoredTournament, Told, standings_of};
pub use tally::{Counted, EntrantTally, Tally};
