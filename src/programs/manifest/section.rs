//! Reading a manifest's tables.

use super::error::ManifestError;
use crate::config::Lines;
use crate::link::Target;
use crate::programs::launch::Protocol;
use games::Wire;
use serde::Deserialize as _;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path};
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

pub(super) const WORDS_RULE: &str = "a list of 1 to 64 texts, the program (without .. in its path) and its arguments, such as [\"python3\", \"bot.py\"]";
/// Words of a command line at most.
const WORDS_MAX: usize = 64;
/// Variables at most.
const VARIABLES_MAX: usize = 64;
/// Those that are about a program, and so have no meaning next to a URL.
const OF_PROGRAMS: &[&str] = &["run", "build", "directory", "environment", "limits"];
/// The longest word or value, in bytes.
const TEXT_LEN_MAX: usize = 4_096;

/// One limit: its key, its default, its range and its unit.
pub(super) struct Limit(
    pub(super) &'static str,
    pub(super) i64,
    pub(super) (i64, i64),
    pub(super) &'static str,
);

/// A table of the file.
pub(super) struct Section<'a> {
    path: &'a Path,
    lines: &'a Lines<'a>,
    /// What stands before its keys: empty or with a dot at its end.
    prefix: &'static str,
    pub(super) table: &'a DeTable<'a>,
}

impl<'a> Section<'a> {
    pub(super) fn from_table(
        path: &'a Path,
        lines: &'a Lines<'a>,
        prefix: &'static str,
        table: &'a DeTable<'a>,
    ) -> Self {
        Self {
            path,
            lines,
            prefix,
            table,
        }
    }

    /// Keys besides these.
    pub(super) fn unknown(&self, known: &[&str]) -> impl Iterator<Item = ManifestError> {
        let others = self.table.keys();
        let others = others.filter(|name| !known.contains(&&**name.get_ref()));
        others.map(|name| ManifestError::UnknownKey {
            origin: self.lines.origin(name.span().start),
            key: format!("{}{}", self.prefix, name.get_ref()),
            known: known.join(", "),
        })
    }

    pub(super) fn get(&self, key: &str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.table.get(key)
    }

    pub(super) fn bad(&self, key: &str, at: &Spanned<DeValue<'_>>, allowed: &str) -> ManifestError {
        let value = toml::Value::deserialize(ValueDeserializer::from(at.clone()));
        let value = value.map_or_else(
            |_| at.get_ref().type_str().to_owned(),
            |value| value.to_string(),
        );
        let shown: String = value.chars().take(200).collect();
        ManifestError::BadValue {
            origin: self.lines.origin(at.span().start),
            key: format!("{}{key}", self.prefix),
            value: shown,
            allowed: allowed.to_owned(),
        }
    }

    pub(super) fn missing(&self, key: &'static str, allowed: &str) -> ManifestError {
        ManifestError::Missing {
            path: self.path.to_owned(),
            key,
            allowed: allowed.to_owned(),
        }
    }

