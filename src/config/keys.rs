//! Every key, as the fields of the settings say, and for each game its own.

use super::error::ConfigError;
use super::settings::{Config, Hub, PathReferee};
use confique::meta::{FieldKind, LeafKind, Meta};
use games::{Kit, OptionCard, SetupError, TableSetup};
use serde::Deserialize as _;
use serde_json::json;
use std::sync::LazyLock;
use toml::{Table, Value};

/// The key of a file that holds the value of another key ends in this.
const FILE: &str = "_file";
/// The field that is no key.
const NO_KEY: &str = "file";
/// The end of fields that have a value for each game, and what their meaning calls it.
const BY_GAME: &str = "by_game";
const GAME: &str = "GAME";
/// The field of a referee's rule options.
const OPTIONS: &str = "options";

/// Reads one value, or says what is allowed in its place.
type Check = Box<dyn Fn(&Value) -> Result<(), String> + Send + Sync>;

/// One key.
pub struct Key {
    /// Dotted, as in `callbacks.listen`.
    pub path: String,
    /// Its default; none if it may be left out, or must be there.
    pub default: Option<Value>,
    /// What it means, in sentences.
    pub meaning: String,
    /// Where its value stands among the settings, dotted.
    pub(super) place: String,
    /// The only value of it that is shown is that there is one.
    pub(super) is_secret: bool,
    check: Check,
}

impl Key {
    /// The key of the field at this place: a value of it alone is read into the settings.
    fn read_at<T: confique::Config>(place: String) -> Self {
        let names: Vec<String> = place.split('.').map(str::to_owned).collect();
        let check = move |value: &Value| {
            let within = |inner, name: &String| Table::from_iter([(name.clone(), inner)]).into();
            let alone: Value = names.iter().rev().fold(value.clone(), within);
            let read = T::Layer::deserialize(alone).map(drop);
            read.map_err(|why| why.message().to_owned())
        };
        Self {
            path: place.clone(),
            default: None,
            meaning: String::new(),
            place,
            is_secret: false,
            check: Box::new(check),
        }
    }

    /// Its section and its name there.
    pub(super) fn parts(&self) -> (&str, &str) {
        self.path.rsplit_once('.').unwrap_or(("", &self.path))
    }

    /// Where the file stands that holds this secret, whose place this is.
    pub(super) fn file(&self, place: &str) -> String {
        format!("{place}{FILE}")
    }

    /// What is allowed, as a continuation of "must be".
    pub(super) fn allowed(&self) -> String {
        // No key takes a table.
        (self.check)(&Value::Table(Table::new()))
            .err()
            .unwrap_or_default()
    }

    /// This value, if the key takes it.
    pub(super) fn checked(&self, value: Value, origin: &str) -> Result<Value, ConfigError> {
        let Err(allowed) = (self.check)(&value) else {
            return Ok(value);
        };
        Err(ConfigError::BadValue {
            origin: origin.to_owned(),
            key: self.path.clone(),
            value: match value.as_str().map(str::trim) {
                Some("") if self.is_secret => "empty".to_owned(),
                _ if self.is_secret => "***".to_owned(),
                _ => value.to_string(),
            },
            allowed,
        })
    }

    /// A value given as plain text, in the environment or on the command line: what the key takes of a number, `true`
    /// or `false`, a JSON array, the text itself and its parts between commas.
    pub(super) fn read_text(&self, text: &str, origin: &str) -> Result<Value, ConfigError> {
        let json = serde_json::from_str(text.trim()).ok();
        let json = json.filter(|value: &Value| !value.is_str());
        let items = text.split(',').map(str::trim);
        let items = items.filter(|item| !item.is_empty()).map(Value::from);
        let others = [Value::from(text), Value::Array(items.collect())];
        let readings: Vec<Value> = json.into_iter().chain(others).collect();
        let taken = readings.iter().find(|value| (self.check)(value).is_ok());
        // What no key takes is said to be what it looks most like.
        self.checked(taken.unwrap_or(&readings[0]).clone(), origin)
    }
}

/// Sections that may stand several times in a file.
pub(super) struct List {
    /// As in `[[callbacks.referee]]`.
    pub(super) path: String,
    /// What they are, in sentences.
    pub(super) meaning: String,
    /// The keys of one; those without a default must be there.
    pub(super) keys: Vec<Key>,
    /// What the template gives those.
    pub(super) example: &'static str,
    /// The maximum number of sections.
    pub(super) max: usize,
}

/// What the fields of the settings are.
#[derive(Default)]
struct Fields {
    keys: Vec<Key>,
    lists: Vec<List>,
}

static FIELDS: LazyLock<Fields> = LazyLock::new(|| Fields::for_section::<Config>(""));

