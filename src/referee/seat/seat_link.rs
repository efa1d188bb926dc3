//! The interface between a match and the players on its seats.

use crate::link::program::LineFault;
use crate::link::{CallError, HttpOptions, HttpOut, Target};
use crate::programs::Account;
use crate::store::Storage;
use crate::store::types::{Entry, SessionId};
use crate::thinking::Panicked;
use futures_util::future::BoxFuture;
use std::sync::Arc;
use std::time::Duration;

/// Where a seat is recorded.
pub type SeatRecord = (Arc<dyn Storage>, SessionId);

/// The outcome of calling a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeatReply {
    /// It answered.
    Said {
        /// The answer; empty if it has no content.
        text: String,
        /// What the log should note with it, such as a status other than 200.
        note: Option<String>,
    },
    /// No reply in time.
    Late,
    /// The connection or program failed; why, as a sentence.
    Failed(String),
}

impl SeatReply {
    /// An answer without a note.
    #[must_use]
    pub fn said(text: impl Into<String>) -> Self {
        Self::Said {
            text: text.into(),
            note: None,
        }
    }
}

/// Why a player does not follow what its seat was sent and answered before.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    /// The bot panicked.
    #[error(transparent)]
    Panicked(#[from] Panicked),
    /// The bot answers otherwise than it did, as the sentence says.
    #[error("{0}")]
    Differs(String),
    /// The program did not start, as the sentence says.
    #[error("{0}")]
    NotStarted(String),
    /// The program took no more words.
    #[error("it took no more words ({0:?})")]
    Deaf(LineFault),
    /// The program gave no answer in the game's form.
    #[error("it gave no answer of the game's form to {call:?} ({fault:?}), but {said:?}")]
    NoAnswer {
        /// What was asked.
        call: String,
        /// Why nothing more was read.
        fault: LineFault,
        /// What was read.
        said: String,
    },
}

/// Calls one seat: one message at a time, in order.
pub trait SeatLink: Send {
    /// Receives the match's id in history before anything else, and where its seat is recorded, if it is.
    fn begins(&mut self, match_id: &str, session: Option<SeatRecord>) {
        let _ = (match_id, session);
    }
    /// The account of the user's program that plays here, if one does: shared, so that it can be read when the match ends.
    fn account(&self) -> Option<Account> {
        None
    }
    /// Receives, before the first call, what this seat was sent and answered before a restart of the referee.
    /// Players over a wire remember it themselves.
    ///
    /// # Errors
    /// [`FollowError`] if the seat cannot continue.
    fn take_up(&mut self, past: &[Entry]) -> Result<(), FollowError> {
        let _ = past;
        Ok(())
    }
    /// Sends one frame and waits for the seat's reply, at most `within`. `wanted`: the match waits for an
    /// answer; otherwise any sign that it was received will do.
    fn call<'a>(
        &'a mut self,
        text: &'a str,
        within: Duration,
        wanted: bool,
    ) -> BoxFuture<'a, SeatReply>;
    /// There is nothing more: waits until the player has left.
    fn leave(&mut self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// A player called over HTTP.
pub struct HttpSeat(HttpOut);

impl HttpSeat {
    /// A player that has not been called yet.
    #[must_use]
    pub fn new(target: Target, options: HttpOptions) -> Self {
        Self(HttpOut::new(target, options))
    }
}

impl SeatLink for HttpSeat {
    fn call<'a>(
        &'a mut self,
        text: &'a str,
        within: Duration,
        _wanted: bool,
    ) -> BoxFuture<'a, SeatReply> {
        Box::pin(async move {
            match self.0.get(text, within).await {
                Ok(answer) if (200..300).contains(&answer.status) => {
                    SeatReply::said(String::from_utf8_lossy(&answer.body))
                }
                Ok(answer) => SeatReply::Said {
                    text: String::new(),
                    note: Some(format!("status {}", answer.status)),
                },
                // It is a response, so the player is alive.
                Err(error @ CallError::TooLong { .. }) => SeatReply::Said {
                    text: String::new(),
                    note: Some(error.to_string()),
                },
                Err(CallError::Late(_)) => SeatReply::Late,
                // Logs and transcripts are public.
                Err(error) => SeatReply::Failed(error.without_address()),
            }
        })
    }
}
