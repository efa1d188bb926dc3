//! One connection: its requests, one after another.

use super::body::Reply;
use super::replicas::Message;
use super::routes::{NoRoute, TARGET_BYTES_MAX, no_bot};
use super::shared::Gateway;
use super::wording;
use crate::link::{Caller, Peer, Stay};
use crate::session::{BotAddress, Key, Origin};
use hyper::body::Incoming;
use hyper::{Method, Request, Response, StatusCode};
use parking_lot::Mutex;
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// One connection.
pub(super) struct Connection {
    gateway: Arc<Gateway>,
    peer: IpAddr,
    proxy: bool,
    /// Whether its requests may be too many at once: without a proxy, there are no more of them than connections.
    counted: bool,
    /// Its place among the connections.
    stay: Arc<Stay>,
    /// The last request's target: the next one usually has the same.
    last: Mutex<Option<Visited>>,
}

struct Visited {
    path: Box<str>,
    caller: IpAddr,
    bot: Arc<BotAddress>,
}

impl Connection {
    pub(super) fn new(gateway: Arc<Gateway>, peer: IpAddr, stay: Arc<Stay>) -> Self {
        let options = &gateway.options;
        let proxy = options.is_proxy(peer);
        Self {
            counted: proxy || options.requests_per_peer_max < options.connections_per_peer_max,
            gateway,
            peer,
            proxy,
            stay,
            last: Mutex::new(None),
        }
    }

    /// Answers one request.
    pub(super) async fn serve(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> Result<Response<Reply>, Infallible> {
        let _busy = self.stay.busy();
        Ok(self.answer(&request, Instant::now()).await)
    }

    async fn answer(&self, request: &Request<Incoming>, received: Instant) -> Response<Reply> {
        if request.method() != Method::GET {
            return wording::wrong_method();
        }
        let uri = request.uri();
        let query = uri.query().unwrap_or_default();
        if uri.path().len() + query.len() > TARGET_BYTES_MAX {
            return wording::too_long();
        }
        if let Some(replicas) = &self.gateway.replicas
            && let Some(response) = replicas.answer_forwarded(request, received).await
        {
            return response;
        }
        let caller = self.caller(request);
        let slot = || self.gateway.requests.take(Some(Peer::new(caller)));
        let Ok(_slot) = self.counted.then(slot).transpose() else {
            return wording::too_many("too many requests of one referee at once");
        };
        let bot = match self.bot(request, caller) {
            Ok(bot) => bot,
            Err(error) => return wording::sentence(StatusCode::NOT_FOUND, &error.to_string()),
        };
        let route = match bot.kit().card().dialect.route(query.as_bytes()) {
            Ok(route) => route,
            Err(error) => {
                // Whether there is such a program shows otherwise when a match begins.
                let kit = bot.kit();
                let there = |name| self.gateway.sessions.bots().find(name);
                let plays = |name| there(name).is_some_and(|found| found.plays(kit.card().name));
                return match bot.program().is_none_or(plays) {
                    true => wording::sentence(StatusCode::BAD_REQUEST, &error.to_string()),
                    false => wording::sentence(StatusCode::NOT_FOUND, &no_bot(kit).to_string()),
                };
            }
        };
        let exempt = self.gateway.options.is_exempt(caller) || bot.has_named_referee();
        if exempt {
            self.stay.exempt();
        }
        let origin = Origin::new(caller, exempt, self.stay.is_short());
        let key = Key {
            bot,
            market: route.market,
            id: route.id,
        };
        let message = Message {
            origin,
            key,
            begins: route.begins,
            text: query.to_owned(),
            read: received,
            waited: Duration::ZERO,
        };
        let Some(replicas) = &self.gateway.replicas else {
            return self.deliver(message).await;
        };
        let waited = self.waited(request, received);
        replicas.answer(Message { waited, ..message }).await
    }

    /// Answers a message here.
    async fn deliver(&self, message: Message) -> Response<Reply> {
        let Message {
            origin,
            key,
            begins,
            text,
            read,
            waited: _,
        } = message;
        let kit = key.bot.kit();
        let sessions = &self.gateway.sessions;
        match sessions.callback(origin, key, begins, text, read).await {
            Ok(answer) => wording::answer(Reply::answer(answer)),
            Err(refusal) => wording::refusal(kit, refusal),
        }
    }

    /// The caller: the peer, or whom a trusted proxy names.
    fn caller(&self, request: &Request<Incoming>) -> IpAddr {
        if !self.proxy {
            return self.peer;
        }
        let proxies = &self.gateway.options.trusted_proxies;
        Caller::new(self.peer, request.headers(), proxies).address
    }

    /// How long a request has waited, as a trusted proxy says.
    fn waited(&self, request: &Request<Incoming>, received: Instant) -> Duration {
        let wall_us = || self.gateway.sessions.wall_us(received);
        let waited = &self.gateway.waited;
        match self.proxy {
            true => waited.before(self.peer, request.headers(), received, wall_us()),
            false => Duration::ZERO,
        }
    }

    /// Whether an unlisted proxy on this machine has forwarded the request: then its origin is unknown.
    fn is_hidden(&self, request: &Request<Incoming>) -> bool {
        !self.proxy
            && self.peer.is_loopback()
            && !Caller::new(self.peer, request.headers(), &[]).direct
    }

    fn bot(&self, request: &Request<Incoming>, caller: IpAddr) -> Result<Arc<BotAddress>, NoRoute> {
        let path = request.uri().path();
        let mut last = self.last.lock();
        let same = |visited: &&Visited| visited.caller == caller && *visited.path == *path;
        if let Some(visited) = last.as_ref().filter(same) {
            return Ok(Arc::clone(&visited.bot));
        }
        let known = (!self.is_hidden(request)).then_some(caller);
        let bot = self.gateway.routes.bot(path, caller, known)?;
        *last = Some(Visited {
            path: path.into(),
            caller,
            bot: Arc::clone(&bot),
        });
        Ok(bot)
    }
}
