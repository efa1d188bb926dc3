//! Merges the layers and reads the typed configuration from the result.

use super::error::{ConfigError, Mistakes};
use super::layers::{self, DEFAULT, Environment, Flags, Layer};
use super::named;
use super::schema::{Kind, keys};
use super::sections::{Entries, HUBS, REFEREES};
use super::settings::{Config, Hub};
use crate::secrets::KEY_BYTES_MIN;
use ::config::{Map, Value, ValueKind};
use games::neutral::{BUILT_IN, PREFIX};
use games::text::without_mark;
use games::{Kit, SetupError, TableSetup, Wire};
use serde::de::DeserializeOwned;
use std::fmt;
use std::path::Path;
use std::time::Duration;

/// The longest configuration file read, in bytes.
const FILE_LEN_MAX: u64 = 1 << 20;
/// The longest secret file read, in bytes.
const SECRET_LEN_MAX: u64 = 4_096;

/// A configuration and the origin of each of its values.
#[derive(Clone)]
pub struct Loaded {
    /// The typed configuration.
    pub config: Config,
    /// Its source: all layers merged, each value with its origin.
    merged: Value,
}

impl fmt::Debug for Loaded {
    /// Without the merged values, which contain secrets in plain text.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.config.fmt(out)
    }
}

impl Loaded {
    /// Whether a key was set anywhere, rather than left at its default.
    #[must_use]
    pub fn is_set(&self, key: &str) -> bool {
        let value = self.value(key);
        value.is_some_and(|value| value.origin() != Some(DEFAULT))
    }

    /// The value of a key, with its origin.
    pub(super) fn value(&self, key: &str) -> Option<&Value> {
        at(&self.merged, key)
    }
}

/// The value at a dotted path.
fn at<'a>(merged: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.')
        .try_fold(merged, |value, name| match &value.kind {
            ValueKind::Table(table) => table.get(name),
            _ => None,
        })
}

/// Checks that only the caller can make, on what could be read: the mistakes that it finds.
pub type Further<'a> = &'a dyn Fn(&Config) -> Vec<ConfigError>;

/// Reads defaults, file, environment and flags.
///
/// # Errors
/// [`ConfigError`] naming the key, its origin and what is allowed there, for every mistake.
pub fn load(
    file: Option<&Path>,
    environment: &Environment,
    flags: &Flags,
) -> Result<Loaded, ConfigError> {
    load_and(file, environment, flags, &|_| Vec::new())
}

/// The same with further checks.
///
/// # Errors
/// As [`load`].
pub fn load_and(
    file: Option<&Path>,
    environment: &Environment,
    flags: &Flags,
    further: Further<'_>,
) -> Result<Loaded, ConfigError> {
    let mut mistakes = Mistakes::default();
    let mut all = vec![layers::defaults()?];
    if let Some(path) = file
        && let Some(text) = mistakes.note(text_of(path))
    {
        all.push(layers::from_file(path, &text, &mut mistakes));
    }
    all.push(layers::from_environment(environment, &mut mistakes));
    all.push(layers::from_flags(flags, &mut mistakes));
    for layer in &mut all {
        reveal(layer, &mut mistakes);
    }
    let mut loaded = assemble(all, mistakes, further)?;
    loaded.config.file = file.map(Path::to_owned);
    Ok(loaded)
}

/// Merges layers with their secrets: later ones win. Mistakes are errors even if a later layer repairs them.
fn assemble(
    all: Vec<Layer>,
    mut mistakes: Mistakes,
    further: Further<'_>,
) -> Result<Loaded, ConfigError> {
    let builder = ::config::Config::builder().add_source(all);
    let merged = builder.build()?.cache;
    let mut config = merged.clone().try_deserialize()?;
    complete(&mut config, &merged, &mut mistakes)?;
    named::check(&config, &origins(&merged, &REFEREES), &mut mistakes);
    check(&config, &merged, &mut mistakes);
    further(&config)
        .into_iter()
        .for_each(|mistake| mistakes.add(mistake));
    mistakes.into_result()?;
    Ok(Loaded { config, merged })
}

