//! The referee's options.

use super::atlas;
use super::dialect::engine::Neutral;
use super::generate::{Style, generate};
use super::map::Map;
use super::rules::{ROUNDS_MAX, Setup};
use drover_game::card::OptionCard;
use drover_game::game::SetupError;
use drover_game::options::{choice, maybe_whole, text, within};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

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
        "The island: the name of a shipped map, `drawn` for one drawn by the match's seed, or a map file's text; null: by seed a shipped one that has room for all.",
    ),
    OptionCard::new("rounds", "1200", "Rounds of a game; bots do not know it."),
    OptionCard::new(
        "neutral",
        "\"-1\"",
        "How an unowned lighthouse is reported: -1 as contests do, or null as the public engine does and bots of 2013 and 2014 expect.",
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
        "The rule for a bot after hard_ms: drop (its player stands where it is, still collecting and scoring) or pass (the turn passes, and the line is thrown away when it comes).",
    ),
    OptionCard::new(
        "pause_us",
        "0",
        "Microseconds between a result and the next state, for bots that throw away what has come in when they read a result; 1000 will do.",
    ),
];

/// The rule for a bot that does not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum OnSilence {
    /// It is not spoken to any more; its player stands.
    #[default]
    Drop,
    /// The turn passes, and its late line is thrown away.
    Pass,
}

/// Everything that a game is refereed from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefereeSetup {
    /// The game.
    pub position: Setup,
    /// How bots are treated.
    #[serde(default)]
    pub conduct: Conduct,
}

/// How bots are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Conduct {
    /// How nobody's lighthouses are reported.
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
    /// [`SetupError`] names the one that does not.
    pub fn check(&self) -> Result<(), SetupError> {
        for (name, ms) in [
            ("start_ms", self.start_ms),
            ("soft_ms", self.soft_ms),
            ("hard_ms", self.hard_ms),
        ] {
            within(&ms.into(), 1, TIME_MS_MAX)
                .map_err(|why| SetupError(format!("{name} {why}")))?;
        }
        let pause = within(&self.pause_us.into(), 0, PAUSE_US_MAX);
        pause
            .map(drop)
            .map_err(|why| SetupError(format!("pause_us {why}")))
    }
}

/// What is set; what is not is as in the contest.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Options {
    #[serde(deserialize_with = "text")]
    map: Option<String>,
    #[serde(deserialize_with = "maybe_whole::<_, 1, { ROUNDS_MAX as u64 }>")]
    rounds: Option<u64>,
    #[serde(deserialize_with = "neutral")]
    neutral: Neutral,
    #[serde(deserialize_with = "maybe_whole::<_, 1, TIME_MS_MAX>")]
    start_ms: Option<u64>,
    #[serde(deserialize_with = "maybe_whole::<_, 1, TIME_MS_MAX>")]
    soft_ms: Option<u64>,
    #[serde(deserialize_with = "maybe_whole::<_, 1, TIME_MS_MAX>")]
    hard_ms: Option<u64>,
    #[serde(deserialize_with = "choice")]
    on_silence: OnSilence,
    #[serde(deserialize_with = "maybe_whole::<_, 0, PAUSE_US_MAX>")]
    pause_us: Option<u64>,
}

impl Options {
    /// The game of this seed and number of players.
    ///
    /// # Errors
    /// [`SetupError`] names the option that cannot be used.
    pub fn set_up(self, seed: u64, players: usize) -> Result<RefereeSetup, SetupError> {
        let usual = Conduct::default();
        let conduct = Conduct {
            neutral: self.neutral,
            start_ms: self.start_ms.unwrap_or(usual.start_ms),
            soft_ms: self.soft_ms.unwrap_or(usual.soft_ms),
            hard_ms: self.hard_ms.unwrap_or(usual.hard_ms),
            on_silence: self.on_silence,
            pause_us: self.pause_us.unwrap_or(usual.pause_us),
        };
        let position = Setup::new(
            named_map(self.map.as_deref(), seed, players)?,
            players,
            self.rounds.map_or(ROUNDS, |rounds| rounds as u32),
        );
        position.check()?;
        Ok(RefereeSetup { position, conduct })
    }
}

/// `-1` and `null` are taken as texts and as what they look like.
fn neutral<'de, D: Deserializer<'de>>(value: D) -> Result<Neutral, D::Error> {
    match Value::deserialize(value)? {
        Value::Null => Ok(Neutral::Null),
        Value::String(word) if word == "null" => Ok(Neutral::Null),
        Value::String(word) if word == "-1" => Ok(Neutral::MinusOne),
        Value::Number(number) if number.as_i64() == Some(-1) => Ok(Neutral::MinusOne),
        other => Err(D::Error::custom(format!("must be -1 or null, not {other}"))),
    }
}

fn named_map(wanted: Option<&str>, seed: u64, players: usize) -> Result<Map, SetupError> {
    match wanted {
        None => {
            let maps = atlas::MAPS.iter().map(|(_, text)| Map::read(text));
            let roomy = maps.filter_map(|map| map.ok().filter(|map| map.starts().len() >= players));
            let mut roomy: Vec<Map> = roomy.collect();
            if roomy.is_empty() {
                return Err(SetupError(format!(
                    "no built-in map has start cells for {players} players"
                )));
            }
            let at = (seed % roomy.len() as u64) as usize;
            Ok(roomy.swap_remove(at))
        }
        Some(text) if text.contains('\n') => {
            Map::read(text).map_err(|why| SetupError(format!("map: {why}")))
        }
        Some(name) if name == DRAWN => {
            let style = Style {
                players,
                ..Style::default()
            };
            generate(seed, &style)
        }
        Some(name) => match atlas::find(name) {
            Some(map) => map,
            None => {
                let names: Vec<&str> = atlas::MAPS.iter().map(|(name, _)| *name).collect();
                Err(SetupError(format!(
                    "there is no map {name:?}; there are {}, and {DRAWN}",
                    names.join(", ")
                )))
            }
        },
    }
}
