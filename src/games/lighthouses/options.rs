//! The referee's options.

use super::atlas;
use super::dialect::engine::Neutral;
use super::generate::{Style, generate};
use super::map::Map;
use super::rules::{ROUNDS_MAX, Setup};
use crate::kit::OptionCard;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::time::Duration;

/// Rounds of a game in the contest.
const ROUNDS: u32 = 1_200;
/// Longest time that may be set: an hour.
const TIME_MS_MAX: u64 = 3_600_000;
/// Longest pause before a state.
const PAUSE_US_MAX: u64 = 1_000_000;
/// The map that is drawn by the match's seed.
const DRAWN: &str = "drawn";

/// What may be set.
pub const OPTIONS: &[OptionCard] = &[
    OptionCard::new(
        "map",
        "null",
        "The island: the name of a map of ours, `drawn` for one drawn by the match's seed, or a map file's text; null: by seed one of ours that has room for all.",
    ),
    OptionCard::new(
        "rounds",
        "1200",
        "Rounds of a game, which bots are never told.",
    ),
    OptionCard::new(
        "neutral",
        "\"-1\"",
        "How a lighthouse is told that nobody owns: -1 as contests do, or null as the public engine does and bots of 2013 and 2014 expect.",
    ),
    OptionCard::new(
        "start_ms",
        "2000",
        "Milliseconds for the greeting; a bot without one is dropped.",
    ),
    OptionCard::new(
        "soft_ms",
        "100",
        "Milliseconds for a turn; a later command still counts, and is counted as late.",
    ),
    OptionCard::new(
        "hard_ms",
        "500",
        "Milliseconds for a turn after which it has passed without a command.",
    ),
    OptionCard::new(
        "on_silence",
        "\"drop\"",
        "What becomes of a bot after hard_ms: drop (its player stands where he is, still collecting and scoring) or pass (the turn passes, and the line is thrown away when it comes).",
    ),
    OptionCard::new(
        "pause_us",
        "0",
        "Microseconds between a result and the next state, for bots that throw away what has come in when they read a result; 1000 will do.",
    ),
];

/// What becomes of a bot that does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum OnSilence {
    /// It is not spoken to any more; its player stands.
    #[default]
    Drop,
    /// The turn passes, and its late line is thrown away.
    Pass,
}

/// How bots are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Conduct {
    /// How nobody's lighthouses are told.
    pub neutral: Neutral,
    /// Milliseconds for the greeting, from 1.
    pub start_ms: u64,
    /// Milliseconds for a turn after which a command counts as late, from 1.
    pub soft_ms: u64,
    /// Milliseconds for a turn, from 1.
    pub hard_ms: u64,
    /// What follows after that.
    pub on_silence: OnSilence,
    /// Microseconds before a state that follows a result.
    pub pause_us: u64,
}

impl Default for Conduct {
    fn default() -> Self {
        Self {
            neutral: Neutral::MinusOne,
            start_ms: 2_000,
            soft_ms: 100,
            hard_ms: 500,
            on_silence: OnSilence::Drop,
            pause_us: 0,
        }
    }
}

impl Conduct {
    /// Whether every time lies in its range.
    ///
    /// # Errors
    /// A sentence that names the one that does not.
    pub fn check(&self) -> Result<(), String> {
        for (name, ms) in [
            ("start_ms", self.start_ms),
            ("soft_ms", self.soft_ms),
            ("hard_ms", self.hard_ms),
        ] {
            whole(name, &ms.into(), 1, TIME_MS_MAX)?;
        }
        whole("pause_us", &self.pause_us.into(), 0, PAUSE_US_MAX).map(drop)
    }

    /// Time for the greeting.
    #[must_use]
    pub fn start(&self) -> Duration {
        Duration::from_millis(self.start_ms)
    }

    /// Time for a turn without being late.
    #[must_use]
    pub fn soft(&self) -> Duration {
        Duration::from_millis(self.soft_ms)
    }

    /// Time for a turn.
    #[must_use]
    pub fn hard(&self) -> Duration {
        Duration::from_millis(self.hard_ms)
    }

