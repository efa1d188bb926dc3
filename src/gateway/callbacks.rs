//! The callback listener.

use super::connection::Connection;
use super::options::CallbackOptions;
use super::replicas::Replicas;
use super::routes::Routes;
use super::shared::Gateway;
use super::waited::Waited;
use super::wording;
use crate::link::{Accepted, Acceptor, Peer, Shares, Socket, Stay};
use crate::session::Sessions;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use games::Kit;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The most bytes of a request's head before it is refused.
const HEAD_BYTES_MAX: usize = 128 * 1024;
/// Headers of a request.
const HEADERS_MAX: usize = 64;
/// How long a connection that must make room may take to end, unless it is answering.
const AWAY_MAX: Duration = Duration::from_secs(1);

/// Why callbacks cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum CallbacksError {
    /// The default bot does not exist.
    #[error("callbacks.default_bot: {0}")]
    DefaultBot(String),
    /// The listener failed for good.
    #[error("the callback listener failed: {0}")]
    Listener(#[from] std::io::Error),
}

/// The callback listener's service.
#[derive(Clone)]
pub struct Callbacks {
    gateway: Arc<Gateway>,
}

impl Callbacks {
    /// A service for these games ([`games::ALL`] everywhere but in tests).
    ///
    /// # Errors
    /// [`CallbacksError::DefaultBot`] if no such bot exists, naming those that do.
    pub fn new(
        options: CallbackOptions,
        sessions: Sessions,
        games: &[&'static dyn Kit],
    ) -> Result<Self, CallbacksError> {
        let routes = Routes::new(games, &options);
        routes
            .check_default(sessions.bots())
            .map_err(|error| CallbacksError::DefaultBot(error.to_string()))?;
        // A peer has as much of all replicas together.
        let parts = sessions.replica();
        let parts = parts.map_or_else(Arc::default, |replica| replica.replicas());
        let by_peer = options.connections_per_peer_max;
        let requests = options.requests_per_peer_max;
        Ok(Self {
            gateway: Arc::new(Gateway {
                replicas: Replicas::new(&sessions, &options),
                waited: Waited::default(),
                connections: Shares::new(options.connections_max, usize::MAX),
                connections_by_peer: Shares::among(usize::MAX, by_peer, Arc::clone(&parts)),
                requests: Shares::among(usize::MAX, requests, parts),
                options,
                sessions,
                routes,
            }),
        })
    }

    /// Its connections, for callers that want to know how full it is.
    #[must_use]
    pub fn connections(&self) -> Arc<Shares> {
        Arc::clone(&self.gateway.connections)
    }

    /// Serves until `stop`; then no new session begins, and connections may continue for as long as
    /// [`CallbackOptions::drain`] while sessions are in play. Then, and also if this is dropped, each connection
    /// ends after the current request, at once if that does not arrive or is not read.
    ///
    /// # Errors
    /// [`CallbacksError::Listener`] if the listener cannot be used at all.
    pub async fn serve(
        self,
        listener: TcpListener,
        stop: CancellationToken,
    ) -> Result<(), CallbacksError> {
        listener.local_addr()?;
        let gateway = self.gateway;
        let drain = gateway.options.drain;
        let sessions = gateway.sessions.clone();
        let mut serving = Serving {
            acceptor: Acceptor::new("callbacks", Arc::clone(&gateway.connections)),
            builder: builder(&gateway.options),
            tracker: TaskTracker::new(),
            finish: CancellationToken::new(),
            gateway,
        };
        let _finish = serving.finish.clone().drop_guard();
        serving.accept_until(&listener, stop.cancelled()).await;
        sessions.drain();
        let over = sessions_over(&sessions, drain);
        serving.accept_until(&listener, over).await;
        drop(listener);
        serving.finish.cancel();
        serving.tracker.close();
        serving.tracker.wait().await;
        Ok(())
    }
}

/// Sessions that are in mid-game at a stop continue until they end, within a bound: until then their referees
/// must be able to connect.
async fn sessions_over(sessions: &Sessions, bound: Duration) {
    /// Until then a balancer has noticed that this replica stops.
    const HANDED_OVER: Duration = Duration::from_secs(5);
    /// How often to check whether any are left.
    const LOOK: Duration = Duration::from_millis(50);
    let looking = async {
        if sessions.replica().is_some() {
            tokio::time::sleep(HANDED_OVER).await;
        }
        while sessions.in_play() {
            tokio::time::sleep(LOOK).await;
        }
    };
    // Those left at the bound stay live in the store: the next start resumes them.
    drop(tokio::time::timeout(bound, looking).await);
}

fn builder(options: &CallbackOptions) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(options.header_read_timeout)
        .max_buf_size(HEAD_BYTES_MAX)
        .max_headers(HEADERS_MAX)
        .half_close(false)
        .writev(false)
        .keep_alive(true);
    builder
}

