//! The configuration as text: the commented file and `config show`.

use super::keys::{Key, keys, lists};
use super::layers::{DEFAULT, at, sections_at};
use super::load::Loaded;
use ::config::Value;
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
    let comment_on = |key: &Key| comment(&format!("{} ({})", key.meaning, key.allowed()));
    let stated = |key: &Key| comment_on(key) + &line(key, key.default.clone()) + "\n";
    let mut out = HEAD.to_owned() + &by_section(stated);
    for list in lists() {
        let _ = write!(out, "\n{}# [[{}]]\n", comment(&list.meaning), list.path);
        for key in &list.keys {
            let value = key.default.clone().unwrap_or_else(|| list.example.into());
            out += &comment_on(key);
            let _ = writeln!(out, "# {}", line(key, Some(value)));
        }
    }
    out
}

/// Every key with its value and, as a comment, the value's origin. Secrets are masked.
#[must_use]
pub fn show(loaded: &Loaded) -> String {
    let shown = |key: &Key| {
        let value = at(&loaded.merged, &key.place);
        let origin = value.and_then(Value::origin).unwrap_or(DEFAULT);
        format!("{}  # {origin}\n", line(key, value.and_then(plain)))
    };
    let mut out = by_section(shown).trim_start().to_owned();
    for list in lists() {
        for section in sections_at(&loaded.merged, &list.path) {
            let _ = write!(out, "\n[[{}]]\n", list.path);
            for key in &list.keys {
                let value = at(section, &key.place).and_then(plain);
                let _ = writeln!(out, "{}", line(key, value));
            }
        }
    }
    out
}

/// What `text` makes of every key, under the headings of their sections.
fn by_section(text: impl Fn(&Key) -> String) -> String {
    let (mut out, mut section) = (String::new(), "");
    for key in keys() {
        if key.parts().0 != section {
            section = key.parts().0;
            let _ = write!(out, "\n[{section}]\n");
        }
        out += &text(key);
    }
    out
}

/// A key with its value; commented out without one: set and empty, it would be refused.
fn line(key: &Key, value: Option<toml::Value>) -> String {
    let name = key.parts().1;
    match value {
        None => format!("# {name} = \"\""),
        Some(toml::Value::String(text)) if key.is_secret && !text.is_empty() => {
            format!("{name} = \"***\"")
        }
        Some(value) => format!("{name} = {value}"),
    }
}

fn plain(value: &Value) -> Option<toml::Value> {
    value.clone().try_deserialize().ok()
}

fn comment(text: &str) -> String {
    let (mut out, mut line) = (String::new(), "#".to_owned());
    for word in text.split_whitespace() {
        if line.len() + 1 + word.len() > WIDTH {
            let _ = writeln!(out, "{line}");
            line = "#".to_owned();
        }
        line.push(' ');
        line.push_str(word);
    }
    out + &line + "\n"
}
