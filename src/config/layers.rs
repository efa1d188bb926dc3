//! The layers of a configuration, each value with the place where it stands.

use super::error::ConfigError;
use super::schema::keys;
use super::sections::{Entries, Field, HUBS, REFEREES};
use super::value;
use std::fmt;
use std::path::Path;
use std::sync::OnceLock;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Where a value stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Built in.
    Default,
    /// A line of a file.
    File {
        /// As it was named.
        path: String,
        /// From 1.
        line: usize,
    },
    /// An environment variable.
    Variable(String),
    /// A flag of the command line.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => write!(out, "default"),
            Origin::File { path, line } => write!(out, "{path}, line {line}"),
            Origin::Variable(name) => write!(out, "environment variable {name}"),
            Origin::Flag(name) => write!(out, "flag {name}"),
        }
    }
}

/// The environment: names and values.
pub type Environment = Vec<(String, String)>;

/// Values from flags: the flag, the key it sets, the value.
pub type Flags = Vec<(&'static str, &'static str, String)>;

/// Where every variable of ours begins.
const PREFIX: &str = "DROVER__";

/// Keys of earlier versions, and what to write instead.
const REPLACED: &[(&str, &str)] = &[(
    "referee.koehandel.loopback_only",
    "write `referee.koehandel.allow`: [\"127.0.0.0/8\", \"::1\"] for players on this machine alone, \
     [\"public\"] for those on the public internet, or the networks that you trust",
)];

/// One value with its place.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub(super) path: String,
    pub(super) value: toml::Value,
    pub(super) origin: Origin,
}

/// One section of a list, with its place.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) table: toml::Table,
    pub(super) origin: Origin,
}

/// All that one source gives.
#[derive(Clone, Debug, Default)]
pub(super) struct Layer {
    pub(super) given: Vec<Given>,
    pub(super) hubs: Option<Vec<Entry>>,
    pub(super) referees: Option<Vec<Entry>>,
}

/// The built-in values, read once.
pub(super) fn defaults() -> Result<Layer, ConfigError> {
    static READ: OnceLock<Layer> = OnceLock::new();
    if let Some(layer) = READ.get() {
        return Ok(layer.clone());
    }
    let layer = read_defaults()?;
    Ok(READ.get_or_init(|| layer).clone())
}

fn read_defaults() -> Result<Layer, ConfigError> {
    let mut layer = Layer::default();
    for key in keys() {
        let line = format!("value = {}", key.default);
        let mut table: toml::Table =
            line.parse()
                .map_err(|error: toml::de::Error| ConfigError::Syntax {
                    origin: Origin::Default,
                    why: format!("{}: {error}", key.path),
                })?;
        if let Some(value) = table.remove("value") {
            layer.given.push(Given {
                path: key.path.clone(),
                value,
                origin: Origin::Default,
            });
        }
    }
    Ok(layer)
}

/// What a file says.
pub(super) fn from_file(path: &Path, text: &str) -> Result<Layer, ConfigError> {
    let lines = Lines::of(path, text);
    let table = DeTable::parse(text).map_err(|error| ConfigError::Syntax {
        origin: lines.origin(error.span().map_or(0, |span| span.start)),
        why: error.message().trim().to_owned(),
    })?;
    let mut layer = Layer::default();
    walk(&lines, "", table.get_ref(), &mut layer)?;
    Ok(layer)
}

/// What the environment says.
pub(super) fn from_environment(environment: &Environment) -> Result<Layer, ConfigError> {
    let mut layer = Layer::default();
    for (name, text) in environment {
        let Some(rest) = name.strip_prefix(PREFIX) else {
            continue;
        };
        let path = rest.to_lowercase().replace("__", ".");
        let origin = Origin::Variable(name.clone());
        let known = keys()
            .iter()
            .find(|key| key.path.eq_ignore_ascii_case(&path));
        let Some(key) = known else {
            let nearest = nearest(&path).map(variable);
            if let Some(instead) = replaced(&path) {
                let key = name.clone();
                return Err(ConfigError::Replaced {
                    origin,
                    key,
                    instead,
                });
            }
            return Err(ConfigError::UnknownKey {
                origin,
                key: name.clone(),
                nearest,
            });
        };
        layer.given.push(value::from_text(key, text, origin)?);
    }
    Ok(layer)
}

