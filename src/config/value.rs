//! Whether a value is of its key's kind, and the text that says what is allowed.

use super::error::ConfigError;
use super::schema::{Key, Kind};
use super::settings::{PUBLIC, parse_address, parse_network};
use toml::Value;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

/// The key that must not be empty where it stands: whoever sets a token believes that there is one.
pub(super) const TOKEN: &str = "api.token";
/// The longest text of any key, in bytes.
const TEXT_LEN_MAX: usize = 4_096;
/// The longest name, in bytes: as long as a referee's name in a callback's path may be.
const NAME_LEN_MAX: usize = 64;
/// The values of rule options that are words, the default first: the game checks them again.
const RULE_WORDS: &[&[&str]] = &[
    &["winner", "exchange"],
    &["refused", "struck"],
    &["loser", "winner"],
    &["forfeit", "abort"],
];
/// The longest host name, in bytes (RFC 1035).
const HOST_LEN_MAX: usize = 253;
/// The maximum number of items in a list.
const ITEMS_MAX: usize = 256;

/// A value written in TOML for the key `path`, if it is of this kind.
pub(super) fn checked(
    kind: Kind,
    path: &str,
    value: Value,
    origin: &str,
) -> Result<Value, ConfigError> {
    let blank = |text: &str| text.trim().is_empty();
    if path == TOKEN && value.as_str().is_some_and(blank) {
        return Err(ConfigError::BadValue {
            origin: origin.to_owned(),
            key: path.to_owned(),
            value: "empty".to_owned(),
            allowed: "a token; leave the key out for none".to_owned(),
        });
    }
    if fits(kind, &value) {
        return Ok(value);
    }
    Err(ConfigError::BadValue {
        origin: origin.to_owned(),
        key: path.to_owned(),
        value: shown(kind, &value),
        allowed: allowed(kind),
    })
}

/// A wrong value as shown in an error.
fn shown(kind: Kind, value: &Value) -> String {
    match kind {
        Kind::Secret => "***".to_owned(),
        _ => value.to_string(),
    }
}

/// A value given as plain text, in the environment or on the command line.
pub(super) fn from_text(key: &Key, text: &str, origin: &str) -> Result<Value, ConfigError> {
    checked(key.kind, &key.path, typed(key.kind, text), origin)
}

/// The text converted to the key's kind; unchanged if it is not of that kind. A list is a JSON array, or its
/// items with commas between.
fn typed(kind: Kind, text: &str) -> Value {
    let plain = || Value::String(text.to_owned());
    match kind {
        Kind::Whole { .. } => text.trim().parse().map_or_else(|_| plain(), Value::Integer),
        Kind::Flag => text.trim().parse().map_or_else(|_| plain(), Value::Boolean),
        Kind::Peers | Kind::Targets | Kind::Hosts | Kind::Texts
            if text.trim_start().starts_with('[') =>
        {
            serde_json::from_str(text).map_or_else(|_| plain(), Value::Array)
        }
        Kind::Peers | Kind::Targets | Kind::Hosts | Kind::Texts => Value::Array(
            text.split(',')
                .map(str::trim)
                .filter(|item| !item.is_empty())
                .map(|item| Value::String(item.to_owned()))
                .collect(),
        ),
        Kind::Rule("true" | "false") => typed(Kind::Flag, text),
        Kind::Rule(_) => text.trim().parse().map_or_else(|_| plain(), Value::Integer),
        _ => plain(),
    }
}

fn fits(kind: Kind, value: &Value) -> bool {
    match (kind, value) {
        (Kind::Address, Value::String(text)) => parse_address(text).is_some(),
        (Kind::AddressOrOff, Value::String(text)) => {
            text.is_empty() || parse_address(text).is_some()
        }
        (Kind::Whole { min, max, .. }, Value::Integer(number)) => (min..=max).contains(number),
        (Kind::Flag, Value::Boolean(_)) => true,
        (Kind::Choice(words), Value::String(text)) => words.contains(&text.as_str()),
        (Kind::Text | Kind::Path, Value::String(text)) => !text.is_empty() && printable(text),
        (Kind::Levels, Value::String(text)) => are_levels(text),
        (Kind::Name, Value::String(text)) => {
            (1..=NAME_LEN_MAX).contains(&text.len()) && text.bytes().all(plain)
        }
        (Kind::Secret | Kind::PathOrNone, Value::String(text)) => printable(text),
        (Kind::SocketMode, Value::String(text)) => socket_mode(text).is_some(),
        (Kind::GroupOrNone, Value::String(text)) => {
            text.len() <= NAME_LEN_MAX && text.bytes().all(plain)
        }
        (Kind::Texts, Value::Array(items)) => each(items, printable),
        (Kind::Peers, Value::Array(items)) => each(items, |text| parse_network(text).is_some()),
        (Kind::Targets, Value::Array(items)) => each(items, |text| {
            text == PUBLIC || parse_network(text).is_some()
        }),
        (Kind::Hosts, Value::Array(items)) => each(items, |text| {
            (1..=HOST_LEN_MAX).contains(&text.len()) && text.bytes().all(plain)
        }),
        (Kind::Rule("true" | "false"), value) => value.is_bool(),
        (Kind::Rule("null"), value) => value.is_integer() || value.as_str().is_some_and(printable),
        (Kind::Rule(default), value) if default.starts_with('"') => {
            value.as_str().is_some_and(|text| match words(default) {
                [] => printable(text),
                words => words.contains(&text),
            })
        }
        (Kind::Rule(_), value) => value.is_integer(),
        _ => false,
    }
}