/// Where the sections of a list stand.
fn origins<'a>(merged: &'a Value, list: &Entries) -> Vec<&'a str> {
    match at(merged, list.path).map(|list| &list.kind) {
        Some(ValueKind::Array(sections)) => sections.iter().filter_map(Value::origin).collect(),
        _ => Vec::new(),
    }
}

/// Reads one file over the defaults, without the environment.
///
/// # Errors
/// As [`load`].
pub fn check_file(path: &Path) -> Result<Loaded, ConfigError> {
    load(Some(path), &Environment::new(), &Flags::new())
}

/// Reads a file's text over the defaults. Secret files that it names are not opened.
///
/// # Errors
/// As [`load`].
pub fn check_text(text: &str) -> Result<Loaded, ConfigError> {
    let mut mistakes = Mistakes::default();
    let file = layers::from_file(Path::new("drover.toml"), text, &mut mistakes);
    assemble(vec![layers::defaults()?, file], mistakes, &|_| Vec::new())
}

fn text_of(path: &Path) -> Result<String, ConfigError> {
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

/// Reads the secrets that a layer gives as files.
fn reveal(layer: &mut Layer, mistakes: &mut Mistakes) {
    for key in keys().iter().filter(|key| key.kind == Kind::Secret) {
        mistakes.note(reveal_one(&mut layer.0, &key.path, &key.path));
    }
    let sections = layer.0.get_mut(REFEREES.path).map(|list| &mut list.kind);
    if let Some(ValueKind::Array(sections)) = sections {
        for section in sections {
            if let ValueKind::Table(fields) = &mut section.kind {
                mistakes.note(reveal_one(fields, "secret", "callbacks.referee.secret"));
            }
        }
    }
}

/// Reads the secret `name` from the file given beside it, if any; errors call it `key`.
fn reveal_one(values: &mut Map<String, Value>, name: &str, key: &str) -> Result<(), ConfigError> {
    let set = |name: &str| {
        let value = values.get(name)?;
        let origin = value.origin().unwrap_or(DEFAULT).to_owned();
        Some((value.kind.to_string(), origin)).filter(|(text, _)| !text.is_empty())
    };
    let key = key.to_owned();
    let Some((path, origin)) = set(&format!("{name}_file")) else {
        return Ok(());
    };
    if set(name).is_some() {
        return Err(ConfigError::SecretTwice { origin, key });
    }
    let secret = secret_in(&path).map_err(|why| ConfigError::SecretFile {
        origin: origin.clone(),
        key,
        path,
        why,
    })?;
    values.insert(name.to_owned(), Value::new(Some(&origin), secret));
    Ok(())
}

/// The secret in a file, or why it cannot be read.
fn secret_in(path: &str) -> Result<String, String> {
    let told = |why: std::io::Error| why.to_string();
    let size = std::fs::metadata(path).map_err(told)?.len();
    if size > SECRET_LEN_MAX {
        return Err(format!(
            "it has {size} bytes; at most {SECRET_LEN_MAX} are read"
        ));
    }
    let text = std::fs::read_to_string(path).map_err(told)?;
    let text = without_mark(&text).trim_end_matches(['\r', '\n']);
    if text.is_empty() || text.chars().any(char::is_control) {
        return Err("it must hold the secret on one line".to_owned());
    }
    Ok(text.to_owned())
}

/// Sets what no single key determines: values by game, and those that another key changes.
fn complete(
    config: &mut Config,
    merged: &Value,
    mistakes: &mut Mistakes,
) -> Result<(), ConfigError> {
    let callbacks = &mut config.callbacks;
    let origin = origin(merged, "callbacks.secret_path");
    let secret_path = named::secret_path(&callbacks.secret_path, origin);
    callbacks.secret_path = mistakes.note(secret_path).unwrap_or_default();
    if let (Some(socket), Some(folder)) = (&mut config.shim.socket, config.store.path.parent()) {
        *socket = folder.join(&*socket);
    }
    if let Some(folder) = config.store.path.parent() {
        config.bots.folder = folder.join(&config.bots.folder);
    }
    for kit in games::ALL {
        let game = kit.game();
        // If empty, the game has no durability of its own.
        if let Ok(durability) = read(merged, &format!("store.durability_{game}")) {
            config.store.durability_by_game.insert(game, durability);
        }
        let budget = read(merged, &format!("thinking.budget_ms_{game}"))?;
        let budgets = &mut config.thinking.budget_by_game;
        budgets.insert(game.to_owned(), Duration::from_millis(budget));
    }
    keep_changed(Wire::Callbacks, &mut config.referee.koehandel.options);
    keep_changed(Wire::Hub, &mut config.referee.smartdog.options);
    Ok(())
}

/// Where the value of a key comes from.
fn origin<'a>(merged: &'a Value, path: &str) -> &'a str {
    let value = at(merged, path).and_then(Value::origin);
    value.unwrap_or(DEFAULT)
}

