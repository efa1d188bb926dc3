//! Every setting, once: each field is a key, and its doc comment, its default and the reader that checks it are what
//! the file, the environment, `config show|check|init` and the daemon go by.

use super::location::Location;
use super::readers::*;
use super::values::{Durability, LogFormat, Secret, Targets};
use ipnet::IpNet;
use serde_json::Value;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A value that may be left empty, which `Option` says of a key that may be left out.
type Maybe<T> = Option<T>;

/// Everything that can be set.
#[derive(Clone, Debug, PartialEq, confique::Config)]
pub struct Config {
    /// The file that it was read from, if any: no key.
    pub file: Option<PathBuf>,
    /// `[callbacks]`
    #[config(nested)]
    pub callbacks: Callbacks,
    /// `[api]`
    #[config(nested)]
    pub api: Api,
    /// `[store]`
    #[config(nested)]
    pub store: Store,
    /// `[cluster]`
    #[config(nested)]
    pub cluster: Cluster,
    /// `[thinking]`
    #[config(nested)]
    pub thinking: Thinking,
    /// `[referee]`
    #[config(nested)]
    pub referee: Referee,
    /// `[shim]`
    #[config(nested)]
    pub shim: Shim,
    /// `[bots]`
    #[config(nested)]
    pub bots: Bots,
    /// `[drain]`
    #[config(nested)]
    pub drain: Drain,
    /// `[log]`
    #[config(nested)]
    pub log: Log,
    /// Hubs to play on: each connection is kept for ever, one game after the other.
    #[config(default = [], deserialize_with = sections::<_, Hub>)]
    pub hub: Vec<Hub>,
}

/// The listener that referees call.
#[derive(Clone, Debug, PartialEq, confique::Config)]
pub struct Callbacks {
    /// Where referees call our bots. Port 0 takes any free port. An inherited socket (systemd) named `callbacks`
    /// wins over this.
    #[config(default = "0.0.0.0:8080", deserialize_with = address)]
    pub listen: SocketAddr,
    /// The built-in bot that answers a path which names none.
    #[config(default = "champion", deserialize_with = words)]
    pub default_bot: String,
    /// How much earlier than the wire's own limit (5 s for Koehandel) an answer must be ready: the time for the
    /// commit and the way back.
    #[config(default = 500, deserialize_with = milliseconds::<_, 0, 4_000>)]
    pub margin_ms: Duration,
    /// If set, every callback's path must start with /SECRET; anything else is answered 404. Everybody who knows it can
    /// begin matches; it keeps strangers off.
    #[config(default = "", deserialize_with = path_start)]
    pub secret_path: Secret,
    /// A file that holds `callbacks.secret_path`.
    #[config(default = "", deserialize_with = given)]
    pub secret_path_file: Maybe<PathBuf>,
    /// Proxies whose `X-Forwarded-For` is believed when a caller is distinguished by its address: the last address that
    /// is no such proxy counts.
    #[config(default = [], deserialize_with = networks)]
    pub trusted_proxies: Vec<IpNet>,
    /// Open connections in all; one more is closed at once.
    #[config(default = 4_096, deserialize_with = connections::<_, 1, 1_000_000>)]
    pub connections_max: usize,
    /// Open connections from one address.
    #[config(default = 2_048, deserialize_with = connections::<_, 1, 1_000_000>)]
    pub connections_per_peer_max: usize,
    /// Requests at once from one address, also behind a trusted proxy.
    #[config(default = 4_096, deserialize_with = requests::<_, 1, 1_000_000>)]
    pub requests_per_peer_max: usize,
    /// Sessions that have not ended, sleeping ones included. When full, a new match is answered 503 and the running
    /// ones go on.
    #[config(default = 200_000, deserialize_with = sessions::<_, 1, 10_000_000>)]
    pub sessions_max: usize,
    /// A request whose head takes longer than this to arrive is cut off; so is a connection that is idle for longer.
    #[config(default = 30_000, deserialize_with = milliseconds::<_, 100, 600_000>)]
    pub header_timeout_ms: Duration,
    /// A session that receives nothing for this long ends as `unterminated`.
    #[config(default = 3_600, deserialize_with = seconds::<_, 1, 31_536_000>)]
    pub idle_limit_s: Duration,
    /// A session that receives nothing for this long leaves memory; its next callback folds its transcript again.
    #[config(default = 60, deserialize_with = seconds::<_, 1, 31_536_000>)]
    pub hibernate_after_s: Duration,
    /// Referees that a callback's path may name, as /GAME/BOT/NAME; others are known by their address.
    #[config(default = [], deserialize_with = sections::<_, PathReferee>)]
    pub referee: Vec<PathReferee>,
}

