//! The formats of tournaments: what is asked of their settings, how many rounds they have, and the next one.

use super::history::History;
use super::round::{Field, Past, Round};
use super::{groups, robin};
use crate::pairing::{Mode, RANDOM_ROUNDS};
use crate::results::PLAYERS_MAX;
use serde::{Deserialize, Serialize};

/// Seats of a table at most.
pub const SEATS_MAX: usize = 64;
/// Rounds of a tournament at most.
pub const ROUNDS_MAX: usize = 100_000;

/// How a tournament's rounds are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "format", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Format {
    /// Everybody meets everybody: each two once a lap.
    RoundRobin {
        /// How often, from 1.
        #[serde(default = "one")]
        laps: u32,
    },
    /// The contest's groups: in every round all play, with the house filling up the last group. Some rounds are
    /// drawn at random, all others by which games tell most about the ratings of the leaders.
    Groups {
        /// How many rounds in all, from 1.
        rounds: u32,
        /// How groups are made once the random rounds are over.
        #[serde(default)]
        mode: Mode,
        /// How many rounds are drawn at random.
        #[serde(default = "random_rounds")]
        random_rounds: u32,
    },
}

const fn one() -> u32 {
    1
}

const fn random_rounds() -> u32 {
    RANDOM_ROUNDS as u32
}

/// Why a format cannot be played by a field.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// A table of too few or too many seats.
    #[error("a table has {0} seats; a tournament's has 2 to {SEATS_MAX}")]
    Seats(usize),
    /// Nobody or only one to play.
    #[error("there are {0} entrants beside the house's; a tournament needs 2 or more")]
    Few(usize),
    /// More entrants than can be rated.
    #[error("there are {0} entrants; at most {PLAYERS_MAX}")]
    Many(usize),
    /// Not even one table can be filled.
    #[error("{all} entrants, the house's included, fill no table of {seats}")]
    NoTable {
        /// All entrants.
        all: usize,
        /// Seats of a table.
        seats: usize,
    },
    /// A round robin of more than pairs.
    #[error("a table has {0} seats; a round robin is played by pairs")]
    Pairs(usize),
    /// A setting out of its range.
    #[error("{name} is {value}, which should be {least} to {most}")]
    Setting {
        /// Its name.
        name: &'static str,
        /// What it is.
        value: u32,
        /// From here.
        least: usize,
        /// To here.
        most: usize,
    },
    /// Too long a tournament.
    #[error("that makes {0} rounds; at most {ROUNDS_MAX}")]
    Long(usize),
}

impl Format {
    /// Whether a field can play this.
    ///
    /// # Errors
    /// [`FormatError`] says what does not fit.
    pub fn check(&self, field: &Field) -> Result<(), FormatError> {
        let (entrants, all) = (field.entrants, field.entrants.saturating_add(field.house));
        if !(2..=SEATS_MAX).contains(&field.seats) {
            return Err(FormatError::Seats(field.seats));
        } else if entrants < 2 {
            return Err(FormatError::Few(entrants));
        } else if all > PLAYERS_MAX {
            return Err(FormatError::Many(all));
        } else if all < field.seats {
            let seats = field.seats;
            return Err(FormatError::NoTable { all, seats });
        }
        if matches!(self, Self::RoundRobin { .. }) && field.seats > 2 {
            return Err(FormatError::Pairs(field.seats));
        }
        let (name, value, least, most) = match *self {
            Self::RoundRobin { laps } => ("laps", laps, 1, ROUNDS_MAX),
            Self::Groups { rounds, .. } => ("rounds", rounds, 1, ROUNDS_MAX),
        };
        if !(least..=most).contains(&(value as usize)) {
            return Err(FormatError::Setting {
                name,
                value,
                least,
                most,
            });
        }
        match self.length(field) {
            long if long > ROUNDS_MAX => Err(FormatError::Long(long)),
            _ => Ok(()),
        }
    }

    fn length(&self, field: &Field) -> usize {
        match *self {
            Self::RoundRobin { laps } => robin::rounds_a_lap(field) * laps as usize,
            Self::Groups { rounds, .. } => rounds as usize,
        }
    }

    /// How many rounds the tournament has; `None` for a field that cannot play it.
    #[must_use]
    pub fn rounds(&self, field: &Field) -> Option<u32> {
        self.check(field).ok()?;
        Some(self.length(field) as u32)
    }

    /// The next round; `None` after the last one, and for a field that cannot play this.
    ///
    /// # Panics
    /// If the past is that of a larger field.
    #[must_use]
    pub fn next(&self, field: &Field, past: &Past<'_>) -> Option<Round> {
        let number = past.rounds.len();
        if number >= self.rounds(field)? as usize {
            return None;
        }
        let history = History::new(field, past);
        let mut round = match *self {
            Self::RoundRobin { .. } => robin::pairs(field, number),
            Self::Groups {
                mode,
                random_rounds,
                ..
            } => groups::round(field, past, &history, (mode, random_rounds)),
        };
        history.seat(&mut round);
        Some(round)
    }
}
