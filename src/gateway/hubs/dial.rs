//! One connection to a hub: its frames in, our replies out.

use crate::link::{AnyLine, LineError, keep_alive};
use futures_util::StreamExt as _;
use games::Kit;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio_util::codec::FramedRead;

/// The time limit for connecting.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
/// The time limit for a write.
const WRITE_WITHIN: Duration = Duration::from_secs(30);
/// The most bytes in a line: the landscape of the largest world that is played.
const LINE_BYTES_MAX: usize = 9_000_000;
/// The most bytes in a frame: the same, with everything that comes with it.
const FRAME_BYTES_MAX: usize = 10_000_000;
/// The most lines in a frame: every object of the largest match, and warnings.
const FRAME_LINES_MAX: usize = 20_000;

/// Why a connection is no longer usable, as a sentence.
#[derive(Debug, thiserror::Error)]
pub(super) enum LineFault {
    #[error("it cannot be reached: {0}")]
    Unreachable(io::Error),
    #[error("it does not answer the call within {} s", CONNECT_WITHIN.as_secs())]
    ConnectTimeout,
    #[error("it closed the connection")]
    Closed,
    #[error("the connection broke: {0}")]
    Broken(io::Error),
    #[error("it takes nothing for {} s", WRITE_WITHIN.as_secs())]
    WriteTimeout,
    #[error("it said nothing to the purpose for {} s", .0.as_secs())]
    Silent(Duration),
    #[error("it sent {0}")]
    Garbage(String),
}

/// A connection.
pub(super) struct Line {
    kit: &'static dyn Kit,
    read: FramedRead<OwnedReadHalf, AnyLine>,
    write: OwnedWriteHalf,
    /// Our own end.
    pub(super) local: Option<SocketAddr>,
    frame: String,
    lines: usize,
}

impl Line {
    /// Dials.
    pub(super) async fn dial(kit: &'static dyn Kit, address: &str) -> Result<Self, LineFault> {
        let stream = tokio::time::timeout(CONNECT_WITHIN, TcpStream::connect(address))
            .await
            .map_err(|_| LineFault::ConnectTimeout)?
            .map_err(LineFault::Unreachable)?;
        keep_alive(&stream);
        let local = stream.local_addr().ok();
        let (read, write) = stream.into_split();
        Ok(Self {
            kit,
            local,
            read: FramedRead::new(read, AnyLine::new(LINE_BYTES_MAX)),
            write,
            frame: String::new(),
            lines: 0,
        })
    }

    /// Sends a text in one write.
    pub(super) async fn say(&mut self, text: &str) -> Result<(), LineFault> {
        let text = format!("{text}\n");
        tokio::time::timeout(WRITE_WITHIN, self.write.write_all(text.as_bytes()))
            .await
            .map_err(|_| LineFault::WriteTimeout)?
            .map_err(LineFault::Broken)
    }

    /// The next whole frame, waiting at most `within`.
    pub(super) async fn frame(&mut self, within: Option<Duration>) -> Result<String, LineFault> {
        match within {
            Some(within) => tokio::time::timeout(within, self.lines())
                .await
                .unwrap_or(Err(LineFault::Silent(within))),
            None => self.lines().await,
        }
    }

    /// Reads lines up to one that completes the frame. If the future is dropped, what came before is kept for
    /// the next call.
    async fn lines(&mut self) -> Result<String, LineFault> {
        loop {
            let line = match self.read.next().await {
                Some(Ok(line)) => line,
                Some(Err(LineError::Broken(error))) => return Err(LineFault::Broken(error)),
                Some(Err(error @ LineError::TooLong(_))) => {
                    return Err(LineFault::Garbage(error.to_string()));
                }
                None => return Err(LineFault::Closed),
            };
            if self.lines > 0 {
                self.frame.push('\n');
            }
            self.frame.push_str(&String::from_utf8_lossy(&line));
            self.lines += 1;
            if self.kit.completes(&line) {
                self.lines = 0;
                return Ok(std::mem::take(&mut self.frame));
            }
            if self.frame.len() > FRAME_BYTES_MAX || self.lines > FRAME_LINES_MAX {
                let what = format!("{} lines without anything to be done", self.lines);
                return Err(LineFault::Garbage(what));
            }
        }
    }
}