fn read<T: DeserializeOwned>(merged: &Value, path: &str) -> Result<T, ConfigError> {
    let value = at(merged, path).cloned().unwrap_or_default();
    Ok(value.try_deserialize()?)
}

/// Keeps those referee options of a game that differ from its own defaults.
fn keep_changed(wire: Wire, options: &mut serde_json::Value) {
    let cards = games::met_by(wire).map_or(&[][..], |kit| kit.options());
    let is_default = |name: &str, stated: &str| {
        let mut cards = cards.iter();
        cards.any(|card| card.name == name && card.default == stated)
    };
    if let serde_json::Value::Object(options) = options {
        options.retain(|name, value| *value != "" && !is_default(name, &value.to_string()));
    }
}

/// Why a hub cannot be played on: the field that is wrong, and a sentence.
fn hub_faults(hub: &Hub) -> Vec<(&'static str, String)> {
    let Hub {
        address,
        game,
        name,
        bot,
        ..
    } = hub;
    let mut faults = Vec::new();
    let kits = games::ALL.iter().filter(|kit| kit.wire() == Wire::Hub);
    match kits.clone().find(|kit| kit.game() == game) {
        Some(kit) => faults.extend(no_bot(*kit, bot).map(|why| ("bot", why))),
        None => {
            let known: Vec<&str> = kits.map(|kit| kit.game()).collect();
            let known = known.join(", ");
            let why = format!("no game called {game:?} is played on hubs; there are: {known}");
            faults.push(("game", why));
        }
    }
    let port = address
        .rsplit_once(':')
        .map(|(host, port)| (host, port.parse::<u16>()));
    if !matches!(port, Some((host, Ok(1..))) if !host.is_empty()) {
        faults.push(("address", format!("address {address:?} is not HOST:PORT")));
    }
    for (field, text) in [("name", name), ("hub", &hub.hub)] {
        if text.contains(char::is_whitespace) {
            faults.push((field, "name and hub must be one word each".to_owned()));
        }
    }
    faults
}

/// Why this bot cannot play, if the game has none of that name.
fn no_bot(kit: &dyn Kit, bot: &str) -> Option<String> {
    let known: Vec<&str> = kit.bots().iter().map(|card| card.name).collect();
    let (game, names) = (kit.game(), known.join(", "));
    let unknown = || format!("{game} has no bot {bot:?}; there are: {names}");
    // Whether there is such a program shows when a match begins: it may be added later.
    let built_in = !bot.starts_with(PREFIX);
    let name = bot.strip_prefix(BUILT_IN).unwrap_or(bot);
    (built_in && !known.contains(&name)).then(unknown)
}

