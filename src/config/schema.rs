//! Every key of the configuration, once: its kind, its default and what it means.

use games::{Kit, Wire};
use std::sync::OnceLock;

/// What a key's value may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `HOST:PORT`, with an IP address or `localhost` as the host.
    Address,
    /// An address, or empty for "off".
    AddressOrOff,
    /// A whole number.
    Whole {
        /// The least allowed.
        min: i64,
        /// The most allowed.
        max: i64,
        /// What is counted.
        unit: &'static str,
    },
    /// `true` or `false`.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Any text without control characters.
    Text,
    /// Levels of log lines, by part of the program.
    Levels,
    /// A name that can stand in a URL's path.
    Name,
    /// Text that is never shown; `KEY_file` may name a file that holds it.
    Secret,
    /// A file or folder.
    Path,
    /// A path, or empty for none.
    PathOrNone,
    /// Who may use a socket, as octal text.
    SocketMode,
    /// A group's name or number, or empty for none.
    GroupOrNone,
    /// A list of IP addresses and networks.
    Peers,
    /// A list of IP addresses, networks and the word `public`.
    Targets,
    /// A list of host names.
    Hosts,
    /// A list of texts.
    Texts,
    /// One referee option of a game, typed by its own default (JSON text).
    Rule(&'static str),
}

/// One key.
#[derive(Clone, Debug)]
pub struct Key {
    /// Dotted, as in `callbacks.listen`.
    pub path: String,
    /// What it may be.
    pub kind: Kind,
    /// Its default as TOML text.
    pub default: String,
    /// What it means, in sentences.
    pub meaning: String,
}

impl Key {
    /// Everything before the last dot.
    #[must_use]
    pub fn section(&self) -> &str {
        self.path
            .rsplit_once('.')
            .map_or("", |(section, _)| section)
    }

    /// What stands after the last dot.
    #[must_use]
    pub fn name(&self) -> &str {
        self.path
            .rsplit_once('.')
            .map_or(&*self.path, |(_, name)| name)
    }
}

/// Every key, in the order of the file.
#[must_use]
pub fn keys() -> &'static [Key] {
    static KEYS: OnceLock<Vec<Key>> = OnceLock::new();
    KEYS.get_or_init(|| {
        let mut keys = callbacks();
        keys.extend(api());
        keys.extend(store());
        keys.extend(thinking());
        keys.extend(referee());
        keys.extend(rest());
        keys
    })
}

/// Bounds of every thinking budget, in milliseconds.
const BUDGET_MS: (i64, i64) = (1, 60_000);

fn key(
    path: impl Into<String>,
    kind: Kind,
    default: impl Into<String>,
    meaning: impl Into<String>,
) -> Key {
    Key {
        path: path.into(),
        kind,
        default: default.into(),
        meaning: meaning.into(),
    }
}

/// The key of a file that holds a secret.
fn key_file(secret: &str) -> Key {
    let meaning = format!("A file that holds `{secret}`.");
    key(format!("{secret}_file"), Kind::PathOrNone, "\"\"", meaning)
}

fn whole(
    path: impl Into<String>,
    default: i64,
    (min, max): (i64, i64),
    unit: &'static str,
    meaning: impl Into<String>,
) -> Key {
    key(
        path,
        Kind::Whole { min, max, unit },
        default.to_string(),
        meaning,
    )
}

