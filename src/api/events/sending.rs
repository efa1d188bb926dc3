//! A stream of events as it leaves: frame by frame as its reader takes them, and a sign of life while it is silent.

use super::shared::{Follower, Source};
use crate::api::response::{self, SSE};
use crate::api::sight::Sight;
use crate::link::LeavesAt;
use crate::store::StoreError;
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures_util::future::{BoxFuture, pending};
use futures_util::{FutureExt as _, StreamExt as _, stream};
use serde::Serialize;
use std::convert::Infallible;
use std::fmt;
use std::time::Duration;
use tokio::time::{sleep, sleep_until};
use utoipa::ToSchema;

/// How often a silent stream shows that it lives, and how.
const KEEP_ALIVE: Duration = Duration::from_secs(7);
const ALIVE: &[u8] = b":\n\n";
/// How long a reader shall wait before it connects again, in milliseconds.
const CONNECT_AGAIN: &[u8] = b"retry: 1000\n\n";
/// Why a stream ends whose reader is too far behind.
const TOO_SLOW: &str =
    "more has changed since your last event than is kept: connect again for the present state";
/// The most bytes handed to a connection at once.
const FRAME_MAX: usize = 32 << 10;

/// Writes an event; what cannot be shown is an empty one, as an answer would be.
pub(super) fn write(
    events: &mut Vec<u8>,
    kind: &str,
    id: &impl fmt::Display,
    data: &impl Serialize,
) {
    // JSON has no line breaks of its own.
    let data = serde_json::to_string(data).unwrap_or_default();
    events.extend_from_slice(format!("event: {kind}\nid: {id}\ndata: {data}\n\n").as_bytes());
}

/// What a stream shows.
pub(super) trait Streamed: Source {
    /// Writes what a reader sees of rows, as events that begin at `seen`, and moves it on to the last of them. Whether
    /// nothing will follow.
    fn write(rows: &Self::Rows, sight: &Sight, seen: &mut Self::Mark, events: &mut Vec<u8>)
    -> bool;
}

/// Somebody who reads a stream.
pub(super) struct Watch<S: Source> {
    follower: Follower<S>,
    sight: Sight,
    /// The place after the last event that was written.
    pub(super) seen: S::Mark,
}

impl<S: Streamed> Watch<S> {
    pub(super) fn new(follower: Follower<S>, sight: Sight, seen: S::Mark) -> Self {
        Self {
            follower,
            sight,
            seen,
        }
    }

    /// Writes the next events that are there; whether the stream ends with them.
    pub(super) async fn read(&mut self, events: &mut Vec<u8>) -> Result<bool, StoreError> {
        loop {
            let part = self.follower.read().await?;
            let ends = S::write(&part.rows, &self.sight, &mut self.seen, events);
            if ends || !events.is_empty() || !self.follower.is_behind() {
                return Ok(ends);
            }
        }
    }

    /// The next events, if there are any by now; whether the stream ends with them.
    async fn news(&mut self) -> Option<(Bytes, bool)> {
        let mut events = Vec::new();
        loop {
            match self.read(&mut events).await {
                Ok(false) if events.is_empty() => return None,
                Ok(ends) => return Some((events.into(), ends)),
                Err(StoreError::Forgotten) => return Some((close(TOO_SLOW), true)),
                // The next read waits a while.
                Err(_) => {}
            }
        }
    }
}

struct Sending<S: Source> {
    events: Bytes,
    watch: Option<Watch<S>>,
    /// Comes with the reason when the stream is to end before its time.
    leave: BoxFuture<'static, &'static str>,
}

/// These events, then what comes, until the reader is dismissed or the connection is to end.
pub(super) fn answer<S: Streamed>(
    events: &[u8],
    watch: Option<Watch<S>>,
    dismissed: BoxFuture<'static, &'static str>,
    leaves: Option<LeavesAt>,
) -> Response {
    let leave = async move {
        let leaving = match leaves {
            Some(LeavesAt(at)) => sleep_until(at).boxed(),
            None => pending().boxed(),
        };
        tokio::select! {
            reason = dismissed => reason,
            () = leaving => "this connection has been open for long: connect again",
        }
    };
    let sending = Sending {
        events: [CONNECT_AGAIN, events].concat().into(),
        watch,
        leave: leave.boxed(),
    };
    let frames = stream::unfold(sending, Sending::frame).map(Ok::<_, Infallible>);
    response::dressed(SSE, None, Body::from_stream(frames))
}

impl<S: Streamed> Sending<S> {
    async fn frame(mut self) -> Option<(Bytes, Self)> {
        if self.events.is_empty() {
            let watch = self.watch.as_mut()?;
            let (events, ends) = loop {
                // No keep-alive drops a read, which may be that of many.
                let news = tokio::select! {
                    reason = &mut self.leave => Some((close(reason), true)),
                    news = watch.news() => news,
                };
                if let Some(news) = news {
                    break news;
                }
                tokio::select! {
                    reason = &mut self.leave => break (close(reason), true),
                    () = watch.follower.wait() => {}
                    () = sleep(KEEP_ALIVE) => break (Bytes::from_static(ALIVE), false),
                }
            };
            self.events = events;
            if ends {
                self.watch = None;
            }
        }
        let frame = self.events.split_to(self.events.len().min(FRAME_MAX));
        Some((frame, self))
    }
}

/// Says why a stream ends before its time.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::api) struct Close {
    /// The reason; a client that connects again goes on where it was.
    #[schema(example = "the daemon stops")]
    reason: &'static str,
}

fn close(reason: &'static str) -> Bytes {
    let data = serde_json::to_string(&Close { reason }).unwrap_or_default();
    format!("event: close\ndata: {data}\n\n").into()
}
