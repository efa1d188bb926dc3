//! How the values of keys are read. A reader that cannot read a value says what is allowed, as a continuation of
//! "must be": there is no other list of what a key takes.

use super::location::Location;
use super::values::{Durability, Secret, Targets, parse_address, parse_network};
use crate::secrets::KEY_BYTES_MIN;
use games::Wire;
use ipnet::IpNet;
use serde::Deserialize;
use serde::de::value::{Error, StrDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error as _, IntoDeserializer as _};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;
use toml::Value;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;
use url::Url;

/// The longest text of any key, in bytes.
const TEXT_LEN_MAX: usize = 4_096;
/// The longest name, in bytes: as long as a referee's name in a callback's path may be.
const NAME_LEN_MAX: usize = 64;
/// The longest secret of a referee, in bytes.
const PATH_SECRET_LEN_MAX: usize = 128;
/// The longest host name, in bytes (RFC 1035).
const HOST_LEN_MAX: usize = 253;
/// The maximum number of items in a list.
const ITEMS_MAX: usize = 256;

/// A text without control characters of which `read` makes something.
fn text<'de, D: Deserializer<'de>, T>(
    from: D,
    allowed: impl Display,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<T, D::Error> {
    let value = Value::deserialize(from)?;
    let text = value.as_str().filter(|text| printable(text));
    text.and_then(read).ok_or_else(|| D::Error::custom(allowed))
}

/// The same where an empty text is read as nothing.
fn text_or_none<'de, D: Deserializer<'de>, T>(
    from: D,
    allowed: impl Display,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<Option<T>, D::Error> {
    text(from, allowed, |text| match text {
        "" => Some(None),
        text => read(text).map(Some),
    })
}

/// A text that `fits`, as it is.
fn fitting<'de, D: Deserializer<'de>>(
    from: D,
    allowed: impl Display,
    fits: impl FnOnce(&str) -> bool,
) -> Result<String, D::Error> {
    text(from, allowed, |text| fits(text).then(|| text.to_owned()))
}

/// A list of texts, of each of which `read` makes something.
fn list<'de, D: Deserializer<'de>, T>(
    from: D,
    what: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, D::Error> {
    let value = Value::deserialize(from)?;
    let item = |item: &Value| read(item.as_str().filter(|text| printable(text))?);
    let items = value.as_array().filter(|items| items.len() <= ITEMS_MAX);
    items
        .and_then(|items| items.iter().map(item).collect())
        .ok_or_else(|| D::Error::custom(format!("a list of at most {ITEMS_MAX} {what}")))
}

/// Readers of whole numbers from `MIN` to `MAX`, each named after its unit.
macro_rules! whole {
    ($($unit:ident -> $type:ty: $made:expr;)*) => {$(
        pub(super) fn $unit<'de, D: Deserializer<'de>, const MIN: u64, const MAX: u64>(
            from: D,
        ) -> Result<$type, D::Error> {
            let number = Value::deserialize(from)?.as_integer();
            let number = number.and_then(|number| u64::try_from(number).ok());
            let number = number.filter(|number| (MIN..=MAX).contains(number));
            let unit = stringify!($unit);
            let allowed = || format!("a whole number of {unit} from {MIN} to {MAX}");
            number.map($made).ok_or_else(|| D::Error::custom(allowed()))
        }
    )*};
}

whole! {
    connections -> usize: |count| count as usize;
    matches -> usize: |count| count as usize;
    milliseconds -> Duration: Duration::from_millis;
    programs -> usize: |count| count as usize;
    requests -> usize: |count| count as usize;
    seconds -> Duration: Duration::from_secs;
    sessions -> usize: |count| count as usize;
    threads -> usize: |count| count as usize;
}

pub(super) fn flag<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    let flag = Value::deserialize(from)?.as_bool();
    flag.ok_or_else(|| D::Error::custom("true or false"))
}

pub(super) fn address<'de, D: Deserializer<'de>>(from: D) -> Result<SocketAddr, D::Error> {
    let allowed = "an address such as \"127.0.0.1:8080\" or \"[::]:8080\"";
    text(from, allowed, parse_address)
}

pub(super) fn address_or_off<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<SocketAddr>, D::Error> {
    let allowed = "an address such as \"127.0.0.1:8080\", or \"\" for off";
    text_or_none(from, allowed, parse_address)
}

pub(super) fn words<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let allowed = format!("a text of 1 to {TEXT_LEN_MAX} bytes without control characters");
    fitting(from, allowed, |text| !text.is_empty())
}

pub(super) fn word<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let fits = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace);
    fitting(from, "one word", fits)
}

pub(super) fn host_port<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    fitting(from, "HOST:PORT", is_host_port)
}

/// The same, or nothing.
pub(super) fn host_port_or_none<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<String>, D::Error> {
    let fits = |text: &str| is_host_port(text).then(|| text.to_owned());
    text_or_none(from, "HOST:PORT, or \"\" for none", fits)
}