fn callbacks() -> Vec<Key> {
    vec![
        key(
            "callbacks.listen",
            Kind::Address,
            "\"0.0.0.0:8080\"",
            "Where referees call our bots. Port 0 takes any free port. An inherited socket \
             (systemd) named `callbacks` wins over this.",
        ),
        key(
            "callbacks.default_bot",
            Kind::Text,
            "\"champion\"",
            "The built-in bot that answers a path which names none.",
        ),
        whole(
            "callbacks.margin_ms",
            500,
            (0, 4_000),
            "milliseconds",
            "How much earlier than the wire's own limit (5 s for Koehandel) an answer must be \
             ready: the time for the commit and the way back.",
        ),
        key(
            "callbacks.secret_path",
            Kind::Secret,
            "\"\"",
            "If set, every callback's path must start with /SECRET; anything else is answered 404. \
             Whoever knows it can begin matches; it keeps strangers off.",
        ),
        key_file("callbacks.secret_path"),
        key(
            "callbacks.trusted_proxies",
            Kind::Peers,
            "[]",
            "Proxies whose `X-Forwarded-For` is believed when a caller is told apart by its address: the \
             last address that is no such proxy counts.",
        ),
        whole(
            "callbacks.connections_max",
            4_096,
            (1, 1_000_000),
            "connections",
            "Open connections in all; one more is closed at once.",
        ),
        whole(
            "callbacks.connections_per_peer_max",
            2_048,
            (1, 1_000_000),
            "connections",
            "Open connections from one address.",
        ),
        whole(
            "callbacks.requests_per_peer_max",
            4_096,
            (1, 1_000_000),
            "requests",
            "Requests at once from one address, also behind a trusted proxy.",
        ),
        whole(
            "callbacks.sessions_max",
            200_000,
            (1, 10_000_000),
            "sessions",
            "Sessions that have not ended, sleeping ones included. When full, a new match is \
             answered 503 and the running ones go on.",
        ),
        whole(
            "callbacks.header_timeout_ms",
            30_000,
            (100, 600_000),
            "milliseconds",
            "A request whose head takes longer than this to arrive is cut off; so is a connection that \
             stays idle for so long.",
        ),
        whole(
            "callbacks.idle_limit_s",
            3_600,
            (1, 31_536_000),
            "seconds",
            "A session that hears nothing for this long ends as `unterminated`.",
        ),
        whole(
            "callbacks.hibernate_after_s",
            60,
            (1, 31_536_000),
            "seconds",
            "A session that hears nothing for this long leaves memory; its next callback folds its \
             transcript again.",
        ),
    ]
}

fn api() -> Vec<Key> {
    vec![
        key(
            "api.listen",
            Kind::Address,
            "\"127.0.0.1:8081\"",
            "Where the REST interface answers. An address that others can reach needs `api.token`. \
             An inherited socket named `api` wins over this.",
        ),
        key(
            "api.token",
            Kind::Secret,
            "\"\"",
            "A token of an admin, the simple form of `drover token add`; empty: none. As long as there is \
             no token at all, direct callers from this machine are admins and others are refused.",
        ),
        key_file("api.token"),
        key(
            "api.pass_key",
            Kind::Secret,
            "\"\"",
            "What seals the passes that browsers keep in place of a token: at least 32 bytes, such as those of \
             `openssl rand -hex 32`. Empty: a random one, in a file beside the database that ends in `.passkey`.",
        ),
        key_file("api.pass_key"),
        key(
            "api.hosts",
            Kind::Hosts,
            "[]",
            "Names under which the REST interface is called, beside `localhost` and every literal \
             address: behind a proxy or in a network of containers. A request for another name is \
             answered 421.",
        ),
        key(
            "api.trusted_proxies",
            Kind::Peers,
            "[]",
            "Proxies whose `X-Forwarded-For` is believed. A request that any proxy has passed on is \
             never taken for this machine's own.",
        ),
        whole(
            "api.connections_max",
            256,
            (1, 100_000),
            "connections",
            "Open connections in all. Under shortage each address keeps a share, and idle \
             connections make room.",
        ),
        whole(
            "api.embargo_s",
            0,
            (0, 31_536_000),
            "seconds",
            "For how long after a match's end what its seats knew stays with their owners; then all who \
             may read see it.",
        ),
    ]
}

