//! The arbiter's options.

use super::cards::Deck;
use super::dialect::planned;
use super::rules::{Game, PlannedDeal, Setup};
use crate::game::Seat;
use crate::kit::{OptionCard, SetupError};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

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
        "Takes the first word of a reply with more, numbers such as +3 and 03, and skips up to ten lines of other output (B4). Never in rated games.",
    ),
];

/// The clock and how strictly replies are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Conduct {
    /// Milliseconds for the whole game, from 1.
    pub time_ms: u64,
    /// Milliseconds of every command that are not charged.
    pub grace_ms: u64,
    /// Milliseconds of the first reply that are not charged.
    pub start_ms: u64,
    /// Whether replies are read leniently.
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

/// The game that options, seed and number of players describe.
///
/// # Errors
/// [`SetupError`] names the option that cannot be used.
pub fn read(
    options: &Value,
    seed: u64,
    players: usize,
) -> Result<(Arc<Setup>, Conduct), SetupError> {
    let wrong = |why: String| SetupError(format!("planowanie options: {why}"));
    let empty = serde_json::Map::new();
    let given = match options {
        Value::Null => &empty,
        Value::Object(given) => given,
        other => return Err(wrong(format!("an object is wanted, not {other}"))),
    };
    let mut conduct = Conduct::default();
    let (mut values, mut suits) = (
        Deck::CONTEST_VALUES.to_owned(),
        Deck::CONTEST_SUITS.to_owned(),
    );
    let mut deals = None;
    for (name, value) in given {
        match (name.as_str(), value) {
            (_, Value::Null) => {}
            ("values", value) => values = letters(name, value).map_err(wrong)?,
            ("suits", value) => suits = letters(name, value).map_err(wrong)?,
            ("deals", value) => deals = Some(deals_of(value).map_err(wrong)?),
            ("time_ms", value) => conduct.time_ms = milliseconds(name, value, 1).map_err(wrong)?,
            ("grace_ms", value) => {
                conduct.grace_ms = milliseconds(name, value, 0).map_err(wrong)?
            }
            ("start_ms", value) => {
                conduct.start_ms = milliseconds(name, value, 0).map_err(wrong)?
            }
            ("lenient", Value::Bool(lenient)) => conduct.lenient = *lenient,
            ("lenient", value) => {
                return Err(wrong(format!("lenient must be true or false, not {value}")));
            }
            (name, _) => {
                let names: Vec<&str> = OPTIONS.iter().map(|card| card.name).collect();
                let names = names.join(", ");
                return Err(wrong(format!(
                    "there is no option {name:?}; the options are {names}"
                )));
            }
        }
    }
    let deck = Deck::new(&values, &suits).map_err(|why| wrong(why.to_string()))?;
    let deals = deals.unwrap_or_else(|| {
        let most = CARDS_RISING_TO.min(deck.len() / players.max(1));
        Game::rising(most as u8, players)
    });
    let game = Game::new(deck, players, deals).map_err(|why| wrong(why.to_string()))?;
    Ok((Arc::new(Setup::seeded(game, seed)), conduct))
}

/// A text, or a number that is meant as one.
fn letters(name: &str, value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        other => Err(format!("{name} must be a text, not {other}")),
    }
}

fn milliseconds(name: &str, value: &Value, least: u64) -> Result<u64, String> {
    value
        .as_u64()
        .filter(|ms| (least..=TIME_MS_MAX).contains(ms))
        .ok_or_else(|| {
            format!("{name} must be a whole number from {least} to {TIME_MS_MAX}, not {value}")
        })
}

fn deals_of(value: &Value) -> Result<Vec<PlannedDeal>, String> {
    match value {
        Value::String(text) => {
            let words: Vec<&str> = text.split_whitespace().collect();
            planned(&words).map_err(|why| format!("deals: {why}"))
        }
        Value::Array(pairs) => pairs
            .iter()
            .map(|pair| {
                serde_json::from_value(pair.clone())
                    .map(|(cards, leader)| PlannedDeal {
                        cards,
                        leader: Seat(leader),
                    })
                    .map_err(|_| format!("deals: a deal is [cards, leader], not {pair}"))
            })
            .collect(),
        other => Err(format!(
            "deals must be a text or a list of pairs, not {other}"
        )),
    }
}
