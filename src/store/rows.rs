//! How the store's types are stored in columns.

use super::error::StoreError;
use super::types::{Direction, NewSession, Side};
use crate::store::sql::Row;
use games::{Cause, Participation};
use serde::Deserialize;
use serde::de::{DeserializeOwned, IntoDeserializer as _};

/// A bot's name without its version, as lists and keys have it.
pub(crate) fn without_version(bot: &str) -> &str {
    bot.split_once('@').map_or(bot, |(name, _)| name)
}

impl Direction {
    pub(crate) const fn number(self) -> i64 {
        match self {
            Direction::In => 0,
            Direction::Out => 1,
        }
    }

    pub(crate) fn from_number(number: i64) -> Result<Self, StoreError> {
        match number {
            0 => Ok(Direction::In),
            1 => Ok(Direction::Out),
            other => Err(StoreError::Corrupt(format!("direction {other}"))),
        }
    }
}

impl Side {
    /// The word stored and shown.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Side::Player => "player",
            Side::Referee => "referee",
        }
    }
}

pub(crate) fn cause(word: &str) -> Result<Cause, StoreError> {
    Cause::from_word(word).ok_or_else(|| StoreError::Corrupt(format!("cause {word}")))
}

/// One of a few words, as serde reads them.
pub(crate) fn word<T: DeserializeOwned>(word: &str) -> Result<T, StoreError> {
    let read: Result<T, serde::de::value::Error> = T::deserialize(word.into_deserializer());
    read.map_err(|error| StoreError::Corrupt(error.to_string()))
}

/// Anything that a column holds as JSON.
pub(crate) fn json<T: DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| StoreError::Corrupt(format!("{error} in {text}")))
}

pub(crate) fn seat(number: Option<i64>) -> Result<Option<u8>, StoreError> {
    number
        .map(|number| {
            u8::try_from(number).map_err(|_| StoreError::Corrupt(format!("seat {number}")))
        })
        .transpose()
}

/// How a seat took part, as statements give it: how, turn, detail, decisions, fallback; all null where it is not known.
#[derive(Debug, Deserialize)]
pub(crate) struct Part(
    Option<games::Part>,
    Option<u32>,
    Option<String>,
    Option<u32>,
    Option<u32>,
);

impl From<Part> for Option<Participation> {
    fn from(Part(how, turn, detail, decisions, fallback): Part) -> Self {
        Some(Participation {
            how: how?,
            turn,
            detail: detail.unwrap_or_default(),
            decisions,
            fallback,
        })
    }
}

/// Reads a session's row as it was opened from a row that begins with: id, match_id, side, game, bot,
/// referee, market, player, seat, seed, setup, durability.
pub(crate) fn opened(row: &Row) -> Result<NewSession, StoreError> {
    Ok(NewSession {
        match_id: row.try_get(1)?,
        side: word(row.try_get(2)?)?,
        game: row.try_get(3)?,
        bot: row.try_get(4)?,
        referee: row.try_get(5)?,
        market: row.try_get::<i64>(6)? as u64,
        player: row.try_get::<i64>(7)? as u64,
        seat: seat(row.try_get(8)?)?,
        seed: row.try_get::<i64>(9)? as u64,
        setup: json(row.try_get(10)?)?,
        durability: word(row.try_get(11)?)?,
    })
}
