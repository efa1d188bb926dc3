//! Reads a file of TOML as any type, and finds every mistake with its line: what is wrong is taken out, and the rest is read
//! again.

use super::error::{ConfigError, Mistakes};
use super::layers::SYNTAX_MAX;
use super::lines::Lines;
use games::misread::{Misread, needed};
use serde::Deserialize as _;
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeArray, DeString, DeTable, DeValue, Deserializer, Error, ValueDeserializer};

/// Mistakes that are looked for at most.
const MISTAKES_MAX: usize = 50;
/// How much of a value is shown, in characters.
const VALUE_CHARS_MAX: usize = 200;

/// What a file holds.
#[derive(Debug)]
pub struct TomlFile<'a, T> {
    /// Its value, without what was wrong; none if it is not TOML, or where too much is wrong.
    pub value: Option<T>,
    /// What is wrong with it.
    pub mistakes: Mistakes,
    path: &'a Path,
    lines: Lines<'a>,
    /// All that is written.
    table: Spanned<DeTable<'a>>,
}

/// Reads the text of a file; mistakes name its path.
#[must_use]
pub fn read_toml<'a, T: DeserializeOwned>(path: &'a Path, text: &'a str) -> TomlFile<'a, T> {
    let lines = Lines::new(path, text);
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut reading = Reading {
        syntax: BTreeSet::new(),
        path,
        table: table.clone(),
        mistakes: Mistakes::default(),
        taken: BTreeSet::new(),
        lines,
    };
    reading.note_syntax(errors);
    let mut value = None;
    for _ in 0..MISTAKES_MAX {
        match T::deserialize(Deserializer::from(reading.table.clone())) {
            Ok(read) => {
                value = Some(read);
                break;
            }
            Err(error) if reading.takes_out(&error) => {}
            Err(_) => break,
        }
    }
    TomlFile {
        value: value.filter(|_| reading.syntax.is_empty()),
        mistakes: reading.mistakes,
        path,
        lines: reading.lines,
        table,
    }
}

impl<'a, T> TomlFile<'a, T> {
    /// Its value, if no more is wrong with it than keys that do not exist.
    #[must_use]
    pub fn sound(&self) -> Option<&T> {
        let is_key = |mistake: &ConfigError| matches!(mistake, ConfigError::UnknownKey { .. });
        let sound = self.mistakes.iter().all(is_key);
        self.value.as_ref().filter(|_| sound)
    }

    /// What `check` makes of the value, whose further mistakes it notes here.
    ///
    /// # Errors
    /// All mistakes, if there are any.
    pub fn checked<U>(mut self, check: impl FnOnce(T, &mut Self) -> U) -> Result<U, ConfigError> {
        let checked = self.value.take().map(|value| check(value, &mut self));
        self.mistakes.into_result()?;
        checked.ok_or_else(|| ConfigError::Unusable {
            what: self.path.display().to_string(),
            why: "it cannot be read".to_owned(),
        })
    }

    /// Whether the value at a key is right: it `fits`, and nothing was wrong with its type. If not, its mistake says what is
    /// `allowed`. A key in a section has the section's name and a dot before it.
    pub fn must(&mut self, fits: bool, key: &str, allowed: &str) -> bool {
        if let Some(known) = self.mistakes.allowed(key) {
            allowed.clone_into(known);
            return false;
        }
        if !fits {
            let (origin, value) = match self.find(key) {
                Some((name, value)) => (self.lines.origin(name.span().start), shown(key, value)),
                None => (self.path.display().to_string(), "missing".to_owned()),
            };
            self.mistakes.add(ConfigError::BadValue {
                origin,
                key: key.to_owned(),
                value,
                allowed: allowed.to_owned(),
            });
        }
        fits
    }

    /// Whether there is a section of this name, or nothing.
    #[must_use]
    pub fn is_section(&self, key: &str) -> bool {
        let found = self.find(key);
        found.is_none_or(|(_, value)| value.get_ref().is_table())
    }

    /// This key has no meaning here, and `why`, as a sentence: a mistake if it is there.
    pub fn refuse(&mut self, key: &str, why: &str) {
        let place = self.find(key).map(|(name, _)| name.span().start);
        if let Some(place) = place {
            self.mistakes.add(ConfigError::Unusable {
                what: format!("{}: `{key}`", self.lines.origin(place)),
                why: why.to_owned(),
            });
        }
    }

    /// A key as it is written, and its value.
    fn find(&self, key: &str) -> Option<(&Spanned<DeString<'a>>, &Spanned<DeValue<'a>>)> {
        let table = self.table.get_ref();
        match key.split_once('.') {
            None => table.get_key_value(key),
            Some((section, name)) => {
                let section = table.get(section)?.get_ref().as_table()?;
                section.get_key_value(name)
            }
        }
    }
}

struct Reading<'a> {
    path: &'a Path,
    lines: Lines<'a>,
    /// What is left of the file.
    table: Spanned<DeTable<'a>>,
    /// Lines that are not TOML.
    syntax: BTreeSet<usize>,
    mistakes: Mistakes,
    /// The keys that were taken out.
    taken: BTreeSet<String>,
}

