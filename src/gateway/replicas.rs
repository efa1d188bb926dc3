//! Callbacks where several replicas share a store: each is answered by the replica that owns its session, in one hop.

use super::body::Reply;
use super::options::CallbackOptions;
use super::wording;
use crate::cluster::{self, Delivery, Epoch, Failure, Owner, Replica, Unforwarded};
use crate::secrets::{self, SealKey};
use crate::session::{BotAddress, Held, Key, Origin, Refusal, Sessions};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::body::Incoming;
use hyper::header::HeaderValue;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, timeout};

/// What a forwarded request says of the message in its query, as JSON.
const FORWARDED: &str = "x-drover-forwarded";
/// The seal of both, by the key that the replicas share.
const SEAL: &str = "x-drover-seal";
/// Marks a refusal that another owner would give, too.
const FINAL: &str = "x-drover-final";
/// A replica that cannot be connected to within this is taken for dead.
const CONNECT_MAX: Duration = Duration::from_millis(300);
const IDLE_MAX: Duration = Duration::from_secs(30);
/// Idle connections to one replica.
const IDLE_CONNECTIONS_MAX: usize = 256;
/// Bytes of an answer: no game's comes close.
const ANSWER_BYTES_MAX: usize = 64 * 1024;
/// A message of this age may have been handled by another replica meanwhile: a balancer waits about as long at least.
const STALE_AFTER: Duration = Duration::from_millis(200);

/// The replicas that share the store.
pub(super) struct Replicas {
    replica: Arc<Replica>,
    sessions: Sessions,
    /// How much earlier than a wire's own limit an answer is ready.
    margin: Duration,
    key: SealKey,
    client: Client<HttpConnector, Empty<Bytes>>,
}

/// A message on its way to its session's owner.
pub(super) struct Message {
    pub(super) origin: Origin,
    pub(super) key: Key,
    pub(super) begins: bool,
    pub(super) text: String,
    /// When it was read.
    pub(super) read: Instant,
    /// How long it had waited then, since a proxy received it.
    pub(super) waited: Duration,
}

/// What one replica sends another about a message.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Forwarded {
    game: String,
    bot: String,
    referee: String,
    origin: Origin,
    /// Milliseconds since it arrived first.
    age_ms: u64,
    /// Milliseconds in which it is to be answered.
    left_ms: u64,
    /// Whether it may have been handled before.
    resent: bool,
}

impl Replicas {
    /// Those of these sessions; `None` if no others share their store.
    pub(super) fn new(sessions: &Sessions, options: &CallbackOptions) -> Option<Self> {
        let replica = Arc::clone(sessions.replica()?);
        let key = options.replicas_key.reveal().unwrap_or_default();
        let mut connector = HttpConnector::new();
        connector.set_connect_timeout(Some(CONNECT_MAX));
        connector.set_nodelay(true);
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE_MAX)
            .pool_max_idle_per_host(IDLE_CONNECTIONS_MAX)
            .build(connector);
        Some(Self {
            replica,
            sessions: sessions.clone(),
            margin: options.margin,
            // Not the secret itself, which is in addresses that our own referee calls.
            key: SealKey::new(SealKey::new(key.as_bytes()).seal(&[b"replicas"]).as_bytes()),
            client,
        })
    }

    /// Has a message of a referee answered, here or by its session's owner.
    pub(super) async fn answer(&self, message: Message) -> Response<Reply> {
        let limits = message.key.bot.kit().card().limits;
        let limit = match message.begins {
            true => limits.open,
            false => limits.answer,
        };
        let limit = limit.saturating_sub(self.margin / 2);
        let Some(left) = limit.checked_sub(message.waited) else {
            // Its sender has given it up, and may have sent it elsewhere.
            return wording::refused(&cluster::Refusal::Late.to_string());
        };
        let arrival = self.replica.arrival(left, false);
        let age = limit.saturating_sub(arrival.deadline.saturating_sub(self.replica.now()));
        self.deliver(message, age, arrival, false).await
    }

    /// Answers a message that another replica has forwarded, if it did.
    pub(super) async fn answer_forwarded(
        &self,
        request: &Request<Incoming>,
        read: Instant,
    ) -> Option<Response<Reply>> {
        let forwarded = request.headers().get(FORWARDED)?;
        let text = request.uri().query().unwrap_or_default();
        let Some((forwarded, bot)) = self.opened(request, forwarded) else {
            let text = "no replica of this service has sent this";
            return Some(wording::sentence(StatusCode::FORBIDDEN, text));
        };
        let route = match bot.kit().card().dialect.route(text.as_bytes()) {
            Ok(route) => route,
            Err(error) => {
                let text = error.to_string();
                return Some(wording::sentence(StatusCode::BAD_REQUEST, &text));
            }
        };
        let message = Message {
            origin: forwarded.origin,
            key: Key {
                bot: Arc::new(bot),
                market: route.market,
                id: route.id,
            },
            begins: route.begins,
            text: text.to_owned(),
            read,
            waited: Duration::ZERO,
        };
        let left = Duration::from_millis(forwarded.left_ms);
        let arrival = self.replica.arrival(left, true);
        let waited = left.saturating_sub(arrival.deadline.saturating_sub(self.replica.now()));
        let age = waited + Duration::from_millis(forwarded.age_ms);
        Some(self.deliver(message, age, arrival, forwarded.resent).await)
    }

    async fn deliver(
        &self,
        message: Message,
        age: Duration,
        arrival: cluster::Arrival,
        resent: bool,
    ) -> Response<Reply> {
        let session = message.key.resource();
        let mut passage = Passage {
            arrived: message.read.checked_sub(age).unwrap_or(message.read),
            message,
            replicas: self,
            resent,
        };
        match self.replica.deliver(&session, arrival, &mut passage).await {
            Ok(response) => response,
            Err(cluster::Refusal::NotOwner) => {
                let text = "another replica owns this session";
                wording::sentence(StatusCode::MISDIRECTED_REQUEST, text)
            }
            Err(refusal @ (cluster::Refusal::Away | cluster::Refusal::Late)) => {
                wording::refused(&refusal.to_string())
            }
        }
    }

    fn seal(&self, forwarded: &[u8], text: &str) -> String {
        self.key
            .seal(&[b"forwarded\n", forwarded, b"\n", text.as_bytes()])
    }

    /// What another replica says of a message, and the bot that it is for; `None` if none has said so.
    fn opened(
        &self,
        request: &Request<Incoming>,
        forwarded: &HeaderValue,
    ) -> Option<(Forwarded, BotAddress)> {
        let text = request.uri().query().unwrap_or_default();
        let seal = request.headers().get(SEAL)?.to_str().ok()?;
        if !secrets::same(seal, &self.seal(forwarded.as_bytes(), text)) {
            return None;
        }
        let forwarded: Forwarded = serde_json::from_slice(forwarded.as_bytes()).ok()?;
        let kit = self.sessions.game(&forwarded.game)?;
        let bot = BotAddress::named(kit, &forwarded.bot, &forwarded.referee)?;
        Some((forwarded, bot))
    }
}

