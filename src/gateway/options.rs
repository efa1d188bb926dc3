//! How callbacks are taken.

use super::referees::OwnReferee;
use crate::config::PathReferee;
use ipnet::IpNet;
use std::net::IpAddr;
use std::time::Duration;

/// How callbacks are taken.
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
    /// Peers whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Callers whose connections and sessions are nobody's share.
    pub exempt: Vec<IpNet>,
    /// Connections at once.
    pub connections_max: usize,
    /// Connections of one peer at once.
    pub connections_per_peer_max: usize,
    /// Requests of one peer at once; behind a trusted proxy, of one forwarded address.
    pub requests_per_peer_max: usize,
    /// How long a request's head may take to arrive; an idle connection is closed after it, too.
    pub header_read_timeout: Duration,
    /// How long connections may go on after the stop.
    pub drain: Duration,
    /// How long a connection may take to end after that: an answer that is being worked on is due
    /// within five seconds.
    pub finish: Duration,
}

impl Default for CallbackOptions {
    fn default() -> Self {
        Self {
            default_bot: "champion".to_owned(),
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
    /// Whether shares and rates do not bind this caller.
    pub(super) fn is_exempt(&self, caller: IpAddr) -> bool {
        self.exempt.iter().any(|net| net.contains(&caller))
    }

    /// Whether this peer's `X-Forwarded-For` is believed.
    pub(super) fn is_proxy(&self, peer: IpAddr) -> bool {
        self.trusted_proxies.iter().any(|net| net.contains(&peer))
    }
}
