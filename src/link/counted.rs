//! A socket that counts received bytes: whether any byte of an answer came decides if a request may be sent
//! again.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// How many bytes a socket has received so far.
#[derive(Clone, Debug, Default)]
pub(super) struct ReceivedBytes(Arc<AtomicU64>);

impl ReceivedBytes {
    /// Bytes so far.
    pub(super) fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// A TCP connection that counts.
pub(super) struct Counted {
    socket: TcpStream,
    received: ReceivedBytes,
}

impl Counted {
    /// Wraps a connected socket and returns its counter with it.
    pub(super) fn new(socket: TcpStream) -> (Self, ReceivedBytes) {
        let received = ReceivedBytes::default();
        (
            Self {
                socket,
                received: received.clone(),
            },
            received,
        )
    }

    /// Acknowledges the next data at once. A player that writes head and body separately without
    /// `TCP_NODELAY` (Python's own server does) sends the body only when the head is acknowledged, which the
    /// system would delay by 40 ms.
    fn hurry(&self) {
        // Best effort: without it answers come later, not wrongly.
        #[cfg(target_os = "linux")]
        let _ = self.socket.set_quickack(true);
    }
}

impl AsyncRead for Counted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.socket).poll_read(context, buffer);
        let read = buffer.filled().len() - before;
        self.received.0.fetch_add(read as u64, Ordering::Relaxed);
        polled
    }
}

impl AsyncWrite for Counted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.socket).poll_write(context, bytes);
        self.hurry();
        polled
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.socket).poll_write_vectored(context, slices);
        self.hurry();
        polled
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }
}
