//! [`ExplainError`].

use crate::store::StoreError;
use std::fmt;

/// Why a decision cannot be explained. Seats are counted from 0, unless [`ExplainError::for_people`].
#[derive(Debug, thiserror::Error)]
pub enum ExplainError {
    /// The match has no such seat, or no transcript of it is stored.
    #[error("match {match_id} has no transcript of {what}; it has those of {}", listed(.known))]
    NoSeat {
        /// The match.
        match_id: String,
        /// The seat or session asked for.
        what: Transcript,
        /// Those that there are.
        known: Vec<Transcript>,
    },
    /// None of our bots played there.
    #[error(
        "seat {seat} of match {match_id} was not played by one of our bots: what its player thought is not known"
    )]
    Foreign {
        /// The match.
        match_id: String,
        /// The seat.
        seat: u16,
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
        seat: u16,
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
        seat: u16,
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

impl ExplainError {
    /// The same with seats as people count them, from 1.
    #[must_use]
    pub fn for_people(mut self) -> Self {
        match &mut self {
            Self::NoSeat { what, known, .. } => {
                for transcript in known.iter_mut().chain([what]) {
                    transcript.seat = transcript.seat.map(|seat| seat + 1);
                }
            }
            Self::Foreign { seat, .. }
            | Self::Program { seat, .. }
            | Self::NoEntry { seat, .. } => {
                *seat += 1;
            }
            Self::NoDecision { .. } | Self::Unfoldable(_) | Self::Store(_) => {}
        }
        self
    }
}

/// A transcript of a match, as far as it is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transcript {
    /// Its seat.
    pub seat: Option<u16>,
    /// Its session.
    pub session: Option<i64>,
}

impl fmt::Display for Transcript {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.seat, self.session) {
            (Some(seat), Some(session)) => write!(out, "seat {seat} (session {session})"),
            (Some(seat), None) => write!(out, "seat {seat}"),
            (None, Some(session)) => write!(out, "session {session}"),
            (None, None) => write!(out, "any seat"),
        }
    }
}

fn listed(transcripts: &[Transcript]) -> String {
    match transcripts {
        [] => "none".to_owned(),
        known => {
            let known: Vec<String> = known.iter().map(Transcript::to_string).collect();
            known.join(", ")
        }
    }
}
