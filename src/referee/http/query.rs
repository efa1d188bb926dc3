//! Requests to the referee's server, parsed from the query of a GET.

use crate::link::{Target, TargetError};
use crate::referee::host::match_info::MatchRequest;
use crate::referee::seat::seat_spec::{SeatSpec, SeatSpecError};
use games::neutral::PREFIX;
use games::{Kit, OptionCard};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

/// The longest name of a player, in bytes.
const NAME_LEN_MAX: usize = 64;
/// The maximum number of `key=value` pairs in a query.
const PAIRS_MAX: usize = 64;

/// The request.
#[derive(Clone, Debug)]
pub enum Ask {
    /// The start page.
    Page,
    /// `?connect&url1=…`; a player is a URL, `builtin:NAME` or `bot:NAME`.
    Connect(Box<MatchRequest>),
    /// `?log=ID`
    Log(u64),
}

/// What is wrong with a query, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QueryError {
    /// Not UTF-8 once decoded.
    #[error("{0} is not UTF-8 after percent-decoding")]
    Encoding(String),
    /// An unknown key.
    #[error(
        "unknown key {0:?}; known with connect: {1}. Percent-encode a URL that has a query of its own (& as %26)"
    )]
    UnknownKey(String, String),
    /// A key given twice.
    #[error("{0} is given more than once")]
    Repeated(String),
    /// More than 64 pairs.
    #[error("the query has more than {PAIRS_MAX} keys")]
    TooMany,
    /// A match without players.
    #[error(
        "give at least one of url1 to url{0}: the address of a player, such as url1=http://host:port/"
    )]
    NoUrl(usize),
    /// A URL that cannot be called.
    #[error("{key}: {error}")]
    Url {
        /// `url1`, …
        key: String,
        /// What is wrong with it.
        error: TargetError,
    },
    /// One of our bots, without a name.
    #[error("{key}: {error}")]
    Seat {
        /// `url1`, …
        key: String,
        /// What is wrong with it.
        error: SeatSpecError,
    },
    /// A name that cannot be stored.
    #[error("{0}: a name has 1 to {NAME_LEN_MAX} bytes without control characters")]
    Name(String),
    /// Not a whole number.
    #[error("{key}: {value:?} is not a whole number of at least {least}")]
    Number {
        /// The key.
        key: &'static str,
        /// The value given.
        value: String,
        /// The smallest accepted value.
        least: u64,
    },
}

/// Parses the query of a GET to the server of `kit`'s game.
///
/// # Errors
/// [`QueryError`] naming the wrong key.
pub fn read(kit: &dyn Kit, query: &str) -> Result<Ask, QueryError> {
    let pairs = pairs(query)?;
    if let Some((_, id)) = pairs.iter().find(|(key, _)| key == "log") {
        return Ok(Ask::Log(number("log", id, 1)?));
    }
    if pairs.iter().any(|(key, _)| key == "connect") {
        return Ok(Ask::Connect(Box::new(connect(kit, &pairs)?)));
    }
    match pairs.first() {
        None => Ok(Ask::Page),
        Some((key, _)) => Err(QueryError::UnknownKey(key.clone(), known(kit))),
    }
}

/// An option's value from plain text: JSON if it parses, else a string.
#[must_use]
pub fn option_value(text: &str) -> Value {
    match serde_json::from_str::<Value>(text) {
        Ok(value @ (Value::Bool(_) | Value::Number(_) | Value::Null)) => value,
        _ => Value::String(text.to_owned()),
    }
}

fn pairs(query: &str) -> Result<Vec<(String, String)>, QueryError> {
    let mut pairs: Vec<(String, String)> = Vec::new();
    for part in query
        .trim_start_matches('?')
        .split('&')
        .filter(|part| !part.is_empty())
    {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let key = decoded("a key", key)?;
        let value = decoded(&key, value)?;
        if pairs.iter().any(|(other, _)| *other == key) {
            return Err(QueryError::Repeated(key));
        }
        if pairs.len() == PAIRS_MAX {
            return Err(QueryError::TooMany);
        }
        pairs.push((key, value));
    }
    Ok(pairs)
}