/// What the flags say.
pub(super) fn from_flags(flags: &Flags) -> Result<Layer, ConfigError> {
    let mut layer = Layer::default();
    for (flag, path, text) in flags {
        let origin = Origin::Flag(flag);
        let Some(key) = keys().iter().find(|key| key.path == *path) else {
            return Err(ConfigError::UnknownKey {
                origin,
                key: (*path).to_owned(),
                nearest: None,
            });
        };
        layer.given.push(value::from_text(key, text, origin)?);
    }
    Ok(layer)
}

/// The environment variable of a key.
fn variable(path: String) -> String {
    format!("{PREFIX}{}", path.replace('.', "__").to_uppercase())
}

/// What to write instead of a key of earlier versions.
fn replaced(path: &str) -> Option<&'static str> {
    let (_, instead) = REPLACED.iter().find(|(key, _)| *key == path)?;
    Some(instead)
}

/// The existing key that looks most like this one, if any is near.
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

struct Lines {
    path: String,
    /// Where each line ends, in bytes.
    ends: Vec<usize>,
}

impl Lines {
    fn of(path: &Path, text: &str) -> Self {
        Self {
            path: path.display().to_string(),
            ends: text.match_indices('\n').map(|(at, _)| at).collect(),
        }
    }

    fn origin(&self, offset: usize) -> Origin {
        Origin::File {
            path: self.path.clone(),
            line: 1 + self.ends.partition_point(|end| *end < offset),
        }
    }
}

fn walk(
    lines: &Lines,
    prefix: &str,
    table: &DeTable<'_>,
    layer: &mut Layer,
) -> Result<(), ConfigError> {
    for (name, spanned) in table {
        let path = match prefix {
            "" => name.get_ref().to_string(),
            prefix => format!("{prefix}.{}", name.get_ref()),
        };
        let origin = lines.origin(name.span().start);
        if path == HUBS.path {
            layer.hubs = Some(entries(lines, &HUBS, spanned, &origin)?);
            continue;
        }
        if path == REFEREES.path {
            layer.referees = Some(entries(lines, &REFEREES, spanned, &origin)?);
            continue;
        }
        if let Some(key) = keys().iter().find(|key| key.path == path) {
            let value = plain(spanned.get_ref());
            layer.given.push(value::checked(key, value, origin)?);
            continue;
        }
        let within = format!("{path}.");
        let is_section = keys().iter().any(|key| key.path.starts_with(&within));
        match spanned.get_ref() {
            DeValue::Table(inner) if is_section => walk(lines, &path, inner, layer)?,
            value if is_section => {
                return Err(ConfigError::BadValue {
                    origin,
                    key: path.clone(),
                    value: value.type_str().to_owned(),
                    allowed: format!("a section, written [{path}]"),
                });
            }
            _ => {
                if let Some(instead) = replaced(&path) {
                    return Err(ConfigError::Replaced {
                        origin,
                        key: path,
                        instead,
                    });
                }
                return Err(ConfigError::UnknownKey {
                    origin,
                    nearest: nearest(&path),
                    key: path,
                });
            }
        }
    }
    Ok(())
}

/// The sections of a list.
fn entries(
    lines: &Lines,
    list: &Entries,
    spanned: &Spanned<DeValue<'_>>,
    origin: &Origin,
) -> Result<Vec<Entry>, ConfigError> {
    let path = list.path;
    let wrong = |origin: &Origin, value: &str, allowed: &str| ConfigError::BadValue {
        origin: origin.clone(),
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
        let at = lines.origin(section.span().start);
        let DeValue::Table(fields) = section.get_ref() else {
            return Err(wrong(
                &at,
                section.get_ref().type_str(),
                &format!("a section written [[{path}]]"),
            ));
        };
        check_fields(lines, list, fields, &at)?;
        if let toml::Value::Table(table) = plain(section.get_ref()) {
            read.push(Entry { table, origin: at });
        }
    }
    Ok(read)
}

