//! The running daemon.

mod run;
mod start;
mod stop;

use super::apart::Apart;
use super::hub::RunningHub;
use super::listeners::Inherited;
use super::referee::RunningReferee;
use super::replica::RunningReplica;
use crate::access::FirstToken;
use crate::api::Readiness;
use crate::gateway::CallbacksError;
use crate::session::Sessions;
use crate::store::Store;
use crate::thinking::Pool;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// What `serve` adds to the configuration.
#[derive(Debug, Default)]
pub struct Extras {
    /// Keep matches running among built-in bots.
    pub demo: bool,
    /// Sockets that the process was started with.
    pub inherited: Inherited,
}

/// Where the daemon listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// Callbacks.
    pub callbacks: SocketAddr,
    /// REST.
    pub api: SocketAddr,
    /// Our own referee.
    pub referee: Option<SocketAddr>,
    /// Our own hub.
    pub hub: Option<SocketAddr>,
}

/// What a daemon that stops waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopping {
    /// Matches at our own tables.
    pub matches: usize,
    /// Our sides of matches, those at our own tables included.
    pub sessions: usize,
    /// How long at most.
    pub limit: Duration,
}

/// A running daemon.
pub struct Daemon {
    addresses: Addresses,
    /// The first token, if this start has made it.
    new_token: Option<FirstToken>,
    store: Store,
    pool: Pool,
    /// Where several share the database.
    replica: Option<RunningReplica>,
    sessions: Sessions,
    readiness: Readiness,
    callbacks: JoinHandle<Result<(), CallbacksError>>,
    api: JoinHandle<std::io::Result<()>>,
    /// Where REST is served; its threads end last.
    _apart: Apart,
    referee: Option<RunningReferee>,
    hub: Option<RunningHub>,
    shims: Option<JoinHandle<()>>,
    /// Cancelled when the drain begins.
    drain: CancellationToken,
    /// Cancelled when everything but the current answers ends.
    end: CancellationToken,
    drain_limit: Duration,
}

impl Daemon {
    /// Where it listens.
    #[must_use]
    pub fn addresses(&self) -> Addresses {
        self.addresses
    }

    /// The token that this start has made, which is shown this once.
    #[must_use]
    pub fn new_token(&self) -> Option<&FirstToken> {
        self.new_token.as_ref()
    }
}
