//! What a shim needs of the machine that it runs on: connections to the daemon, and time that passes.

use crate::link::relay::LINE_MAX;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use socket2::{Domain, SockAddr, Socket, Type};
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::time::Instant;

/// How long the daemon may take to make room for a request: only one that hangs lets any of this pass.
const STUCK_WITHIN: Duration = Duration::from_millis(50);

/// A connection to the daemon.
pub trait Wire: Send {
    /// Sends a whole request.
    ///
    /// # Errors
    /// The connection is gone, or the daemon takes nothing.
    fn send(&mut self, request: &str) -> io::Result<()>;
    /// The next line with its end, which may take this long; empty once the daemon has hung up.
    ///
    /// # Errors
    /// It did not come in time, or the connection is gone.
    fn line(&mut self, within: Duration) -> io::Result<Vec<u8>>;
    /// Waits until there is something to read, be it the connection's end, until `until` at the latest; whether there
    /// is.
    fn waits(&self, until: Instant) -> bool;
}

/// A daemon, as a shim reaches it.
pub trait Port: Send + Sync {
    /// The daemon's socket, whose folder holds the journals.
    fn socket(&self) -> &Path;
    /// Connects without waiting: a daemon that has stopped accepting shims is as good as none.
    ///
    /// # Errors
    /// There is no daemon.
    fn connect(&self) -> io::Result<Box<dyn Wire>>;
    /// Lets time pass.
    fn pause(&self, time: Duration);
    /// Whether the daemon is looked for on a thread while the game goes on; else between two messages.
    fn has_threads(&self) -> bool;
}

/// The daemon on a Unix socket.
#[derive(Clone, Debug)]
pub struct UnixPort(pub PathBuf);

impl Port for UnixPort {
    fn socket(&self) -> &Path {
        &self.0
    }

    fn connect(&self) -> io::Result<Box<dyn Wire>> {
        let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
        socket.set_nonblocking(true)?;
        socket.connect(&SockAddr::unix(&self.0)?)?;
        socket.set_nonblocking(false)?;
        let stream = UnixStream::from(OwnedFd::from(socket));
        stream.set_write_timeout(Some(STUCK_WITHIN))?;
        Ok(Box::new(UnixWire {
            stream: BufReader::new(stream),
            timeout: Duration::ZERO,
        }))
    }

    fn pause(&self, time: Duration) {
        std::thread::park_timeout(time);
    }

    fn has_threads(&self) -> bool {
        true
    }
}

struct UnixWire {
    stream: BufReader<UnixStream>,
    /// That of reading; zero before it is set.
    timeout: Duration,
}

impl Wire for UnixWire {
    fn send(&mut self, request: &str) -> io::Result<()> {
        self.stream.get_mut().write_all(request.as_bytes())
    }

    fn line(&mut self, within: Duration) -> io::Result<Vec<u8>> {
        if within != self.timeout {
            self.stream.get_ref().set_read_timeout(Some(within))?;
            self.timeout = within;
        }
        let mut text = Vec::new();
        let most = LINE_MAX as u64;
        (&mut self.stream).take(most).read_until(b'\n', &mut text)?;
        Ok(text)
    }

    fn waits(&self, until: Instant) -> bool {
        if !self.stream.buffer().is_empty() {
            return true;
        }
        let within = Timespec::try_from(until.saturating_duration_since(Instant::now())).ok();
        let mut ends = [PollFd::new(self.stream.get_ref(), PollFlags::IN)];
        // Reading fails with the reason.
        poll(&mut ends, within.as_ref())
            .map_or_else(|why| why != rustix::io::Errno::INTR, |ready| ready > 0)
    }
}
