//! The referee's HTTP server: `?connect…`, `?log=ID` and the start page.

use super::page;
use super::query::{self, Ask};
use crate::link::{Caller, Hosts, HttpIn, Misdirected, PeerAddress, Reach, callable};
use crate::referee::host::Host;
use crate::referee::host::match_info::MatchRequest;
use crate::referee::host::started::{StartError, Started};
use crate::referee::record::log;
use crate::referee::seat::OwnAddress;
use crate::referee::seat::seat_spec::SeatSpec;
use crate::seldom;
use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::http::uri::Authority;
use hyper::{Method, Request, Response, StatusCode, header};
use std::borrow::Cow;
use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

const TEXT: &str = "text/plain; charset=utf-8";
const HTML: &str = "text/html; charset=utf-8";

fn unknown_proxy(host: &Host) -> Response<Text> {
    let game = host.kit().card().name;
    let said = format!(
        "this request came through a proxy that `referee.{game}.trusted_proxies` does not list, so nobody \
         knows whose it is; list the proxy, or call directly"
    );
    plain(StatusCode::FORBIDDEN, said)
}

/// How the server works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerSettings {
    /// How connections are accepted.
    pub http: HttpIn,
    /// The host names that it answers to.
    pub hosts: Hosts,
    /// Where the daemon's pages are, if there are any.
    pub pages: Option<SocketAddr>,
    /// The players that a caller not on this machine may name. `None`: those that the host calls.
    pub for_others: Option<Reach>,
}

/// Serves until `stop`; requests under way are answered first. The host keeps running: see [`Host::drain`].
///
/// # Errors
/// Never for a broken connection; only if the listener itself becomes unusable.
pub async fn serve(
    host: Arc<Host>,
    listener: TcpListener,
    settings: ServerSettings,
    stop: CancellationToken,
) -> io::Result<()> {
    let http = settings.http.clone();
    let settings = Arc::new(settings);
    let answer = move |request: Request<Incoming>| {
        let (host, settings) = (Arc::clone(&host), Arc::clone(&settings));
        async move { answer(&host, &settings, &request).await }
    };
    http.serve(listener, answer, stop).await
}

/// The sender of a request.
#[derive(Clone, Copy, Debug)]
struct Sender {
    caller: Caller,
    /// Whether the caller's address can be trusted: it is direct, or a trusted proxy names it.
    known: bool,
}

impl Sender {
    /// A request on a listener other than ours names no sender.
    fn new<B>(request: &Request<B>, settings: &ServerSettings) -> Option<Self> {
        let caller = *request.extensions().get::<Caller>()?;
        let PeerAddress(peer) = *request.extensions().get::<PeerAddress>()?;
        let mut proxies = settings.http.trusted_proxies.iter();
        let known = caller.direct || proxies.any(|net| net.contains(&peer));
        Some(Self { caller, known })
    }
}

async fn answer(
    host: &Arc<Host>,
    settings: &ServerSettings,
    request: &Request<Incoming>,
) -> Response<Text> {
    if let Err(why) = settings.hosts.admit(request) {
        return misdirected(&why);
    }
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
        Ok(Ask::Page) => match page::page(host, pages(settings, request)) {
            Ok(page) => respond(StatusCode::OK, HTML, Text::new(page)),
            Err(error) => plain(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
        },
        Ok(Ask::Log(id)) => log_of(host, id, Sender::new(request, settings)).await,
        Ok(Ask::Connect(_)) if request.method() == Method::HEAD => plain(
            StatusCode::METHOD_NOT_ALLOWED,
            "connect needs GET".to_owned(),
        ),
        Ok(Ask::Connect(wanted)) => match may_connect(host, settings, request, *wanted).await {
            Ok(wanted) => connect(host, wanted).await,
            Err(refused) => refused,
        },
    }
}

/// Where this caller finds the daemon's pages: at an address, or on the machine that it calls.
fn pages<B>(settings: &ServerSettings, request: &Request<B>) -> Option<String> {
    let address = settings.pages?;
    let host = request.headers().get(header::HOST);
    let host: Option<Authority> = host.and_then(|host| host.to_str().ok()?.parse().ok());
    match host.filter(|_| address.ip().is_unspecified()) {
        Some(host) => Some(format!("http://{}:{}/", host.host(), address.port())),
        None => Some(format!("http://{address}/")),
    }
}

/// Whether this request may start this match: it is not from another site's page, its sender is known, and
/// its players may be called for this sender.
async fn may_connect(
    host: &Host,
    settings: &ServerSettings,
    request: &Request<Incoming>,
    wanted: MatchRequest,
) -> Result<MatchRequest, Response<Text>> {
    let same_origin = settings.hosts.same_origin(request);
    same_origin.map_err(|why| misdirected(&why))?;
    let sender = Sender::new(request, settings).filter(|sender| sender.known);
    let sender = sender.ok_or_else(|| unknown_proxy(host))?;
    let reach = match &settings.for_others {
        Some(reach) if !sender.caller.is_local() => reach,
        _ => &host.settings.http.reach,
    };
    for (number, (spec, name)) in (1..).zip(wanted.seats.iter().zip(&wanted.names)) {
        let refused = |why: String| plain(StatusCode::BAD_REQUEST, format!("url{number}: {why}"));
        let real = OwnAddress::real(host.settings.own.as_ref(), spec)
            .map_err(|error| refused(error.to_string()))?;
        // Knowing a seat's name lets one read its hand: only this machine may name our own bots.
        let ours = matches!(real, Cow::Owned(_)) && !sender.caller.is_local();
        if let Some(name) = name.as_deref().filter(|_| ours) {
            let why = format!(
                "a bot of this daemon plays there, which is not {name:?}; leave out name{number}"
            );
            return Err(refused(why));
        }
        if let SeatSpec::Url(target) = real.as_ref() {
            let called = callable(target, reach).await;
            called.map_err(|error| refused(error.to_string()))?;
        }
    }
    Ok(MatchRequest {
        reach: Some(reach.clone()),
        ..wanted
    })
}

