//! Puts the layers together and reads the typed configuration from the result.

use super::error::ConfigError;
use super::layers::{self, Entry, Environment, Flags, Given, Layer, Origin};
use super::named;
use super::schema::{Kind, keys};
use super::sections::HUB_FIELDS;
use super::settings::{
    Api, Callbacks, Config, Drain, Durability, Hub, Koehandel, Log, LogFormat, Referee, Secret,
    Shim, Smartdog, Store, Targets, Thinking, parse_address, parse_network,
};
use super::value::socket_mode;
use ipnet::IpNet;
use serde_json::json;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The longest configuration file read, in bytes.
const FILE_LEN_MAX: u64 = 1 << 20;
/// The longest secret file read, in bytes.
const SECRET_LEN_MAX: u64 = 4_096;

/// A configuration and where each of its values stands.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The typed configuration.
    pub config: Config,
    /// Every key's value and origin, in the order of the file.
    pub(super) values: Vec<(String, toml::Value, String)>,
}

impl Loaded {
    /// Whether a key was set anywhere, rather than left at its default.
    #[must_use]
    pub fn is_set(&self, key: &str) -> bool {
        let default = Origin::Default.to_string();
        self.values
            .iter()
            .any(|(path, _, origin)| path == key && *origin != default)
    }
}

/// Reads defaults, file, environment and flags.
///
/// # Errors
/// [`ConfigError`] names the key, the place and what is allowed there.
pub fn load(
    file: Option<&Path>,
    environment: &Environment,
    flags: &Flags,
) -> Result<Loaded, ConfigError> {
    let mut all = vec![layers::defaults()?];
    if let Some(path) = file {
        all.push(layers::from_file(path, &read(path)?)?);
    }
    all.push(layers::from_environment(environment)?);
    all.push(layers::from_flags(flags)?);
    for layer in &mut all {
        reveal(layer)?;
    }
    assemble(all)
}

/// Puts layers with their secrets together.
fn assemble(all: Vec<Layer>) -> Result<Loaded, ConfigError> {
    let listed = |of: fn(&Layer) -> Option<&Vec<Entry>>| {
        all.iter().rev().find_map(of).cloned().unwrap_or_default()
    };
    let hubs = listed(|layer| layer.hubs.as_ref());
    let referees = listed(|layer| layer.referees.as_ref());
    let values = merge(all)?;
    let config = settings(&values, &hubs, &referees)?;
    check(&config)?;
    named::check(&config, &referees)?;
    Ok(Loaded { config, values })
}

/// Reads one file over the defaults, without the environment.
///
/// # Errors
/// As [`load`].
pub fn check_file(path: &Path) -> Result<Loaded, ConfigError> {
    load(Some(path), &Environment::new(), &Flags::new())
}

/// Reads a file's text over the defaults. Files that it names for secrets are not opened.
///
/// # Errors
/// As [`load`].
pub fn check_text(text: &str) -> Result<Loaded, ConfigError> {
    let file = layers::from_file(Path::new("drover.toml"), text)?;
    assemble(vec![layers::defaults()?, file])
}

/// A path that is relative to where the database is.
fn beside(database: &Path, path: &Path) -> PathBuf {
    database.parent().unwrap_or(Path::new("")).join(path)
}

fn read(path: &Path) -> Result<String, ConfigError> {
    let unreadable = |why| ConfigError::Unreadable {
        path: path.to_owned(),
        why,
    };
    let bytes = std::fs::metadata(path).map_err(unreadable)?.len();
    if bytes > FILE_LEN_MAX {
        return Err(ConfigError::TooLong {
            path: path.to_owned(),
            bytes,
            max: FILE_LEN_MAX,
        });
    }
    std::fs::read_to_string(path).map_err(unreadable)
}

