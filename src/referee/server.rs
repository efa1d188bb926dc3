//! The referee's HTTP server: `?connect…`, `?log=ID` and the start page.

use super::host::Host;
use super::match_info::MatchRequest;
use super::query::{self, Ask};
use super::seat_spec::SeatSpec;
use super::started::{StartError, Started};
use super::{log, page};
use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode, header};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Largest head of a request; four of the longest URLs, percent-encoded, fit.
const HEAD_LEN_MAX: usize = 32 * 1024;
/// Most header lines of a request.
const HEADERS_MAX: usize = 100;
/// Pause after a failed accept, for instance when no file is left to open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
const TEXT: &str = "text/plain; charset=utf-8";
const HTML: &str = "text/html; charset=utf-8";

/// How the server works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerSettings {
    /// Most connections at once; more wait to be accepted.
    pub connections_max: usize,
    /// How long a whole request head may take.
    pub head_timeout: Duration,
    /// How long one connection may stay, idle or not.
    pub connection_timeout: Duration,
}

impl Default for ServerSettings {
    fn default() -> Self {
        Self {
            connections_max: 256,
            head_timeout: Duration::from_secs(10),
            connection_timeout: Duration::from_secs(120),
        }
    }
}

/// Serves until `stop`; requests under way are then answered first. The host goes on: see
/// [`Host::drain`].
///
/// # Errors
/// Never for a broken connection; only if the listener itself is of no use any more.
pub async fn serve(
    host: Arc<Host>,
    listener: TcpListener,
    settings: ServerSettings,
    stop: CancellationToken,
) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(settings.connections_max));
    let connections = TaskTracker::new();
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else {
            break;
        };
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stop.cancelled() => break,
        };
        let (socket, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "the referee cannot accept a connection");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let (host, stop) = (Arc::clone(&host), stop.clone());
        connections.spawn(async move {
            converse(host, (socket, peer.ip()), settings, stop).await;
            drop(place);
        });
    }
    connections.close();
    connections.wait().await;
    Ok(())
}

