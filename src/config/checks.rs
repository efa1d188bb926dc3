//! What no single key determines, and checks that need the whole configuration.

use super::error::{ConfigError, Mistakes};
use super::keys::check_options;
use super::layers::{at, sections_at};
use super::settings::{Config, PathReferee};
use ::config::Value;
use games::neutral::{BUILT_IN, PREFIX};
use games::{Kit, Wire};
use std::path::Path;

/// Sets what another key changes, and leaves what a game's referee does anyway to the game. `home` is the folder of the
/// configured database.
pub(super) fn complete(config: &mut Config, home: &Path) {
    config.bots.folder = home.join(&config.bots.folder);
    if let Some(folder) = config.store.path.parent()
        && let Some(socket) = &mut config.shim.socket
    {
        *socket = folder.join(&*socket);
    }
    let referee = &mut config.referee;
    for (wire, options) in [
        (Wire::Callbacks, &mut referee.koehandel.options),
        (Wire::Hub, &mut referee.smartdog.options),
    ] {
        let cards = games::met_by(wire).map_or(&[][..], |kit| kit.card().options);
        let is_default = |name: &str, stated: &str| {
            let mut cards = cards.iter();
            cards.any(|card| card.name == name && card.default == stated)
        };
        if let serde_json::Value::Object(options) = options {
            options.retain(|name, value| *value != "" && !is_default(name, &value.to_string()));
        }
    }
}

/// Checks all keys together.
pub(super) fn check(config: &Config, merged: &Value, mistakes: &mut Mistakes) {
    let api = config.api.listen;
    if config.api.is_open_at(api) && !mistakes.are_about("api.token") {
        mistakes.add(ConfigError::OpenApi {
            listen: api.to_string(),
        });
    }
    same_addresses(config, mistakes);
    let callbacks = games::met_by(Wire::Callbacks);
    let default_bot = "callbacks.default_bot";
    if let Some(why) = callbacks.and_then(|kit| no_bot(kit, &config.callbacks.default_bot)) {
        let origin = at(merged, default_bot).and_then(Value::origin);
        let what = format!("{}: `{default_bot}`", origin.unwrap_or_default());
        mistakes.add(ConfigError::Unusable { what, why });
    }
    let referee = &config.referee;
    for (kit, options) in [
        (callbacks, &referee.koehandel.options),
        (games::met_by(Wire::Hub), &referee.smartdog.options),
    ] {
        if let Some(kit) = kit
            && let Err(why) = check_options(kit, options)
        {
            let what = format!("`referee.{}.options`", kit.card().name);
            let why = why.to_string();
            mistakes.add(ConfigError::Unusable { what, why });
        }
    }
    let origins = |list| sections_at(merged, list).iter().filter_map(Value::origin);
    let of_referees: Vec<&str> = origins("callbacks.referee").collect();
    path_referees(config, &of_referees, mistakes);
    let numbered = |list| (1..).zip(origins(list));
    for ((number, origin), hub) in numbered("hub").zip(&config.hub) {
        if let Some(why) = games::find(&hub.game).and_then(|kit| no_bot(kit, &hub.bot)) {
            let what = format!("{origin}: [[hub]] number {number}: `hub.bot`");
            mistakes.add(ConfigError::Unusable { what, why });
        }
    }
}

/// Why this bot cannot play, if the game has none of that name.
fn no_bot(kit: &dyn Kit, bot: &str) -> Option<String> {
    let known: Vec<&str> = kit.card().bots.iter().map(|card| card.name).collect();
    let (game, names) = (kit.card().name, known.join(", "));
    let unknown = || format!("{game} has no bot {bot:?}; there are: {names}");
    // Whether there is such a program shows when a match begins: it may be added later.
    let built_in = !bot.starts_with(PREFIX);
    let name = bot.strip_prefix(BUILT_IN).unwrap_or(bot);
    (built_in && !known.contains(&name)).then(unknown)
}

/// Checks the referees that a path may name; `origins` are their sections' origins.
fn path_referees(config: &Config, origins: &[&str], mistakes: &mut Mistakes) {
    let referees = &config.callbacks.referee;
    let wrong = |field| mistakes.are_about(&format!("callbacks.referee.{field}"));
    // What would keep others off, or distinguish two of them, and could not be read.
    let (unread, unnamed) = (wrong("secret") || wrong("addresses"), wrong("name"));
    let open = |referee: &PathReferee| {
        referee.secret.reveal().is_none() && referee.addresses.is_empty() && !unread
    };
    for (at, (referee, origin)) in referees.iter().zip(origins).enumerate() {
        let mut others = referees.iter().take(at);
        let why = if open(referee) {
            "anybody could use this name; set `addresses`, or `secret` (or `secret_file`), or both"
        } else if referee.name == config.referee.koehandel.name {
            "it is the name of our own referee (`referee.koehandel.name`); choose another"
        } else if !unnamed && others.any(|other| other.name == referee.name) {
            "another section has the same name; give each its own"
        } else {
            continue;
        };
        mistakes.add(ConfigError::Unusable {
            what: format!("{origin}: [[callbacks.referee]] {:?}", referee.name),
            why: why.to_owned(),
        });
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
                mistakes.add(ConfigError::Unusable {
                    what: format!("`{first}` and `{second}`"),
                    why: format!("both are {one}; give each its own port"),
                });
            }
        }
    }
}
