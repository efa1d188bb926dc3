//! The configuration as the daemon uses it: typed, complete, already checked.

use super::value::socket_mode;
use ipnet::IpNet;
use serde::de::{Deserialize, Deserializer, Error as _};
use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

/// Everything that can be set.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
pub struct Config {
    /// The file that it was read from, if any.
    #[serde(skip)]
    pub file: Option<PathBuf>,
    /// `[callbacks]`
    pub callbacks: Callbacks,
    /// `[api]`
    pub api: Api,
    /// `[store]`
    pub store: Store,
    /// `[thinking]`
    pub thinking: Thinking,
    /// `[referee]`
    pub referee: Referee,
    /// `[shim]`
    pub shim: Shim,
    /// `[bots]`
    pub bots: Bots,
    /// `[[hub]]`
    #[serde(rename = "hub", default)]
    pub hubs: Vec<Hub>,
    /// `[drain]`
    pub drain: Drain,
    /// `[log]`
    pub log: Log,
}

/// The listener that referees call.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
pub struct Callbacks {
    /// Where it listens.
    #[serde(deserialize_with = "address")]
    pub listen: SocketAddr,
    /// The bot that answers a path without a bot's name.
    pub default_bot: String,
    /// How much earlier than the wire's limit an answer is due.
    #[serde(rename = "margin_ms", deserialize_with = "milliseconds")]
    pub margin: Duration,
    /// The required prefix of every path, if any: no slash at either end.
    pub secret_path: Secret,
    /// `[[callbacks.referee]]`: the referees that a path may name.
    #[serde(rename = "referee", default)]
    pub referees: Vec<PathReferee>,
    /// The proxies whose `X-Forwarded-For` is trusted.
    #[serde(deserialize_with = "networks")]
    pub trusted_proxies: Vec<IpNet>,
    /// The maximum number of open connections.
    pub connections_max: usize,
    /// The maximum number of open connections from one address.
    pub connections_per_peer_max: usize,
    /// The maximum number of concurrent requests from one address.
    pub requests_per_peer_max: usize,
    /// The maximum number of unfinished sessions.
    pub sessions_max: usize,
    /// How long a request's head may take.
    #[serde(rename = "header_timeout_ms", deserialize_with = "milliseconds")]
    pub header_timeout: Duration,
    /// Silence after which a session ends.
    #[serde(rename = "idle_limit_s", deserialize_with = "seconds")]
    pub idle_limit: Duration,
    /// Silence after which a session leaves memory.
    #[serde(rename = "hibernate_after_s", deserialize_with = "seconds")]
    pub hibernate_after: Duration,
}

/// A referee that a callback's path may name. It has a secret, addresses, or both.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
pub struct PathReferee {
    /// Its name.
    pub name: String,
    /// What must follow the name in the path, if anything.
    pub secret: Secret,
    /// Where it must call from; empty: from anywhere.
    #[serde(deserialize_with = "networks")]
    pub addresses: Vec<IpNet>,
}

/// The REST interface.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
pub struct Api {
    /// Where it listens.
    #[serde(deserialize_with = "address")]
    pub listen: SocketAddr,
    /// A token of an admin, if any.
    pub token: Secret,
    /// The key that seals browsers' passes, if it is not in a file beside the database.
    pub pass_key: Secret,
    /// Host names that it answers to.
    pub hosts: Vec<String>,
    /// The proxies whose `X-Forwarded-For` is trusted.
    #[serde(deserialize_with = "networks")]
    pub trusted_proxies: Vec<IpNet>,
    /// The maximum number of open connections.
    pub connections_max: usize,
    /// How long after its end a match is not yet public.
    #[serde(rename = "embargo_s", deserialize_with = "seconds")]
    pub embargo: Duration,
}

/// The database.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
pub struct Store {
    /// The file.
    pub path: PathBuf,
    /// What a commit must survive.
    pub durability: Durability,
    /// What a commit of one game must survive, where it differs.
    #[serde(skip)]
    pub durability_by_game: BTreeMap<&'static str, Durability>,
}

impl Store {
    /// What a commit of this game must survive.
    #[must_use]
    pub fn durability_of(&self, game: &str) -> Durability {
        self.durability_by_game
            .get(game)
            .copied()
            .unwrap_or(self.durability)
    }
}

