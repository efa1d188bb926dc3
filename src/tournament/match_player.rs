//! The interface between many matches and the ways of playing one.

use super::knowledge::Knowledge;
use super::schedule::PlannedMatch;
use super::sides::Sides;
use super::stop::Stop;
use crate::histogram::Histogram;
use crate::referee::arbiter::{Left, PlayError};
use crate::referee::hub::AppointmentError;
use crate::referee::{DecisionTimes, Numbers, SeatSpec, StartError};
use crate::store::TournamentMatch;
use games::{Blame, Exchange, Kit, Learnt, Outcome, Participation, Seat, SetupError, judge};
use serde_json::Value;
use std::num::NonZeroUsize;
use std::sync::Arc;

/// What all matches of a run have in common.
pub struct Plan {
    /// The game.
    pub kit: &'static dyn Kit,
    /// The entrants; planned matches refer to them by index.
    pub entrants: Vec<SeatSpec>,
    /// Their names, under which the matches of those that are called or dial are stored; may be shorter.
    pub names: Vec<String>,
    /// What built-in bots have learnt of their rivals; `None`: what they come with.
    pub knowledge: Option<Arc<Knowledge>>,
    /// Rule options.
    pub options: Value,
    /// Concurrent matches.
    pub concurrency: NonZeroUsize,
    /// Whether transcripts are recorded and passed to [`MatchSink::played`](super::MatchSink::played).
    pub record: bool,
}

impl Plan {
    /// The name of the player on each seat, if it has one.
    ///
    /// # Errors
    /// [`SetupError`] if the options do not fit this many.
    pub(super) fn seat_names(
        &self,
        planned: &PlannedMatch,
    ) -> Result<Vec<Option<String>>, SetupError> {
        let sides = Sides::new(self.kit, &self.options, &planned.table)?;
        let name = |entrant: usize| self.names.get(entrant).cloned();
        Ok(sides.entrants().map(name).collect())
    }

    /// What built-in bots have learnt of their rivals in a match, by seat; none if they learn nothing.
    ///
    /// # Errors
    /// [`SetupError`] if the options do not fit this many.
    pub(super) fn learnt(&self, planned: &PlannedMatch) -> Result<Vec<Learnt>, SetupError> {
        let Some(knowledge) = &self.knowledge else {
            return Ok(Vec::new());
        };
        Ok(knowledge.of_seats(self.kit, &self.seat_names(planned)?))
    }
}

/// Plays one match: in process, against programs on pipes, over HTTP, or among players that dial.
pub trait MatchPlayer: Sync {
    /// Plays a match with these seats to its end; `None` if `stop` cut it short. Blocks its thread.
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

    /// Whether it stores its matches itself.
    fn records(&self) -> bool {
        false
    }

    /// Called once when no matches are running any more.
    fn finish(&self) {}
}

/// A match that reached its end; lists are by seat.
#[derive(Clone, Debug)]
pub struct PlayedMatch {
    /// Its number, from 0.
    pub number: u64,
    /// Under which id it is stored, if it is; `None`: drawn when it is.
    pub match_id: Option<String>,
    /// The seed of its deck.
    pub seed: u64,
    /// When it began, in microseconds since 1970-01-01 UTC.
    pub started_us: i64,
    /// The seats' specs.
    pub seats: Vec<String>,
    /// How it ended.
    pub outcome: Outcome,
    /// What the referee sent and received, if the plan records.
    pub transcript: Vec<Exchange>,
    /// The players at fault for its end or for their own part in it, and how it showed.
    pub blames: Vec<Blame>,
    /// What each seat's program left behind; may be empty.
    pub left: Vec<Left>,
    /// Acts that the rules rejected; may be empty.
    pub refused: Vec<u32>,
    /// Answers that were late or missing; may be empty.
    pub missed: Vec<u32>,
    /// Decision times, where measured.
    pub took: Vec<Histogram>,
    /// The same of each decision.
    pub times: DecisionTimes,
    /// Its numbers on the wire, if it had one: its calls carry them.
    pub numbers: Option<Numbers>,
    /// How each seat took part, where that is known; may be empty.
    pub participation: Vec<Option<Participation>>,
    /// What there is to say if the machine had it played again, or in another one's place; may be empty.
    pub again: String,
    /// Those in whose place it was played: they count for nothing.
    pub replaced: Vec<Self>,
}

impl PlayedMatch {
    /// Those lose whose decisions were not their own. `owners` says by seat whose it is.
    pub(super) fn judge(&mut self, owners: &[usize]) {
        let (cause, blames) = (&mut self.outcome.cause, &mut self.blames);
        judge(cause, blames, owners, &self.participation);
    }
}

impl From<TournamentMatch> for PlayedMatch {
    /// What is stored of it, whatever the extent: it counts as it did when it was played.
    fn from(stored: TournamentMatch) -> Self {
        let notes = &stored.notes;
        let faults = (0u8..).map(Seat).zip(notes);
        let blames = faults.filter_map(|(seat, note)| {
            Some(Blame {
                seat,
                cause: note.fault?,
                detail: String::new(),
            })
        });
        Self {
            number: stored.number,
            match_id: None,
            seed: stored.seed,
            started_us: stored.started_us,
            seats: Vec::new(),
            blames: blames.collect(),
            refused: notes.iter().map(|note| note.refused).collect(),
            missed: notes.iter().map(|note| note.missed).collect(),
            took: notes
                .iter()
                .map(|note| Histogram::of_pairs(&note.took))
                .collect(),
            outcome: Outcome {
                cause: stored.cause,
                scores: stored.scores.into_iter().collect(),
            },
            transcript: Vec::new(),
            left: Vec::new(),
            times: DecisionTimes::Measured(Vec::new()),
            numbers: None,
            participation: stored.participation,
            again: String::new(),
            replaced: Vec::new(),
        }
    }
}

impl From<PlayError> for MatchError {
    fn from(error: PlayError) -> Self {
        match error {
            PlayError::Setup(error) => error.into(),
            PlayError::Seat(error) => Self::Program(error.to_string()),
            PlayError::Program(error) => Self::Program(error.to_string()),
        }
    }
}

/// Why a run of matches failed, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatchError {
    /// Unknown bots or options, or a wrong number of seats.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A hosted match did not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A match on a hub has no result.
    #[error("match {0}: {1}")]
    Appointment(u64, AppointmentError),
    /// A program that cannot be started.
    #[error("{0}")]
    Program(String),
    /// A match that is not stored, though it was to be.
    #[error("{0}")]
    Unrecorded(String),
    /// A match has no result.
    #[error("match {match_number} has no result: {why}")]
    NoResult {
        /// Its number on the wire.
        match_number: u64,
        /// Why it ended.
        why: String,
    },
}