/// A referee that a callback's path may name. It has a secret, addresses, or both.
#[derive(Clone, Debug, PartialEq, confique::Config)]
pub struct PathReferee {
    /// The name in the path and in the records; not an IP address, not that of our own referee.
    #[config(deserialize_with = path_name)]
    pub name: String,
    /// What must follow it in the path: /GAME/BOT/NAME:SECRET.
    #[config(default = "", deserialize_with = path_secret)]
    pub secret: Secret,
    /// A file that holds `secret`.
    #[config(default = "", deserialize_with = given)]
    pub secret_file: Maybe<PathBuf>,
    /// Where it must call from; one of this and `secret` is needed.
    #[config(default = [], deserialize_with = networks)]
    pub addresses: Vec<IpNet>,
}

/// The REST interface.
#[derive(Clone, Debug, PartialEq, confique::Config)]
pub struct Api {
    /// Where the REST interface answers. An address that others can reach needs `api.token` or
    /// `api.first_token_file`. An inherited socket named `api` wins over this.
    #[config(default = "127.0.0.1:8081", deserialize_with = address)]
    pub listen: SocketAddr,
    /// A token of an admin, the simple form of `drover token add`; empty: none. As long as there is no token at all,
    /// direct callers from this machine are admins and others are refused.
    #[config(deserialize_with = token)]
    pub token: Option<Secret>,
    /// A file that holds `api.token`.
    #[config(default = "", deserialize_with = given)]
    pub token_file: Maybe<PathBuf>,
    /// Where the daemon keeps the token of an admin that it makes for itself, if `api.listen` is an address that others
    /// can reach, `api.token` is not set and no admin has a token: for its own user alone (mode 0600), and printed once.
    /// What the file holds is taken for `api.token` where that is not set. Replicas on PostgreSQL make none. Empty: none is
    /// made.
    #[config(default = "", deserialize_with = given)]
    pub first_token_file: Maybe<PathBuf>,
    /// Whether everybody may read, without a token, what the scope `read` shows, but for addresses, what programs and the
    /// system have to say of failures, and what is about this daemon itself.
    #[config(default = false, deserialize_with = flag)]
    pub public: bool,
    /// Requests a second without a token from one address in the long run, and ten times as many at once; more are
    /// answered 429.
    #[config(default = 20, deserialize_with = requests::<_, 1, 100_000>)]
    pub public_per_s: usize,
    /// What seals the passes that browsers keep in place of a token: at least 32 bytes, such as those of
    /// `openssl rand -hex 32`. Empty: a random one, in a file next to the database that ends in `.passkey`.
    #[config(default = "", deserialize_with = pass_key)]
    pub pass_key: Secret,
    /// A file that holds `api.pass_key`.
    #[config(default = "", deserialize_with = given)]
    pub pass_key_file: Maybe<PathBuf>,
    /// Names under which the REST interface is called, besides `localhost` and every literal address: behind a proxy
    /// or in a network of containers. A request for another name is answered 421.
    #[config(default = [], deserialize_with = hosts)]
    pub hosts: Vec<String>,
    /// Sites whose pages may show matches in a frame (`/embed/matches/ID`): origins such as `https://example.org`, or `*`
    /// for all. A frame sends no pass, so what it shows is what `api.public` lets everybody read.
    #[config(default = [], deserialize_with = origins)]
    pub framed_by: Vec<String>,
    /// Proxies whose `X-Forwarded-For` is believed. A request that any proxy has passed on is never taken for this
    /// machine's own.
    #[config(default = [], deserialize_with = networks)]
    pub trusted_proxies: Vec<IpNet>,
    /// Open connections in all. Under shortage each address keeps a share, and idle connections make room.
    #[config(default = 256, deserialize_with = connections::<_, 1, 100_000>)]
    pub connections_max: usize,
    /// For how long after a match's end what its seats knew stays with their owners; then all who may read see it.
    #[config(default = 0, deserialize_with = seconds::<_, 0, 31_536_000>)]
    pub embargo_s: Duration,
}