/// What a commit must survive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Durability {
    /// A power cut.
    Power,
    /// The end of the process.
    Process,
}

/// The pool of thinking threads.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
pub struct Thinking {
    /// `None`: the machine's cores less one.
    #[serde(deserialize_with = "some_or_usual")]
    pub threads: Option<usize>,
    /// The longest time per decision, by game.
    #[serde(skip)]
    pub budget_by_game: BTreeMap<String, Duration>,
    /// Whether the threads run at idle priority.
    pub idle_priority: bool,
    /// Whether bots may use opponent models.
    pub models: bool,
    /// A file that says who sits where at others' referees.
    #[serde(deserialize_with = "given")]
    pub names: Option<PathBuf>,
}

/// Our own referees.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
pub struct Referee {
    /// `[referee.koehandel]`
    pub koehandel: Koehandel,
    /// `[referee.smartdog]`
    pub smartdog: Smartdog,
}

/// The Koehandel referee.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
pub struct Koehandel {
    /// Where it listens, if at all.
    #[serde(deserialize_with = "address_or_off")]
    pub listen: Option<SocketAddr>,
    /// The name its matches are stored under.
    pub name: String,
    /// The maximum number of concurrent matches.
    pub matches_max: usize,
    /// Which players may be called.
    #[serde(deserialize_with = "targets")]
    pub allow: Targets,
    /// Host names that it answers to.
    pub hosts: Vec<String>,
    /// The proxies whose `X-Forwarded-For` is trusted.
    #[serde(deserialize_with = "networks")]
    pub trusted_proxies: Vec<IpNet>,
    /// The maximum number of open connections.
    pub connections_max: usize,
    /// The referee options that differ from the game's defaults, as a JSON object.
    pub options: serde_json::Value,
}

/// Which players a referee calls.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Targets {
    /// Those on the public internet.
    pub public: bool,
    /// Those in these networks.
    pub networks: Vec<IpNet>,
}

/// The smart-dog hub.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
pub struct Smartdog {
    /// Where it listens, if at all.
    #[serde(deserialize_with = "address_or_off")]
    pub listen: Option<SocketAddr>,
    /// The name its matches are stored under.
    pub name: String,
    /// Hubs in addition to the official ones, as text.
    pub hubs: Vec<String>,
    /// The folder of its maps.
    #[serde(deserialize_with = "given")]
    pub maps: Option<PathBuf>,
    /// The maximum number of concurrent matches.
    pub matches_max: usize,
    /// The maximum number of connections.
    pub connections_max: usize,
    /// How long a hub that could begin waits for more players.
    #[serde(rename = "wait_for_player_ms", deserialize_with = "milliseconds")]
    pub wait_for_player: Duration,
    /// Whether every player that joins gets `wait`.
    pub always_wait: bool,
    /// The referee options that differ from the game's defaults, as a JSON object.
    pub options: serde_json::Value,
}

/// Where shims reach the daemon.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
pub struct Shim {
    /// The Unix socket, if any; beside the database if relative.
    #[serde(deserialize_with = "given")]
    pub socket: Option<PathBuf>,
    /// Its permissions.
    #[serde(deserialize_with = "mode")]
    pub socket_mode: u32,
    /// The name or number of its group, if it gets one of its own.
    #[serde(deserialize_with = "given")]
    pub socket_group: Option<String>,
}

/// Users' own bots.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
pub struct Bots {
    /// The shelf: the folder that keeps them; beside the database if relative.
    pub folder: PathBuf,
    /// Further files and folders that they may read.
    pub read: Vec<PathBuf>,
    /// Programs that run at once at most.
    pub running_max: usize,
    /// The folder of a cgroup under which each gets its own, or `own`: the one that is delegated to the daemon.
    #[serde(deserialize_with = "given")]
    pub cgroup: Option<PathBuf>,
}

/// A hub to play on.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
pub struct Hub {
    /// `HOST:PORT`.
    pub address: String,
    /// The game spoken there.
    pub game: String,
    /// Which hub there.
    pub hub: String,
    /// Our name there.
    pub name: String,
    /// The bot that plays.
    pub bot: String,
    /// The number of connections.
    pub seats: usize,
}

