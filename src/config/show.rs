//! The configuration as text: the commented file and `config show`.

use super::layers::DEFAULT;
use super::load::Loaded;
use super::schema::{Key, Kind, keys};
use super::sections::{Field, HUB_FIELDS, REFEREE_FIELDS};
use super::value::{TOKEN, allowed};
use std::fmt::Write as _;

/// Width of the comments in the file.
const WIDTH: usize = 96;

const HEAD: &str = "\
# Drover's configuration: every key with its default. Nothing here needs to be set.
#
# Order: these defaults, then this file (--config FILE or DROVER_CONFIG), then the environment
# (DROVER__SECTION__KEY, as in DROVER__CALLBACKS__LISTEN=0.0.0.0:9000), then flags. An unknown key
# is an error. A secret can also be read from a file: `token_file`, DROVER__API__TOKEN_FILE.
# `drover config check FILE` checks a file, `drover config show` shows what holds and from where.
";

/// The commented file with every key at its default.
#[must_use]
pub fn template() -> String {
    let mut out = HEAD.to_owned();
    let mut section = "";
    for key in keys() {
        if key.section() != section {
            section = key.section();
            let _ = write!(out, "\n[{section}]\n");
        }
        comment(&mut out, &format!("{} {}", key.meaning.trim(), range(key)));
        // Set and empty, it would be refused.
        let off = if key.path == TOKEN { "# " } else { "" };
        let _ = writeln!(out, "{off}{} = {}", key.name(), key.default);
    }
    let (referee, hub) = ("league", "hub.example:3002");
    entry_template(
        &mut out,
        "Referees that a callback's path may name, as /GAME/BOT/NAME; others are known by their address.\n# [[callbacks.referee]]",
        REFEREE_FIELDS,
        referee,
    );
    entry_template(
        &mut out,
        "Hubs to play on: each connection is kept for ever, one game after the other.\n# [[hub]]",
        HUB_FIELDS,
        hub,
    );
    out
}

/// One section of a list, commented out. `needed` is written where there is no default.
fn entry_template(out: &mut String, head: &str, fields: &[Field], needed: &str) {
    let _ = writeln!(out, "\n# {head}");
    for (name, _, default, meaning) in fields {
        let needed = format!("{needed:?}");
        let value = default.unwrap_or(&needed);
        let _ = writeln!(out, "# {name} = {value}  # {meaning}");
    }
}

/// Every key with its value and, as a comment, the value's origin. Secrets are masked.
#[must_use]
pub fn show(loaded: &Loaded) -> String {
    let mut out = String::new();
    let mut section = "";
    for key in keys() {
        let Some(value) = loaded.value(&key.path) else {
            continue;
        };
        let origin = value.origin().unwrap_or(DEFAULT);
        if key.section() != section {
            section = key.section();
            let gap = if out.is_empty() { "" } else { "\n" };
            let _ = writeln!(out, "{gap}[{section}]");
        }
        let shown = match (key.kind, value.clone().try_deserialize::<toml::Value>()) {
            (Kind::Secret, Ok(toml::Value::String(text))) if !text.is_empty() => {
                "\"***\"".to_owned()
            }
            (_, value) => value.map_or_else(|error| error.to_string(), |value| value.to_string()),
        };
        let none = key.path == TOKEN && loaded.config.api.token.reveal().is_none();
        let off = if none { "# " } else { "" };
        let _ = writeln!(out, "{off}{} = {shown}  # {origin}", key.name());
    }
    for referee in &loaded.config.callbacks.referees {
        let _ = writeln!(out, "\n[[callbacks.referee]]\nname = {:?}", referee.name);
        if referee.secret.reveal().is_some() {
            let _ = writeln!(out, "secret = \"***\"");
        }
        let addresses: Vec<String> = referee.addresses.iter().map(ToString::to_string).collect();
        let _ = writeln!(out, "addresses = {addresses:?}");
    }
    for hub in &loaded.config.hubs {
        let _ = writeln!(out, "\n[[hub]]");
        for (name, value) in [
            ("address", format!("{:?}", hub.address)),
            ("game", format!("{:?}", hub.game)),
            ("hub", format!("{:?}", hub.hub)),
            ("name", format!("{:?}", hub.name)),
            ("bot", format!("{:?}", hub.bot)),
            ("seats", hub.seats.to_string()),
        ] {
            let _ = writeln!(out, "{name} = {value}");
        }
    }
    out
}

fn range(key: &Key) -> String {
    match key.kind {
        Kind::Whole { min, max, unit } => format!("({unit}, {min} to {max})"),
        Kind::Secret => String::new(),
        kind => format!("({})", allowed(kind)),
    }
}

fn comment(out: &mut String, text: &str) {
    let mut line = "#".to_owned();
    for word in text.split_whitespace() {
        if line.len() + 1 + word.len() > WIDTH {
            let _ = writeln!(out, "{line}");
            line = "#".to_owned();
        }
        line.push(' ');
        line.push_str(word);
    }
    let _ = writeln!(out, "{line}");
}
