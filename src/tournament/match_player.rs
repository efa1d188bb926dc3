//! The interface between many matches and the ways of playing one.

use super::knowledge::Knowledge;
use super::schedule::PlannedMatch;
use super::sides::Sides;
use super::stop::Stop;
use crate::referee::arbiter::PlayError;
use crate::referee::hub::AppointmentError;
use crate::referee::{SeatSpec, StartError};
use crate::tournament::PlayedMatch;
use futures_util::future::BoxFuture;
use games::{Kit, Learnt, SetupError};
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

/// A match that is being played: how it ended, or `None` if it was cut short.
pub type Playing<'a> = BoxFuture<'a, Result<Option<PlayedMatch>, MatchError>>;

/// Plays one match: in process, against programs on pipes, over HTTP, or among players that dial.
pub trait MatchPlayer: Send + Sync {
    /// Plays a match with these seats to its end; `None` if `stop` cut it short. Fails if the match cannot be played or has
    /// no result.
    fn play<'a>(
        &'a self,
        plan: &'a Plan,
        planned: &'a PlannedMatch,
        seats: &'a [SeatSpec],
        stop: &'a Stop,
    ) -> Playing<'a>;

    /// Whether its matches take a thread each from beginning to end, and wait for nothing.
    fn blocks(&self) -> bool {
        false
    }

    /// Whether it stores its matches itself.
    fn records(&self) -> bool {
        false
    }

    /// Called once when no matches are running any more.
    fn finish(&self) {}
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
