//! The options of a game: their wire names, ranges and defaults (README.md, section 1).

use drover_game::SetupError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// How many options there are.
pub(super) const KEYS: usize = 7;

/// One option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// Turns of a game, 1 to 100,000.
    TurnsLimit,
    /// Radius in cells of a dog's sight, 0 to 1,000.
    DogVisibilityR,
    /// Radius in cells of a bark, 0 to 1,000.
    DogBarkingR,
    /// Turns for which a frightened sheep runs, 0 to 10,000.
    SheepScaryTurns,
    /// Turns for which an enemy's bark disables a dog, 0 to 10,000.
    DogScaryTurns,
    /// Turns for which a calm sheep stands between two steps, 0 to 100,000.
    SheepStandBy,
    /// Milliseconds that players have for a turn, 1 to 86,400,000.
    WaitForTurn,
}

impl Key {
    /// Every option, in the order in which map files are written.
    pub const ALL: [Key; KEYS] = [
        Key::TurnsLimit,
        Key::DogVisibilityR,
        Key::DogBarkingR,
        Key::SheepScaryTurns,
        Key::DogScaryTurns,
        Key::SheepStandBy,
        Key::WaitForTurn,
    ];

    /// The name on the wire and in map files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Key::TurnsLimit => "turnsLimit",
            Key::DogVisibilityR => "dogVisibilityR",
            Key::DogBarkingR => "dogBarkingR",
            Key::SheepScaryTurns => "sheepScaryTurns",
            Key::DogScaryTurns => "dogScaryTurns",
            Key::SheepStandBy => "sheepStandBy",
            Key::WaitForTurn => "waitForTurn",
        }
    }

    /// The option with this [`name`](Self::name).
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|key| key.name() == name)
    }

    /// The values allowed.
    #[must_use]
    pub const fn range(self) -> RangeInclusive<u32> {
        match self {
            Key::TurnsLimit => 1..=100_000,
            Key::DogVisibilityR | Key::DogBarkingR => 0..=1_000,
            Key::SheepScaryTurns | Key::DogScaryTurns => 0..=10_000,
            Key::SheepStandBy => 0..=100_000,
            Key::WaitForTurn => 1..=86_400_000,
        }
    }

    /// Whether the official configuration holds the default as a text: `start` then quotes it.
    #[must_use]
    pub const fn is_text_by_default(self) -> bool {
        !matches!(self, Key::TurnsLimit | Key::WaitForTurn)
    }

    const fn default(self) -> u32 {
        match self {
            Key::TurnsLimit => 100,
            Key::SheepScaryTurns => 1,
            Key::DogVisibilityR | Key::DogBarkingR | Key::DogScaryTurns | Key::SheepStandBy => 4,
            Key::WaitForTurn => 300_000,
        }
    }

    pub(super) const fn index(self) -> usize {
        self as usize
    }

    /// The value, if the option may have it.
    ///
    /// # Errors
    /// [`SetupError`] names the range.
    pub fn accept(self, value: i64) -> Result<u32, SetupError> {
        let (name, range) = (self.name(), self.range());
        let number = u32::try_from(value).ok();
        number
            .filter(|number| range.contains(number))
            .ok_or_else(|| {
                let (least, most) = (range.start(), range.end());
                SetupError(format!(
                    "{name} is {value}, but must lie in {least} to {most}"
                ))
            })
    }
}

/// A value for every option, each within its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "BTreeMap<String, i64>", into = "BTreeMap<String, i64>")]
#[schemars(with = "BTreeMap<String, i64>")]
pub struct Options([u32; KEYS]);

impl Options {
    /// The value of an option.
    #[must_use]
    pub const fn get(&self, key: Key) -> u32 {
        self.0[key.index()]
    }

    /// The same options but for one.
    ///
    /// # Errors
    /// [`SetupError`] names the range.
    pub fn with(mut self, key: Key, value: i64) -> Result<Self, SetupError> {
        self.0[key.index()] = key.accept(value)?;
        Ok(self)
    }
}

impl Default for Options {
    /// The official configuration for maps without a header.
    fn default() -> Self {
        Self(Key::ALL.map(Key::default))
    }
}

impl TryFrom<BTreeMap<String, i64>> for Options {
    type Error = SetupError;

    fn try_from(values: BTreeMap<String, i64>) -> Result<Self, SetupError> {
        values.into_iter().try_fold(
            Self::default(),
            |options, (name, value)| match Key::from_name(&name) {
                Some(key) => options.with(key, value),
                None => {
                    let names = Key::ALL.map(Key::name).join(", ");
                    Err(SetupError(format!(
                        "there is no option {name:?}; the options are {names}"
                    )))
                }
            },
        )
    }
}

impl From<Options> for BTreeMap<String, i64> {
    fn from(options: Options) -> Self {
        Key::ALL
            .into_iter()
            .map(|key| (key.name().to_owned(), i64::from(options.get(key))))
            .collect()
    }
}