/// Whether a game's referee takes these options: a wrong value is reported now, not to the first player.
///
/// # Errors
/// The game's own message.
pub fn check_options(kit: &dyn Kit, options: &serde_json::Value) -> Result<(), SetupError> {
    let setup = TableSetup {
        seed: 0,
        options: options.clone(),
        market: 1,
        ids: (1..=*kit.seats().end() as u64).collect(),
    };
    kit.table(&setup).map(drop)
}

/// Checks that need the whole configuration.
fn check(config: &Config, merged: &Value, mistakes: &mut Mistakes) {
    let api = config.api.listen;
    let open = !api.ip().to_canonical().is_loopback() && config.api.token.reveal().is_none();
    if open && !mistakes.are_about("api.token") {
        mistakes.add(ConfigError::OpenApi {
            listen: api.to_string(),
        });
    }
    same_addresses(config, mistakes);
    let unusable = |what: String, why: String| ConfigError::Unusable { what, why };
    let pass_key = config.api.pass_key.reveal();
    if pass_key.is_some_and(|key| key.len() < KEY_BYTES_MIN) {
        let what = format!("{}: `api.pass_key`", origin(merged, "api.pass_key"));
        let why =
            format!("it takes at least {KEY_BYTES_MIN} bytes: `openssl rand -hex 32` makes some");
        mistakes.add(unusable(what, why));
    }
    let callbacks = games::met_by(Wire::Callbacks);
    let default_bot = "callbacks.default_bot";
    if let Some(why) = callbacks.and_then(|kit| no_bot(kit, &config.callbacks.default_bot)) {
        let origin = origin(merged, default_bot);
        mistakes.add(unusable(format!("{origin}: `{default_bot}`"), why));
    }
    let referee = &config.referee;
    for (kit, options) in [
        (callbacks, &referee.koehandel.options),
        (games::met_by(Wire::Hub), &referee.smartdog.options),
    ] {
        for (name, why) in kit.map_or_else(Vec::new, |kit| option_faults(kit, options)) {
            mistakes.add(unusable(name, why));
        }
    }
    for ((at, hub), origin) in (1..).zip(&config.hubs).zip(origins(merged, &HUBS)) {
        for (field, why) in hub_faults(hub) {
            let what = format!("{origin}: [[hub]] number {at}: `hub.{field}`");
            mistakes.add(unusable(what, why));
        }
    }
}

/// Which of a referee's options are wrong by themselves, or else all together.
fn option_faults(kit: &dyn Kit, options: &serde_json::Value) -> Vec<(String, String)> {
    let section = format!("referee.{}.options", kit.game());
    let fault = |name: String, options: &serde_json::Value| {
        let why = check_options(kit, options).err()?;
        Some((format!("`{name}`"), why.to_string()))
    };
    let Some(together) = fault(section.clone(), options) else {
        return Vec::new();
    };
    let each = options.as_object().into_iter().flatten();
    let alone = each.filter_map(|(name, value)| {
        let option = serde_json::json!({ name: value });
        fault(format!("{section}.{name}"), &option)
    });
    let alone: Vec<_> = alone.collect();
    match alone.is_empty() {
        true => vec![together],
        false => alone,
    }
}

/// No two listeners can have the same address.
fn same_addresses(config: &Config, mistakes: &mut Mistakes) {
    let listeners = [
        ("callbacks.listen", Some(config.callbacks.listen)),
        ("api.listen", Some(config.api.listen)),
        ("referee.koehandel.listen", config.referee.koehandel.listen),
        ("referee.smartdog.listen", config.referee.smartdog.listen),
    ];
    // What is wrong stands at its default here.
    let right = |(key, _): &&(&'static str, _)| !mistakes.are_about(key);
    let listeners: Vec<_> = listeners.iter().filter(right).collect();
    for (index, (first, one)) in listeners.iter().enumerate() {
        for (second, other) in listeners.iter().skip(index + 1) {
            if let (Some(one), Some(other)) = (one, other)
                && one == other
                && one.port() != 0
            {
                mistakes.add(ConfigError::SameAddress {
                    first,
                    second,
                    listen: one.to_string(),
                });
            }
        }
    }
}
