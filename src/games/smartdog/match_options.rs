//! What may be set of a match that we referee.

use super::atlas;
use super::generate::{Style, generate};
use super::map::Map;
use super::options::Key;
use super::referee::OnFault;
use super::rules::{Players, Setup};
use drover_game::card::OptionCard;
use drover_game::game::SetupError;
use drover_game::options::text;
use serde::Deserialize;
use serde::de::{Deserializer, Error as _};
use serde_json::{Map as Object, Value};

/// The map that is drawn by the match's seed.
const DRAWN: &str = "drawn";

/// What may be set.
pub const OPTIONS: &[OptionCard] = &[
    OptionCard::new(
        "map",
        "null",
        "The tile that every player gets: the name of a shipped map, `drawn` for one drawn by the match's seed, or a map file's text; null: a shipped map by seed.",
    ),
    OptionCard::new(
        "on_fault",
        "\"forfeit\"",
        "When a player is gone or out of time: forfeit (it scores -10, the others play on) or abort (over for all, as at the official server).",
    ),
    OptionCard::new(
        "turnsLimit",
        "null",
        "Turns of the match; null: as the map says.",
    ),
    OptionCard::new(
        "dogVisibilityR",
        "null",
        "Radius in cells of a dog's sight; null: as the map says.",
    ),
    OptionCard::new(
        "dogBarkingR",
        "null",
        "Radius in cells of a bark; null: as the map says.",
    ),
    OptionCard::new(
        "sheepScaryTurns",
        "null",
        "Turns for which a frightened sheep runs; null: as the map says.",
    ),
    OptionCard::new(
        "dogScaryTurns",
        "null",
        "Turns for which an enemy's bark disables a dog; null: as the map says.",
    ),
    OptionCard::new(
        "sheepStandBy",
        "null",
        "Turns for which a calm sheep stands between two steps; null: as the map says.",
    ),
    OptionCard::new(
        "waitForTurn",
        "null",
        "Milliseconds that players have for a turn; null: as the map says.",
    ),
];

/// What was set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct MatchOptions {
    /// A map's name or text; a built-in one by seed unless it is given.
    #[serde(deserialize_with = "text")]
    map: Option<String>,
    /// What a fault leads to, as JSON has it.
    on_fault: Option<Value>,
    /// Rules that are not as the map says.
    #[serde(flatten, deserialize_with = "numbers")]
    rules: Vec<(Key, i64)>,
}

impl MatchOptions {
    /// The position that these options, a seed and a number of players describe.
    ///
    /// # Errors
    /// [`SetupError`] says what cannot be played.
    pub fn position(&self, seed: u64, players: usize) -> Result<Setup, SetupError> {
        let players = u8::try_from(players)
            .map_err(|_| SetupError(format!("{players} cannot play")))
            .and_then(|count| Players::try_from(count).map_err(SetupError::new))?;
        let mut map = named_map(self.map.as_deref(), seed)?;
        for (key, number) in &self.rules {
            map = map.with(*key, *number)?;
        }
        Ok(Setup::on_map(map, players))
    }

    /// What a fault leads to.
    ///
    /// # Errors
    /// [`SetupError`] lists what it can lead to.
    pub fn on_fault(self) -> Result<OnFault, SetupError> {
        let read = self.on_fault.map(serde_json::from_value).transpose();
        read.map(Option::unwrap_or_default)
            .map_err(|why| SetupError(format!("on_fault: {why}")))
    }
}

fn numbers<'de, D: Deserializer<'de>>(values: D) -> Result<Vec<(Key, i64)>, D::Error> {
    let given = Object::deserialize(values)?;
    let known = given
        .iter()
        .filter_map(|(name, value)| Some((Key::from_name(name)?, value)));
    let number = |(key, value): (Key, &Value)| {
        let number = value.as_i64().map(|number| (key, number));
        number.ok_or_else(|| D::Error::custom(format!("must be a whole number, not {value}")))
    };
    known.map(number).collect()
}

/// The map of this name or text, or one by seed.
fn named_map(wanted: Option<&str>, seed: u64) -> Result<Map, SetupError> {
    match wanted {
        None => {
            let at = (seed % atlas::MAPS.len() as u64) as usize;
            let (_, text) = atlas::MAPS[at];
            Map::read(text)
        }
        Some(text) if text.contains('\n') => {
            Map::read(text).map_err(|why| SetupError(format!("map: {why}")))
        }
        Some(DRAWN) => Ok(generate(seed, &Style::default())),
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
