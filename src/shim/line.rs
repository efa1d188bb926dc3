//! The shim's end of the connection to the daemon: one request, one response, blocking with a deadline.

use crate::link::relay::{Hello, LINE_MAX, NumberedMessage, Request, Response, Welcome, line};
use socket2::{Domain, SockAddr, Socket, Type};
use std::collections::VecDeque;
use std::io::{self, BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long the daemon may take to welcome a shim, and to accept requests.
pub(super) const WITHIN: Duration = Duration::from_secs(2);
/// Responses that may be left unread.
const OWED_MAX: usize = 16;

/// A connection on which the daemon has welcomed us.
pub(super) struct Line {
    stream: BufReader<UnixStream>,
    timeout: Duration,
    /// Messages whose responses are still to be read, although nothing waits for them.
    owed: VecDeque<u64>,
    pub(super) welcome: Welcome,
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

/// Connects without waiting: a daemon that has stopped accepting shims is as good as none.
fn connect(path: &Path) -> io::Result<UnixStream> {
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    socket.set_nonblocking(true)?;
    socket.connect(&SockAddr::unix(path)?)?;
    socket.set_nonblocking(false)?;
    Ok(UnixStream::from(OwnedFd::from(socket)))
}

impl Line {
    /// Connects to the daemon.
    pub(super) fn call(socket: &Path, hello: &Hello) -> io::Result<Self> {
        let stream = connect(socket)?;
        stream.set_read_timeout(Some(WITHIN))?;
        stream.set_write_timeout(Some(WITHIN))?;
        let mut line = Self {
            stream: BufReader::new(stream),
            timeout: WITHIN,
            owed: VecDeque::new(),
            welcome: Welcome { synced: true },
        };
        line.greet(hello)?;
        Ok(line)
    }

    /// Names the session whose messages follow.
    pub(super) fn greet(&mut self, hello: &Hello) -> io::Result<()> {
        self.settle(Instant::now() + WITHIN)?;
        self.ask(&Request::Hello(hello.clone()))?;
        match self.response(WITHIN)? {
            Response::Welcome(welcome) => {
                self.welcome = welcome;
                Ok(())
            }
            Response::Refused(why) => Err(broken(why)),
            _ => Err(broken("the daemon does not welcome us")),
        }
    }

    /// Sends a request without waiting for the response.
    pub(super) fn ask(&mut self, request: &Request) -> io::Result<()> {
        self.stream.get_mut().write_all(line(request).as_bytes())
    }

    /// Nothing waits for the response to this message: it is read before the next one's.
    pub(super) fn owes(&mut self, number: u64) {
        self.owed.push_back(number);
    }

    /// Reads responses once too many are unread.
    pub(super) fn keep_up(&mut self, until: Instant) -> io::Result<()> {
        if self.owed.len() < OWED_MAX {
            return Ok(());
        }
        match self.settle(until)? {
            None => Ok(()),
            Some(_) => Err(broken("the daemon has lost messages")),
        }
    }

    /// Reads the responses that nothing waited for. Returns how many messages the daemon has, if some are
    /// missing there.
    fn settle(&mut self, until: Instant) -> io::Result<Option<u64>> {
        while let Some(number) = self.owed.pop_front() {
            if let Handed::Have(count) = self.outcome(number, until)? {
                return Ok(Some(count));
            }
        }
        Ok(None)
    }

    /// The response to message `number`.
    pub(super) fn handed(&mut self, number: u64, until: Instant) -> io::Result<Handed> {
        if let Some(count) = self.settle(until)? {
            return Ok(Handed::Have(count));
        }
        self.outcome(number, until)
    }

    fn outcome(&mut self, number: u64, until: Instant) -> io::Result<Handed> {
        match self.response(until.saturating_duration_since(Instant::now()))? {
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
        heard: &NumberedMessage,
        within: Duration,
    ) -> io::Result<Handed> {
        self.ask(&Request::Heard(heard.clone()))?;
        self.handed(heard.n, Instant::now() + within)
    }

    fn response(&mut self, within: Duration) -> io::Result<Response> {
        let within = within.max(Duration::from_millis(1));
        if within != self.timeout {
            self.stream.get_ref().set_read_timeout(Some(within))?;
            self.timeout = within;
        }
        let mut text = Vec::new();
        let most = LINE_MAX as u64;
        let read = (&mut self.stream).take(most).read_until(b'\n', &mut text)?;
        if read == 0 {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        serde_json::from_slice(&text).map_err(io::Error::from)
    }
}