    /// The pause before a state.
    #[must_use]
    pub fn pause(&self) -> Duration {
        Duration::from_micros(self.pause_us)
    }
}

/// The game that options, seed and number of players describe.
///
/// # Errors
/// A sentence that names the option that cannot be used.
pub fn read(options: &Value, seed: u64, players: usize) -> Result<(Setup, Conduct), String> {
    let empty = serde_json::Map::new();
    let given = match options {
        Value::Null => &empty,
        Value::Object(given) => given,
        other => return Err(format!("an object is wanted, not {other}")),
    };
    let mut conduct = Conduct::default();
    let mut rounds = ROUNDS;
    for (name, value) in given {
        let milliseconds = || whole(name, value, 1, TIME_MS_MAX);
        match name.as_str() {
            _ if value.is_null() && name != "neutral" => {}
            "map" => {}
            "rounds" => {
                let most = u64::from(ROUNDS_MAX);
                rounds = whole(name, value, 1, most)? as u32;
            }
            "neutral" => conduct.neutral = neutral(value)?,
            "start_ms" => conduct.start_ms = milliseconds()?,
            "soft_ms" => conduct.soft_ms = milliseconds()?,
            "hard_ms" => conduct.hard_ms = milliseconds()?,
            "on_silence" => {
                conduct.on_silence = serde_json::from_value(value.clone())
                    .map_err(|_| format!("on_silence must be drop or pass, not {value}"))?;
            }
            "pause_us" => {
                conduct.pause_us = whole(name, value, 0, PAUSE_US_MAX)?;
            }
            name => {
                let names: Vec<&str> = OPTIONS.iter().map(|card| card.name).collect();
                let names = names.join(", ");
                return Err(format!(
                    "there is no option {name:?}; the options are {names}"
                ));
            }
        }
    }
    let map = named_map(given.get("map"), seed, players)?;
    let setup = Setup {
        map,
        players,
        rounds,
    };
    setup.check()?;
    Ok((setup, conduct))
}

fn whole(name: &str, value: &Value, least: u64, most: u64) -> Result<u64, String> {
    value
        .as_u64()
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| format!("{name} must be a whole number from {least} to {most}, not {value}"))
}

/// `-1` and `null` are taken as texts and as what they look like.
fn neutral(value: &Value) -> Result<Neutral, String> {
    match value {
        Value::Null => Ok(Neutral::Null),
        Value::String(word) if word == "null" => Ok(Neutral::Null),
        Value::String(word) if word == "-1" => Ok(Neutral::MinusOne),
        Value::Number(number) if number.as_i64() == Some(-1) => Ok(Neutral::MinusOne),
        other => Err(format!("neutral must be -1 or null, not {other}")),
    }
}

fn named_map(wanted: Option<&Value>, seed: u64, players: usize) -> Result<Map, String> {
    match wanted {
        None | Some(Value::Null) => {
            let maps = atlas::MAPS.iter().map(|(_, text)| Map::read(text));
            let roomy = maps.filter_map(|map| map.ok().filter(|map| map.starts().len() >= players));
            let mut roomy: Vec<Map> = roomy.collect();
            if roomy.is_empty() {
                return Err(format!(
                    "no map of ours has start cells for {players} players"
                ));
            }
            let at = (seed % roomy.len() as u64) as usize;
            Ok(roomy.swap_remove(at))
        }
        Some(Value::String(text)) if text.contains('\n') => {
            Map::read(text).map_err(|why| format!("map: {why}"))
        }
        Some(Value::String(name)) if name == DRAWN => {
            let style = Style {
                players,
                ..Style::default()
            };
            generate(seed, &style)
        }
        Some(Value::String(name)) => match atlas::find(name) {
            Some(map) => map.map_err(|why| why.to_string()),
            None => {
                let names: Vec<&str> = atlas::MAPS.iter().map(|(name, _)| *name).collect();
                Err(format!(
                    "there is no map {name:?}; there are {}, and {DRAWN}",
                    names.join(", ")
                ))
            }
        },
        Some(other) => Err(format!("map must be a text, not {other}")),
    }
}