/// What was taken out of the file.
struct Taken<'a> {
    /// Its key, dotted.
    key: String,
    offset: usize,
    value: Spanned<DeValue<'a>>,
}

impl<'a> Reading<'a> {
    fn note_syntax(&mut self, mut errors: Vec<Error>) {
        let offset = |error: &Error| error.span().map_or(0, |span| span.start);
        errors.sort_by_key(offset);
        for error in errors {
            let offset = offset(&error);
            if self.syntax.len() < SYNTAX_MAX && self.syntax.insert(self.lines.line(offset)) {
                self.mistakes.add(ConfigError::Syntax {
                    origin: self.lines.place(offset),
                    why: error.message().trim().to_owned(),
                });
            }
        }
    }

    /// Notes a mistake and takes it out; `false` if that cannot be, and nothing further can be found.
    fn takes_out(&mut self, error: &Error) -> bool {
        let span = error.span().filter(|span| !span.is_empty());
        let taken = span.and_then(|span| take_out(self.table.get_mut(), &span, ""));
        let message = error.message();
        let Some(taken) = taken else {
            let origin = self.path.display().to_string();
            self.note(&Misread::from(message), origin, "", "");
            return false;
        };
        self.taken.insert(taken.key.clone());
        // What a broken line leaves is not a mistake of its own.
        if !self.syntax.contains(&self.lines.line(taken.offset)) {
            let misread = Misread::from(message);
            let (key, offset, value) = inside(&taken, &misread);
            let (origin, value) = (self.lines.origin(offset), shown(&key, &value));
            self.note(&misread, origin, &key, &value);
        }
        true
    }

    fn note(&mut self, misread: &Misread<'_>, origin: String, key: &str, value: &str) {
        let under = |name: &str| match key {
            "" => name.to_owned(),
            key => format!("{key}.{name}"),
        };
        let bad = |key: String, value: &str, allowed: String| ConfigError::BadValue {
            origin: origin.clone(),
            key,
            value: value.to_owned(),
            allowed,
        };
        let mistake = match misread {
            Misread::Unknown { name, known } => ConfigError::UnknownKey {
                remedy: match nearest(name, known) {
                    Some(nearest) => format!("did you mean `{nearest}`?"),
                    None => format!("there are: {}", known.join(", ")),
                },
                key: key.to_owned(),
                origin,
            },
            Misread::Word { known, .. } => bad(
                key.to_owned(),
                value,
                format!("one of: {}", known.join(", ")),
            ),
            // It was taken out, or stood on a line that is none.
            Misread::Missing(name)
                if self.taken.contains(&under(name)) || !self.syntax.is_empty() =>
            {
                return;
            }
            Misread::Missing(name) => bad(under(name), "missing", "there".to_owned()),
            Misread::Unfit { expected, .. } => {
                bad(key.to_owned(), value, needed(expected, "a table"))
            }
            Misread::Other(why) => ConfigError::Unusable {
                what: match key {
                    "" => origin,
                    key => format!("{origin}: `{key}`"),
                },
                why: (*why).to_owned(),
            },
        };
        self.mistakes.add(mistake);
    }
}

/// Where in what was taken out the mistake lies: its key, its place and its value. A type that is chosen by one of its keys
/// has its mistakes as a whole.
fn inside<'a>(taken: &Taken<'a>, misread: &Misread<'_>) -> (String, usize, Spanned<DeValue<'a>>) {
    let whole = || (taken.key.clone(), taken.offset, taken.value.clone());
    let DeValue::Table(table) = taken.value.get_ref() else {
        return whole();
    };
    let is_meant = |(name, value): &(&Spanned<DeString<'a>>, &Spanned<DeValue<'a>>)| match misread {
        Misread::Unknown { name: wrong, .. } => name.get_ref() == wrong,
        Misread::Word { word, .. } => value.get_ref().as_str() == Some(*word),
        _ => false,
    };
    let meant = table.iter().find(is_meant);
    meant.map_or_else(whole, |(name, value)| {
        let key = format!("{}.{}", taken.key, name.get_ref());
        (key, name.span().start, value.clone())
    })
}

/// Takes the innermost thing out that stands there.
fn take_out<'a>(table: &mut DeTable<'a>, span: &Range<usize>, prefix: &str) -> Option<Taken<'a>> {
    let dotted = |name: &str| match prefix {
        "" => name.to_owned(),
        prefix => format!("{prefix}.{name}"),
    };
    for (name, value) in table.iter_mut() {
        let key = dotted(name.get_ref());
        let inner = match value.get_mut() {
            DeValue::Table(inner) => take_out(inner, span, &key),
            DeValue::Array(array) => take_out_of(array, span, &key),
            _ => None,
        };
        if inner.is_some() {
            return inner;
        }
    }
    let stands = |at: Range<usize>| at.contains(&span.start);
    let (name, _) = table
        .iter()
        .find(|(name, value)| stands(name.span()) || stands(value.span()))?;
    let (name, offset) = (name.get_ref().to_string(), name.span().start);
    let value = table.remove(name.as_str())?;
    Some(Taken {
        key: dotted(&name),
        offset,
        value,
    })
}

