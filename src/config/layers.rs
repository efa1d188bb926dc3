//! The layers of a configuration, each value with its origin.

use super::error::{ConfigError, Mistakes};
use super::lines::Lines;
use super::schema::keys;
use super::sections::{Entries, HUBS, REFEREES};
use super::value;
use ::config::{Map, Source, Value, ValueKind};
use serde::Deserialize as _;
use std::collections::BTreeSet;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeString, DeTable, DeValue, ValueDeserializer};

/// The origin of a built-in value.
pub(super) const DEFAULT: &str = "default";

/// The environment: names and values.
pub type Environment = Vec<(String, String)>;

/// Values from flags: the flag, the key it sets, the value.
pub type Flags = Vec<(&'static str, &'static str, String)>;

/// Lines of a file that are reported as not being TOML: further ones mostly follow from these.
const SYNTAX_MAX: usize = 10;

/// The prefix of all our variables.
const PREFIX: &str = "DROVER__";

/// Everything from one source: values by their dotted path, each with its origin.
#[derive(Clone, Debug, Default)]
pub(super) struct Layer(pub(super) Map<String, Value>);

impl Source for Layer {
    fn clone_into_box(&self) -> Box<dyn Source + Send + Sync> {
        Box::new(self.clone())
    }

    fn collect(&self) -> Result<Map<String, Value>, ::config::ConfigError> {
        Ok(self.0.clone())
    }
}

impl Layer {
    fn set(&mut self, path: &str, value: toml::Value, origin: &str) -> Result<(), ConfigError> {
        self.0.insert(path.to_owned(), placed(value, origin)?);
        Ok(())
    }
}

/// A value with its origin.
fn placed(value: toml::Value, origin: &str) -> Result<Value, ConfigError> {
    let kind = Value::deserialize(value).map_err(|error| syntax(origin, &error))?;
    Ok(Value::new(Some(&origin.to_owned()), kind.kind))
}

fn syntax(origin: &str, error: &toml::de::Error) -> ConfigError {
    ConfigError::Syntax {
        origin: origin.to_owned(),
        why: error.message().trim().to_owned(),
    }
}

/// The built-in values.
pub(super) fn defaults() -> Result<Layer, ConfigError> {
    let mut layer = Layer::default();
    for key in keys() {
        let value = key
            .default
            .parse()
            .map_err(|error| syntax(DEFAULT, &error))?;
        layer.set(&key.path, value, DEFAULT)?;
    }
    Ok(layer)
}

/// The layer of a file; what is wrong in it is left out.
pub(super) fn from_file(path: &Path, text: &str, mistakes: &mut Mistakes) -> Layer {
    let mut lines = FileLines {
        all: Lines::of(path, text),
        broken: BTreeSet::new(),
    };
    let (table, mut errors) = DeTable::parse_recoverable(text);
    let offset = |error: &toml::de::Error| error.span().map_or(0, |span| span.start);
    errors.sort_by_key(offset);
    for error in errors {
        let offset = offset(&error);
        if lines.broken.len() < SYNTAX_MAX && lines.broken.insert(lines.all.line(offset)) {
            mistakes.add(syntax(&lines.all.place(offset), &error));
        }
    }
    let mut layer = Layer::default();
    walk(&lines, "", table.get_ref(), &mut layer, mistakes);
    layer
}

/// The layer of the environment; what is wrong in it is left out.
pub(super) fn from_environment(environment: &Environment, mistakes: &mut Mistakes) -> Layer {
    let mut layer = Layer::default();
    for (name, text) in environment {
        let Some(rest) = name.strip_prefix(PREFIX) else {
            continue;
        };
        let path = rest.to_lowercase().replace("__", ".");
        let origin = format!("environment variable {name}");
        let known = keys()
            .iter()
            .find(|key| key.path.eq_ignore_ascii_case(&path));
        let set = match known {
            Some(key) => value::from_text(key, text, &origin)
                .and_then(|value| layer.set(&key.path, value, &origin)),
            None => Err(unknown(&path, origin, name.clone(), variable)),
        };
        mistakes.note(set);
    }
    layer
}

/// The layer of the flags; what is wrong in it is left out.
pub(super) fn from_flags(flags: &Flags, mistakes: &mut Mistakes) -> Layer {
    let mut layer = Layer::default();
    for (flag, path, text) in flags {
        let origin = format!("flag {flag}");
        let set = match keys().iter().find(|key| key.path == *path) {
            Some(key) => value::from_text(key, text, &origin)
                .and_then(|value| layer.set(&key.path, value, &origin)),
            None => Err(ConfigError::UnknownKey {
                origin,
                key: (*path).to_owned(),
                nearest: None,
            }),
        };
        mistakes.note(set);
    }
    layer
}

