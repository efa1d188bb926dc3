//! What the handlers share.

use super::events::Feeds;
use super::films::Films;
use super::kept_standings::KeptStandings;
use super::public::Public;
use super::turns::Turns;
use crate::access::Tokens;
use crate::config::{Api, Secret};
use crate::gateway::hubs::Hubs;
use crate::session::Sessions;
use crate::store::Store;
use crate::thinking::Pool;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Everything that the API serves.
#[derive(Clone)]
pub struct ApiState {
    /// The store.
    pub store: Store,
    /// Our side of matches.
    pub sessions: Sessions,
    /// The thinking threads.
    pub pool: Pool,
    /// Whether the daemon takes new matches.
    pub readiness: Readiness,
    /// How much room there is.
    pub room: Arc<dyn Fn() -> Room + Send + Sync>,
    /// Renders the metrics as Prometheus text.
    pub metrics: Arc<dyn Fn() -> String + Send + Sync>,
    /// Connections to hubs that we dial.
    pub hubs: Hubs,
    /// The tokens.
    pub tokens: Tokens,
    /// Matches that are watched.
    pub feeds: Feeds,
    /// Ends all streams.
    pub end: CancellationToken,
    /// Standings that were asked for lately.
    pub standings: KeptStandings,
    /// Where replays are made and decisions are thought over again.
    pub turns: Turns,
    /// What callers without a token share, where they may read (`api.public`).
    pub public: Option<Public>,
    /// Matches whose replays were asked for lately.
    pub films: Films,
    /// The sites whose pages may show matches in frames.
    pub framed_by: Arc<[String]>,
    /// How long after its end a match is not yet public.
    pub embargo: Duration,
    /// Where the daemon is reached.
    pub doors: Arc<Doors>,
}

impl ApiState {
    /// What these settings give over the store of these sessions, for a process that does nothing else. Streams end with
    /// `end`.
    #[must_use]
    pub fn over(
        settings: &Api,
        sessions: Sessions,
        pool: Pool,
        tokens: Tokens,
        doors: Doors,
    ) -> Self {
        let store = tokens.store().clone();
        Self {
            sessions,
            pool,
            readiness: Readiness::default(),
            room: Arc::new(Room::default),
            metrics: Arc::new(String::new),
            hubs: Hubs::default(),
            tokens,
            feeds: Feeds::new(store.clone()),
            end: CancellationToken::new(),
            standings: KeptStandings::default(),
            turns: Turns::default(),
            public: Public::new(settings),
            films: Films::default(),
            framed_by: settings.framed_by.as_slice().into(),
            embargo: settings.embargo_s,
            doors: Arc::new(doors),
            store,
        }
    }
}

/// Where the daemon is reached.
#[derive(Clone, Debug)]
pub struct Doors {
    /// REST and the pages.
    pub api: SocketAddr,
    /// Callbacks, where they are answered.
    pub callbacks: Option<SocketAddr>,
    /// What every callback's path begins with: admins know it.
    pub secret_path: Secret,
    /// Our own referee, if it runs.
    pub referee: Option<SocketAddr>,
    /// Our own hub, if it runs.
    pub hub: Option<SocketAddr>,
    /// The shims' socket, if there is one.
    pub shims: Option<PathBuf>,
}

impl fmt::Debug for ApiState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiState")
            .field("store", &self.store)
            .finish_non_exhaustive()
    }
}

/// How much room there is for new matches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Room {
    /// Why a new match would be refused to any caller, if it would.
    pub refusal: Option<String>,
    /// What is scarce, each a sentence: new matches are accepted, but a caller gets no more than its share.
    pub scarce: Vec<String>,
}

/// Whether the daemon accepts new matches, and if not, why. All clones agree.
#[derive(Clone, Debug)]
pub struct Readiness(watch::Sender<Option<String>>);

impl Default for Readiness {
    fn default() -> Self {
        Self(watch::Sender::new(None))
    }
}

impl Readiness {
    /// From now on new matches are refused, for this reason: a sentence for `/readyz`.
    pub fn refuse(&self, why: impl Into<String>) {
        self.0.send_replace(Some(why.into()));
    }

    /// Why new matches are refused, if they are.
    #[must_use]
    pub fn refusal(&self) -> Option<String> {
        self.0.borrow().clone()
    }

    /// Follows the changes.
    #[must_use]
    pub fn subscribe(&self) -> watch::Receiver<Option<String>> {
        self.0.subscribe()
    }
}