impl Api {
    /// The token of an admin, if one is set.
    #[must_use]
    pub fn token(&self) -> Option<&str> {
        self.token.as_ref().and_then(Secret::reveal)
    }

    /// Whether others could use the interface at this address without a token.
    #[must_use]
    pub fn is_open_at(&self, address: SocketAddr) -> bool {
        let guarded = self.token.is_some() || self.first_token_file.is_some();
        !guarded && is_for_others(address)
    }

    /// Where the first token is to be kept, if it takes the place of `api.token`.
    #[must_use]
    pub fn first_token(&self) -> Option<&Path> {
        let first = self.first_token_file.as_deref();
        first.filter(|_| self.token().is_none())
    }
}

/// Whether others than this machine's own users can reach it.
#[must_use]
pub fn is_for_others(address: SocketAddr) -> bool {
    !address.ip().to_canonical().is_loopback()
}

/// The database.
#[derive(Clone, Debug, PartialEq, confique::Config)]
pub struct Store {
    /// The database, a file of SQLite. Its folder is made if missing. One process only may have it open.
    #[config(default = "data/drover.db", deserialize_with = path)]
    pub path: PathBuf,
    /// The database, in place of `store.path`: `sqlite:PATH`, or `postgres://USER:PASSWORD@HOST:PORT/DATABASE` of a
    /// PostgreSQL server (15 or later), with `?sslmode=verify-full&sslrootcert=FILE` to encrypt the connection, and
    /// `statement-cache-capacity=0` behind a pooler that shares connections by transactions. Empty: `store.path`.
    #[config(default = "", deserialize_with = database)]
    pub url: Secret,
    /// A file that holds `store.url`.
    #[config(default = "", deserialize_with = given)]
    pub url_file: Maybe<PathBuf>,
    /// What an acknowledged entry survives. power: a power cut (the log is synced before the answer leaves).
    /// process: kill -9, not a power cut; faster.
    #[config(default = "power", deserialize_with = choice)]
    pub durability: Durability,
    /// The same for GAME alone; empty: as `store.durability`.
    #[config(default = {}, deserialize_with = durability_by_game)]
    pub durability_by_game: BTreeMap<String, Durability>,
}

impl Store {
    /// Where the database is.
    #[must_use]
    pub fn location(&self) -> Location {
        let given = self.url.reveal().and_then(Location::read);
        given.unwrap_or_else(|| Location::File(self.path.clone()))
    }

    /// What a commit of this game must survive.
    #[must_use]
    pub fn durability_of(&self, game: &str) -> Durability {
        let own = self.durability_by_game.get(game);
        own.copied().unwrap_or(self.durability)
    }
}

/// Several daemons on one database of a server: each owns some of the sessions.
#[derive(Clone, Debug, PartialEq, confique::Config)]
pub struct Cluster {
    /// HOST:PORT where the other replicas reach this one's `callbacks.listen`. Empty: as it listens, or on all addresses
    /// by the machine's name.
    #[config(default = "", deserialize_with = host_port_or_none)]
    pub address: Maybe<String>,
}

