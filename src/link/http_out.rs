//! The client that calls one player: one keep-alive connection, one request at a time, and a clear outcome
//! for each. Hyper speaks the protocol; this file decides when to try again.

use super::counted::{Counted, ReceivedBytes};
use super::reach::Reach;
use super::target::Target;
use bytes::{Bytes, BytesMut};
use games::text::unmarked;
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http1::{self, Connection, SendRequest};
use hyper::http::request::Builder;
use hyper::{Method, Request, Response, body::Incoming, header};
use hyper_util::rt::TokioIo;
use std::future::poll_fn;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;
use tokio::net::TcpStream;

/// The largest body accepted from a player, where nothing else is said.
pub const BODY_LEN_MAX: usize = 64 * 1024;
/// The largest head accepted from a player.
const HEAD_LEN_MAX: usize = 32 * 1024;
/// The maximum number of header lines accepted from a player.
const HEADERS_MAX: usize = 100;
/// The maximum number of addresses tried per host name.
const ADDRESSES_MAX: usize = 8;
/// How long resolving a host name may take before a match begins.
const RESOLVE_MAX: Duration = Duration::from_secs(5);
/// Wait before a connection is tried again.
const RETRY_PAUSE: Duration = Duration::from_millis(50);
/// How often one request is sent at most, however much time is left.
const SENDS_MAX: u32 = 16;

/// How a player is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpOptions {
    /// How often a connection that is refused is tried again at most, while there is time: with [`u32::MAX`] a player
    /// that restarts loses nothing.
    pub reconnects_max: u32,
    /// Send the same request again when a new connection is cut before a byte of the answer. (A kept-open one
    /// that turns out dead is always replaced once.)
    pub resend: bool,
    /// Which addresses may be called.
    pub reach: Reach,
    /// The largest body accepted, in bytes.
    pub body_max: usize,
}

impl Default for HttpOptions {
    fn default() -> Self {
        Self {
            reconnects_max: u32::MAX,
            resend: true,
            reach: Reach::Any,
            body_max: BODY_LEN_MAX,
        }
    }
}

/// A whole HTTP response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Its body, without a byte order mark.
    pub body: Bytes,
}

/// Why there is no whole response.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// Not connected and answered in time.
    #[error("no whole answer within {} ms", .0.as_millis())]
    Late(Duration),
    /// No connection could be made.
    #[error("cannot connect to {authority}: {why}")]
    Unreachable {
        /// Host and port.
        authority: String,
        /// The system's reason.
        why: String,
    },
    /// The host has no address that may be called; the game whose settings say which may.
    #[error(
        "{0} has no address that may be called from here: of private, local and reserved addresses only \
         those of `referee.{1}.allow` are called"
    )]
    OutOfReach(String, &'static str),
    /// The connection ended before any answer.
    #[error("the connection was closed before an answer")]
    Cut,
    /// The response is not HTTP, or incomplete.
    #[error("the answer is not whole HTTP: {0}")]
    Garbage(String),
    /// A proper response of this status with a body of more bytes than are accepted.
    #[error("status {status} with more than {body_max} bytes of body")]
    TooLong {
        /// The status.
        status: u16,
        /// How many bytes are accepted.
        body_max: usize,
    },
    /// The request cannot be expressed in HTTP.
    #[error("the request is not valid HTTP: {0}")]
    Request(String),
}

impl CallError {
    /// The same as a sentence that does not say who was called.
    pub fn without_address(&self) -> String {
        match self {
            Self::Unreachable { why, .. } => format!("cannot connect: {why}"),
            Self::OutOfReach(..) => "it has no address that may be called from here".to_owned(),
            other => other.to_string(),
        }
    }

    fn out_of_reach(target: &Target) -> Self {
        let game = games::met_by(games::Wire::Callbacks).map_or("", |kit| kit.card().name);
        Self::OutOfReach(target.host().to_owned(), game)
    }
}

/// The client of one player.
pub struct HttpOut {
    target: Target,
    options: HttpOptions,
    idle: Option<Wire>,
    /// Why the last attempt failed, while another one is due.
    trouble: Option<CallError>,
}

impl HttpOut {
    /// A client that has not connected yet.
    #[must_use]
    pub fn new(target: Target, options: HttpOptions) -> Self {
        Self {
            target,
            options,
            idle: None,
            trouble: None,
        }
    }

    /// The player that it calls.
    #[must_use]
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Sends a request with `text` as the query and waits for the whole answer; `within` covers connecting,
    /// retries and reading. Redirects are not followed. Dropping the future closes the connection.
    ///
    /// # Errors
    /// [`CallError`]: no whole response.
    pub async fn get(&mut self, text: &str, within: Duration) -> Result<Answer, CallError> {
        let path = self.target.with_query(text);
        let request = self.request(Request::get(path), &[], Bytes::new())?;
        self.call(&request, within).await
    }

