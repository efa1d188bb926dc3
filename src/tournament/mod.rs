//! Plays many matches: who plays whom over which deck, one runner for all ways of playing a match, and the
//! totals.
//!
//! A tournament's file (`file`, `entrant`) becomes a `course`, which goes round by round: `ratings::schedule` decides who
//! meets whom, the round is stored before its first match, and `runner` plays its matches, one at a time on each worker, by
//! the `MatchPlayer` that the wire asks for: programs on pipes, players over HTTP, players that dial our hub, or bots in
//! process. `keep` stores each match that ended, the hub its own; where somebody watches, `live` stores it while it is played, up
//! to its end. A resumed run reads decisions and places back (`stored`),
//! closes what was left open, and plays what has no place yet. `standings` computes everything from matches in memory.
//!
//! Bots that learn (`knowledge`) do so between rounds: the stored lessons of the round's matches are merged by match number
//! and seat, and a resumed run goes through the earlier rounds again. The models are not stored with the rounds: that would be
//! a second copy of what the lessons say, and merging them again takes milliseconds. The database's own models take no part:
//! they grow in the order in which matches end, and hold what other runs taught.

mod chance;
mod course;
mod cup;
mod entrant;
mod file;
mod file_error;
mod keep;
mod knowledge;
mod live;
mod opening;
mod played_match;
mod player;
mod programs;
mod progress;
mod report;
mod round;
mod runner;
mod schedule;
mod sides;
mod sink;
pub mod standings;
mod stored;
mod tally;
#[cfg(test)]
mod tests;
mod watch;
mod workers;

pub use crate::referee::{MatchError, Stop};
pub use chance::{Deal, Drawn};
pub use course::{Aim, Course, Ended, Matches, Play, Target};
pub use cup::{Cup, Models};
pub use entrant::Entrant;
pub use file::TournamentFile;
pub use file_error::FileError;
pub use keep::{Extent, Kept, keep, open_recording};
pub use knowledge::Knowledge;
pub use live::Live;
pub use opening::{REFEREE, referee_of};
pub use played_match::PlayedMatch;
pub use player::{MatchPlayer, Plan, Playing, Referees};
pub use programs::broken;
pub use progress::Progress;
pub use report::{Conditions, Failure, Figures, Origin, Report, SeatReport};
pub use runner::{CONCURRENCY_MAX, Running, play, run, start};
pub use schedule::{PlannedMatch, Schedule};
pub use sides::{counted, counted_seats};
pub use sink::{FinishedMatch, MatchSink};
pub use stored::{Remarks, StoredTournament, standings_of};
pub use tally::{Counted, EntrantTally, Tally};
pub use watch::{Watch, Watcher};
pub use workers::{
    Carried, CarriedBot, Engagement, Hired, Players, Terms, Worker, fetch, offer, shareable,
    stored_cup, work,
};
