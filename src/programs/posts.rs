//! A bot that is a URL: what is sent to it is posted, and what it says is the bodies of its answers. Blocking, as the
//! pipes of a program are.

use crate::link::{CallError, HttpOptions, HttpOut, Reach, Target};
use bytes::Bytes;
use games::neutral::LINE_MAX;
use std::io;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Runtime};

/// The shortest time that is reported to a program: a millisecond, the unit of times.
pub(super) const ASKED_MIN: Duration = Duration::from_millis(1);

/// The largest body of an answer, in bytes.
pub(super) const BODY_MAX: usize = LINE_MAX;
/// What bodies are: JSON objects, one a line.
const NDJSON: &str = "application/x-ndjson";
/// Bytes of a body that a fault quotes.
const QUOTED_MAX: usize = 80;

/// The conversation with a URL: one keep-alive connection, one POST at a time.
pub(super) struct Posts {
    /// `None` when this is dropped.
    runtime: Option<Runtime>,
    client: HttpOut,
    match_id: String,
    /// Names this delivery of the match: a server keeps its state under this name.
    talk: String,
    /// The answer's body, as far as it was not yet received.
    body: Bytes,
    /// Whether the POST that is waited for was answered.
    answered: bool,
    /// Whether what is left to say is the match's end.
    is_last: bool,
}

/// Why a program says nothing more.
#[derive(Debug, thiserror::Error)]
pub(super) enum Lost {
    /// More bytes than a line may have.
    #[error("it sent a line longer than {0} bytes")]
    LongLine(usize),
    #[error("it ended, or closed its output")]
    Ended,
    #[error("its answer has no act for the decision that it was asked")]
    NoAct,
    /// The status and the beginning of the answer.
    #[error("it answered with status {0}: {1:?}")]
    Status(u16, String),
    #[error("nothing in time")]
    Late,
    #[error(transparent)]
    Call(#[from] CallError),
}

impl Posts {
    /// A conversation about this match, whose id may be empty.
    ///
    /// # Errors
    /// The system refuses what waiting for sockets needs.
    pub(super) fn new(target: &Target, match_id: &str) -> io::Result<Self> {
        let runtime = Builder::new_current_thread().enable_all().build()?;
        Ok(Self {
            runtime: Some(runtime),
            client: client(target),
            match_id: match_id.to_owned(),
            talk: talk(),
            body: Bytes::new(),
            answered: false,
            is_last: false,
        })
    }

    /// The match is sent from its beginning from now on, on the same connection if that is there.
    pub(super) fn begin_again(&mut self) {
        self.talk = talk();
        self.body = Bytes::new();
        self.answered = false;
    }

    /// Another POST is due: for a decision, or for what was wanted before it.
    pub(super) const fn asks(&mut self) {
        self.answered = false;
    }

    /// What is said next is the last.
    pub(super) const fn ends(&mut self) {
        self.is_last = true;
        self.answered = false;
    }

    /// The next POST takes a connection of its own.
    pub(super) fn hang_up(&mut self) {
        self.client = client(self.client.target());
    }

    /// Whether it can be connected to, or why not; that it is slow is no reason.
    pub(super) fn dial(&mut self, until: Instant) -> Result<(), Lost> {
        let within = until.saturating_duration_since(Instant::now());
        let (Some(runtime), client) = (&self.runtime, &mut self.client) else {
            return Ok(());
        };
        match runtime.block_on(client.dial(within)) {
            Ok(()) | Err(CallError::Late(_)) => Ok(()),
            Err(why) => Err(why.into()),
        }
    }

    /// The next line of an answer.
    pub(super) fn next_line(&mut self) -> Option<Vec<u8>> {
        if self.body.is_empty() {
            return None;
        }
        let end = self.body.iter().position(|byte| *byte == b'\n');
        let line = self
            .body
            .split_to(end.map_or(self.body.len(), |end| end + 1));
        Some(line.strip_suffix(b"\n").unwrap_or(&line).to_vec())
    }

    /// Posts what was not said yet, if a decision is waited for or the match is over, and waits for the answer; false if
    /// there is none by then. An error says why there will be none.
    pub(super) fn wait(
        &mut self,
        unsaid: &mut Vec<u8>,
        asked: bool,
        until: Instant,
    ) -> Result<bool, Lost> {
        let left = until.saturating_duration_since(Instant::now());
        if !(asked || self.is_last) || left < ASKED_MIN {
            return Ok(false);
        }
        if self.answered {
            return Err(Lost::NoAct);
        }
        let body = Bytes::from(std::mem::take(unsaid));
        let headers: [(&str, &str); 4] = [
            ("content-type", NDJSON),
            ("accept", NDJSON),
            ("drover-talk", &self.talk),
            ("drover-match", &self.match_id),
        ];
        let named = match self.match_id.is_empty() {
            true => headers.get(..3).unwrap_or(&headers),
            false => &headers,
        };
        let (Some(runtime), client) = (&self.runtime, &mut self.client) else {
            return Ok(false);
        };
        let posted = async {
            // What came while nobody waited, such as the connection's end, is noticed first.
            tokio::task::yield_now().await;
            client.post(named, body, left).await
        };
        match runtime.block_on(posted) {
            Ok(answer) if (200..300).contains(&answer.status) => {
                self.answered = true;
                self.body = answer.body;
                Ok(true)
            }
            Ok(answer) => {
                let status = answer.status;
                let begin = answer.body.get(..QUOTED_MAX).unwrap_or(&answer.body);
                let begin = String::from_utf8_lossy(begin).into_owned();
                Err(Lost::Status(status, begin))
            }
            Err(CallError::Late(_)) => Ok(false),
            Err(why) => Err(why.into()),
        }
    }
}

fn client(target: &Target) -> HttpOut {
    let options = HttpOptions {
        // The runner decides when to try again.
        reconnects_max: 0,
        resend: false,
        // Users who add a bot name its address as they name its program.
        reach: Reach::Any,
        body_max: BODY_MAX,
    };
    HttpOut::new(target.clone(), options)
}

/// The name of a delivery.
fn talk() -> String {
    ulid::Ulid::generate().to_string()
}

impl Drop for Posts {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // A name that is still looked up is not waited for.
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests;
