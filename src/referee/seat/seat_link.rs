//! The seam between a match and whoever sits on its seats.

use crate::link::{CallError, HttpOptions, HttpOut, Target};
use crate::store::types::Entry;
use futures_util::future::BoxFuture;
use std::time::Duration;

/// What came of calling a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeatReply {
    /// It answered.
    Said {
        /// The answer; empty where it carries none.
        text: String,
        /// What its log should say beside, such as a status other than 200.
        note: Option<String>,
    },
    /// Nothing in time.
    Late,
    /// The connection or program failed, in a sentence.
    Failed(String),
}

impl SeatReply {
    /// An answer with nothing beside.
    #[must_use]
    pub fn said(text: impl Into<String>) -> Self {
        Self::Said {
            text: text.into(),
            note: None,
        }
    }
}

/// Calls one seat: one message at a time, in order.
pub trait SeatLink: Send {
    /// Is told, before its first call, what this seat was sent and answered before a restart of the
    /// referee. Players over a wire remember it themselves.
    ///
    /// # Errors
    /// Why the seat cannot go on, as a sentence.
    fn take_up(&mut self, past: &[Entry]) -> Result<(), String> {
        let _ = past;
        Ok(())
    }
    /// Hands over one frame and waits for the seat's reply, at most `within`.
    /// `wanted`: the match waits for an answer; else any sign that it was heard will do.
    fn call<'a>(
        &'a mut self,
        text: &'a str,
        within: Duration,
        wanted: bool,
    ) -> BoxFuture<'a, SeatReply>;
}

/// A player called over HTTP.
pub struct HttpSeat(HttpOut);

impl HttpSeat {
    /// A player who has not been called yet.
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
                // It is a response: the player lives.
                Err(error @ CallError::TooLong(_)) => SeatReply::Said {
                    text: String::new(),
                    note: Some(error.to_string()),
                },
                Err(CallError::Late(_)) => SeatReply::Late,
                Err(error) => SeatReply::Failed(error.to_string()),
            }
        })
    }
}