/// The same of the tables of a list.
fn take_out_of<'a>(array: &mut DeArray<'a>, span: &Range<usize>, key: &str) -> Option<Taken<'a>> {
    for element in array.iter_mut() {
        if let DeValue::Table(table) = element.get_mut()
            && let Some(taken) = take_out(table, span, key)
        {
            return Some(taken);
        }
    }
    let is_meant = |element: &Spanned<DeValue<'_>>| {
        element.get_ref().is_table() && element.span().contains(&span.start)
    };
    let value = array.iter().find(|element| is_meant(element)).cloned()?;
    let mut left = DeArray::new();
    for element in array.iter().filter(|element| !is_meant(element)) {
        left.push(element.clone());
    }
    *array = left;
    Some(Taken {
        key: key.to_owned(),
        offset: value.span().start,
        value,
    })
}

/// The key that is most like this one, if any is near.
fn nearest<'a>(name: &str, known: &[&'a str]) -> Option<&'a str> {
    const NEAR: f64 = 0.8;
    let scored = known.iter();
    let scored = scored.map(|known| (strsim::jaro_winkler(name, known), *known));
    let (score, known) = scored.max_by(|one, other| one.0.total_cmp(&other.0))?;
    (score >= NEAR).then_some(known)
}

/// A value as it stands in the file, but for what may be a secret.
fn shown(key: &str, value: &Spanned<DeValue<'_>>) -> String {
    let kind = value.get_ref().type_str();
    if key.ends_with("token") || key.contains(".env") {
        return format!("a {kind}");
    }
    let read = toml::Value::deserialize(ValueDeserializer::from(value.clone()));
    let text = match read {
        Ok(toml::Value::Table(_)) | Err(_) => format!("a {kind}"),
        Ok(value) => value.to_string(),
    };
    text.chars().take(VALUE_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::read_toml;
    use serde::Deserialize;
    use std::path::Path;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Cup {
        name: String,
        seed: Option<u64>,
        #[serde(default)]
        rotate: bool,
        schedule: Schedule,
        #[serde(default)]
        entrant: Vec<Entrant>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(tag = "format", rename_all = "kebab-case", deny_unknown_fields)]
    #[allow(dead_code)]
    enum Schedule {
        RoundRobin { laps: u32 },
        Swiss { rounds: u32 },
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    #[allow(dead_code)]
    struct Entrant {
        name: String,
        token: Option<u64>,
    }

    fn mistakes(text: &str) -> (bool, Vec<String>) {
        let read = read_toml::<Cup>(Path::new("cup.toml"), text);
        let mistakes = read.mistakes.iter().map(ToString::to_string);
        (read.sound().is_some(), mistakes.collect())
    }

    const RIGHT: &str = "name = \"cup\"\n[schedule]\nformat = \"swiss\"\nrounds = 3\n";

    #[test]
    fn every_mistake_is_found_with_its_line() {
        assert_eq!(mistakes(RIGHT), (true, vec![]));
        let text = "\
name = 5
sed = 7
rotate = \"yes\"
[schedule]
format = \"swizz\"
rounds = 3
[[entrant]]
name = \"Ann\"
[[entrant]]
token = \"hush\"
[[entrant]]
name = \"Bob\"
colour = \"red\"
[[entrant]]
";
        let (read, mut found) = mistakes(text);
        assert!(!read);
        found.sort();
        let expected = [
            "cup.toml, line 10: `entrant.token` is a string, but must be a whole number from 0",
            "cup.toml, line 13: there is no key `entrant.colour`; there are: name, token",
            "cup.toml, line 14: `entrant.name` is missing, but must be there",
            "cup.toml, line 1: `name` is 5, but must be a text",
            "cup.toml, line 2: there is no key `sed`; did you mean `seed`?",
            "cup.toml, line 3: `rotate` is \"yes\", but must be true or false",
            "cup.toml, line 5: `schedule.format` is \"swizz\", but must be one of: round-robin, swiss",
            "cup.toml, line 9: `entrant.name` is missing, but must be there",
        ];
        let mut expected: Vec<String> = expected.map(str::to_owned).to_vec();
        expected.sort();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_cannot_be_read_further_is_reported_once() {
        let without = "seed = 1\n[schedule]\nformat = \"swiss\"\nrounds = 3\n";
        let found = mistakes(without);
        let missing = "cup.toml: `name` is missing, but must be there";
        assert_eq!(found, (false, vec![missing.to_owned()]));
        let (read, found) = mistakes(&RIGHT.replace("rounds = 3", "rounds = 3\nlaps = 1"));
        let unknown = "cup.toml, line 5: there is no key `schedule.laps`; there are: rounds";
        assert_eq!((read, found), (false, vec![unknown.to_owned()]));
        // Broken lines hide no other mistake.
        let (_, found) = mistakes(&RIGHT.replace("name = \"cup\"", "name = \nsed = 1"));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(
            found[0].starts_with("cup.toml, line 1, column "),
            "{found:?}"
        );
        assert!(found[1].contains("did you mean `seed`"), "{found:?}");
    }
}