fn store() -> Vec<Key> {
    let mut keys = vec![
        key(
            "store.path",
            Kind::Path,
            "\"data/drover.db\"",
            "The database. Its folder is made if missing. One process only may have it open.",
        ),
        key(
            "store.durability",
            Kind::Choice(&["power", "process"]),
            "\"power\"",
            "What an acknowledged entry survives. power: a power cut (the log is synced before the \
             answer leaves). process: kill -9, not a power cut; faster.",
        ),
    ];
    for kit in games::ALL {
        let game = kit.game();
        keys.push(key(
            format!("store.durability_{game}"),
            Kind::Choice(&["", "power", "process"]),
            "\"\"",
            format!("The same for {game} alone; empty: as `store.durability`."),
        ));
    }
    keys
}

fn thinking() -> Vec<Key> {
    let mut keys = vec![whole(
        "thinking.threads",
        0,
        (0, 1_024),
        "threads",
        "Threads that think; 0: the machine's cores less one, at least one.",
    )];
    for kit in games::ALL {
        let game = kit.game();
        keys.push(whole(
            format!("thinking.budget_ms_{game}"),
            i64::try_from(kit.usual_budget().as_millis()).unwrap_or(BUDGET_MS.1),
            BUDGET_MS,
            "milliseconds",
            format!("The most that a bot thinks over one decision of {game}."),
        ));
    }
    keys.push(key(
        "thinking.idle_priority",
        Kind::Flag,
        "false",
        "Whether thinking threads run at the lowest priority (nice 19), so that everything else goes \
         first. Quicker callbacks, but a loaded host can starve them.",
    ));
    keys.push(key(
        "thinking.models",
        Kind::Flag,
        "true",
        "Whether bots use what was learnt about their opponents.",
    ));
    keys.push(key(
        "thinking.names",
        Kind::PathOrNone,
        "\"\"",
        "A file that says who sits where at others' referees, read at the start: a line a match, such as\n\
         `koehandel REFEREE MARKET W=alice N=bob`; MARKET/PLAYER where several of our players sit. Empty: none.",
    ));
    keys
}

fn referee() -> Vec<Key> {
    let mut keys = vec![
        key(
            "referee.koehandel.listen",
            Kind::AddressOrOff,
            "\"\"",
            "Where our Koehandel referee answers `?connect` and `?log`; empty: off. The original \
             listens on port 56789.",
        ),
        key(
            "referee.koehandel.name",
            Kind::Name,
            "\"drover\"",
            "The name under which its matches are stored.",
        ),
        whole(
            "referee.koehandel.matches_max",
            1_000,
            (1, 100_000),
            "matches",
            "Matches at once; one more is refused.",
        ),
        key(
            "referee.koehandel.allow",
            Kind::Targets,
            "[\"public\"]",
            "Which players `?connect` may name: `public` is the whole public internet; private, local \
             and reserved addresses only as listed here, such as \"192.168.0.0/16\". Our own bots may \
             always be called, and loopback if the referee itself listens on loopback.",
        ),
        key(
            "referee.koehandel.hosts",
            Kind::Hosts,
            "[]",
            "Names under which the referee is called, as `api.hosts`.",
        ),
        key(
            "referee.koehandel.trusted_proxies",
            Kind::Peers,
            "[]",
            "Proxies whose `X-Forwarded-For` is believed. What another proxy passes on can neither \
             start a match nor read the log of a running one.",
        ),
        whole(
            "referee.koehandel.connections_max",
            256,
            (1, 100_000),
            "connections",
            "Open connections in all, as `api.connections_max`.",
        ),
    ];
    keys.extend(rules(Wire::Callbacks));
    keys.extend([
        key(
            "referee.smartdog.listen",
            Kind::AddressOrOff,
            "\"\"",
            "Where our smart-dog hub accepts players; empty: off. The original listens on port 3002.",
        ),
        key(
            "referee.smartdog.name",
            Kind::Name,
            "\"drover\"",
            "The name under which its matches are stored.",
        ),
        key(
            "referee.smartdog.hubs",
            Kind::Texts,
            "[]",
            "Hubs beside default:2-4, solo:1, duet:2, trio:3 and quartet:4, each as NAME:PLAYERS or \
             NAME:FEWEST-MOST; one of these names takes its place.",
        ),
        key(
            "referee.smartdog.maps",
            Kind::PathOrNone,
            "\"\"",
            "A folder whose *.txt are the maps, played in turn in every hub; empty: our own maps.",
        ),
        whole(
            "referee.smartdog.matches_max",
            1_000,
            (1, 100_000),
            "matches",
            "Matches at once; further players wait.",
        ),
        whole(
            "referee.smartdog.connections_max",
            4_096,
            (1, 100_000),
            "connections",
            "Players at once; further ones wait to be accepted.",
        ),
        whole(
            "referee.smartdog.wait_for_player_ms",
            4_000,
            (0, 3_600_000),
            "milliseconds",
            "How long a hub that could begin waits for more players.",
        ),
        key(
            "referee.smartdog.always_wait",
            Kind::Flag,
            "false",
            "Whether a player hears `wait` even if its coming makes the match begin, as the rules page \
             says and the official server does not.",
        ),
    ]);
    keys.extend(rules(Wire::Hub));
    keys
}