/// Every key, in the order of the file.
#[must_use]
pub fn keys() -> &'static [Key] {
    &FIELDS.keys
}

/// Every list of sections, in the order of the file.
pub(super) fn lists() -> &'static [List] {
    &FIELDS.lists
}

impl Fields {
    /// The fields of these settings, or of one section of the list at `path`.
    fn for_section<T: confique::Config>(path: &str) -> Self {
        let mut fields = Self::default();
        fields.add::<T>(path, "", &T::META);
        let paths: Vec<String> = fields.keys.iter().map(|key| key.path.clone()).collect();
        for key in &mut fields.keys {
            key.is_secret = paths.contains(&format!("{}{FILE}", key.path));
        }
        fields
    }

    fn add<T: confique::Config>(&mut self, path: &str, place: &str, meta: &Meta) {
        for field in meta.fields {
            let (path, place) = (dotted(path, field.name), dotted(place, field.name));
            let kind = match field.kind {
                FieldKind::Leaf { kind, .. } => kind,
                FieldKind::Nested { meta } => {
                    self.add::<T>(&path, &place, meta);
                    continue;
                }
            };
            let meaning = field.doc.concat().trim().to_owned();
            match (&*path, path.strip_suffix(BY_GAME)) {
                (NO_KEY, _) => {}
                ("callbacks.referee", _) => {
                    self.list::<PathReferee>(path, meaning, "league", 256);
                }
                ("hub", _) => self.list::<Hub>(path, meaning, "hub.example:3002", 256),
                (_, Some(start)) => self.keys.extend(games::ALL.iter().map(|kit| {
                    let default = match start.starts_with("thinking.") {
                        true => (kit.card().limits.budget.as_millis() as i64).into(),
                        false => "".into(),
                    };
                    Key {
                        path: format!("{start}{}", kit.card().name),
                        default: Some(default),
                        meaning: meaning.replace(GAME, kit.card().name),
                        ..Key::read_at::<T>(dotted(&place, kit.card().name))
                    }
                })),
                _ if field.name == OPTIONS => self.keys.extend(rules(&path)),
                _ => self.keys.push(Key {
                    default: default(kind),
                    path,
                    meaning,
                    ..Key::read_at::<T>(place)
                }),
            }
        }
    }

    fn list<T: confique::Config>(
        &mut self,
        path: String,
        meaning: String,
        example: &'static str,
        max: usize,
    ) {
        self.lists.push(List {
            keys: Fields::for_section::<T>(&path).keys,
            path,
            meaning,
            example,
            max,
        });
    }
}

pub(super) fn dotted(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}

fn default(kind: LeafKind) -> Option<Value> {
    match kind {
        LeafKind::Required { default } => default.and_then(|value| Value::try_from(value).ok()),
        LeafKind::Optional => None,
    }
}

/// The rule options of the game whose referee is configured in this section.
fn rules(section: &str) -> impl Iterator<Item = Key> {
    let game = section.rsplit('.').nth(1);
    let kit = game.and_then(games::find).into_iter();
    let cards = kit.flat_map(|kit| kit.card().options.iter().map(move |card| (kit, card)));
    cards.map(move |(kit, card)| {
        let default = match card.default {
            "null" => "".into(),
            json => serde_json::from_str(json).expect("the default of an option is JSON"),
        };
        Key {
            check: rule(kit, card, &default),
            default: Some(default),
            meaning: card.description.to_owned(),
            ..Key::read_at::<Config>(dotted(section, card.name))
        }
    })
}

/// A rule option is typed by the game's default, and the game itself checks its value.
fn rule(kit: &'static dyn Kit, card: &'static OptionCard, default: &Value) -> Check {
    let (open, default) = (card.default == "null", default.clone());
    let allowed = match default {
        _ if open => "a whole number or a name, or \"\" for the game's own choice",
        Value::Boolean(_) => "true or false",
        Value::Integer(_) => "a whole number",
        _ => "a word",
    };
    Box::new(move |value| {
        if !(value.same_type(&default) || open && value.is_integer()) {
            return Err(allowed.to_owned());
        }
        if *value == default {
            return Ok(());
        }
        let checked = check_options(kit, &json!({ card.name: value }));
        checked.map_err(|why| format!("one that the game takes: {why}"))
    })
}

/// Whether a game's referee takes these options: a wrong value is reported now, not to the first player.
///
/// # Errors
/// The game's own message.
pub fn check_options(kit: &dyn Kit, options: &serde_json::Value) -> Result<(), SetupError> {
    let setup = TableSetup::numbered(0, options.clone(), *kit.card().seats.end());
    kit.table(&setup).map(drop)
}
