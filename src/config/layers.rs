//! The layers of a configuration, each value with its origin.

use super::error::{ConfigError, Mistakes};
use super::keys::{Key, List, dotted, keys, lists};
use super::lines::Lines;
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

/// The flag that opens another database than the configured one: users' bots stay where they are.
pub const STORE_FLAG: &str = "--store";

/// Values from flags: the flag, the key it sets, the value.
pub type Flags = Vec<(&'static str, &'static str, String)>;

/// Lines of a file that are reported as not being TOML: further ones mostly follow from these.
pub(super) const SYNTAX_MAX: usize = 10;

/// The prefix of all our variables.
const PREFIX: &str = "DROVER__";

/// Everything from one source: values by their dotted place, each with its origin.
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
    /// The built-in values.
    pub(super) fn defaults(keys: &[Key]) -> Self {
        let mut layer = Self::default();
        for key in keys {
            if let Some(default) = &key.default {
                layer.set(key, default.clone(), DEFAULT);
            }
        }
        layer
    }

    pub(super) fn set(&mut self, key: &Key, value: toml::Value, origin: &str) {
        let value = Value::deserialize(value).expect("a TOML value is read as any other");
        let value = Value::new(Some(&origin.to_owned()), value.kind);
        self.0.insert(key.place.clone(), value);
    }

    /// The layer of the environment; what is wrong in it is left out.
    pub(super) fn from_environment(environment: &Environment, mistakes: &mut Mistakes) -> Self {
        let mut layer = Self::default();
        for (name, text) in environment {
            if let Some(rest) = name.strip_prefix(PREFIX) {
                let path = rest.to_lowercase().replace("__", ".");
                let origin = format!("environment variable {name}");
                let set = layer.set_text(&path, text, &origin);
                mistakes.note(set.unwrap_or_else(|| {
                    let nearest = nearest(keys(), &path).map(variable);
                    Err(unknown(name, origin, nearest))
                }));
            }
        }
        layer
    }

    /// The layer of the flags; what is wrong in it is left out.
    pub(super) fn from_flags(flags: &Flags, mistakes: &mut Mistakes) -> Self {
        let mut layer = Self::default();
        for (flag, path, text) in flags {
            let set = layer.set_text(path, text, &format!("flag {flag}"));
            mistakes.note(set.expect("a flag sets a key"));
        }
        layer
    }

    /// Sets the key at this path, if there is one, to a value given as plain text.
    fn set_text(
        &mut self,
        path: &str,
        text: &str,
        origin: &str,
    ) -> Option<Result<(), ConfigError>> {
        let mut keys = keys().iter();
        let key = keys.find(|key| key.path.eq_ignore_ascii_case(path))?;
        let value = key.read_text(text, origin);
        Some(value.map(|value| self.set(key, value, origin)))
    }

    /// The layer of a file; what is wrong in it is left out.
    pub(super) fn from_file(path: &Path, text: &str, mistakes: &mut Mistakes) -> Self {
        let mut lines = FileLines {
            all: Lines::new(path, text),
            broken: BTreeSet::new(),
        };
        let (table, mut errors) = DeTable::parse_recoverable(text);
        let offset = |error: &toml::de::Error| error.span().map_or(0, |span| span.start);
        errors.sort_by_key(offset);
        for error in errors {
            let offset = offset(&error);
            if lines.broken.len() < SYNTAX_MAX && lines.broken.insert(lines.all.line(offset)) {
                mistakes.add(ConfigError::Syntax {
                    origin: lines.all.place(offset),
                    why: error.message().trim().to_owned(),
                });
            }
        }
        let mut layer = Self::default();
        layer.walk(&lines, keys(), "", table.get_ref(), mistakes);
        layer
    }

    /// Reads what stands in a table of a file: the file's own, a section, or one of a list.
    fn walk(
        &mut self,
        lines: &FileLines<'_>,
        keys: &[Key],
        prefix: &str,
        table: &DeTable<'_>,
        mistakes: &mut Mistakes,
    ) {
        for (name, spanned) in table {
            let path = dotted(prefix, name.get_ref());
            let origin = lines.all.origin(name.span().start);
            let broken = lines.is_broken(name, spanned);
            if broken && !holds_tables(spanned.get_ref()) {
                continue;
            }
            let list = lists().iter().find(|list| list.path == path);
            if let Some(list) = list {
                let sections = sections(lines, list, spanned, &origin, mistakes);
                if let Some(sections) = mistakes.note(sections) {
                    self.0.insert(path, sections);
                }
                continue;
            }
            if let Some(key) = keys.iter().find(|key| key.path == path) {
                let value = key.checked(plain(spanned), &origin);
                if let Some(value) = mistakes.note(value) {
                    self.set(key, value, &origin);
                }
                continue;
            }
            let within = format!("{path}.");
            let is_section = keys.iter().any(|key| key.path.starts_with(&within));
            match spanned.get_ref() {
                DeValue::Table(inner) if is_section => {
                    self.walk(lines, keys, &path, inner, mistakes)
                }
                _ if broken => {}
                value if is_section => {
                    let allowed = format!("a section, written [{path}]");
                    mistakes.add(wrong(&path, value.type_str(), allowed, &origin));
                }
                _ => {
                    let nearest = nearest(keys, &path).map(str::to_owned);
                    mistakes.add(unknown(&path, origin, nearest));
                }
            }
        }
    }
}