/// The environment variable of a key.
fn variable(path: String) -> String {
    format!("{PREFIX}{}", path.replace('.', "__").to_uppercase())
}

/// The error of a key that does not exist: `key` is how it was written, `written` how its neighbour would be.
fn unknown(
    path: &str,
    origin: String,
    key: String,
    written: impl Fn(String) -> String,
) -> ConfigError {
    ConfigError::UnknownKey {
        origin,
        key,
        nearest: nearest(path).map(written),
    }
}

/// The existing key most similar to this one, if any is near.
fn nearest(path: &str) -> Option<String> {
    const NEAR: f64 = 0.8;
    let words = keys()
        .iter()
        .map(|key| key.path.as_str())
        .chain([HUBS.path, REFEREES.path]);
    let scored = words.map(|known| (strsim::jaro_winkler(path, known), known));
    let (score, known) = scored.max_by(|one, other| one.0.total_cmp(&other.0))?;
    (score >= NEAR).then(|| known.to_owned())
}

/// A file's lines, and which of them cannot be read.
struct FileLines<'a> {
    all: Lines<'a>,
    /// Lines that are not TOML: what is read from them is left out.
    broken: BTreeSet<usize>,
}

impl FileLines<'_> {
    /// Whether a key or its value lies on a line that is not TOML. Of tables the key counts.
    fn is_broken(&self, name: &Spanned<DeString<'_>>, value: &Spanned<DeValue<'_>>) -> bool {
        let end = match holds_tables(value.get_ref()) {
            true => name.span().end,
            false => value.span().end.max(name.span().end),
        };
        let lines = self.all.line(name.span().start)..=self.all.line(end);
        self.broken.range(lines).next().is_some()
    }
}

fn holds_tables(value: &DeValue<'_>) -> bool {
    match value {
        DeValue::Table(_) => true,
        DeValue::Array(array) => array.iter().any(|entry| entry.get_ref().is_table()),
        _ => false,
    }
}

fn walk(
    lines: &FileLines<'_>,
    prefix: &str,
    table: &DeTable<'_>,
    layer: &mut Layer,
    mistakes: &mut Mistakes,
) {
    for (name, spanned) in table {
        let path = match prefix {
            "" => name.get_ref().to_string(),
            prefix => format!("{prefix}.{}", name.get_ref()),
        };
        let origin = lines.all.origin(name.span().start);
        let broken = lines.is_broken(name, spanned);
        if broken && !holds_tables(spanned.get_ref()) {
            continue;
        }
        if let Some(list) = [&HUBS, &REFEREES]
            .into_iter()
            .find(|list| list.path == path)
        {
            let read = entries(lines, list, spanned, &origin, mistakes);
            if let Some(sections) = mistakes.note(read) {
                layer.0.insert(path, sections);
            }
            continue;
        }
        if let Some(key) = keys().iter().find(|key| key.path == path) {
            let value = value::checked(key.kind, &path, plain(spanned), &origin);
            mistakes.note(value.and_then(|value| layer.set(&path, value, &origin)));
            continue;
        }
        let within = format!("{path}.");
        let is_section = keys().iter().any(|key| key.path.starts_with(&within));
        let mistake = match spanned.get_ref() {
            DeValue::Table(inner) if is_section => {
                walk(lines, &path, inner, layer, mistakes);
                continue;
            }
            _ if broken => continue,
            value if is_section => ConfigError::BadValue {
                origin,
                key: path.clone(),
                value: value.type_str().to_owned(),
                allowed: format!("a section, written [{path}]"),
            },
            _ => unknown(&path, origin, path.clone(), |nearest| nearest),
        };
        mistakes.add(mistake);
    }
}

/// The sections of a list.
fn entries(
    lines: &FileLines<'_>,
    list: &Entries,
    spanned: &Spanned<DeValue<'_>>,
    origin: &str,
    mistakes: &mut Mistakes,
) -> Result<Value, ConfigError> {
    let path = list.path;
    let wrong = |origin: &str, value: &str, allowed: &str| ConfigError::BadValue {
        origin: origin.to_owned(),
        key: path.to_owned(),
        value: value.to_owned(),
        allowed: allowed.to_owned(),
    };
    let DeValue::Array(sections) = spanned.get_ref() else {
        return Err(wrong(
            origin,
            spanned.get_ref().type_str(),
            &format!("a list of sections, each written [[{path}]]"),
        ));
    };
    if sections.len() > list.max {
        return Err(wrong(
            origin,
            "a longer list",
            &format!("at most {} sections", list.max),
        ));
    }
    let mut read = Vec::with_capacity(sections.len());
    for section in sections {
        let at = lines.all.origin(section.span().start);
        let DeValue::Table(fields) = section.get_ref() else {
            let value = section.get_ref().type_str();
            mistakes.add(wrong(&at, value, &format!("a section written [[{path}]]")));
            continue;
        };
        let fields = checked_fields(lines, list, fields, &at, mistakes)?;
        read.push(Value::new(Some(&at), fields));
    }
    Ok(Value::new(Some(&origin.to_owned()), ValueKind::Array(read)))
}