/// Reads the secrets that a layer gives by file.
fn reveal(layer: &mut Layer) -> Result<(), ConfigError> {
    for key in keys().iter().filter(|key| key.kind == Kind::Secret) {
        let file_key = format!("{}_file", key.path);
        let set = |path: &str| {
            layer
                .given
                .iter()
                .find(|given| given.path == path && given.value.as_str() != Some(""))
        };
        let Some(file) = set(&file_key) else { continue };
        if set(&key.path).is_some() {
            return Err(ConfigError::SecretTwice {
                origin: file.origin.clone(),
                key: key.path.clone(),
            });
        }
        let path = file.value.as_str().unwrap_or_default().to_owned();
        let origin = file.origin.clone();
        let wrong = |why: String| ConfigError::SecretFile {
            origin: origin.clone(),
            key: key.path.clone(),
            path: path.clone(),
            why,
        };
        let value = toml::Value::String(secret_in(&path).map_err(wrong)?);
        layer.given.retain(|given| given.path != key.path);
        layer.given.push(Given {
            path: key.path.clone(),
            value,
            origin: origin.clone(),
        });
    }
    Ok(())
}

/// The secret that a file holds, or what keeps it from being read.
pub(super) fn secret_in(path: &str) -> Result<String, String> {
    let told = |why: std::io::Error| why.to_string();
    let size = std::fs::metadata(path).map_err(told)?.len();
    if size > SECRET_LEN_MAX {
        return Err(format!(
            "it has {size} bytes; at most {SECRET_LEN_MAX} are read"
        ));
    }
    let text = std::fs::read_to_string(path).map_err(told)?;
    let text = text.trim_end_matches(['\r', '\n']);
    if text.is_empty() || text.chars().any(char::is_control) {
        return Err("it must hold the secret on one line".to_owned());
    }
    Ok(text.to_owned())
}

/// Lets later layers win and lists every key's value in schema order.
fn merge(layers: Vec<Layer>) -> Result<Vec<(String, toml::Value, String)>, ConfigError> {
    let internal = |error: config::ConfigError| ConfigError::Syntax {
        origin: Origin::Default,
        why: error.to_string(),
    };
    let mut builder = config::Config::builder();
    for layer in layers {
        builder = builder.add_source(layer);
    }
    let mut flat = BTreeMap::new();
    flatten("", builder.build().map_err(internal)?.cache, &mut flat);
    Ok(keys()
        .iter()
        .filter_map(|key| {
            flat.remove(&key.path)
                .map(|(value, origin)| (key.path.clone(), value, origin))
        })
        .collect())
}

fn flatten(path: &str, value: config::Value, out: &mut BTreeMap<String, (toml::Value, String)>) {
    let origin = value.origin().unwrap_or("default").to_owned();
    match value.kind {
        config::ValueKind::Table(table) => {
            for (name, inner) in table {
                let path = if path.is_empty() {
                    name
                } else {
                    format!("{path}.{name}")
                };
                flatten(&path, inner, out);
            }
        }
        kind => {
            out.insert(path.to_owned(), (leaf(kind), origin));
        }
    }
}

fn leaf(kind: config::ValueKind) -> toml::Value {
    match kind {
        config::ValueKind::Boolean(flag) => toml::Value::Boolean(flag),
        config::ValueKind::I64(number) => toml::Value::Integer(number),
        config::ValueKind::Float(number) => toml::Value::Float(number),
        config::ValueKind::Array(items) => {
            toml::Value::Array(items.into_iter().map(|item| leaf(item.kind)).collect())
        }
        other => toml::Value::String(other.to_string()),
    }
}

/// Typed reading of values that the layers have checked already.
struct Values<'a>(&'a [(String, toml::Value, String)]);