/// One run of the listener.
struct Serving {
    gateway: Arc<Gateway>,
    builder: http1::Builder,
    acceptor: Acceptor,
    tracker: TaskTracker,
    /// Cancelled when connections are to end after the current request.
    finish: CancellationToken,
}

impl Serving {
    async fn accept_until(&mut self, listener: &TcpListener, end: impl Future<Output = ()>) {
        tokio::pin!(end);
        let options = &self.gateway.options;
        // A proxy's connections belong to many callers.
        let exempt = |peer| options.is_proxy(peer) || options.is_exempt(peer);
        loop {
            let accepted = tokio::select! {
                () = &mut end => return,
                accepted = self.acceptor.next(listener, exempt) => accepted,
            };
            self.take(accepted);
        }
    }

    fn take(&self, accepted: Accepted) {
        let Accepted {
            stream,
            peer,
            stay,
            permit,
        } = accepted;
        let peer = peer.ip().to_canonical();
        let stay = Arc::new(stay);
        let by_peer = &self.gateway.connections_by_peer;
        let Ok(held) = by_peer.take(Some(Peer::new(peer))) else {
            tracing::debug!(%peer, "too many connections of one peer: one is closed");
            return;
        };
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%peer, %error, "a connection cannot send without delay");
        }
        let connection = Arc::new(Connection::new(
            Arc::clone(&self.gateway),
            peer,
            Arc::clone(&stay),
        ));
        let service = service_fn(move |request| Arc::clone(&connection).serve(request));
        let socket = Socket::new(stream, wording::count_bare_refusal);
        let serving = self.builder.serve_connection(TokioIo::new(socket), service);
        let (finish, finish_max) = (self.finish.clone(), self.gateway.options.finish);
        self.tracker.spawn(async move {
            tokio::pin!(serving);
            // Polled when it is due, not with every message: all connections share what it waits for.
            let mut leave = FuturesUnordered::from_iter([leaving(&stay, &finish, finish_max)]);
            let open = metrics::gauge!(crate::metrics::CONNECTIONS);
            open.increment(1.0);
            let served = tokio::select! {
                served = &mut serving => served,
                Some(within) = leave.next() => {
                    serving.as_mut().graceful_shutdown();
                    let mut last = tokio::time::timeout(within, serving.as_mut()).await;
                    if last.is_err() && within < finish_max && stay.is_busy() {
                        last = tokio::time::timeout(finish_max, serving).await;
                    }
                    last.unwrap_or_else(|_| {
                        tracing::debug!(%peer, "a connection did not end in time: it is cut");
                        Ok(())
                    })
                }
            };
            if let Err(error) = served {
                tracing::debug!(%peer, %error, "a connection ended early");
            }
            open.decrement(1.0);
            drop(leave);
            drop((held, stay, permit));
        });
    }
}

/// Waits until a connection is to end, and returns within what time.
async fn leaving(stay: &Stay, finish: &CancellationToken, finish_max: Duration) -> Duration {
    let away = stay.away();
    tokio::select! {
        () = finish.cancelled() => finish_max,
        () = away.cancelled() => AWAY_MAX.min(finish_max),
    }
}
