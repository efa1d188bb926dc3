//! How callbacks are handled.

use super::referees::OwnReferee;
use crate::config::{Config, PathReferee, Secret};
use ipnet::IpNet;
use std::net::IpAddr;
use std::time::Duration;

/// How callbacks are handled.
#[derive(Clone, Debug)]
pub struct CallbackOptions {
    /// The bot behind `/`.
    pub default_bot: String,
    /// A path segment that every callback's path must begin with; empty: none.
    pub secret_path: String,
    /// The referees that a path may name.
    pub referees: Vec<PathReferee>,
    /// The referee of this process, if it calls our bots.
    pub own_referee: Option<OwnReferee>,
    /// What seals messages between the replicas that share a store.
    pub replicas_key: Secret,
    /// How much earlier than the wire's own limit an answer is ready.
    pub margin: Duration,
    /// Peers whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// Callers whose connections and sessions count towards no share.
    pub exempt: Vec<IpNet>,
    /// The most connections at once.
    pub connections_max: usize,
    /// The most connections of one peer at once.
    pub connections_per_peer_max: usize,
    /// The most requests of one peer at once; behind a trusted proxy, of one forwarded address.
    pub requests_per_peer_max: usize,
    /// How long a request's head may take to arrive; an idle connection is closed after it as well.
    pub header_read_timeout: Duration,
    /// How long connections may continue after the stop.
    pub drain: Duration,
    /// How long a connection may take to end after that: an answer in progress is due within five seconds.
    pub finish: Duration,
}

impl From<&Config> for CallbackOptions {
    fn from(config: &Config) -> Self {
        let callbacks = &config.callbacks;
        let named = callbacks.referee.iter();
        let secret_path = callbacks.secret_path.reveal();
        Self {
            default_bot: callbacks.default_bot.clone(),
            secret_path: secret_path.unwrap_or_default().to_owned(),
            referees: callbacks.referee.clone(),
            own_referee: None,
            replicas_key: Secret::default(),
            margin: callbacks.margin_ms,
            trusted_proxies: callbacks.trusted_proxies.clone(),
            exempt: named.flat_map(|known| known.addresses.clone()).collect(),
            connections_max: callbacks.connections_max,
            connections_per_peer_max: callbacks.connections_per_peer_max,
            requests_per_peer_max: callbacks.requests_per_peer_max,
            header_read_timeout: callbacks.header_timeout_ms,
            drain: config.drain.limit_s,
            finish: Duration::from_secs(6),
        }
    }
}

impl Default for CallbackOptions {
    /// Those of the configuration's defaults.
    fn default() -> Self {
        Self::from(&Config::default())
    }
}

impl CallbackOptions {
    /// Whether this caller is exempt from shares and rates.
    pub(super) fn is_exempt(&self, caller: IpAddr) -> bool {
        self.exempt.iter().any(|net| net.contains(&caller))
    }

    /// Whether this peer's `X-Forwarded-For` is trusted.
    pub(super) fn is_proxy(&self, peer: IpAddr) -> bool {
        self.trusted_proxies.iter().any(|net| net.contains(&peer))
    }
}
