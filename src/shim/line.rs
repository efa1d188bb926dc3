//! The shim's end of the line to the daemon: one request, one response, blocking with a deadline.

use crate::link::relay::{Heard, Hello, LINE_MAX, Request, Response, Welcome, line};
use socket2::{Domain, SockAddr, Socket, Type};
use std::io::{self, BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;

/// How long the daemon may take to welcome a shim, and to take in what it is told.
const WITHIN: Duration = Duration::from_secs(2);

/// A line on which the daemon has welcomed us.
pub(super) struct Line {
    stream: BufReader<UnixStream>,
    timeout: Duration,
    pub(super) welcome: Welcome,
}

/// What came of handing over one message.
pub(super) enum Handed {
    /// The daemon's answer.
    Say(String),
    /// Messages before it are missing: the daemon has only so many.
    Have(u64),
}

fn broken(why: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why.into())
}

/// Connects without waiting: a daemon that has stopped taking shims in is as good as none.
fn connect(path: &Path) -> io::Result<UnixStream> {
    let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
    socket.set_nonblocking(true)?;
    socket.connect(&SockAddr::unix(path)?)?;
    socket.set_nonblocking(false)?;
    Ok(UnixStream::from(OwnedFd::from(socket)))
}

impl Line {
    /// Calls the daemon.
    pub(super) fn call(socket: &Path, hello: &Hello) -> io::Result<Self> {
        let stream = connect(socket)?;
        stream.set_read_timeout(Some(WITHIN))?;
        stream.set_write_timeout(Some(WITHIN))?;
        let mut line = Self {
            stream: BufReader::new(stream),
            timeout: WITHIN,
            welcome: Welcome { synced: true },
        };
        line.greet(hello)?;
        Ok(line)
    }

    /// Names the session whose messages follow.
    pub(super) fn greet(&mut self, hello: &Hello) -> io::Result<()> {
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

    /// Says something without waiting for the response.
    pub(super) fn ask(&mut self, request: &Request) -> io::Result<()> {
        self.stream.get_mut().write_all(line(request).as_bytes())
    }

    /// The response to message `number`.
    pub(super) fn handed(&mut self, number: u64, within: Duration) -> io::Result<Handed> {
        match self.response(within)? {
            Response::Say { n, text } if n == number => Ok(Handed::Say(text)),
            Response::Have(count) => Ok(Handed::Have(count)),
            Response::Refused(why) => Err(broken(why)),
            _ => Err(broken("the daemon answers something else")),
        }
    }

    /// Hands over a message that was answered already.
    pub(super) fn deliver(&mut self, heard: &Heard) -> io::Result<Handed> {
        self.ask(&Request::Heard(heard.clone()))?;
        self.handed(heard.n, WITHIN)
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
