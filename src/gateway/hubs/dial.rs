//! One connection to a hub: its frames in, our replies out.

use crate::link::{AnyLine, LineError, keep_alive};
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use games::Kit;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_util::codec::FramedRead;

/// The time limit for connecting.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
/// The time limit for a write.
const WRITE_WITHIN: Duration = Duration::from_secs(30);
/// The most bytes in a line: the landscape of the largest world that is played.
const LINE_BYTES_MAX: usize = 9_000_000;
/// The most bytes in a frame: the same, with everything that comes with it.
const FRAME_BYTES_MAX: usize = 10_000_000;
/// Characters shown of the beginning, and of the end, of the last that a hub said.
const LAST_WORDS_SHOWN: usize = 120;
/// The most lines in a frame: every object of the largest match, and warnings.
const FRAME_LINES_MAX: usize = 20_000;

/// A connection that was made.
pub struct HubStream {
    /// What the hub says.
    pub read: Box<dyn AsyncRead + Send + Unpin>,
    /// What we say.
    pub write: Box<dyn AsyncWrite + Send + Unpin>,
    /// Our own end.
    pub local: Option<SocketAddr>,
}

/// Connects to a hub at this address.
pub type Dial = Arc<dyn Fn(String) -> BoxFuture<'static, io::Result<HubStream>> + Send + Sync>;

/// Connects over TCP.
pub(super) fn tcp() -> Dial {
    Arc::new(|address| {
        Box::pin(async move {
            let stream = TcpStream::connect(&address).await?;
            keep_alive(&stream);
            let local = stream.local_addr().ok();
            let (read, write) = stream.into_split();
            Ok(HubStream {
                read: Box::new(read),
                write: Box::new(write),
                local,
            })
        })
    })
}

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

/// The last that a hub said, or nothing.
#[derive(Debug, Default)]
pub(super) struct LastWords(String);

impl LastWords {
    /// Of a text; what is too long is left out in its middle.
    pub(super) fn new(text: &str) -> Self {
        let text = text.trim();
        let letters = text.chars().count();
        let cut = letters.saturating_sub(2 * LAST_WORDS_SHOWN);
        if cut == 0 {
            return Self(text.to_owned());
        }
        let start = text.chars().take(LAST_WORDS_SHOWN);
        let end = text.chars().skip(letters - LAST_WORDS_SHOWN);
        Self(start.chain(" … ".chars()).chain(end).collect())
    }

    /// These, or if there are none those of what came before.
    pub(super) fn or(self, before: &str) -> Self {
        match self.0.is_empty() {
            true => Self::new(before),
            false => self,
        }
    }

    /// Nothing, if they are several lines: a position of a game.
    pub(super) fn of_one_line(self) -> Self {
        match self.0.contains('\n') {
            true => Self::default(),
            false => self,
        }
    }
}

impl fmt::Display for LastWords {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.is_empty() {
            true => Ok(()),
            // Control characters are shown as escapes.
            false => write!(out, "; the last that it said: {:?}", self.0),
        }
    }
}

/// A connection.
pub(super) struct Line {
    kit: &'static dyn Kit,
    read: FramedRead<Box<dyn AsyncRead + Send + Unpin>, AnyLine>,
    write: Box<dyn AsyncWrite + Send + Unpin>,
    /// Our own end.
    pub(super) local: Option<SocketAddr>,
    frame: String,
    lines: usize,
}

impl Line {
    /// Dials.
    pub(super) async fn dial(
        kit: &'static dyn Kit,
        address: &str,
        dial: &Dial,
    ) -> Result<Self, LineFault> {
        let dialling = tokio::time::timeout(CONNECT_WITHIN, dial(address.to_owned()));
        let stream = dialling.await.map_err(|_| LineFault::ConnectTimeout)?;
        let HubStream { read, write, local } = stream.map_err(LineFault::Unreachable)?;
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

    /// What it has said of a frame that is not complete.
    pub(super) fn unfinished(&self) -> LastWords {
        let rest = self.read.read_buffer();
        let rest = rest.get(..rest.len().min(4 * LAST_WORDS_SHOWN));
        let rest = String::from_utf8_lossy(rest.unwrap_or_default());
        LastWords::new(&format!("{}\n{rest}", self.frame))
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
            if self.kit.card().dialect.completes(&line) {
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

#[cfg(test)]
mod tests {
    use super::{LAST_WORDS_SHOWN, LastWords};

    #[test]
    fn last_words_are_bounded_and_steer_no_terminal() {
        let words = |text: &str| LastWords::new(text).to_string();
        assert_eq!(words(" \n"), "");
        assert_eq!(
            words("\u{1b}[2Jbye\r\n"),
            r#"; the last that it said: "\u{1b}[2Jbye""#
        );
        let long = words(&("a".repeat(500) + &"b".repeat(500)));
        assert!(long.chars().count() < 2 * LAST_WORDS_SHOWN + 50, "{long}");
        assert!(long.contains("a … b"), "{long}");
    }
}
