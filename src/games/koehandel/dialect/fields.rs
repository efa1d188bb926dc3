//! Splits a query text into its fields, without copying where nothing is percent-encoded.

use drover_game::wire::WireError;
use std::borrow::Cow;

/// Longest text accepted, in bytes. The longest that our referee sends is the history of 376 raises: under 3
/// KiB.
pub const FRAME_MAX: usize = 8 * 1024;
/// Highest number of a market or player: JSON and SQLite hold integers up to here exactly.
pub const NUMBER_MAX: u64 = (1 << 53) - 1;

const NAMES: [&str; 8] = [
    "market",
    "id",
    "type",
    "goods",
    "opponent",
    "money",
    "auctioneer",
    "message",
];

/// The fields of one text. An empty value is distinct from a missing one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fields<'a> {
    values: [Option<Cow<'a, str>>; 8],
    any: bool,
}

impl<'a> Fields<'a> {
    /// Splits `?key=value&…`, with or without the leading `?`; trims white space around it and ignores
    /// unknown keys.
    ///
    /// # Errors
    /// A text that is too long or not ASCII, a bad percent-encoding, or a known field given twice: which one
    /// is meant cannot be known.
    pub fn cut(frame: &'a [u8]) -> Result<Self, WireError> {
        let size = frame.len();
        if size > FRAME_MAX {
            let why = format!("{size} bytes are more than the {FRAME_MAX} that are read");
            return Err(error("query", why));
        }
        if !frame.is_ascii() {
            return Err(error("query", "it holds bytes that are not ASCII"));
        }
        let text = std::str::from_utf8(frame).map_err(|_| error("query", "it is not text"))?;
        let text = text.trim();
        let text = text.strip_prefix('?').unwrap_or(text);
        let mut fields = Self::default();
        for pair in text.split('&') {
            let (name, value) = match pair.split_once('=') {
                Some((name, value)) => {
                    fields.any = true;
                    (name, value)
                }
                None => (pair, ""),
            };
            let name = decode(name)?;
            let known = NAMES
                .iter()
                .zip(&mut fields.values)
                .find(|(known, _)| **known == name);
            if let Some((known, slot)) = known {
                if slot.is_some() {
                    return Err(error(known, "it is given twice; send it once"));
                }
                *slot = Some(decode(value)?);
            }
        }
        Ok(fields)
    }

    /// Whether the text had any `key=value` at all.
    #[must_use]
    pub fn any(&self) -> bool {
        self.any
    }

    /// The number of the match.
    ///
    /// # Errors
    /// Missing, not a number, 0, or above [`NUMBER_MAX`].
    pub fn market(&self) -> Result<u64, WireError> {
        number("market", self.value(0))
    }

    /// The number of the player.
    ///
    /// # Errors
    /// Missing, not a number, 0, or above [`NUMBER_MAX`].
    pub fn id(&self) -> Result<u64, WireError> {
        number("id", self.value(1))
    }

    /// `type`; empty if missing.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.value(2).unwrap_or_default()
    }

    /// `goods`; empty if missing.
    #[must_use]
    pub fn goods(&self) -> &str {
        self.value(3).unwrap_or_default()
    }

    /// `opponent`; empty if missing.
    #[must_use]
    pub fn opponent(&self) -> &str {
        self.value(4).unwrap_or_default()
    }

    /// `money`, if given.
    #[must_use]
    pub fn money(&self) -> Option<&str> {
        self.value(5)
    }

    /// `auctioneer`; empty if missing.
    #[must_use]
    pub fn auctioneer(&self) -> &str {
        self.value(6).unwrap_or_default()
    }

    /// `message`; empty if missing.
    #[must_use]
    pub fn message(&self) -> &str {
        self.value(7).unwrap_or_default()
    }

    fn value(&self, place: usize) -> Option<&str> {
        self.values.get(place)?.as_deref()
    }
}

pub(super) fn error(field: &'static str, why: impl Into<String>) -> WireError {
    let why = why.into();
    WireError { field, why }
}

fn number(field: &'static str, text: Option<&str>) -> Result<u64, WireError> {
    let text = text.unwrap_or_default();
    if text.is_empty() {
        return Err(error(field, "it is missing; every callback carries it"));
    }
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(error(field, "it must be a whole number above 0"));
    }
    match text.parse::<u64>() {
        Ok(0) => Err(error(field, "it must be above 0")),
        Ok(number) if number <= NUMBER_MAX => Ok(number),
        _ => Err(error(field, format!("it must be at most {NUMBER_MAX}"))),
    }
}

/// Undoes percent-encoding. Plain text is borrowed.
fn decode(text: &str) -> Result<Cow<'_, str>, WireError> {
    if !text.contains('%') {
        return Ok(Cow::Borrowed(text));
    }
    let why = "a percent sign is not followed by two hexadecimal digits of an ASCII character";
    let error = || error("query", why);
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let byte = match byte {
            b'%' => {
                let mut digit = || rest.next().and_then(|digit| (digit as char).to_digit(16));
                let high = digit().ok_or_else(error)?;
                let low = digit().ok_or_else(error)?;
                u8::try_from(high * 16 + low)
                    .ok()
                    .filter(u8::is_ascii)
                    .ok_or_else(error)?
            }
            byte => byte,
        };
        decoded.push(byte as char);
    }
    Ok(Cow::Owned(decoded))
}