/// The value at a dotted place.
pub(super) fn at<'a>(merged: &'a Value, place: &str) -> Option<&'a Value> {
    place
        .split('.')
        .try_fold(merged, |value, name| match &value.kind {
            ValueKind::Table(table) => table.get(name),
            _ => None,
        })
}

/// The sections of the list at a path.
pub(super) fn sections_at<'a>(merged: &'a Value, path: &str) -> &'a [Value] {
    match at(merged, path).map(|list| &list.kind) {
        Some(ValueKind::Array(sections)) => sections,
        _ => &[],
    }
}

/// The environment variable of a key.
fn variable(path: &str) -> String {
    format!("{PREFIX}{}", path.replace('.', "__").to_uppercase())
}

/// The error of a key that does not exist. It was written as `key`.
fn unknown(key: &str, origin: String, nearest: Option<String>) -> ConfigError {
    let remedy = match nearest {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => "`drover config init` writes a file with every key".to_owned(),
    };
    ConfigError::UnknownKey {
        origin,
        key: key.to_owned(),
        remedy,
    }
}

fn wrong(key: &str, value: &str, allowed: String, origin: &str) -> ConfigError {
    ConfigError::BadValue {
        origin: origin.to_owned(),
        key: key.to_owned(),
        value: value.to_owned(),
        allowed,
    }
}

/// The existing key most similar to this one, if any is near.
fn nearest<'a>(keys: &'a [Key], path: &str) -> Option<&'a str> {
    const NEAR: f64 = 0.8;
    let lists = lists().iter().map(|list| &*list.path);
    let words = keys.iter().map(|key| &*key.path).chain(lists);
    let scored = words.map(|known| (strsim::jaro_winkler(path, known), known));
    let (score, known) = scored.max_by(|one, other| one.0.total_cmp(&other.0))?;
    (score >= NEAR).then_some(known)
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

/// The sections of a list.
fn sections(
    lines: &FileLines<'_>,
    list: &List,
    spanned: &Spanned<DeValue<'_>>,
    origin: &str,
    mistakes: &mut Mistakes,
) -> Result<Value, ConfigError> {
    let path = &*list.path;
    let DeValue::Array(sections) = spanned.get_ref() else {
        let allowed = format!("a list of sections, each written [[{path}]]");
        return Err(wrong(path, spanned.get_ref().type_str(), allowed, origin));
    };
    if sections.len() > list.max {
        let allowed = format!("at most {} sections", list.max);
        return Err(wrong(path, "a longer list", allowed, origin));
    }
    let mut read = Vec::with_capacity(sections.len());
    for section in sections {
        let at = lines.all.origin(section.span().start);
        let DeValue::Table(fields) = section.get_ref() else {
            let allowed = format!("a section written [[{path}]]");
            mistakes.add(wrong(path, section.get_ref().type_str(), allowed, &at));
            continue;
        };
        let mut layer = Layer::defaults(&list.keys);
        layer.walk(lines, &list.keys, path, fields, mistakes);
        // What stands there under a wrong name, or with a wrong value, is not missing.
        let meant =
            |name: &Spanned<DeString<'_>>| nearest(&list.keys, &dotted(path, name.get_ref()));
        let meant: Vec<&str> = fields.keys().filter_map(meant).collect();
        for key in &list.keys {
            if layer.0.contains_key(&key.place) {
                continue;
            }
            if !meant.contains(&&*key.path) {
                let allowed = format!("there in every [[{path}]]");
                mistakes.add(wrong(&key.path, "missing", allowed, &at));
            }
            layer.set(key, list.example.into(), &at);
        }
        read.push(Value::new(Some(&at), layer.0));
    }
    Ok(Value::new(Some(&origin.to_owned()), ValueKind::Array(read)))
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
            let reported = load(Some(&path), &set, &Vec::new())
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
                assert!(reported.contains(&expected), "{expected} in\n{reported}");
            }
            assert_eq!(reported.lines().count(), 7, "and no other:\n{reported}");
        }
    }
}