/// A message that is delivered.
struct Passage<'a> {
    message: Message,
    replicas: &'a Replicas,
    arrived: Instant,
    /// Whether it may have been handled before.
    resent: bool,
}

impl Passage<'_> {
    fn forwarded(&self, within: Duration) -> Forwarded {
        let bot = &self.message.key.bot;
        let millis = |span: Duration| u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
        Forwarded {
            game: bot.kit().card().name.to_owned(),
            bot: bot.name().to_owned(),
            referee: bot.referee().to_owned(),
            origin: self.message.origin,
            age_ms: millis(self.arrived.elapsed()),
            left_ms: millis(within),
            resent: self.resent,
        }
    }

    fn request(&self, owner: &Owner, within: Duration) -> Option<Request<Empty<Bytes>>> {
        let text = &self.message.text;
        let forwarded = serde_json::to_vec(&self.forwarded(within)).ok()?;
        let seal = self.replicas.seal(&forwarded, text);
        Request::builder()
            .method(Method::GET)
            .uri(format!("http://{}/?{text}", owner.address))
            .header(FORWARDED, HeaderValue::from_bytes(&forwarded).ok()?)
            .header(SEAL, seal)
            .body(Empty::new())
            .ok()
    }

    /// The owner's response, whole.
    async fn call(&self, owner: &Owner, within: Duration) -> Result<Called, Unforwarded> {
        let unreached = |why: &dyn std::fmt::Display| {
            tracing::debug!(owner = %owner.address, %why, "a message could not be forwarded");
            Unforwarded::Unreached
        };
        let request = self.request(owner, within);
        let request = request.ok_or_else(|| unreached(&"it cannot be written as a request"))?;
        let response = self.replicas.client.request(request).await;
        let response = response.map_err(|error| unreached(&error))?;
        let (head, body) = response.into_parts();
        let body = Limited::new(body, ANSWER_BYTES_MAX).collect().await;
        let body = body.map_err(|error| unreached(&error))?.to_bytes();
        match head.status {
            StatusCode::OK => Ok(Called::Answered(body)),
            StatusCode::MISDIRECTED_REQUEST => Err(Unforwarded::NotOwner),
            status if head.headers.contains_key(FINAL) => Ok(Called::Refused(status, body)),
            status => Err(unreached(&status)),
        }
    }
}

enum Called {
    Answered(Bytes),
    Refused(StatusCode, Bytes),
}

impl Delivery for Passage<'_> {
    type Answer = Response<Reply>;

    async fn handle(&mut self, epoch: Epoch) -> Result<Response<Reply>, Failure> {
        let age = self.arrived.elapsed();
        let resent = std::mem::replace(&mut self.resent, true) || age > STALE_AFTER;
        let held = Held {
            epoch,
            resent: resent.then_some(age),
        };
        let message = &self.message;
        let (key, text) = (message.key.clone(), message.text.clone());
        let (origin, begins) = (message.origin, message.begins);
        let sessions = &self.replicas.sessions;
        let answered = sessions.callback_held(Some(held), origin, key, begins, text, self.arrived);
        match answered.await {
            Ok(answer) => Ok(wording::answer(Reply::answer(answer))),
            Err(Refusal::Fenced) => Err(Failure::Fenced),
            // Another replica, or a later try, may do it.
            Err(Refusal::Unstored | Refusal::Draining | Refusal::Unfit) => Err(Failure::Away),
            Err(refusal) => {
                let mut response = wording::refusal(self.message.key.bot.kit(), refusal);
                let yes = HeaderValue::from_static("1");
                response.headers_mut().insert(FINAL, yes);
                Ok(response)
            }
        }
    }

    async fn forward(
        &mut self,
        owner: &Owner,
        within: Duration,
    ) -> Result<Response<Reply>, Unforwarded> {
        let called = timeout(within, self.call(owner, within)).await;
        self.resent = true;
        match called.unwrap_or(Err(Unforwarded::Unreached))? {
            Called::Answered(text) => Ok(wording::answer(Reply::plain(text))),
            Called::Refused(status, text) => {
                Ok(wording::sentence(status, &String::from_utf8_lossy(&text)))
            }
        }
    }
}
