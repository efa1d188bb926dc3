//! Reading a manifest's tables.

use super::{GONE, ManifestError};
use crate::config::Lines;
use serde::Deserialize as _;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue, ValueDeserializer};

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
    pub(super) fn of(
        path: &'a Path,
        lines: &'a Lines<'a>,
        prefix: &'static str,
        table: &'a DeTable<'a>,
        known: &[&str],
    ) -> Result<Self, ManifestError> {
        let unknown = |name: &str| !known.contains(&name);
        match table.keys().find(|name| unknown(name.get_ref())) {
            Some(name)
                if prefix.is_empty()
                    && let Some((key, why)) = gone(name.get_ref()) =>
            {
                let origin = lines.origin(name.span().start);
                Err(ManifestError::Gone { origin, key, why })
            }
            Some(name) => Err(ManifestError::UnknownKey {
                origin: lines.origin(name.span().start),
                key: format!("{prefix}{}", name.get_ref()),
                known: known.join(", "),
            }),
            None => Ok(Self {
                path,
                lines,
                prefix,
                table,
            }),
        }
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
    pub(super) fn section(
        &self,
        key: &'static str,
        known: &[&str],
    ) -> Result<Option<Self>, ManifestError> {
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
        Self::of(self.path, self.lines, prefix, table, known).map(Some)
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
}

/// A key that was there once, and why it is gone.
fn gone(name: &str) -> Option<(&'static str, &'static str)> {
    GONE.iter().copied().find(|(key, _)| *key == name)
}

/// Whether a program can be given this.
pub(super) fn is_text(text: &str) -> bool {
    text.len() <= TEXT_LEN_MAX && !text.contains('\0')
}
