//! How callbacks are handled.

use super::referees::OwnReferee;
use crate::config::PathReferee;
use games::Wire;
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

impl Default for CallbackOptions {
    fn default() -> Self {
        Self {
            default_bot: games::met_by(Wire::Callbacks)
                .and_then(|kit| kit.bots().last())
                .map_or(String::new(), |card| card.name.to_owned()),
            secret_path: String::new(),
            referees: Vec::new(),
            own_referee: None,
            trusted_proxies: Vec::new(),
            exempt: Vec::new(),
            connections_max: 16_384,
            connections_per_peer_max: 4_096,
            requests_per_peer_max: 4_096,
            header_read_timeout: Duration::from_secs(30),
            drain: Duration::from_secs(30),
            finish: Duration::from_secs(6),
        }
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
