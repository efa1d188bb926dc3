//! [`ExplainError`].

use crate::store::StoreError;

/// Why a decision cannot be explained.
#[derive(Debug, thiserror::Error)]
pub enum ExplainError {
    /// The match has no such seat, or no transcript of it is stored.
    #[error("match {match_id} has no transcript of {what}; it has those of {known}")]
    NoSeat {
        /// The match.
        match_id: String,
        /// The seat or session asked for.
        what: String,
        /// Seats and sessions with a transcript.
        known: String,
    },
    /// None of our bots played there.
    #[error(
        "seat {seat} of match {match_id} was not played by one of our bots: what its player thought is not known"
    )]
    Foreign {
        /// The match.
        match_id: String,
        /// The seat.
        seat: u8,
    },
    /// A user bot played there.
    #[error(
        "seat {seat} of match {match_id} was played by a user bot, which gives no reasons: its answers are in its \
         transcript (drover match replay), its standard error is on the match's page"
    )]
    Program {
        /// The match.
        match_id: String,
        /// The seat.
        seat: u8,
    },
    /// No such entry in the seat's transcript.
    #[error(
        "entry {entry} is not in the transcript of seat {seat}, whose entries are {first} to {last}; without \
         an entry its decisions are listed"
    )]
    NoEntry {
        /// The entry asked for.
        entry: i64,
        /// The seat.
        seat: u8,
        /// Its first entry.
        first: i64,
        /// Its last entry.
        last: i64,
    },
    /// The entry asks for no decision.
    #[error("entry {entry} asks for no decision: {why}; without an entry the decisions are listed")]
    NoDecision {
        /// The entry.
        entry: i64,
        /// What it is instead.
        why: &'static str,
    },
    /// The game cannot fold the transcript, or its bot is not known any more.
    #[error("the transcript cannot be folded: {0}")]
    Unfoldable(String),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
