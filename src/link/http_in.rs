//! The listener behind REST and the referee's pages: one accept loop with a bound on connections, on
//! the time that a head may take, on silence and on how long one connection lasts at all; it tells
//! each request who its caller is ([`Caller`]).

use super::caller::Caller;
use super::places::{Place, Places};
use super::socket::Socket;
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use ipnet::IpNet;
use std::convert::Infallible;
use std::error::Error;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Largest head of a request, in bytes; four of the longest URLs, percent-encoded, fit.
const HEAD_LEN_MAX: usize = 32 * 1024;
/// Most header lines of a request.
const HEADERS_MAX: usize = 100;
/// Pause after a failed accept, for instance when no file is left to open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// How connections are taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpIn {
    /// Most connections at once.
    pub connections_max: usize,
    /// How long a whole request head may take; a connection that stays idle for so long is closed, too.
    pub head_timeout: Duration,
    /// How long one connection may stay; it then ends after the request at hand.
    pub connection_timeout: Duration,
    /// How long that request may still take until it is cut.
    pub finish: Duration,
    /// Whose `X-Forwarded-For` is believed. Connections from there have no share of their own.
    pub trusted_proxies: Arc<[IpNet]>,
}

impl Default for HttpIn {
    fn default() -> Self {
        Self {
            connections_max: 256,
            head_timeout: Duration::from_secs(10),
            connection_timeout: Duration::from_secs(600),
            finish: Duration::from_secs(30),
            trusted_proxies: Arc::default(),
        }
    }
}

/// The address that the request's connection comes from, as an extension of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer(pub IpAddr);

impl HttpIn {
    /// Serves until `stop`; requests under way are then answered first, for at most
    /// [`HttpIn::finish`]. Each request carries its [`Caller`] and its [`Peer`] as extensions.
    ///
    /// # Errors
    /// Never for a broken connection; only if the listener itself is of no use.
    pub async fn serve<A, F, B>(
        self,
        listener: TcpListener,
        answer: A,
        stop: CancellationToken,
    ) -> io::Result<()>
    where
        A: Fn(Request<Incoming>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Response<B>> + Send + 'static,
        B: Body + Send + 'static,
        B::Data: Send,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        listener.local_addr()?;
        let places = Places::new(self.connections_max);
        let connections = TaskTracker::new();
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = stop.cancelled() => break,
            };
            let (socket, peer) = match accepted {
                Ok((socket, peer)) => (socket, peer.ip().to_canonical()),
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            };
            let shared = !self.is_proxy(peer);
            let Some(place) = places.take(peer, shared) else {
                tracing::debug!(%peer, "too many connections: one is closed");
                continue;
            };
            let (http, answer, stop) = (self.clone(), answer.clone(), stop.clone());
            connections.spawn(async move {
                let cut = place.cut();
                tokio::select! {
                    () = http.converse(socket, place, answer, stop) => {}
                    () = cut.cancelled() => tracing::debug!(%peer, "an idle connection makes room"),
                }
            });
        }
        drop(listener);
        connections.close();
        connections.wait().await;
        Ok(())
    }

    fn is_proxy(&self, peer: IpAddr) -> bool {
        self.trusted_proxies.iter().any(|net| net.contains(&peer))
    }

    async fn converse<A, F, B>(
        &self,
        socket: TcpStream,
        place: Place,
        answer: A,
        stop: CancellationToken,
    ) where
        A: Fn(Request<Incoming>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Response<B>> + Send + 'static,
        B: Body + Send + 'static,
        B::Data: Send,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        // Best effort: without it answers come later, not wrongly.
        let _ = socket.set_nodelay(true);
        let (place, peer) = (&place, place.peer());
        let service = service_fn(move |mut request: Request<Incoming>| {
            let caller = Caller::of(peer, request.headers(), &self.trusted_proxies);
            request.extensions_mut().insert(caller);
            request.extensions_mut().insert(Peer(peer));
            let answering = answer(request);
            async move {
                let _busy = place.busy();
                Ok::<_, Infallible>(answering.await)
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.head_timeout)
            .max_headers(HEADERS_MAX)
            .max_header_size(HEAD_LEN_MAX)
            .half_close(false)
            .serve_connection(TokioIo::new(Socket::new(socket, |_| {})), service);
        let mut connection = std::pin::pin!(connection);
        tokio::select! {
            // A peer that breaks off or dawdles harms nobody but itself.
            _ = connection.as_mut() => return,
            () = stop.cancelled() => {}
            () = tokio::time::sleep(self.connection_timeout) => {}
        }
        connection.as_mut().graceful_shutdown();
        let _ = tokio::time::timeout(self.finish, connection).await;
    }
}
