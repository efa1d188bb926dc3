//! The seam between many matches and the ways in which one is played.

use super::schedule::PlannedMatch;
use super::stop::Stop;
use crate::referee::histogram::Histogram;
use crate::referee::{SeatSpec, StartError};
use games::{Blame, Exchange, Kit, Outcome, SetupError};
use serde_json::Value;
use std::num::NonZeroUsize;

/// What all matches of a run have in common.
pub struct Plan {
    /// The game.
    pub kit: &'static dyn Kit,
    /// Who enters; planned matches name them by their place here.
    pub entrants: Vec<SeatSpec>,
    /// Rule options.
    pub options: Value,
    /// Matches at once.
    pub concurrency: NonZeroUsize,
    /// Whether transcripts are kept and matches handed to [`MatchSink::played`](super::MatchSink::played).
    pub record: bool,
}

/// Plays one match: in process, against programs on pipes, or over HTTP.
pub trait MatchPlayer: Sync {
    /// Plays a match with these seats to its end; `None` if `stop` cut it. Blocks: it has a thread of its own.
    ///
    /// # Errors
    /// Why the match cannot be played or has no result.
    fn play(
        &self,
        plan: &Plan,
        planned: &PlannedMatch,
        seats: &[&SeatSpec],
        stop: &Stop,
    ) -> Result<Option<PlayedMatch>, MatchError>;

    /// Called once when no match is played any more.
    fn finish(&self) {}
}

/// One match that came to its end; lists are by seat.
#[derive(Clone, Debug)]
pub struct PlayedMatch {
    /// Its number, from 0.
    pub number: u64,
    /// The seed of its deck.
    pub seed: u64,
    /// When it began, in microseconds since 1970-01-01 UTC.
    pub started_us: i64,
    /// Specs.
    pub seats: Vec<String>,
    /// How it ended.
    pub outcome: Outcome,
    /// What the referee sent and heard, if the plan records.
    pub transcript: Vec<Exchange>,
    /// Whose fault ended it, or their own part in it, and how it showed.
    pub blames: Vec<Blame>,
    /// The end of each program's standard error; may be empty.
    pub stderr: Vec<String>,
    /// Acts that the rules refused; may be empty.
    pub refused: Vec<u32>,
    /// Answers that came late or not at all; may be empty.
    pub missed: Vec<u32>,
    /// Times of decisions, where they were measured.
    pub took: Vec<Histogram>,
}

/// Why many matches came to nothing, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatchError {
    /// Unknown bots or options, or a wrong number of seats.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A hosted match did not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A match has no result.
    #[error("match {match_number} has no result: {why}")]
    NoResult {
        /// Its number on the wire.
        match_number: u64,
        /// What it ended with.
        why: String,
    },
}