/// Whether every field of a section is known and of its kind, and none is missing.
fn check_fields(
    lines: &Lines,
    list: &Entries,
    fields: &DeTable<'_>,
    at: &Origin,
) -> Result<(), ConfigError> {
    let path = list.path;
    for (name, field) in fields {
        let (here, name) = (lines.origin(name.span().start), name.get_ref());
        let known = list.fields.iter().find(|(known, ..)| known == name);
        let Some((_, kind, ..)) = known else {
            let best = list.fields.iter().map(|(known, ..)| *known).max_by(|a, b| {
                strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name))
            });
            return Err(ConfigError::UnknownKey {
                origin: here,
                key: format!("{path}.{name}"),
                nearest: best.map(|known| format!("{path}.{known}")),
            });
        };
        let value = plain(field.get_ref());
        if !value::fits(*kind, &value) {
            return Err(ConfigError::BadValue {
                origin: here,
                key: format!("{path}.{name}"),
                value: value::shown(*kind, &value),
                allowed: value::allowed(*kind),
            });
        }
    }
    let given = |known: &str| fields.iter().any(|(name, _)| name.get_ref() == known);
    let missing = |(known, _, default, _): &&Field| default.is_none() && !given(known);
    match list.fields.iter().find(missing) {
        Some((missing, ..)) => Err(ConfigError::BadValue {
            origin: at.clone(),
            key: format!("{path}.{missing}"),
            value: "missing".to_owned(),
            allowed: format!("there in every [[{path}]]"),
        }),
        None => Ok(()),
    }
}

/// A parsed value without its spans. A number that does not fit stays a text, which no number key takes.
fn plain(value: &DeValue<'_>) -> toml::Value {
    match value {
        DeValue::String(text) => toml::Value::String(text.to_string()),
        DeValue::Integer(number) => i64::from_str_radix(number.as_str(), number.radix())
            .map_or_else(
                |_| toml::Value::String(number.to_string()),
                toml::Value::Integer,
            ),
        DeValue::Float(number) => number.as_str().parse().map_or_else(
            |_| toml::Value::String(number.to_string()),
            toml::Value::Float,
        ),
        DeValue::Boolean(flag) => toml::Value::Boolean(*flag),
        DeValue::Datetime(when) => toml::Value::Datetime(*when),
        DeValue::Array(items) => {
            toml::Value::Array(items.iter().map(|item| plain(item.get_ref())).collect())
        }
        DeValue::Table(table) => toml::Value::Table(
            table
                .iter()
                .map(|(name, item)| (name.get_ref().to_string(), plain(item.get_ref())))
                .collect(),
        ),
    }
}

impl config::Source for Layer {
    fn clone_into_box(&self) -> Box<dyn config::Source + Send + Sync> {
        Box::new(self.clone())
    }

    fn collect(&self) -> Result<config::Map<String, config::Value>, config::ConfigError> {
        Ok(self
            .given
            .iter()
            .map(|given| {
                (
                    given.path.clone(),
                    merged_value(&given.origin.to_string(), &given.value),
                )
            })
            .collect())
    }
}

/// A value as the `config` crate merges it.
fn merged_value(origin: &String, value: &toml::Value) -> config::Value {
    use config::ValueKind;
    let kind = match value {
        toml::Value::String(text) => ValueKind::String(text.clone()),
        toml::Value::Integer(number) => ValueKind::I64(*number),
        toml::Value::Float(number) => ValueKind::Float(*number),
        toml::Value::Boolean(flag) => ValueKind::Boolean(*flag),
        toml::Value::Datetime(when) => ValueKind::String(when.to_string()),
        toml::Value::Array(items) => ValueKind::Array(
            items
                .iter()
                .map(|item| merged_value(origin, item))
                .collect(),
        ),
        toml::Value::Table(table) => ValueKind::Table(
            table
                .iter()
                .map(|(name, item)| (name.clone(), merged_value(origin, item)))
                .collect(),
        ),
    };
    config::Value::new(Some(origin), kind)
}