/// The pool of thinking threads.
#[derive(Clone, Debug, PartialEq, confique::Config)]
pub struct Thinking {
    /// Threads that think; 0: the machine's cores less one, at least one.
    #[config(default = 0, deserialize_with = threads::<_, 0, 1_024>)]
    pub threads: usize,
    /// The most that a bot thinks over one decision of GAME.
    #[config(default = {}, deserialize_with = budget_by_game)]
    pub budget_ms_by_game: BTreeMap<String, Duration>,
    /// Whether thinking threads run at the lowest priority (nice 19), so that everything else goes first. Quicker
    /// callbacks, but a loaded host can starve them.
    #[config(default = false, deserialize_with = flag)]
    pub idle_priority: bool,
    /// Whether bots use what was learnt about their opponents.
    #[config(default = true, deserialize_with = flag)]
    pub models: bool,
    /// A file that says who sits where at others' referees, read at the start: a line a match, such as
    /// `koehandel REFEREE MARKET W=alice N=bob`; MARKET/PLAYER where several of our players sit. Empty: none.
    #[config(default = "", deserialize_with = given)]
    pub names: Maybe<PathBuf>,
}

/// Our own referees.
#[derive(Clone, Debug, PartialEq, confique::Config)]
pub struct Referee {
    /// `[referee.koehandel]`
    #[config(nested)]
    pub koehandel: Koehandel,
    /// `[referee.smartdog]`
    #[config(nested)]
    pub smartdog: Smartdog,
}

/// The Koehandel referee.
#[derive(Clone, Debug, PartialEq, confique::Config)]
pub struct Koehandel {
    /// Where our Koehandel referee answers `?connect` and `?log`; empty: off. The original listens on port 56789.
    #[config(default = "", deserialize_with = address_or_off)]
    pub listen: Maybe<SocketAddr>,
    /// The name under which its matches are stored.
    #[config(default = "drover", deserialize_with = name)]
    pub name: String,
    /// Matches at once; one more is refused.
    #[config(default = 1_000, deserialize_with = matches::<_, 1, 100_000>)]
    pub matches_max: usize,
    /// Which players `?connect` may name: `public` is the whole public internet; private, local and reserved
    /// addresses only as listed here, such as "192.168.0.0/16". Our own bots may always be called, and loopback if
    /// the referee itself listens on loopback.
    #[config(default = ["public"], deserialize_with = targets)]
    pub allow: Targets,
    /// Names under which the referee is called, as `api.hosts`.
    #[config(default = [], deserialize_with = hosts)]
    pub hosts: Vec<String>,
    /// Proxies whose `X-Forwarded-For` is believed. What another proxy passes on can neither start a match nor read
    /// the log of a running one.
    #[config(default = [], deserialize_with = networks)]
    pub trusted_proxies: Vec<IpNet>,
    /// Open connections in all, as `api.connections_max`.
    #[config(default = 256, deserialize_with = connections::<_, 1, 100_000>)]
    pub connections_max: usize,
    /// The referee options that differ from the game's defaults, as a JSON object.
    #[config(default = {})]
    pub options: Value,
}

/// The smart-dog hub.
#[derive(Clone, Debug, PartialEq, confique::Config)]
pub struct Smartdog {
    /// Where our smart-dog hub accepts players; empty: off. The original listens on port 3002.
    #[config(default = "", deserialize_with = address_or_off)]
    pub listen: Maybe<SocketAddr>,
    /// The name under which its matches are stored.
    #[config(default = "drover", deserialize_with = name)]
    pub name: String,
    /// Hubs besides default:2-4, solo:1, duet:2, trio:3 and quartet:4, each as NAME:PLAYERS or NAME:FEWEST-MOST; one
    /// of these names replaces that hub.
    #[config(default = [], deserialize_with = texts)]
    pub hubs: Vec<String>,
    /// A folder whose *.txt are the maps, played in turn in every hub; empty: our own maps.
    #[config(default = "", deserialize_with = given)]
    pub maps: Maybe<PathBuf>,
    /// Matches at once; further players wait.
    #[config(default = 1_000, deserialize_with = matches::<_, 1, 100_000>)]
    pub matches_max: usize,
    /// Players at once; further ones wait to be accepted.
    #[config(default = 4_096, deserialize_with = connections::<_, 1, 100_000>)]
    pub connections_max: usize,
    /// How long a hub that could begin waits for more players.
    #[config(default = 4_000, deserialize_with = milliseconds::<_, 0, 3_600_000>)]
    pub wait_for_player_ms: Duration,
    /// Whether a player receives `wait` even if the match begins with it, as the rules page says and the official
    /// server does not.
    #[config(default = false, deserialize_with = flag)]
    pub always_wait: bool,
    /// The referee options that differ from the game's defaults, as a JSON object.
    #[config(default = {})]
    pub options: Value,
}