    /// The text at this key, if there is one that fits.
    pub(super) fn text(
        &self,
        key: &str,
        allowed: &str,
        fits: impl Fn(&str) -> bool,
    ) -> Result<Option<String>, ManifestError> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        match value.get_ref() {
            DeValue::String(text) if fits(text) => Ok(Some(text.to_string())),
            _ => Err(self.bad(key, value, allowed)),
        }
    }

    pub(super) fn needed(
        &self,
        key: &'static str,
        allowed: &str,
        fits: impl Fn(&str) -> bool,
    ) -> Result<String, ManifestError> {
        let text = self.text(key, allowed, fits)?;
        text.ok_or_else(|| self.missing(key, allowed))
    }

    /// The texts of a list, each with its place.
    pub(super) fn list(
        &self,
        key: &str,
        allowed: &str,
        max: usize,
    ) -> Result<Option<Vec<String>>, ManifestError> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let items = match value.get_ref() {
            DeValue::Array(items) if (1..=max).contains(&items.len()) => items,
            _ => return Err(self.bad(key, value, allowed)),
        };
        let text = |item: &Spanned<DeValue<'a>>| match item.get_ref() {
            DeValue::String(text) if is_text(text) => Ok(text.to_string()),
            _ => Err(self.bad(key, item, allowed)),
        };
        items.iter().map(text).collect::<Result<_, _>>().map(Some)
    }

    /// The table at this key.
    pub(super) fn section(&self, key: &'static str) -> Result<Option<Self>, ManifestError> {
        let Some(value) = self.get(key) else {
            return Ok(None);
        };
        let DeValue::Table(table) = value.get_ref() else {
            let allowed = format!("a section, written [{key}]");
            return Err(self.bad(key, value, &allowed));
        };
        let prefix = match key {
            "limits" => "limits.",
            _ => "environment.",
        };
        Ok(Some(Self::from_table(self.path, self.lines, prefix, table)))
    }

    pub(super) fn whole(&self, limit: &Limit) -> Result<i64, ManifestError> {
        let Limit(key, default, (min, max), unit) = limit;
        let Some(value) = self.get(key) else {
            return Ok(*default);
        };
        let read = toml::Value::deserialize(ValueDeserializer::from(value.clone()));
        match read.ok().and_then(|value| value.as_integer()) {
            Some(number) if (*min..=*max).contains(&number) => Ok(number),
            _ => {
                let allowed = format!("a whole number of {unit} from {min} to {max}");
                Err(self.bad(key, value, &allowed))
            }
        }
    }

    /// Refuses these keys.
    pub(super) fn none_of(&self, keys: &[&'static str], why: &str) -> Result<(), ManifestError> {
        match keys.iter().find_map(|key| Some((*key, self.get(key)?))) {
            None => Ok(()),
            Some((key, at)) => Err(ManifestError::Misplaced {
                origin: self.lines.origin(at.span().start),
                key,
                why: why.to_owned(),
            }),
        }
    }

    pub(super) fn words(&self, key: &str) -> Result<Option<Vec<String>>, ManifestError> {
        let words = self.list(key, WORDS_RULE, WORDS_MAX)?;
        match (&words, self.get(key)) {
            (Some(words), Some(value)) if words.first().is_some_and(|name| !is_program(name)) => {
                Err(self.bad(key, value, WORDS_RULE))
            }
            _ => Ok(words),
        }
    }

    pub(super) fn games(&self) -> Result<Vec<String>, ManifestError> {
        let known: Vec<&str> = games::ALL.iter().map(|kit| kit.card().name).collect();
        let allowed = format!("a list of games, each once, of: {}", known.join(", "));
        let games = self.list("games", &allowed, known.len())?;
        let games = games.ok_or_else(|| self.missing("games", &allowed))?;
        let mut seen = BTreeSet::new();
        let fits = |game: &String| known.contains(&game.as_str()) && seen.insert(game.clone());
        match self.get("games") {
            Some(value) if !games.iter().all(fits) => Err(self.bad("games", value, &allowed)),
            _ => Ok(games),
        }
    }

    /// What it speaks: where all its games are played over pipes, that may be their own protocol.
    pub(super) fn protocol(&self, games: &[String]) -> Result<Protocol, ManifestError> {
        let over_pipes =
            |name: &str| games::find(name).is_some_and(|kit| kit.card().wire == Wire::Stdio);
        let with: Vec<&str> = games::ALL
            .iter()
            .map(|kit| kit.card().name)
            .filter(|game| over_pipes(game))
            .collect();
        let native = games.iter().all(|game| over_pipes(game));
        let allowed = format!(
            "\"neutral\", \"http\", or \"native\" where its games are all of {}",
            with.join(", ")
        );
        let known = [Protocol::Neutral, Protocol::Native, Protocol::Http];
        let meant = |text: &str| {
            let fits = |known: &Protocol| *known != Protocol::Native || native;
            let mut known = known.into_iter().filter(fits);
            known.find(|known| known.word() == text)
        };
        let given = self.text("protocol", &allowed, |text| meant(text).is_some())?;
        Ok(given.and_then(|text| meant(&text)).unwrap_or_default())
    }

    /// Where it is called, if it is; then nothing may be said of a program.
    pub(super) fn url(&self, protocol: Protocol) -> Result<Option<Target>, ManifestError> {
        if protocol != Protocol::Http {
            let why = "is where a bot with protocol = \"http\" is called; this one is a program";
            return self.none_of(&["url"], why).map(|()| None);
        }
        let why = "is about a program, which a bot with protocol = \"http\" is not: its `url`'s server sees to \
                   that";
        self.none_of(OF_PROGRAMS, why)?;
        let parsed = |text: &str| Target::parse(text);
        let why = match self.get("url").map(|value| value.get_ref()) {
            Some(DeValue::String(text)) => parsed(text).err().map(|why| why.to_string()),
            _ => None,
        };
        let rule = "an http URL, such as \"http://127.0.0.1:8000/bot\"";
        let allowed = why.map_or_else(|| rule.to_owned(), |why| format!("{rule}: {why}"));
        let text = self.needed("url", &allowed, |text| parsed(text).is_ok())?;
        Ok(parsed(&text).ok())
    }

    /// The built-in bot that answers for it: one of each of its games.
    pub(super) fn fallback(&self, games: &[String]) -> Result<Option<String>, ManifestError> {
        let bots = |game: &String| {
            let bots = games::find(game).map_or(&[][..], |kit| kit.card().bots);
            bots.iter().map(|card| card.name).collect::<BTreeSet<_>>()
        };
        let common = games.iter().map(bots).reduce(|all, next| &all & &next);
        let common = common.unwrap_or_default();
        let known: Vec<&str> = common.iter().copied().collect();
        let allowed = format!(
            "a built-in bot of all its games, one of: {}",
            known.join(", ")
        );
        self.text("fallback", &allowed, |text| common.contains(text))
    }

    pub(super) fn environment(&self) -> Result<BTreeMap<String, String>, ManifestError> {
        let Some(section) = self.section("environment")? else {
            return Ok(BTreeMap::new());
        };
        let allowed = format!(
            "a text; variables are at most {VARIABLES_MAX}, with names of letters, digits and _ that do not \
             begin with DROVER"
        );
        let fits = |name: &str| {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            !name.is_empty() && name.bytes().all(plain) && !name.starts_with("DROVER")
        };
        let mut variables = BTreeMap::new();
        for (name, value) in section.table {
            let name = name.get_ref().to_string();
            match value.get_ref() {
                DeValue::String(text)
                    if is_text(text) && fits(&name) && variables.len() < VARIABLES_MAX =>
                {
                    variables.insert(name, text.to_string());
                }
                _ => return Err(section.bad(&name, value, &allowed)),
            }
        }
        Ok(variables)
    }
}

/// Whether this names a program, and none by a way that leads up and out.
fn is_program(text: &str) -> bool {
    let mut parts = Path::new(text).components();
    !text.is_empty() && !parts.any(|part| part == Component::ParentDir)
}

/// Whether a program can be given this.
pub(super) fn is_text(text: &str) -> bool {
    text.len() <= TEXT_LEN_MAX && !text.contains('\0')
}