async fn converse(
    host: Arc<Host>,
    (socket, peer): (TcpStream, IpAddr),
    settings: ServerSettings,
    stop: CancellationToken,
) {
    // Best effort: without it answers come later, not wrongly.
    let _ = socket.set_nodelay(true);
    let service = service_fn(move |request| {
        let host = Arc::clone(&host);
        async move { Ok::<_, Infallible>(answer(&host, &request, peer).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(settings.head_timeout)
        .max_headers(HEADERS_MAX)
        .max_header_size(HEAD_LEN_MAX)
        .serve_connection(TokioIo::new(socket), service);
    let mut connection = std::pin::pin!(connection);
    let whole = async {
        tokio::select! {
            ended = connection.as_mut() => return ended,
            () = stop.cancelled() => connection.as_mut().graceful_shutdown(),
        }
        connection.await
    };
    // A peer that breaks off or dawdles harms nobody but itself.
    let _ = tokio::time::timeout(settings.connection_timeout, whole).await;
}

async fn answer(host: &Arc<Host>, request: &Request<Incoming>, peer: IpAddr) -> Response<Text> {
    if request.method() != Method::GET && request.method() != Method::HEAD {
        let said = format!("{} is not answered here; use GET", request.method());
        let mut refused = plain(StatusCode::METHOD_NOT_ALLOWED, said);
        refused
            .headers_mut()
            .insert(header::ALLOW, header::HeaderValue::from_static("GET, HEAD"));
        return refused;
    }
    let path = request.uri().path();
    if !matches!(path, "/" | "/market.html") {
        let said = format!("there is no {path} here; the start page is at /");
        return plain(StatusCode::NOT_FOUND, said);
    }
    match query::read(host.kit(), request.uri().query().unwrap_or_default()) {
        Err(error) => plain(StatusCode::BAD_REQUEST, error.to_string()),
        Ok(Ask::Page) => respond(StatusCode::OK, HTML, Text::new(page::page(host))),
        Ok(Ask::Log(id)) => log_of(host, id, peer).await,
        Ok(Ask::Connect(_)) if request.method() == Method::HEAD => plain(
            StatusCode::METHOD_NOT_ALLOWED,
            "connect needs GET".to_owned(),
        ),
        Ok(Ask::Connect(wanted)) => connect(host, wanted).await,
    }
}

/// Starts a match in a task of its own: a caller who leaves early drops his answer, not a match
/// that is set up by half.
async fn connect(host: &Arc<Host>, wanted: MatchRequest) -> Response<Text> {
    let host = Arc::clone(host);
    match tokio::spawn(async move { host.start(wanted).await }).await {
        Ok(Ok(started)) => connected(started),
        Ok(Err(error)) => plain(status(&error), error.to_string()),
        Err(error) => {
            tracing::error!(%error, "setting a match up broke down");
            let said = "setting the match up broke down; the log of the referee tells where";
            plain(StatusCode::INTERNAL_SERVER_ERROR, said.to_owned())
        }
    }
}

async fn log_of(host: &Host, id: u64, peer: IpAddr) -> Response<Text> {
    if let Some(seat) = host.running_seat(id)
        && !belongs(&seat, peer).await
    {
        let said = format!(
            "the match of player {id} is still running; until it ends, only the host at which that player is called may read his log"
        );
        return plain(StatusCode::FORBIDDEN, said);
    }
    match host.log(id).await {
        Ok(Some(lines)) => plain(StatusCode::OK, log::text(&lines)),
        Ok(None) => {
            let said = format!(
                "no player has had the id {id} here; the ids stand in the reply to connect"
            );
            plain(StatusCode::NOT_FOUND, said)
        }
        Err(error) => plain(StatusCode::SERVICE_UNAVAILABLE, error.to_string()),
    }
}

/// Whether a running match's seat is the caller's own: he calls from the host that its URL names.
/// A seat without a URL belongs to this machine. Hands would be open to rivals otherwise.
async fn belongs(seat: &SeatSpec, peer: IpAddr) -> bool {
    let peer = peer.to_canonical();
    let SeatSpec::Url(target) = seat else {
        return peer.is_loopback();
    };
    let Ok(found) = tokio::net::lookup_host((target.host(), target.port())).await else {
        return false;
    };
    found
        .map(|address| address.ip().to_canonical())
        .any(|own| own == peer || (own.is_loopback() && peer.is_loopback()))
}

/// The numbers of the match. It begins when this answer has been handed over.
fn connected(started: Started) -> Response<Text> {
    let info = &started.hosted.info;
    let mut numbers = format!("?market={}", info.market);
    for (place, id) in info.ids.iter().enumerate() {
        numbers.push_str(&format!("&id{}={id}", place + 1));
    }
    let body = Text {
        text: Some(numbers.into()),
        _begins: Some(started),
    };
    respond(StatusCode::OK, TEXT, body)
}

fn status(error: &StartError) -> StatusCode {
    match error {
        StartError::Full(_)
        | StartError::Stopping
        | StartError::Randomness(_)
        | StartError::NoNumbers
        | StartError::Record(_) => StatusCode::SERVICE_UNAVAILABLE,
        StartError::Seat(_) | StartError::Setup(_) => StatusCode::BAD_REQUEST,
    }
}

fn plain(status: StatusCode, said: String) -> Response<Text> {
    respond(status, TEXT, Text::new(said))
}

fn respond(status: StatusCode, kind: &'static str, body: Text) -> Response<Text> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static(kind));
    headers.insert(
        header::CACHE_CONTROL,
        header::HeaderValue::from_static("no-store"),
    );
    headers.insert(
        header::X_CONTENT_TYPE_OPTIONS,
        header::HeaderValue::from_static("nosniff"),
    );
    headers.insert(
        header::CONTENT_SECURITY_POLICY,
        header::HeaderValue::from_static(
            "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'",
        ),
    );
    response
}

/// A whole text. Hyper drops it when it has taken the text, which lets a new match begin.
struct Text {
    text: Option<Bytes>,
    _begins: Option<Started>,
}

impl Text {
    fn new(text: String) -> Self {
        Self {
            text: Some(text.into()),
            _begins: None,
        }
    }
}

impl Body for Text {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.text.take().map(|text| Ok(Frame::data(text))))
    }

    fn is_end_stream(&self) -> bool {
        self.text.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.text.as_ref().map_or(0, |text| text.len() as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::{SeatSpec, belongs};

    #[tokio::test]
    async fn a_running_seat_shows_its_log_to_its_own_host_only() {
        for (seat, peer, may) in [
            ("url:http://192.0.2.7:9000/", "192.0.2.7", true),
            ("url:http://192.0.2.7:9000/", "::ffff:192.0.2.7", true),
            ("url:http://192.0.2.7:9000/", "192.0.2.8", false),
            ("url:http://192.0.2.7:9000/", "127.0.0.1", false),
            ("url:http://127.0.0.1:9000/", "::1", true),
            ("url:http://127.0.0.1:9000/", "192.0.2.7", false),
            ("filler", "127.0.0.1", true),
            ("filler", "192.0.2.7", false),
        ] {
            let spec: SeatSpec = seat.parse().unwrap();
            assert_eq!(
                belongs(&spec, peer.parse().unwrap()).await,
                may,
                "{seat} {peer}"
            );
        }
    }
}