/// Starts a match in a separate task: a caller that leaves early drops its answer, not a match that is half
/// set up.
async fn connect(host: &Arc<Host>, wanted: MatchRequest) -> Response<Text> {
    let host = Arc::clone(host);
    match tokio::spawn(async move { host.start(wanted).await }).await {
        Ok(Ok(started)) => connected(started),
        Ok(Err(error)) => {
            if seldom::is_due("referee", "start") {
                tracing::info!(%error, "a match is refused (logged once in 10 s)");
            }
            plain(status(&error), error.to_string())
        }
        Err(error) => {
            tracing::error!(%error, "setting up a match failed");
            let said = "setting up the match failed; the referee's log says why";
            plain(StatusCode::INTERNAL_SERVER_ERROR, said.to_owned())
        }
    }
}

async fn log_of(host: &Host, id: u64, sender: Option<Sender>) -> Response<Text> {
    if let Some(seat) = host.running_seat(id)
        && !belongs(&seat, sender).await
    {
        if sender.is_none_or(|sender| !sender.known) {
            return unknown_proxy(host);
        }
        let said = format!(
            "the match of player {id} is still running; until it ends, only the host at which that player is called may read its log"
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

/// Whether a running match's seat is the caller's own: it calls from the host in the seat's URL. A seat
/// without a URL belongs to this machine. Otherwise rivals could read hands.
async fn belongs(seat: &SeatSpec, sender: Option<Sender>) -> bool {
    let Some(Sender { caller, .. }) = sender.filter(|sender| sender.known) else {
        return false;
    };
    let SeatSpec::Url(target) = seat else {
        return caller.is_local();
    };
    let Ok(found) = tokio::net::lookup_host((target.host(), target.port())).await else {
        return false;
    };
    let is_caller = |own: IpAddr| match own.is_loopback() {
        true => caller.is_local(),
        false => own == caller.address,
    };
    found
        .map(|address| address.ip().to_canonical())
        .any(is_caller)
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

fn misdirected(why: &Misdirected) -> Response<Text> {
    plain(why.status(), why.to_string())
}

fn plain(status: StatusCode, said: String) -> Response<Text> {
    respond(status, TEXT, Text::new(said))
}

fn respond(status: StatusCode, kind: &'static str, body: Text) -> Response<Text> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let policy = "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; \
                  frame-ancestors 'none'; base-uri 'none'";
    for (name, value) in [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CONTENT_SECURITY_POLICY, policy),
    ] {
        let value = header::HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
    response
}

/// A whole text. Hyper drops it once it has taken the text, which lets a new match begin.
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
    use super::{Caller, SeatSpec, Sender, StatusCode, belongs, header, plain};

    #[test]
    fn the_form_that_starts_matches_is_shown_in_no_frame() {
        let answer = plain(StatusCode::OK, String::new());
        let policy = answer.headers()[header::CONTENT_SECURITY_POLICY].to_str();
        assert!(policy.unwrap().contains("frame-ancestors 'none'"));
    }

    #[tokio::test]
    async fn a_running_seat_shows_its_log_to_its_own_host_only() {
        // A direct caller, one named by a trusted proxy, and one behind an unknown proxy.
        const DIRECT: (bool, bool) = (true, true);
        const NAMED: (bool, bool) = (false, true);
        const UNKNOWN: (bool, bool) = (false, false);
        for (seat, address, (direct, known), may) in [
            ("url:http://192.0.2.7:9000/", "192.0.2.7", DIRECT, true),
            ("url:http://192.0.2.7:9000/", "192.0.2.8", DIRECT, false),
            ("url:http://192.0.2.7:9000/", "127.0.0.1", DIRECT, false),
            ("url:http://192.0.2.7:9000/", "192.0.2.7", NAMED, true),
            ("url:http://192.0.2.7:9000/", "192.0.2.8", NAMED, false),
            ("url:http://192.0.2.7:9000/", "192.0.2.7", UNKNOWN, false),
            ("url:http://127.0.0.1:9000/", "::1", DIRECT, true),
            ("url:http://127.0.0.1:9000/", "192.0.2.7", DIRECT, false),
            ("url:http://127.0.0.1:9000/", "127.0.0.1", NAMED, false),
            ("url:http://127.0.0.1:9000/", "127.0.0.1", UNKNOWN, false),
            ("filler", "127.0.0.1", DIRECT, true),
            ("filler", "192.0.2.7", DIRECT, false),
            ("filler", "127.0.0.1", NAMED, false),
            ("filler", "127.0.0.1", UNKNOWN, false),
        ] {
            let spec: SeatSpec = seat.parse().unwrap();
            let address = address.parse().unwrap();
            let caller = Caller { address, direct };
            let sender = Some(Sender { caller, known });
            assert_eq!(belongs(&spec, sender).await, may, "{seat} {sender:?}");
        }
        assert!(!belongs(&SeatSpec::filler(), None).await);
    }
}
