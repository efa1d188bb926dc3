//! A peer's socket. It replaces hyper's own refusals, which come before any service is called and have no
//! body, by a plain sentence, and keeps reading for a moment after one, so that the refusal is not lost in a
//! reset connection.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

/// The prefix of every response that hyper may have written by itself.
const REFUSAL: &[u8] = b"HTTP/1.1 4";
const REFUSAL_1_0: &[u8] = b"HTTP/1.0 4";
/// How much is read and discarded after a refusal, at most.
const LINGER_BYTES_MAX: usize = 1 << 20;
/// How long a peer may stop reading what is being written to it.
pub(super) const WRITE_STALL_MAX: Duration = Duration::from_secs(30);
/// For how long.
const LINGER: Duration = Duration::from_secs(1);

/// A peer's socket.
pub struct Socket {
    stream: TcpStream,
    /// Called with the status of each refusal that hyper wrote by itself.
    refused: fn(&str),
    /// The refusal replacing hyper's own, how much of it is written, and the length of hyper's.
    refusal: Option<(Vec<u8>, usize, usize)>,
    linger: Option<Linger>,
    /// When to give up a write that the peer does not accept.
    stalled: Option<Pin<Box<Sleep>>>,
}

struct Linger {
    until: Pin<Box<Sleep>>,
    bytes: usize,
}

impl Socket {
    /// Wraps a connected socket; `refused` is called with the status of each refusal that hyper writes by
    /// itself.
    #[must_use]
    pub fn new(stream: TcpStream, refused: fn(&str)) -> Self {
        Self {
            stream,
            refused,
            refusal: None,
            linger: None,
            stalled: None,
        }
    }

    fn poll_refusal(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        while let Some((text, written, replaced)) = &mut self.refusal {
            let rest = text.get(*written..).unwrap_or_default();
            if rest.is_empty() {
                let replaced = *replaced;
                self.refusal = None;
                return Poll::Ready(Ok(replaced));
            }
            *written += ready!(Pin::new(&mut self.stream).poll_write(cx, rest))?;
        }
        Poll::Ready(Ok(0))
    }

    /// Fails a write that has made no progress for too long.
    fn unless_stalled<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stalled = self
            .stalled
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(WRITE_STALL_MAX)));
        ready!(stalled.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    fn poll_linger(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let Some(linger) = &mut self.linger else {
            return Poll::Ready(());
        };
        let mut scrap = [0; 4096];
        while linger.bytes < LINGER_BYTES_MAX && linger.until.as_mut().poll(cx).is_pending() {
            let mut buffer = ReadBuf::new(&mut scrap);
            match ready!(Pin::new(&mut self.stream).poll_read(cx, &mut buffer)) {
                Ok(()) if !buffer.filled().is_empty() => linger.bytes += buffer.filled().len(),
                Ok(()) | Err(_) => break,
            }
        }
        Poll::Ready(())
    }
}

/// Whether hyper wrote this response by itself: ours always have a content type.
fn is_bare_refusal(bytes: &[u8]) -> bool {
    (bytes.starts_with(REFUSAL) || bytes.starts_with(REFUSAL_1_0))
        && !bytes
            .windows(13)
            .any(|part| part.eq_ignore_ascii_case(b"content-type:"))
}

/// A complete response replacing one that hyper wrote by itself for a request that it could not read. A
/// lenient referee reads any body as an answer: no text here may contain `=`, `&` or `?`.
fn bare_refusal(status: &str) -> Vec<u8> {
    let (reason, text) = match status {
        "414" => ("URI Too Long", "the request line is too long"),
        "431" => (
            "Request Header Fields Too Large",
            "the request line and headers are too long",
        ),
        "408" => ("Request Timeout", "the request did not arrive in time"),
        _ => ("Bad Request", "this is no HTTP request that can be read"),
    };
    let length = text.len() + 1;
    format!(
        "HTTP/1.1 {status} {reason}\r\ncontent-type: text/plain; charset=utf-8\r\n\
         content-length: {length}\r\nconnection: close\r\n\r\n{text}\n"
    )
    .into_bytes()
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Socket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.refusal.is_none() && is_bare_refusal(bytes) {
            let status = bytes
                .get(9..12)
                .and_then(|text| std::str::from_utf8(text).ok());
            let status = status.unwrap_or("400");
            (self.refused)(status);
            let text = bare_refusal(status);
            self.refusal = Some((text, 0, bytes.len()));
            let until = Box::pin(tokio::time::sleep(LINGER));
            self.linger = Some(Linger { until, bytes: 0 });
        }
        let written = if self.refusal.is_some() {
            self.poll_refusal(cx)
        } else {
            Pin::new(&mut self.stream).poll_write(cx, bytes)
        };
        self.unless_stalled(cx, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
        ready!(self.poll_linger(cx));
        Poll::Ready(Ok(()))
    }
}
