//! The interface between running matches and whatever shows or stores them.

use super::played_match::PlayedMatch;
use crate::tournament::{Counted, PlannedMatch};
use futures_util::future::BoxFuture;

/// Receives what many matches produce.
pub trait MatchSink: Send {
    /// A match has ended, before it is passed on.
    fn ended(&mut self, _finished: &FinishedMatch) {}
    /// This many matches are done.
    fn done(&mut self, _games: u64) {}
    /// A match to be stored, if the plan records. Matches arrive in any order.
    fn played(&mut self, _played: PlayedMatch) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// Stores and shows nothing.
impl MatchSink for () {}

/// A match that was played.
pub struct FinishedMatch {
    /// The planned match.
    pub planned: PlannedMatch,
    /// How it counts for its entrants.
    pub counted: Counted,
    /// The record of it; with its transcript if the plan records.
    pub played: PlayedMatch,
}
