//! A response's body: one piece of text, whose session is notified when the transport has taken it.

use crate::session::{Answer, Sending};
use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

/// One piece of text.
#[derive(Debug)]
pub(super) struct Reply {
    text: Option<Bytes>,
    sending: Option<Sending>,
}

impl Reply {
    pub(super) fn plain(text: Bytes) -> Self {
        Self {
            text: Some(text).filter(|text| !text.is_empty()),
            sending: None,
        }
    }

    /// An empty one is taken by the transport together with the head, without being polled: it counts
    /// as handed over from the start.
    pub(super) fn answer(answer: Answer) -> Self {
        let Answer { text, sending, .. } = answer;
        let mut reply = Self {
            text: Some(text).filter(|text| !text.is_empty()),
            sending,
        };
        if reply.text.is_none() {
            reply.handed();
        }
        reply
    }

    fn handed(&mut self) {
        if let Some(sending) = self.sending.take() {
            sending.handed();
        }
    }
}

impl Body for Reply {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let reply = self.get_mut();
        let text = reply.text.take();
        if text.is_some() {
            reply.handed();
        }
        Poll::Ready(text.map(|text| Ok(Frame::data(text))))
    }

    fn is_end_stream(&self) -> bool {
        self.text.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.text.as_ref().map_or(0, Bytes::len) as u64)
    }
}
