//! The listener behind REST and the referee's pages: one accept loop with bounds on connections, on the time
//! for a request head, on idle time and on the lifetime of a connection; it attaches the caller to each
//! request ([`Caller`]).

use super::accepting::{Accepted, Acceptor};
use super::caller::Caller;
use super::shares::{Shares, Stay};
use super::socket::{Socket, WRITE_STALL_MAX};
use crate::config::Config;
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioIo, TokioTimer};
use ipnet::IpNet;
use socket2::SockRef;
use std::convert::Infallible;
use std::error::Error;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The largest head of a request, in bytes; four of the longest URLs, percent-encoded, fit.
const HEAD_LEN_MAX: usize = 32 * 1024;
/// The maximum number of header lines of a request.
const HEADERS_MAX: usize = 100;
/// About how many bytes wait in memory for a peer to read them: this many here, and as many in the system.
const WAITING_MAX: usize = 64 * 1024;

/// How connections are accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpIn {
    /// Its name in logs.
    pub name: &'static str,
    /// The maximum number of concurrent connections.
    pub connections_max: usize,
    /// How long a complete request head may take; a connection idle for as long is closed, too.
    pub head_timeout: Duration,
    /// How long one connection may stay open; it then ends after the current request.
    pub connection_timeout: Duration,
    /// How long that request may still take until it is cut.
    pub finish: Duration,
    /// The proxies whose `X-Forwarded-For` is trusted. Connections from them have no share of their own.
    pub trusted_proxies: Arc<[IpNet]>,
}

impl Default for HttpIn {
    fn default() -> Self {
        Self {
            name: "HTTP",
            connections_max: Config::default().api.connections_max,
            head_timeout: Duration::from_secs(10),
            connection_timeout: Duration::from_secs(600),
            finish: Duration::from_secs(30),
            trusted_proxies: Arc::default(),
        }
    }
}

/// The address that the request's connection comes from, as an extension of the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PeerAddress(pub IpAddr);

/// When the request's connection is asked to end, as an extension of the request: [`HttpIn::finish`] later it is cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LeavesAt(pub Instant);

impl HttpIn {
    /// Serves until `stop`; requests under way are then answered first, for at most [`HttpIn::finish`]. Each
    /// request carries its [`Caller`], its [`PeerAddress`] and [`LeavesAt`] as extensions.
    ///
    /// # Errors
    /// Never for a broken connection; only if the listener itself is unusable.
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
        let shares = Shares::new(self.connections_max, usize::MAX);
        let mut acceptor = Acceptor::new(self.name, shares);
        let connections = TaskTracker::new();
        loop {
            // A proxy's connections are those of many callers.
            let accepted = tokio::select! {
                accepted = acceptor.next(&listener, |peer| self.is_proxy(peer)) => accepted,
                () = stop.cancelled() => break,
            };
            let Accepted {
                stream,
                peer,
                stay,
                permit,
            } = accepted;
            let peer = peer.ip().to_canonical();
            let (http, answer, stop) = (self.clone(), answer.clone(), stop.clone());
            connections.spawn(async move {
                let away = stay.away();
                tokio::select! {
                    () = http.converse(stream, peer, &stay, answer, stop) => {}
                    () = away.cancelled() => tracing::debug!(%peer, "an idle connection is closed to make room"),
                }
                drop((stay, permit));
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
        peer: IpAddr,
        stay: &Stay,
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
        bound(&socket);
        let leaves = LeavesAt(Instant::now() + self.connection_timeout);
        let service = service_fn(move |mut request: Request<Incoming>| {
            let caller = Caller::new(peer, request.headers(), &self.trusted_proxies);
            request.extensions_mut().insert(caller);
            request.extensions_mut().insert(PeerAddress(peer));
            request.extensions_mut().insert(leaves);
            let answering = answer(request);
            async move {
                let _busy = stay.busy();
                Ok::<_, Infallible>(answering.await)
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.head_timeout)
            .max_headers(HEADERS_MAX)
            .max_header_size(HEAD_LEN_MAX)
            .max_buf_size(WAITING_MAX)
            .half_close(false)
            .serve_connection(TokioIo::new(Socket::new(socket, |_| {})), service);
        let mut connection = std::pin::pin!(connection);
        tokio::select! {
            // A peer that disconnects or is slow harms only itself.
            _ = connection.as_mut() => return,
            () = stop.cancelled() => {}
            () = tokio::time::sleep_until(leaves.0) => {}
        }
        connection.as_mut().graceful_shutdown();
        let _ = tokio::time::timeout(self.finish, connection).await;
    }
}

/// Bounds what the system holds for a peer that does not read, and for how long it tries to bring it there.
fn bound(socket: &TcpStream) {
    // Best effort: without it the connection's lifetime is the bound.
    #[cfg(target_os = "linux")]
    {
        let socket = SockRef::from(socket);
        let _ = socket.set_tcp_notsent_lowat(WAITING_MAX as u32);
        let _ = socket.set_tcp_user_timeout(Some(WRITE_STALL_MAX));
    }
}