/// Where shims reach the daemon.
#[derive(Clone, Debug, PartialEq, confique::Config)]
pub struct Shim {
    /// The Unix socket on which shims reach the daemon; a relative path starts at the database's folder; empty: none.
    #[config(default = "drover.sock", deserialize_with = given)]
    pub socket: Maybe<PathBuf>,
    /// Who may connect to that socket, and so play as any of our bots: 0600 the daemon's user alone, 0660 its group
    /// too, 0666 everybody on this machine.
    #[config(default = "0600", deserialize_with = mode)]
    pub socket_mode: u32,
    /// The socket's group, by name or number; the daemon's user must be in it. Empty: the folder's or the daemon's
    /// own.
    #[config(default = "", deserialize_with = group)]
    pub socket_group: Maybe<String>,
}

/// User bots.
#[derive(Clone, Debug, PartialEq, Eq, confique::Config)]
pub struct Bots {
    /// The folder of user bots, which `drover bot add` adds; a relative path starts at the folder of `store.path`, also
    /// where `--store` opens another database.
    #[config(default = "bots", deserialize_with = path)]
    pub folder: PathBuf,
    /// More files and folders that user bots may read, besides their own folder and the system's: where an interpreter
    /// is installed, for example.
    #[config(default = [], deserialize_with = texts)]
    pub read: Vec<PathBuf>,
    /// The most programs of user bots that run at once. Those that wait for a match count, and one of them is ended if
    /// its place is needed. In a match that begins when all places are taken, the bot's fallback answers until one is
    /// free.
    #[config(default = 1_000, deserialize_with = programs::<_, 1, 100_000>)]
    pub running_max: usize,
    /// Where each program of a user bot gets a cgroup (version 2) of its own, which limits the memory of all its
    /// processes together: a folder beneath /sys/fs/cgroup, or own: the cgroup that systemd delegates to the daemon
    /// (Delegate=memory pids). Empty: none; their memory is then checked once a second.
    #[config(default = "", deserialize_with = given)]
    pub cgroup: Maybe<PathBuf>,
}

/// Settings of a stop.
#[derive(Clone, Debug, PartialEq, confique::Config)]
pub struct Drain {
    /// How long a stop waits for running matches. Those that are cut off go on at the next start. So do sessions that
    /// have received nothing for 20 s, or nothing but their first message 2 s ago: no stop waits for them. A second
    /// signal ends at once.
    #[config(default = 60, deserialize_with = seconds::<_, 0, 86_400>)]
    pub limit_s: Duration,
}

/// The log.
#[derive(Clone, Debug, PartialEq, confique::Config)]
pub struct Log {
    /// How log lines look on standard error.
    #[config(default = "text", deserialize_with = choice)]
    pub format: LogFormat,
    /// Which log lines are written.
    #[config(default = "info", deserialize_with = levels)]
    pub level: String,
}

/// A hub to play on.
#[derive(Clone, Debug, PartialEq, Eq, confique::Config)]
pub struct Hub {
    /// Where the hub listens.
    #[config(deserialize_with = host_port)]
    pub address: String,
    /// The game that is played there.
    #[config(default = "smartdog", deserialize_with = hub_game)]
    pub game: String,
    /// Which hub there: default, solo, duet, trio, quartet or one of its own, with or without `#` before it.
    #[config(default = "default", deserialize_with = word)]
    pub hub: String,
    /// Our name there.
    #[config(default = "drover", deserialize_with = word)]
    pub name: String,
    /// Who plays.
    #[config(default = "champion", deserialize_with = words)]
    pub bot: String,
    /// Connections at once, each in a game of its own or all in one, as the hub seats them.
    #[config(default = 1, deserialize_with = connections::<_, 1, 64>)]
    pub seats: usize,
}
