//! The shim's end of the connection to the daemon: one request, one response, blocking with a deadline.

use super::port::{Port, Wire};
use crate::link::relay::{Bye, Hello, NumberedMessage, Request, Response, Welcome, line};
use std::collections::VecDeque;
use std::io::{self, ErrorKind};
use std::time::Duration;
use tokio::time::Instant;

/// How long the daemon may take to welcome a shim where no clock runs.
pub(super) const WITHIN: Duration = Duration::from_secs(2);
/// How long it may take to complete a response: only one that hangs lets any of this pass.
const STUCK_WITHIN: Duration = Duration::from_millis(50);
/// Responses that may be left unread.
const OWED_MAX: usize = 64;

/// A connection to the daemon.
pub(super) struct Line {
    wire: Box<dyn Wire>,
    /// Responses that are still to be read, although nothing waits for them.
    owed: VecDeque<Owed>,
    /// What the daemon has said to the hello.
    pub(super) welcome: Option<Welcome>,
}

/// A response that is still to be read.
#[derive(Clone, Copy)]
enum Owed {
    /// To the hello.
    Welcome,
    /// To the message of this number.
    Message(u64),
}

/// The outcome of handing over one message.
pub(super) enum Handed {
    /// The daemon's answer, and whether the daemon has stored it.
    Say { text: String, stored: bool },
    /// Earlier messages are missing: the daemon has only this many.
    Have(u64),
}

fn broken(why: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why.into())
}

impl Line {
    /// Connects to the daemon and names the session. The daemon's welcome is still to be read: one that hangs costs
    /// nothing until it is asked for a decision.
    pub(super) fn call(daemon: &dyn Port, hello: &Hello) -> io::Result<Self> {
        let mut line = Self {
            wire: daemon.connect()?,
            owed: VecDeque::new(),
            welcome: None,
        };
        line.greet(hello)?;
        Ok(line)
    }

    /// Names the session whose messages follow.
    pub(super) fn greet(&mut self, hello: &Hello) -> io::Result<()> {
        self.owed.push_back(Owed::Welcome);
        self.ask(&Request::Hello(hello.clone()))
    }

    /// Sends a request without waiting for the response.
    pub(super) fn ask(&mut self, request: &Request) -> io::Result<()> {
        self.wire.send(&line(request))
    }

    /// Nothing waits for the response to this message: it is read before the next one's.
    pub(super) fn owes(&mut self, number: u64) {
        self.owed.push_back(Owed::Message(number));
    }

    /// Reads the responses that nothing waited for, as far as they have come.
    pub(super) fn keep_up(&mut self) -> io::Result<()> {
        while !self.owed.is_empty() && self.has_input() {
            if self.settle_one(STUCK_WITHIN)?.is_some() {
                return Err(broken("the daemon has lost messages"));
            }
        }
        if self.owed.len() < OWED_MAX {
            Ok(())
        } else {
            Err(ErrorKind::TimedOut.into())
        }
    }

    /// Whether responses are still to be read that nothing waited for.
    pub(super) fn is_owed(&self) -> bool {
        !self.owed.is_empty()
    }

    /// Reads the responses that nothing waited for. Returns how many messages the daemon has, if some are
    /// missing there.
    pub(super) fn settle(&mut self, until: Instant) -> io::Result<Option<u64>> {
        while !self.owed.is_empty() {
            let missing = self.settle_one(left(until))?;
            if missing.is_some() {
                return Ok(missing);
            }
        }
        Ok(None)
    }

    fn settle_one(&mut self, within: Duration) -> io::Result<Option<u64>> {
        let missing = match self.owed.front().copied() {
            None => None,
            Some(Owed::Welcome) => {
                match self.response(within)? {
                    Response::Welcome(welcome) => self.welcome = Some(welcome),
                    Response::Refused(why) => return Err(broken(why)),
                    _ => return Err(broken("the daemon does not welcome us")),
                }
                None
            }
            Some(Owed::Message(number)) => match self.outcome(number, within)? {
                Handed::Have(count) => Some(count),
                Handed::Say { .. } => None,
            },
        };
        self.owed.pop_front();
        Ok(missing)
    }

    /// The next response, which has begun to arrive: `None` if it was not the one to message `number`.
    pub(super) fn arrived(&mut self, number: u64, until: Instant) -> io::Result<Option<Handed>> {
        if self.owed.is_empty() {
            return self.outcome(number, left(until)).map(Some);
        }
        Ok(self.settle_one(left(until))?.map(Handed::Have))
    }

    /// The response to message `number`.
    pub(super) fn handed(&mut self, number: u64, until: Instant) -> io::Result<Handed> {
        if let Some(count) = self.settle(until)? {
            return Ok(Handed::Have(count));
        }
        self.outcome(number, left(until))
    }

    fn outcome(&mut self, number: u64, within: Duration) -> io::Result<Handed> {
        match self.response(within)? {
            Response::Say { n, text } if n == number => Ok(Handed::Say { text, stored: true }),
            Response::Ack { n, text } if n == number => Ok(Handed::Say {
                text,
                stored: false,
            }),
            Response::Have(count) => Ok(Handed::Have(count)),
            Response::Refused(why) => Err(broken(why)),
            _ => Err(broken("the daemon answers something else")),
        }
    }

    /// Hands over a message that has already been answered.
    pub(super) fn deliver(
        &mut self,
        message: &NumberedMessage,
        until: Instant,
    ) -> io::Result<Handed> {
        self.ask(&Request::Message(message.clone()))?;
        self.handed(message.n, until)
    }

    /// Takes leave after `number` messages: `None` once that is stored, or how many of them the daemon has.
    pub(super) fn part(
        &mut self,
        number: u64,
        bye: &Bye,
        until: Instant,
    ) -> io::Result<Option<u64>> {
        let missing = self.settle(until)?;
        if missing.is_some() {
            return Ok(missing);
        }
        self.ask(&Request::Bye(Bye {
            n: Some(number),
            ..bye.clone()
        }))?;
        match self.response(left(until))? {
            Response::Ended(n) if n == number => Ok(None),
            Response::Have(count) => Ok(Some(count)),
            Response::Refused(why) => Err(broken(why)),
            _ => Err(broken("the daemon answers something else")),
        }
    }

    /// Whether there is something to read, be it the connection's end.
    pub(super) fn has_input(&self) -> bool {
        self.waits(Instant::now())
    }

    /// Waits until there is something to read, until `until` at the latest; whether there is.
    pub(super) fn waits(&self, until: Instant) -> bool {
        self.wire.waits(until)
    }

    fn response(&mut self, within: Duration) -> io::Result<Response> {
        let text = self.wire.line(within)?;
        if text.is_empty() {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        serde_json::from_slice(&text).map_err(io::Error::from)
    }
}

/// The time until then, and a moment at least.
fn left(until: Instant) -> Duration {
    let left = until.saturating_duration_since(Instant::now());
    left.max(Duration::from_millis(1))
}