fn decoded(what: &str, text: &str) -> Result<String, QueryError> {
    let decoded = percent_decode_str(text).decode_utf8();
    Ok(decoded
        .map_err(|_| QueryError::Encoding(what.to_owned()))?
        .into_owned())
}

fn connect(kit: &dyn Kit, pairs: &[(String, String)]) -> Result<MatchRequest, QueryError> {
    let seats = *kit.card().seats.end();
    let mut request = MatchRequest {
        seats: vec![SeatSpec::filler(); seats],
        names: vec![None; seats],
        ..MatchRequest::default()
    };
    let mut options = Map::new();
    for (key, value) in pairs {
        if let Some(place) = place(key, "url", seats) {
            // The start page also sends fields left empty.
            if !value.trim().is_empty() {
                request.seats[place] = seat(key, value)?;
            }
        } else if let Some(place) = place(key, "name", seats) {
            request.names[place] = name(key, value)?;
        } else if key == "seed" {
            request.seed = if value.is_empty() {
                None
            } else {
                Some(number("seed", value, 0)?)
            };
        } else if option(kit, key).is_some() {
            if !value.is_empty() {
                options.insert(key.clone(), option_value(value));
            }
        } else if key != "connect" {
            return Err(QueryError::UnknownKey(key.clone(), known(kit)));
        }
    }
    if request.seats.iter().all(SeatSpec::is_filler) {
        return Err(QueryError::NoUrl(seats));
    }
    if !options.is_empty() {
        request.options = Value::Object(options);
    }
    Ok(request)
}

/// The address of a player, or one of our bots: `builtin:NAME`, `bot:NAME`.
fn seat(key: &str, value: &str) -> Result<SeatSpec, QueryError> {
    let key = || key.to_owned();
    if value.starts_with("builtin:") || value.starts_with(PREFIX) {
        let seat = value.parse();
        return seat.map_err(|error| QueryError::Seat { key: key(), error });
    }
    let target = Target::parse(value);
    let target = target.map_err(|error| QueryError::Url { key: key(), error })?;
    Ok(SeatSpec::Url(target))
}

/// `url3` is place 2.
fn place(key: &str, word: &str, seats: usize) -> Option<usize> {
    let number = key.strip_prefix(word)?;
    let place = number.parse::<usize>().ok()?.checked_sub(1)?;
    (place < seats && !number.starts_with(['0', '+'])).then_some(place)
}

/// Names come from forms, where a space is sent as `+`.
fn name(key: &str, value: &str) -> Result<Option<String>, QueryError> {
    let name = value.replace('+', " ");
    let name = name.trim();
    if name.len() > NAME_LEN_MAX || name.chars().any(char::is_control) {
        return Err(QueryError::Name(key.to_owned()));
    }
    Ok((!name.is_empty()).then(|| name.to_owned()))
}

fn number(key: &'static str, value: &str, least: u64) -> Result<u64, QueryError> {
    let digits = value.bytes().all(|byte| byte.is_ascii_digit());
    match value.parse::<u64>() {
        Ok(number) if number >= least && digits => Ok(number),
        _ => Err(QueryError::Number {
            key,
            value: value.chars().take(40).collect(),
            least,
        }),
    }
}

fn option<'a>(kit: &'a dyn Kit, name: &str) -> Option<&'a OptionCard> {
    kit.card().options.iter().find(|card| card.name == name)
}

fn known(kit: &dyn Kit) -> String {
    let seats = kit.card().seats.end().to_owned();
    let options: Vec<&str> = kit.card().options.iter().map(|card| card.name).collect();
    format!(
        "url1 to url{seats}, name1 to name{seats}, seed, {}",
        options.join(", ")
    )
}
