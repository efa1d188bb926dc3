//! How a listener accepts connections: within a bound, and what it does with one that could not be accepted.

use super::shares::{Peer, Shares, Stay};
use crate::seldom;
use std::io::{Error, ErrorKind};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Pause after a failed accept, such as for lack of file descriptors, which does not pass by itself.
const PAUSE: Duration = Duration::from_millis(50);

/// The failures of one listener.
#[derive(Debug)]
pub struct AcceptFaults {
    listener: &'static str,
}

impl AcceptFaults {
    /// None yet. `listener` names it in the log.
    #[must_use]
    pub fn new(listener: &'static str) -> Self {
        Self { listener }
    }

    /// Whether this will fail again: not where a connection was aborted before it was accepted.
    #[must_use]
    pub fn lasts(&self, error: &Error) -> bool {
        !matches!(
            error.kind(),
            ErrorKind::ConnectionAborted
                | ErrorKind::ConnectionReset
                | ErrorKind::ConnectionRefused
                | ErrorKind::Interrupted
        )
    }

    /// Logs a failure, but not too often, and if it lasts waits before the next attempt.
    pub async fn pause(&self, error: &Error) {
        if !self.lasts(error) {
            return;
        }
        if seldom::is_due(self.listener, "connections cannot be accepted") {
            tracing::warn!(listener = self.listener, %error, "connections cannot be accepted");
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Accepts a listener's connections, up to a limit at once. At the limit, and when shares are enforced, idle
/// connections make room for new ones.
pub struct Acceptor {
    connections: Arc<Shares>,
    room: Arc<Semaphore>,
    faults: AcceptFaults,
}

/// A connection, with its place among the others: given back when it is dropped.
pub struct Accepted {
    /// The connection.
    pub stream: TcpStream,
    /// Its other end.
    pub peer: SocketAddr,
    /// Its place among the peers.
    pub stay: Stay,
    /// Its slot.
    pub permit: OwnedSemaphorePermit,
}

impl Acceptor {
    /// An acceptor of these connections. `listener` names it in the log.
    #[must_use]
    pub fn new(listener: &'static str, connections: Arc<Shares>) -> Self {
        let slots = connections.max().min(Semaphore::MAX_PERMITS);
        Self {
            connections,
            room: Arc::new(Semaphore::new(slots)),
            faults: AcceptFaults::new(listener),
        }
    }

    /// The next connection that is let in; `exempt`: the peers that no share binds. Dropping the future loses
    /// no connection.
    pub async fn next(
        &mut self,
        listener: &TcpListener,
        exempt: impl Fn(IpAddr) -> bool,
    ) -> Accepted {
        loop {
            if self.room.available_permits() == 0 {
                self.connections.make_room();
            }
            let permit = Arc::clone(&self.room).acquire_owned().await;
            let permit = permit.expect("the semaphore is never closed");
            match listener.accept().await {
                Ok((stream, peer)) => {
                    let ip = peer.ip().to_canonical();
                    if let Some(stay) = self.connections.admit(Peer::new(ip), exempt(ip)) {
                        return Accepted {
                            stream,
                            peer,
                            stay,
                            permit,
                        };
                    }
                    tracing::debug!(%peer, "its share of connections is used up: one is closed");
                    seldom::refused(self.faults.listener, "a peer has its share of connections");
                }
                Err(error) if self.faults.lasts(&error) => {
                    self.connections.make_room();
                    self.faults.pause(&error).await;
                }
                Err(_) => {}
            }
        }
    }
}