impl<'a> Values<'a> {
    fn get(&self, path: &str) -> Option<&'a toml::Value> {
        self.0
            .iter()
            .find(|(known, ..)| known == path)
            .map(|(_, value, _)| value)
    }

    fn origin(&self, path: &str) -> &'a str {
        let known = self.0.iter().find(|(known, ..)| known == path);
        known.map_or("default", |(_, _, origin)| origin)
    }

    fn text(&self, path: &str) -> &'a str {
        self.get(path)
            .and_then(toml::Value::as_str)
            .unwrap_or_default()
    }

    fn whole(&self, path: &str) -> u64 {
        self.get(path)
            .and_then(toml::Value::as_integer)
            .and_then(|number| u64::try_from(number).ok())
            .unwrap_or_default()
    }

    fn count(&self, path: &str) -> usize {
        usize::try_from(self.whole(path)).unwrap_or(usize::MAX)
    }

    fn flag(&self, path: &str) -> bool {
        self.get(path)
            .and_then(toml::Value::as_bool)
            .unwrap_or_default()
    }

    fn address(&self, path: &str) -> Option<SocketAddr> {
        parse_address(self.text(path))
    }

    fn needed_address(&self, path: &str) -> Result<SocketAddr, ConfigError> {
        self.address(path).ok_or_else(|| ConfigError::BadValue {
            origin: Origin::Default,
            key: path.to_owned(),
            value: self.text(path).to_owned(),
            allowed: super::value::allowed(Kind::Address),
        })
    }

    fn texts(&self, path: &str) -> Vec<String> {
        let items = self.get(path).and_then(toml::Value::as_array);
        let texts = items.into_iter().flatten().filter_map(toml::Value::as_str);
        texts.map(str::to_owned).collect()
    }

    fn path_or_none(&self, path: &str) -> Option<std::path::PathBuf> {
        Some(self.text(path))
            .filter(|text| !text.is_empty())
            .map(Into::into)
    }

    fn networks(&self, path: &str) -> Vec<IpNet> {
        let items = self.texts(path);
        items
            .iter()
            .filter_map(|item| parse_network(item))
            .collect()
    }
}

fn settings(
    values: &[(String, toml::Value, String)],
    hubs: &[Entry],
    referees: &[Entry],
) -> Result<Config, ConfigError> {
    let values = Values(values);
    Ok(Config {
        callbacks: callbacks(&values, referees)?,
        api: Api {
            listen: values.needed_address("api.listen")?,
            token: Secret::new(values.text("api.token").to_owned()),
            hosts: values.texts("api.hosts"),
            trusted_proxies: values.networks("api.trusted_proxies"),
            connections_max: values.count("api.connections_max"),
            embargo: Duration::from_secs(values.whole("api.embargo_s")),
        },
        store: store(&values),
        thinking: thinking(&values),
        referee: Referee {
            koehandel: Koehandel {
                listen: values.address("referee.koehandel.listen"),
                name: values.text("referee.koehandel.name").to_owned(),
                matches_max: values.count("referee.koehandel.matches_max"),
                allow: targets(&values, "referee.koehandel.allow"),
                hosts: values.texts("referee.koehandel.hosts"),
                trusted_proxies: values.networks("referee.koehandel.trusted_proxies"),
                connections_max: values.count("referee.koehandel.connections_max"),
                options: rules(&values, "koehandel"),
            },
            smartdog: Smartdog {
                listen: values.address("referee.smartdog.listen"),
                name: values.text("referee.smartdog.name").to_owned(),
                hubs: values.texts("referee.smartdog.hubs"),
                maps: values.path_or_none("referee.smartdog.maps"),
                matches_max: values.count("referee.smartdog.matches_max"),
                connections_max: values.count("referee.smartdog.connections_max"),
                wait_for_player: Duration::from_millis(
                    values.whole("referee.smartdog.wait_for_player_ms"),
                ),
                always_wait: values.flag("referee.smartdog.always_wait"),
                options: rules(&values, "smartdog"),
            },
        },
        shim: Shim {
            socket: values
                .path_or_none("shim.socket")
                .map(|socket| beside(Path::new(values.text("store.path")), &socket)),
            socket_mode: socket_mode(values.text("shim.socket_mode")).unwrap_or(0o600),
            socket_group: Some(values.text("shim.socket_group").to_owned())
                .filter(|group| !group.is_empty()),
        },
        hubs: hubs.iter().map(|entry| hub(&entry.table)).collect(),
        drain: Drain {
            limit: Duration::from_secs(values.whole("drain.limit_s")),
        },
        log: Log {
            format: if values.text("log.format") == "json" {
                LogFormat::Json
            } else {
                LogFormat::Text
            },
            level: values.text("log.level").to_owned(),
        },
    })
}