    /// Posts this body with these headers, names in lower case, to the target itself, and waits as
    /// [`HttpOut::get`] does. It is never sent again: it may have been received.
    ///
    /// # Errors
    /// [`CallError`]: no whole response.
    pub async fn post(
        &mut self,
        headers: &[(&'static str, &str)],
        body: Bytes,
        within: Duration,
    ) -> Result<Answer, CallError> {
        let path = self.target.path_and_query();
        let request = self.request(Request::post(path), headers, body)?;
        self.call(&request, within).await
    }

    /// Connects, if it is not connected, and keeps the connection for what is sent next; `within` as in
    /// [`HttpOut::get`].
    ///
    /// # Errors
    /// [`CallError`]: no connection.
    pub async fn dial(&mut self, within: Duration) -> Result<(), CallError> {
        self.trouble = None;
        let (wire, _) = match tokio::time::timeout(within, self.wire()).await {
            Ok(dialled) => dialled?,
            Err(_) => return Err(self.trouble.take().unwrap_or(CallError::Late(within))),
        };
        self.idle = Some(wire);
        Ok(())
    }

    async fn call(&mut self, request: &Sent, within: Duration) -> Result<Answer, CallError> {
        self.trouble = None;
        match tokio::time::timeout(within, self.exchange(request)).await {
            Ok(answered) => answered,
            Err(_) => Err(self.trouble.take().unwrap_or(CallError::Late(within))),
        }
    }

    async fn exchange(&mut self, request: &Sent) -> Result<Answer, CallError> {
        // What was sent may have been received, and is not sent twice.
        let once = request.method() == Method::POST;
        let mut sends = 0;
        loop {
            let (mut wire, fresh) = self.wire().await?;
            sends += 1;
            let unanswered = match wire.ask(request.clone(), self.options.body_max).await {
                Ok(answer) => {
                    self.idle = Some(wire);
                    return Ok(answer);
                }
                Err(CallError::Cut) => CallError::Cut,
                Err(other) => return Err(other),
            };
            if once || fresh && !self.options.resend || sends == SENDS_MAX {
                return Err(unanswered);
            }
            self.trouble = Some(unanswered);
            if fresh {
                tokio::time::sleep(RETRY_PAUSE).await;
            }
        }
    }

    fn request(
        &self,
        request: Builder,
        headers: &[(&'static str, &str)],
        body: Bytes,
    ) -> Result<Sent, CallError> {
        let request = request
            .header(header::HOST, self.target.authority())
            .header(
                header::USER_AGENT,
                concat!("drover/", env!("CARGO_PKG_VERSION")),
            )
            .header(header::CONNECTION, "keep-alive");
        let request = headers
            .iter()
            .fold(request, |request, (name, value)| {
                request.header(*name, *value)
            })
            .body(Full::new(body));
        request.map_err(|error| CallError::Request(error.to_string()))
    }

    /// The kept-open connection, if still alive, or a new one (`true`).
    async fn wire(&mut self) -> Result<(Wire, bool), CallError> {
        if let Some(mut kept) = self.idle.take()
            && kept.ready().await
        {
            return Ok((kept, false));
        }
        let mut reconnects = 0;
        loop {
            match self.connect().await {
                Ok(wire) => {
                    self.trouble = None;
                    return Ok((wire, true));
                }
                Err((error, passing)) if !passing || reconnects >= self.options.reconnects_max => {
                    return Err(error);
                }
                Err((error, _)) => {
                    reconnects += 1;
                    self.trouble = Some(error);
                    tokio::time::sleep(RETRY_PAUSE).await;
                }
            }
        }
    }

    /// Connects once. An error says whether it may go away by itself.
    async fn connect(&self) -> Result<Wire, (CallError, bool)> {
        let unreachable = |error: &io::Error| CallError::Unreachable {
            authority: self.target.authority().to_owned(),
            why: error.to_string(),
        };
        let mut failure = (CallError::out_of_reach(&self.target), false);
        for address in self
            .addresses()
            .await
            .map_err(|error| (unreachable(&error), false))?
        {
            match TcpStream::connect(address).await {
                Ok(socket) => match Wire::open(socket).await {
                    Ok(wire) => return Ok(wire),
                    Err(error) => failure = (CallError::Garbage(error.to_string()), true),
                },
                Err(error) => failure = (unreachable(&error), passes(&error)),
            }
        }
        Err(failure)
    }

    async fn addresses(&self) -> io::Result<Vec<SocketAddr>> {
        addresses(&self.target, &self.options.reach).await
    }
}

/// The addresses of the target's host that may be called. One of these is dialled: the name is not resolved
/// again in between.
async fn addresses(target: &Target, reach: &Reach) -> io::Result<Vec<SocketAddr>> {
    let found = tokio::net::lookup_host((target.host(), target.port())).await?;
    let may_call = |address: &SocketAddr| reach.allows(target, *address);
    Ok(found.filter(may_call).take(ADDRESSES_MAX).collect())
}

/// Checks, without a call, that a target has an address within `reach`. Its name may later resolve to others:
/// each connection checks again.
///
/// # Errors
/// [`CallError::OutOfReach`]; [`CallError::Unreachable`] and [`CallError::Late`] if its host's name has no
/// address, or none that is found in time.
pub async fn callable(target: &Target, reach: &Reach) -> Result<(), CallError> {
    if *reach == Reach::Any {
        return Ok(());
    }
    let found = tokio::time::timeout(RESOLVE_MAX, addresses(target, reach)).await;
    match found.map_err(|_| CallError::Late(RESOLVE_MAX))? {
        Ok(found) if found.is_empty() => Err(CallError::out_of_reach(target)),
        Ok(_) => Ok(()),
        Err(error) => Err(CallError::Unreachable {
            authority: target.authority().to_owned(),
            why: error.to_string(),
        }),
    }
}

/// Whether a failed connection looks like that of a restarting player.
fn passes(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
    )
}

type Sent = Request<Full<Bytes>>;
type Protocol = Connection<TokioIo<Counted>, Full<Bytes>>;

/// One connection. Its protocol is driven by its waiter, so an idle one costs no task.
struct Wire {
    sender: SendRequest<Full<Bytes>>,
    /// `None` once it has ended.
    connection: Option<Pin<Box<Protocol>>>,
    received: ReceivedBytes,
}

impl Wire {
    async fn open(socket: TcpStream) -> hyper::Result<Self> {
        // Best effort: without it answers come later, not wrongly.
        let _ = socket.set_nodelay(true);
        let (socket, received) = Counted::new(socket);
        let (sender, connection) = http1::Builder::new()
            .max_headers(HEADERS_MAX)
            .max_header_size(HEAD_LEN_MAX)
            .allow_spaces_after_header_name_in_responses(true)
            .allow_obsolete_multiline_headers_in_responses(true)
            .ignore_invalid_headers_in_responses(true)
            .handshake(TokioIo::new(socket))
            .await?;
        Ok(Self {
            sender,
            connection: Some(Box::pin(connection)),
            received,
        })
    }

    /// Whether another request can be sent: false once the other side has closed or sent data unasked.
    async fn ready(&mut self) -> bool {
        poll_fn(|context| {
            let Some(connection) = &mut self.connection else {
                return Poll::Ready(false);
            };
            if connection.as_mut().poll(context).is_ready() {
                self.connection = None;
                return Poll::Ready(false);
            }
            self.sender.poll_ready(context).map(|ready| ready.is_ok())
        })
        .await
    }

    /// Sends and reads. [`CallError::Cut`]: it ended before a byte of the answer came.
    async fn ask(&mut self, request: Sent, body_max: usize) -> Result<Answer, CallError> {
        let before = self.received.bytes();
        let sender = &mut self.sender;
        let mut talk = pin!(async move {
            sender.ready().await?;
            read(sender.send_request(request).await?, body_max).await
        });
        let connection = &mut self.connection;
        let talked = poll_fn(|context| {
            if let Some(open) = connection
                && open.as_mut().poll(context).is_ready()
            {
                *connection = None;
            }
            talk.as_mut().poll(context)
        })
        .await;
        talked.map_err(|error| match error {
            TalkError::TooLong(status) => CallError::TooLong { status, body_max },
            TalkError::Wire(_) if self.received.bytes() == before => CallError::Cut,
            TalkError::Wire(error) => CallError::Garbage(sentence(&error)),
        })
    }
}

enum TalkError {
    Wire(hyper::Error),
    TooLong(u16),
}

impl From<hyper::Error> for TalkError {
    fn from(error: hyper::Error) -> Self {
        Self::Wire(error)
    }
}

async fn read(response: Response<Incoming>, body_max: usize) -> Result<Answer, TalkError> {
    let status = response.status().as_u16();
    let mut body = response.into_body();
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame?.into_data() {
            if whole.len() + data.len() > body_max {
                return Err(TalkError::TooLong(status));
            }
            whole.extend_from_slice(&data);
        }
    }
    let body = whole.freeze();
    Ok(Answer {
        status,
        body: body.slice_ref(unmarked(&body)),
    })
}

/// An error with its cause, which hyper leaves out of its own message.
fn sentence(error: &hyper::Error) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}