/// Whether log lines can be filtered by this: a word that stands alone is a level, or else a part of the
/// program, which has `::` in its path unless it is a whole package.
fn are_levels(text: &str) -> bool {
    let of_program = |word: &str| word.contains("::") || ["drover", "games"].contains(&word);
    let is_level = |word: &str| !word.is_empty() && word.parse::<LevelFilter>().is_ok();
    let known = |word: &str| is_level(word) || of_program(word);
    let mut words = text.split(',').filter(|word| !word.contains('='));
    let spans = text.contains('[');
    !text.trim().is_empty()
        && printable(text)
        && (spans || words.all(|word| known(word.trim())))
        && EnvFilter::builder().parse(text).is_ok()
}

fn each(items: &[Value], fits: impl Fn(&str) -> bool) -> bool {
    let fits = |item: &Value| item.as_str().is_some_and(&fits);
    items.len() <= ITEMS_MAX && items.iter().all(fits)
}

/// The permissions that this text gives a socket, if they are sensible: what a mistyped digit would allow
/// everyone is not accepted.
pub(super) fn socket_mode(text: &str) -> Option<u32> {
    const ALL: u32 = 0o666;
    const OWNER: u32 = 0o600;
    const OTHERS: u32 = 0o007;
    let octal = (3..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    let mode = u32::from_str_radix(text, 8).ok().filter(|_| octal)?;
    let sensible = mode & !ALL == 0 && mode & OWNER == OWNER && (mode & OTHERS == 0 || mode == ALL);
    sensible.then_some(mode)
}

/// The words of the rule option whose default is this one.
fn words(default: &str) -> &'static [&'static str] {
    RULE_WORDS
        .iter()
        .copied()
        .find(|words| words.first() == Some(&default.trim_matches('"')))
        .unwrap_or_default()
}

fn plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_')
}

fn printable(text: &str) -> bool {
    text.len() <= TEXT_LEN_MAX && !text.chars().any(char::is_control)
}

/// What a kind allows, as a continuation of "must be".
pub(super) fn allowed(kind: Kind) -> String {
    match kind {
        Kind::Address => "an address such as \"127.0.0.1:8080\" or \"[::]:8080\"".to_owned(),
        Kind::AddressOrOff => "an address such as \"127.0.0.1:8080\", or \"\" for off".to_owned(),
        Kind::Whole { min, max, unit } => format!("a whole number of {unit} from {min} to {max}"),
        Kind::Flag => "true or false".to_owned(),
        Kind::Choice(words) => {
            let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
            format!("one of {}", quoted.join(", "))
        }
        Kind::Text => format!("a text of 1 to {TEXT_LEN_MAX} bytes without control characters"),
        Kind::Levels => {
            "error, warn, info, debug, trace or off, or several such as \"info,drover::session=debug\""
                .to_owned()
        }
        Kind::Name => {
            format!("1 to {NAME_LEN_MAX} letters, digits, dots, dashes and underscores")
        }
        Kind::Secret => {
            format!("a text of at most {TEXT_LEN_MAX} bytes without control characters")
        }
        Kind::Path => "the path of a file".to_owned(),
        Kind::PathOrNone => "the path of a file, or \"\" for none".to_owned(),
        Kind::SocketMode => {
            "octal text such as \"0660\": reading and writing only, always for the owner; for everybody \
             only as \"0666\""
                .to_owned()
        }
        Kind::GroupOrNone => "a group's name or number, or \"\" for none".to_owned(),
        Kind::Peers => {
            format!(
                "a list of at most {ITEMS_MAX} IP addresses and networks such as \
                 [\"10.0.0.2\", \"fd00::/8\"]"
            )
        }
        Kind::Targets => format!(
            "a list of at most {ITEMS_MAX} IP addresses, networks and the word public, such as \
             [\"public\", \"10.0.0.2\", \"fd00::/8\"]"
        ),
        Kind::Hosts => {
            format!("a list of at most {ITEMS_MAX} names without ports such as [\"drover\"]")
        }
        Kind::Texts => format!("a list of at most {ITEMS_MAX} texts such as [\"final:2\"]"),
        Kind::Rule("true" | "false") => "true or false".to_owned(),
        Kind::Rule("null") => {
            "a whole number or a name, or \"\" for the game's own choice".to_owned()
        }
        Kind::Rule(default) if default.starts_with('"') => match words(default) {
            [] => "a word".to_owned(),
            words => allowed(Kind::Choice(words)),
        },
        Kind::Rule(_) => "a whole number".to_owned(),
    }
}