fn callbacks(values: &Values<'_>, referees: &[Entry]) -> Result<Callbacks, ConfigError> {
    Ok(Callbacks {
        listen: values.needed_address("callbacks.listen")?,
        default_bot: values.text("callbacks.default_bot").to_owned(),
        margin: Duration::from_millis(values.whole("callbacks.margin_ms")),
        secret_path: named::secret_path(
            values.text("callbacks.secret_path"),
            values.origin("callbacks.secret_path"),
        )?,
        referees: referees
            .iter()
            .map(named::referee)
            .collect::<Result<_, _>>()?,
        trusted_proxies: values.networks("callbacks.trusted_proxies"),
        connections_max: values.count("callbacks.connections_max"),
        connections_per_peer_max: values.count("callbacks.connections_per_peer_max"),
        requests_per_peer_max: values.count("callbacks.requests_per_peer_max"),
        sessions_max: values.count("callbacks.sessions_max"),
        header_timeout: Duration::from_millis(values.whole("callbacks.header_timeout_ms")),
        idle_limit: Duration::from_secs(values.whole("callbacks.idle_limit_s")),
        hibernate_after: Duration::from_secs(values.whole("callbacks.hibernate_after_s")),
    })
}

fn targets(values: &Values<'_>, path: &str) -> Targets {
    let items = values.texts(path);
    // The layers have checked each item.
    Targets::parse(items.iter().map(String::as_str)).unwrap_or_default()
}

fn durability(word: &str) -> Option<Durability> {
    match word {
        "power" => Some(Durability::Power),
        "process" => Some(Durability::Process),
        _ => None,
    }
}

fn store(values: &Values<'_>) -> Store {
    let by_game = games::ALL.iter().filter_map(|kit| {
        let word = values.text(&format!("store.durability_{}", kit.game()));
        Some((kit.game(), durability(word)?))
    });
    Store {
        path: values.text("store.path").into(),
        durability: durability(values.text("store.durability")).unwrap_or(Durability::Power),
        durability_by_game: by_game.collect(),
    }
}

fn thinking(values: &Values<'_>) -> Thinking {
    let budget =
        |game: &str| Duration::from_millis(values.whole(&format!("thinking.budget_ms_{game}")));
    Thinking {
        threads: Some(values.count("thinking.threads")).filter(|threads| *threads > 0),
        budget_by_game: games::ALL
            .iter()
            .map(|kit| (kit.game(), budget(kit.game())))
            .collect(),
        idle_priority: values.flag("thinking.idle_priority"),
        models: values.flag("thinking.models"),
    }
}

/// The referee options of a game that differ from its own defaults.
fn rules(values: &Values<'_>, game: &str) -> serde_json::Value {
    let mut options = serde_json::Map::new();
    for card in games::find(game).into_iter().flat_map(|kit| kit.options()) {
        let value = match values.get(&format!("referee.{game}.options.{}", card.name)) {
            Some(toml::Value::String(text)) if text.is_empty() => continue,
            Some(toml::Value::String(text)) => json!(text),
            Some(toml::Value::Integer(number)) => json!(number),
            Some(toml::Value::Boolean(flag)) => json!(flag),
            _ => continue,
        };
        let stated = value.to_string();
        if stated != card.default {
            options.insert(card.name.to_owned(), value);
        }
    }
    serde_json::Value::Object(options)
}