/// Settings of a stop.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
pub struct Drain {
    /// How long running matches may take to finish.
    #[serde(rename = "limit_s", deserialize_with = "seconds")]
    pub limit: Duration,
}

/// The log.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
pub struct Log {
    /// The format of lines.
    pub format: LogFormat,
    /// The filter, as `tracing-subscriber` reads it.
    pub level: String,
}

/// The format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}

/// A text that is never printed; empty means none.
#[derive(Clone, PartialEq, Eq, Default, serde::Deserialize)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret text.
    #[must_use]
    pub fn new(text: String) -> Self {
        Self(text)
    }

    /// The text itself, if there is one.
    #[must_use]
    pub fn reveal(&self) -> Option<&str> {
        (!self.0.is_empty()).then_some(&*self.0)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(if self.0.is_empty() { "none" } else { "***" })
    }
}

/// Reads `HOST:PORT`, where the host is an IP address or `localhost`.
pub(super) fn parse_address(text: &str) -> Option<SocketAddr> {
    match text.strip_prefix("localhost:") {
        Some(port) => Some(SocketAddr::from((Ipv4Addr::LOCALHOST, port.parse().ok()?))),
        None => text.parse().ok(),
    }
}

/// The word for all addresses of the public internet.
pub(super) const PUBLIC: &str = "public";

/// Reads a network such as `10.0.0.0/8`, or one address.
pub(super) fn parse_network(text: &str) -> Option<IpNet> {
    let one = |text: &str| Some(text.parse::<IpAddr>().ok()?.to_canonical().into());
    text.parse().ok().or_else(|| one(text))
}

/// An invalid item in a list of targets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not an address such as 192.168.0.7, a network such as 10.0.0.0/8 or the word public"
)]
pub struct NoTarget(String);

impl Targets {
    /// Reads addresses, networks and the word `public`.
    ///
    /// # Errors
    /// [`NoTarget`] naming the invalid item.
    pub fn parse<'a>(items: impl IntoIterator<Item = &'a str>) -> Result<Self, NoTarget> {
        let mut targets = Self::default();
        for item in items {
            match parse_network(item) {
                Some(network) => targets.networks.push(network),
                None if item == PUBLIC => targets.public = true,
                None => return Err(NoTarget(item.to_owned())),
            }
        }
        Ok(targets)
    }
}

// Deserializers of the keys' values; `value::fits` has checked them.

fn milliseconds<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    u64::deserialize(from).map(Duration::from_millis)
}

fn seconds<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    u64::deserialize(from).map(Duration::from_secs)
}

fn some_or_usual<'de, D: Deserializer<'de>>(from: D) -> Result<Option<usize>, D::Error> {
    usize::deserialize(from).map(|number| Some(number).filter(|number| *number > 0))
}

fn given<'de, D: Deserializer<'de>, T: From<String>>(from: D) -> Result<Option<T>, D::Error> {
    String::deserialize(from).map(|text| (!text.is_empty()).then(|| text.into()))
}

fn address<'de, D: Deserializer<'de>>(from: D) -> Result<SocketAddr, D::Error> {
    address_or_off(from)?.ok_or_else(|| D::Error::custom("no address"))
}

fn address_or_off<'de, D: Deserializer<'de>>(from: D) -> Result<Option<SocketAddr>, D::Error> {
    String::deserialize(from).map(|text| parse_address(&text))
}

fn networks<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<IpNet>, D::Error> {
    let items = Vec::<String>::deserialize(from)?;
    Ok(items
        .iter()
        .filter_map(|item| parse_network(item))
        .collect())
}

fn targets<'de, D: Deserializer<'de>>(from: D) -> Result<Targets, D::Error> {
    let items = Vec::<String>::deserialize(from)?;
    Targets::parse(items.iter().map(String::as_str)).map_err(D::Error::custom)
}

fn mode<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    let text = String::deserialize(from)?;
    socket_mode(&text).ok_or_else(|| D::Error::custom("no mode"))
}

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn secrets_do_not_show() {
        assert_eq!(
            format!("{:?}", Secret::new("open sesame".to_owned())),
            "***"
        );
        assert_eq!(format!("{:?}", Secret::default()), "none");
    }
}