/// The rule options of the game whose referee is configured for this wire.
fn rules(wire: Wire) -> impl Iterator<Item = Key> {
    let options = |kit: &'static dyn Kit| kit.options().iter().map(move |option| (kit, option));
    let options = games::met_by(wire).into_iter().flat_map(options);
    options.map(|(kit, option)| {
        let default = match option.default {
            "null" => "\"\"".to_owned(),
            json => json.to_owned(),
        };
        key(
            format!("referee.{}.options.{}", kit.game(), option.name),
            Kind::Rule(option.default),
            default,
            option.description,
        )
    })
}

fn rest() -> Vec<Key> {
    vec![
        key(
            "shim.socket",
            Kind::PathOrNone,
            "\"drover.sock\"",
            "The Unix socket on which shims reach the daemon; a relative path is beside the database; empty: none.",
        ),
        key(
            "shim.socket_mode",
            Kind::SocketMode,
            "\"0600\"",
            "Who may connect to that socket, and so play as any of our bots: 0600 the daemon's user alone, \
             0660 its group too, 0666 everybody on this machine.",
        ),
        key(
            "shim.socket_group",
            Kind::GroupOrNone,
            "\"\"",
            "The socket's group, by name or number; the daemon's user must be in it. Empty: the folder's or \
             the daemon's own.",
        ),
        key(
            "bots.folder",
            Kind::Path,
            "\"bots\"",
            "The folder that keeps users' own bots, which `drover bot add` adds; a relative path is beside the \
             database.",
        ),
        key(
            "bots.read",
            Kind::Texts,
            "[]",
            "Further files and folders that users' bots may read, beside their own folder and the system's: \
             where an interpreter is installed, for example.",
        ),
        whole(
            "bots.running_max",
            1_000,
            (1, 100_000),
            "programs",
            "Programs of users' bots that run at once at most, those that wait for a match among them: one of \
             these ends where a place is needed. In a match that begins beyond that, the bot's fallback answers \
             until a place is free.",
        ),
        key(
            "bots.cgroup",
            Kind::PathOrNone,
            "\"\"",
            "Where each program of a user's bot gets a cgroup (version 2) of its own, which limits the memory \
             of all its processes together: a folder beneath /sys/fs/cgroup, or own: the cgroup that systemd \
             delegates to the daemon (Delegate=memory pids). Empty: none; they are looked at once a second then.",
        ),
        whole(
            "drain.limit_s",
            60,
            (0, 86_400),
            "seconds",
            "How long a stop waits for running matches. Cut ones are taken up again at the next \
             start, and so are sessions that have heard nothing for 20 s, or nothing but their first \
             message 2 s ago, which no stop waits for. A second signal ends at once.",
        ),
        key(
            "log.format",
            Kind::Choice(&["text", "json"]),
            "\"text\"",
            "How log lines look on standard error.",
        ),
        key(
            "log.level",
            Kind::Levels,
            "\"info\"",
            "Which log lines are written.",
        ),
    ]
}