fn hub(table: &toml::Table) -> Hub {
    let default = |name: &str| {
        let field = HUB_FIELDS.iter().find(|(known, ..)| *known == name);
        field
            .and_then(|(_, _, default, _)| *default)
            .unwrap_or_default()
    };
    let text = |name: &str| {
        let given = table.get(name).and_then(toml::Value::as_str);
        let value = given.unwrap_or_else(|| default(name).trim_matches('"'));
        value.to_owned()
    };
    let seats = table.get("seats").and_then(toml::Value::as_integer);
    Hub {
        address: text("address"),
        game: text("game"),
        hub: text("hub"),
        name: text("name"),
        bot: text("bot"),
        seats: seats
            .and_then(|seats| usize::try_from(seats).ok())
            .or_else(|| default("seats").parse().ok())
            .unwrap_or(1),
    }
}

/// What keeps a hub from being played on, as a sentence.
fn hub_fault(hub: &Hub) -> Option<String> {
    let Hub {
        address,
        game,
        name,
        bot,
        ..
    } = hub;
    let kits = games::ALL
        .iter()
        .filter(|kit| kit.wire() == games::Wire::Hub);
    let Some(kit) = kits.clone().find(|kit| kit.game() == game) else {
        let known: Vec<&str> = kits.map(|kit| kit.game()).collect();
        return Some(format!(
            "no game called {game:?} is played on hubs; there are: {}",
            known.join(", ")
        ));
    };
    if !kit.bots().iter().any(|card| card.name == bot) {
        let known: Vec<&str> = kit.bots().iter().map(|card| card.name).collect();
        return Some(format!(
            "{game} has no bot {bot:?}; there are: {}",
            known.join(", ")
        ));
    }
    let port = address
        .rsplit_once(':')
        .map(|(host, port)| (host, port.parse::<u16>()));
    if !matches!(port, Some((host, Ok(1..))) if !host.is_empty()) {
        return Some(format!("address {address:?} is not HOST:PORT"));
    }
    let one_word = |text: &str| !text.contains(char::is_whitespace);
    if !one_word(name) || !one_word(&hub.hub) {
        return Some("name and hub must be one word each".to_owned());
    }
    None
}

/// What only the whole can show.
fn check(config: &Config) -> Result<(), ConfigError> {
    let api = config.api.listen;
    if !api.ip().to_canonical().is_loopback() && config.api.token.reveal().is_none() {
        return Err(ConfigError::OpenApi {
            listen: api.to_string(),
        });
    }
    let listeners = [
        ("callbacks.listen", Some(config.callbacks.listen)),
        ("api.listen", Some(api)),
        ("referee.koehandel.listen", config.referee.koehandel.listen),
        ("referee.smartdog.listen", config.referee.smartdog.listen),
    ];
    for (index, (first, one)) in listeners.iter().enumerate() {
        for (second, other) in listeners.iter().skip(index + 1) {
            if let (Some(one), Some(other)) = (one, other)
                && one == other
                && one.port() != 0
            {
                return Err(ConfigError::SameAddress {
                    first,
                    second,
                    listen: one.to_string(),
                });
            }
        }
    }
    let referee = &config.referee;
    for (game, options) in [
        ("koehandel", &referee.koehandel.options),
        ("smartdog", &referee.smartdog.options),
    ] {
        let Some(kit) = games::find(game) else {
            continue;
        };
        let setup = games::TableSetup {
            seed: 0,
            options: options.clone(),
            market: 1,
            ids: (1..=*kit.seats().end() as u64).collect(),
        };
        if let Err(why) = kit.table(&setup) {
            let why = why.to_string();
            return Err(ConfigError::Options { game, why });
        }
    }
    for (at, hub) in (1..).zip(&config.hubs) {
        if let Some(why) = hub_fault(hub) {
            return Err(ConfigError::Hub { at, why });
        }
    }
    Ok(())
}