/// The fields of a section, with defaults for those left out or wrong. One without a default is given a text
/// that no other section has and no further check objects to.
fn checked_fields(
    lines: &FileLines<'_>,
    list: &Entries,
    fields: &DeTable<'_>,
    at: &str,
    mistakes: &mut Mistakes,
) -> Result<Map<String, Value>, ConfigError> {
    let path = list.path;
    // What stands there under a wrong name, or with a wrong value, is not missing.
    let mut meant: Vec<&str> = Vec::new();
    let mut read = Map::new();
    for (name, field) in fields {
        let broken = lines.is_broken(name, field);
        let (here, name) = (lines.all.origin(name.span().start), name.get_ref());
        let known = list.fields.iter().find(|(known, ..)| known == name);
        let Some((_, kind, ..)) = known else {
            let best = list.fields.iter().map(|(known, ..)| *known).max_by(|a, b| {
                strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name))
            });
            meant.extend(best);
            if broken {
                continue;
            }
            mistakes.add(ConfigError::UnknownKey {
                origin: here,
                key: format!("{path}.{name}"),
                nearest: best.map(|known| format!("{path}.{known}")),
            });
            continue;
        };
        meant.extend(known.map(|(known, ..)| *known));
        if broken {
            continue;
        }
        let value = value::checked(*kind, &format!("{path}.{name}"), plain(field), &here);
        let value = value.and_then(|value| placed(value, at));
        if let Some(value) = mistakes.note(value) {
            read.insert(name.to_string(), value);
        }
    }
    for (name, _, default, _) in list.fields {
        if read.contains_key(*name) {
            continue;
        }
        let value = match default {
            Some(default) => default.parse().map_err(|error| syntax(at, &error))?,
            None if meant.contains(name) => toml::Value::String(format!("{at}:1")),
            None => {
                mistakes.add(ConfigError::BadValue {
                    origin: at.to_owned(),
                    key: format!("{path}.{name}"),
                    value: "missing".to_owned(),
                    allowed: format!("there in every [[{path}]]"),
                });
                toml::Value::String(format!("{at}:1"))
            }
        };
        read.insert((*name).to_owned(), placed(value, at)?);
    }
    Ok(read)
}

/// A parsed value without its spans. One with a number that does not fit becomes a text, which no numeric key
/// accepts.
fn plain(value: &Spanned<DeValue<'_>>) -> toml::Value {
    let read = toml::Value::deserialize(ValueDeserializer::from(value.clone()));
    read.unwrap_or_else(|_| match value.get_ref() {
        DeValue::Integer(number) => toml::Value::String(number.to_string()),
        DeValue::Float(number) => toml::Value::String(number.to_string()),
        other => toml::Value::String(other.type_str().to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use crate::config::load;

    #[test]
    fn what_is_not_toml_hides_no_other_mistake() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("drover.toml");
        let set = vec![("DROVER__LOG__FORMAT".to_owned(), "xml".to_owned())];
        for (broken, column) in [
            ("threads = ", 11),
            ("threads 4", 9),
            ("threads = 4 4", 11),
            ("threads = four", 11),
            ("threads = \"4", 13),
            ("threads = [1,", 14),
            ("mode ls = true", 6),
            ("models = true\nmodels = true", 1),
        ] {
            let text = format!(
                "[log]\nlevel = \"inof\"\n[[hub]]\naddress = h:1\nbot = \"rex\"\n[api]\nlisten = \"x\"\n[thinking]\n{broken}\n"
            );
            std::fs::write(&path, text).unwrap();
            let told = load(Some(&path), &set, &Vec::new())
                .unwrap_err()
                .to_string();
            let line = 8 + broken.lines().count();
            for expected in [
                "line 2: `log.level` is \"inof\"".to_owned(),
                "line 4, column 11: this is not TOML".to_owned(),
                "line 3: [[hub]] number 1: `hub.bot`".to_owned(),
                "line 7: `api.listen` is \"x\"".to_owned(),
                format!("line {line}, column {column}: this is not TOML"),
                "DROVER__LOG__FORMAT: `log.format` is \"xml\"".to_owned(),
            ] {
                assert!(told.contains(&expected), "{expected} in\n{told}");
            }
            assert_eq!(told.lines().count(), 7, "and no other:\n{told}");
        }
    }
}