fn is_host_port(text: &str) -> bool {
    let parts = text.rsplit_once(':');
    parts.is_some_and(|(host, port)| {
        !host.is_empty() && port.parse::<u16>().is_ok_and(|port| port > 0)
    })
}

pub(super) fn hub_game<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let games = games::ALL.iter().filter(|kit| kit.card().wire == Wire::Hub);
    let known: Vec<&str> = games.map(|kit| kit.card().name).collect();
    let allowed = format!(
        "a game that is played on hubs; there are: {}",
        known.join(", ")
    );
    fitting(from, allowed, |text| known.contains(&text))
}

/// One of an enum's words.
pub(super) fn choice<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    from: D,
) -> Result<T, D::Error> {
    let allowed = format!("one of {}", words_of::<T>());
    text(from, allowed, |text| variant(text).ok())
}

pub(super) fn durability_by_game<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<BTreeMap<String, Durability>, D::Error> {
    #[derive(Deserialize)]
    struct OrNone(#[serde(deserialize_with = "durability_or_none")] Option<Durability>);
    let all = BTreeMap::<String, OrNone>::deserialize(from)?;
    let own = |(game, OrNone(own))| Some((game, own?));
    Ok(all.into_iter().filter_map(own).collect())
}

fn durability_or_none<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Durability>, D::Error> {
    let allowed = format!("one of \"\", {}", words_of::<Durability>());
    text_or_none(from, allowed, |text| variant(text).ok())
}

pub(super) fn budget_by_game<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<BTreeMap<String, Duration>, D::Error> {
    #[derive(Deserialize)]
    struct Budget(#[serde(deserialize_with = "milliseconds::<_, 1, 60_000>")] Duration);
    let all = BTreeMap::<String, Budget>::deserialize(from)?;
    let budgets = all.into_iter().map(|(game, Budget(budget))| (game, budget));
    Ok(budgets.collect())
}

/// Levels of log lines: a word that stands alone is a level, or else a part of the program, which has `::` in its
/// path unless it is a whole package.
pub(super) fn levels<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let allowed =
        "error, warn, info, debug, trace or off, or several such as \"info,drover::session=debug\"";
    let of_program = |word: &str| word.contains("::") || ["drover", "games"].contains(&word);
    let is_level = |word: &str| !word.is_empty() && word.parse::<LevelFilter>().is_ok();
    let known = |word: &str| is_level(word) || of_program(word);
    fitting(from, allowed, |text| {
        let mut words = text.split(',').filter(|word| !word.contains('='));
        let spans = text.contains('[');
        !text.trim().is_empty()
            && (spans || words.all(|word| known(word.trim())))
            && EnvFilter::builder().parse(text).is_ok()
    })
}

pub(super) fn name<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let allowed = "1 to 64 letters, digits, dots, dashes and underscores, and must not look like an IP \
         address: callers without a name are known by theirs";
    fitting(from, allowed, |text| {
        is_name(text) && text.parse::<IpAddr>().is_err()
    })
}

/// A name in a callback's path.
pub(super) fn path_name<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let allowed = "1 to 64 letters, digits, dots, dashes and underscores, must not look like an IP \
         address (callers without a name are known by theirs), and must not be \"local\", which is Drover's own";
    let is_numbers = |text: &str| {
        text.bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'.')
    };
    fitting(from, allowed, |text| {
        is_name(text) && !is_numbers(text) && text != "local"
    })
}

pub(super) fn group<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let allowed = "a group's name or number, or \"\" for none";
    text_or_none(from, allowed, |text| is_name(text).then(|| text.to_owned()))
}

pub(super) fn path<'de, D: Deserializer<'de>, T: From<String>>(from: D) -> Result<T, D::Error> {
    fitting(from, "the path of a file", |text| !text.is_empty()).map(T::from)
}

/// A path, or nothing.
pub(super) fn given<'de, D: Deserializer<'de>, T: From<String>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    let allowed = "the path of a file, or \"\" for none";
    text_or_none(from, allowed, |text| Some(text.to_owned().into()))
}

/// The permissions of a socket, if they are sensible: what a mistyped digit would allow everyone is not accepted.
pub(super) fn mode<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    const ALL: u32 = 0o666;
    const OWNER: u32 = 0o600;
    const OTHERS: u32 = 0o007;
    let allowed = "octal text such as \"0660\": reading and writing only, always for the owner; for everybody \
         only as \"0666\"";
    text(from, allowed, |text| {
        let octal = (3..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
        let mode = u32::from_str_radix(text, 8).ok().filter(|_| octal)?;
        let sensible =
            mode & !ALL == 0 && mode & OWNER == OWNER && (mode & OTHERS == 0 || mode == ALL);
        sensible.then_some(mode)
    })
}

