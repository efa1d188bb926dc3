//! A stream of events as it leaves: frame by frame as its reader takes them, and a sign of life while it is silent.

use super::ring::Missed;
use crate::api::endpoint::SSE;
use crate::api::response;
use crate::link::LeavesAt;
use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use futures_util::future::{BoxFuture, pending};
use futures_util::stream::{BoxStream, Stream};
use futures_util::{FutureExt as _, StreamExt as _, stream};
use serde::Serialize;
use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::time::{Instant, Sleep, sleep, sleep_until};
use utoipa::ToSchema;

/// How often a silent stream shows that it lives, and how.
const KEEP_ALIVE: Duration = Duration::from_secs(7);
const ALIVE: &[u8] = b":\n\n";
/// How long a reader shall wait before it connects again, in milliseconds.
const RETRY: &[u8] = b"retry: 1000\n\n";
/// The most bytes handed to a connection at once.
const FRAME_MAX: usize = 32 << 10;

/// What a stream is made of.
pub(super) trait Watch: Send {
    /// Waits for what comes next; whether the stream ends with it.
    fn next(
        &mut self,
        events: &mut VecDeque<Bytes>,
    ) -> impl Future<Output = Result<bool, Missed>> + Send;
}

struct Sending<W> {
    events: VecDeque<Bytes>,
    watch: Option<W>,
    /// Comes with the reason when the stream is to end before its time.
    leave: BoxFuture<'static, &'static str>,
}

/// These events, then what comes, until the reader is dismissed or the connection is to end.
pub(super) fn answer<W: Watch + 'static>(
    mut events: VecDeque<Bytes>,
    watch: Option<W>,
    dismissed: BoxFuture<'static, &'static str>,
    leaves: Option<LeavesAt>,
) -> Response {
    events.push_front(Bytes::from_static(RETRY));
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
        events,
        watch,
        leave: leave.boxed(),
    };
    let alive = Alive {
        frames: stream::unfold(sending, Sending::frame).boxed(),
        silence: Box::pin(sleep(KEEP_ALIVE)),
    };
    response::dressed(SSE, None, Body::from_stream(alive.map(Ok::<_, Infallible>)))
}

impl<W: Watch> Sending<W> {
    async fn frame(mut self) -> Option<(Bytes, Self)> {
        loop {
            if let Some(mut frame) = self.events.pop_front() {
                if frame.len() > FRAME_MAX {
                    let rest = frame.split_off(FRAME_MAX);
                    self.events.push_front(rest);
                }
                return Some((frame, self));
            }
            let watch = self.watch.as_mut()?;
            let farewell = tokio::select! {
                more = watch.next(&mut self.events) => match more {
                    Ok(false) => continue,
                    Ok(true) => None,
                    Err(Missed) => Some("you read too slowly: connect again"),
                },
                reason = &mut self.leave => Some(reason),
            };
            self.watch = None;
            self.events.extend(farewell.map(close));
        }
    }
}

/// Says why a stream ends before its time.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::api) struct Close {
    /// The reason; whoever connects again goes on where it was.
    #[schema(example = "the daemon stops")]
    reason: &'static str,
}

fn close(reason: &'static str) -> Bytes {
    let data = serde_json::to_string(&Close { reason }).unwrap_or_default();
    format!("event: close\ndata: {data}\n\n").into()
}

/// A stream that shows that it lives.
struct Alive {
    frames: BoxStream<'static, Bytes>,
    silence: Pin<Box<Sleep>>,
}

impl Stream for Alive {
    type Item = Bytes;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        let frame = match self.frames.poll_next_unpin(cx) {
            Poll::Ready(frame) => frame,
            Poll::Pending => {
                ready!(self.silence.as_mut().poll(cx));
                Some(Bytes::from_static(ALIVE))
            }
        };
        self.silence.as_mut().reset(Instant::now() + KEEP_ALIVE);
        Poll::Ready(frame)
    }
}
