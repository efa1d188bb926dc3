//! The arbiter's options.

use super::cards::Deck;
use super::dialect::planned;
use super::rules::{Game, PlannedDeal, Setup};
use drover_game::card::OptionCard;
use drover_game::game::SetupError;
use drover_game::options::{choice, whole};
use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Most cards of a deal where the deals are not given.
const CARDS_RISING_TO: usize = 13;
/// Longest time for a game: a day.
const TIME_MS_MAX: u64 = 86_400_000;

/// What may be set.
pub const OPTIONS: &[OptionCard] = &[
    OptionCard::new(
        "values",
        "\"23456789TJQKA\"",
        "The deck's values, low to high, one character each.",
    ),
    OptionCard::new(
        "suits",
        "\"CDHS\"",
        "The deck's suits, one character each; the first is trump.",
    ),
    OptionCard::new(
        "deals",
        "null",
        "Cards and leader of each deal as in set_game, such as \"3 1 9 0\", or [[3,1],[9,0]]; null: one to thirteen cards (fewer with a small deck), the leader moving on.",
    ),
    OptionCard::new(
        "time_ms",
        "180000",
        "Milliseconds that each player has for the whole game, start-up included.",
    ),
    OptionCard::new(
        "grace_ms",
        "0",
        "Milliseconds of every command that are not charged.",
    ),
    OptionCard::new(
        "start_ms",
        "0",
        "Milliseconds of the first reply that are not charged: an allowance for starting up.",
    ),
    OptionCard::new(
        "lenient",
        "false",
        "Takes the first word of a reply with more, numbers such as +3 and 03, and skips up to ten lines of other output. Never in rated games.",
    ),
];

/// What was set.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Options {
    /// The deck's values, low to high.
    #[serde(deserialize_with = "letters")]
    pub values: String,
    /// The deck's suits; the first is trump.
    #[serde(deserialize_with = "letters")]
    pub suits: String,
    /// Cards and leader of each deal, as a text or pairs; null: rising.
    pub deals: Value,
    /// The clock and how strictly replies are read.
    #[serde(flatten)]
    pub conduct: Conduct,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            values: Deck::CONTEST_VALUES.to_owned(),
            suits: Deck::CONTEST_SUITS.to_owned(),
            deals: Value::Null,
            conduct: Conduct::default(),
        }
    }
}

impl Options {
    /// The game that these options, a seed and a number of players describe.
    ///
    /// # Errors
    /// [`SetupError`] says what cannot be played.
    pub fn position(&self, seed: u64, players: usize) -> Result<Setup, SetupError> {
        let deck = Deck::new(&self.values, &self.suits).map_err(SetupError::new)?;
        let deals = match &self.deals {
            Value::Null => {
                let most = CARDS_RISING_TO.min(deck.len() / players.max(1));
                Game::rising(most as u8, players)
            }
            given => read_deals(given)?,
        };
        let game = Game::new(deck, players, deals).map_err(SetupError::new)?;
        Ok(Setup::seeded(game, seed))
    }
}

/// The clock and how strictly replies are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Conduct {
    /// Milliseconds for the whole game, 1 to a day.
    #[serde(deserialize_with = "whole::<_, 1, TIME_MS_MAX>")]
    pub time_ms: u64,
    /// Milliseconds of every command that are not charged, up to a day.
    #[serde(deserialize_with = "whole::<_, 0, TIME_MS_MAX>")]
    pub grace_ms: u64,
    /// Milliseconds of the first reply that are not charged, up to a day.
    #[serde(deserialize_with = "whole::<_, 0, TIME_MS_MAX>")]
    pub start_ms: u64,
    /// Whether replies are read leniently.
    #[serde(deserialize_with = "choice")]
    pub lenient: bool,
}

impl Default for Conduct {
    fn default() -> Self {
        Self {
            time_ms: 180_000,
            grace_ms: 0,
            start_ms: 0,
            lenient: false,
        }
    }
}

/// A text, or a number that is meant as one.
fn letters<'de, D: Deserializer<'de>>(value: D) -> Result<String, D::Error> {
    match Value::deserialize(value)? {
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        other => Err(D::Error::custom(format!("must be a text, not {other}"))),
    }
}

fn read_deals(value: &Value) -> Result<Vec<PlannedDeal>, SetupError> {
    match value {
        Value::String(text) => {
            let words: Vec<&str> = text.split_whitespace().collect();
            planned(&words).map_err(|why| SetupError(format!("deals: {why}")))
        }
        Value::Array(pairs) => pairs
            .iter()
            .map(|pair| {
                serde_json::from_value(pair.clone())
                    .map(|deal: (u8, u8)| PlannedDeal::from(deal))
                    .map_err(|_| {
                        SetupError(format!("deals: a deal is [cards, leader], not {pair}"))
                    })
            })
            .collect(),
        other => Err(SetupError(format!(
            "deals must be a text or a list of pairs, not {other}"
        ))),
    }
}