pub(super) fn token<'de, D: Deserializer<'de>>(from: D) -> Result<Secret, D::Error> {
    let allowed = "a token; leave the key out for none";
    fitting(from, allowed, |text| !text.trim().is_empty()).map(Secret::new)
}

pub(super) fn database<'de, D: Deserializer<'de>>(from: D) -> Result<Secret, D::Error> {
    let allowed =
        "sqlite:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE; or \"\" for store.path";
    let fits = |text: &str| text.is_empty() || Location::read(text).is_some();
    fitting(from, allowed, fits).map(Secret::new)
}

pub(super) fn pass_key<'de, D: Deserializer<'de>>(from: D) -> Result<Secret, D::Error> {
    let allowed = format!(
        "at least {KEY_BYTES_MIN} bytes: `openssl rand -hex 32` makes some; or \"\" for a random one"
    );
    let fits = |text: &str| text.is_empty() || text.len() >= KEY_BYTES_MIN;
    fitting(from, allowed, fits).map(Secret::new)
}

/// The prefix of every callback's path, without slashes at its ends.
pub(super) fn path_start<'de, D: Deserializer<'de>>(from: D) -> Result<Secret, D::Error> {
    let allowed = "a word that cannot be guessed, in ASCII without blanks and \" # % < > ? \\ ^ ` { | }: only \
         slashes would leave every bot open to all; or \"\" for none";
    let literal = |byte: u8| byte.is_ascii_graphic() && !b"\"#%<>?\\^`{|}".contains(&byte);
    text(from, allowed, |text| {
        let path = text.trim_matches('/');
        let fits = text.is_empty() || !path.is_empty() && path.bytes().all(literal);
        fits.then(|| Secret::new(path.to_owned()))
    })
}

/// What follows a referee's name in a path.
pub(super) fn path_secret<'de, D: Deserializer<'de>>(from: D) -> Result<Secret, D::Error> {
    let allowed = "1 to 128 letters, digits and -._~, as it stands in a path, or \"\" for none";
    let unreserved = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let fits = |text: &str| text.len() <= PATH_SECRET_LEN_MAX && text.bytes().all(unreserved);
    fitting(from, allowed, fits).map(Secret::new)
}

pub(super) fn texts<'de, D: Deserializer<'de>, T: From<String>>(
    from: D,
) -> Result<Vec<T>, D::Error> {
    list(from, "texts such as [\"final:2\"]", |text| {
        Some(text.to_owned().into())
    })
}

pub(super) fn hosts<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    list(from, "names without ports such as [\"drover\"]", |text| {
        let fits = (1..=HOST_LEN_MAX).contains(&text.len()) && text.bytes().all(plain);
        fits.then(|| text.to_owned())
    })
}

pub(super) fn origins<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let what = "origins such as [\"https://example.org\"], or [\"*\"]";
    list(from, what, |text| {
        let is_origin = Url::parse(text).is_ok_and(|url| {
            ["http", "https"].contains(&url.scheme()) && url.origin().ascii_serialization() == text
        });
        (text == "*" || is_origin).then(|| text.to_owned())
    })
}

pub(super) fn networks<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<IpNet>, D::Error> {
    let what = "IP addresses and networks such as [\"10.0.0.2\", \"fd00::/8\"]";
    list(from, what, parse_network)
}

pub(super) fn targets<'de, D: Deserializer<'de>>(from: D) -> Result<Targets, D::Error> {
    let what = "IP addresses, networks and the word public, such as [\"public\", \"10.0.0.2\", \"fd00::/8\"]";
    let targets = list(from, what, |text| Targets::parse([text]).ok())?;
    Ok(Targets {
        public: targets.iter().any(|target| target.public),
        networks: targets
            .into_iter()
            .flat_map(|target| target.networks)
            .collect(),
    })
}

/// The sections of a list.
pub(super) fn sections<'de, D: Deserializer<'de>, T: confique::Config>(
    from: D,
) -> Result<Vec<T>, D::Error> {
    let layers = Vec::<T::Layer>::deserialize(from)?.into_iter();
    let read = |layer| T::from_layer(layer).map_err(D::Error::custom);
    layers.map(read).collect()
}

fn variant<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    let text: StrDeserializer<'_, Error> = text.into_deserializer();
    T::deserialize(text)
}

/// The words that can be read as a `T`, as serde lists them for a word that cannot.
fn words_of<T: DeserializeOwned>() -> String {
    let why = variant::<T>("")
        .err()
        .map_or_else(String::new, |why| why.to_string());
    let words = why.split('`').skip(3).step_by(2);
    let quoted: Vec<String> = words.map(|word| format!("\"{word}\"")).collect();
    quoted.join(", ")
}

fn is_name(text: &str) -> bool {
    (1..=NAME_LEN_MAX).contains(&text.len()) && text.bytes().all(plain)
}

fn plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_')
}

fn printable(text: &str) -> bool {
    text.len() <= TEXT_LEN_MAX && !text.chars().any(char::is_control)
}
