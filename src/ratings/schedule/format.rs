//! The formats of tournaments: what is asked of their settings, how many rounds they have, and the next one.

use super::history::History;
use super::round::{Field, Past, Round};
use super::{gauntlet, groups, knock_out, robin, swiss};
use crate::pairing::{Mode, RANDOM_ROUNDS};
use crate::results::PLAYERS_MAX;
use serde::{Deserialize, Serialize};

/// Seats of a table at most.
pub const SEATS_MAX: usize = 64;
/// Rounds of a tournament at most.
pub const ROUNDS_MAX: usize = 100_000;

/// How a tournament's rounds are made. In every round all tables play the same deals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "format", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Format {
    /// Everybody meets everybody, in as few rounds as there can be.
    ///
    /// Tables of two: each two meet once a lap. Larger tables: each set of entrants that fills a table meets once a
    /// lap, if there are 10,000 sets at most; otherwise a lap has as many rounds as are needed for each two to meet
    /// about once, and they meet as evenly as can be arranged. The house's entrants who complete the last table are
    /// in it like all others.
    RoundRobin {
        /// How often, from 1.
        #[serde(default = "one")]
        laps: u32,
    },
    /// Each hero meets all others, the rivals; heroes do not meet.
    ///
    /// Larger tables: one hero and rivals. In each lap each rival is at a table with each hero, once but for those
    /// who complete a last table if the house does not.
    Gauntlet {
        /// How many of the first entrants are heroes.
        #[serde(default = "one")]
        heroes: u32,
        /// How often, from 1.
        #[serde(default = "one")]
        laps: u32,
    },
    /// Those meet who have about as many points a table; the first round is drawn at random.
    ///
    /// Tables of two: nobody meets again as long as others are left. Larger tables: groups of like standing; having
    /// met once counts as much as being half the field apart, as not everybody can be new. The house's entrants who
    /// complete the last table play like all others.
    Swiss {
        /// How many rounds, from 1.
        rounds: u32,
    },
    /// The contest's groups: in every round all play. Some rounds are drawn at random, all others by which games
    /// reveal most about the ratings of the leaders.
    ///
    /// Tables of any size are the groups. The house's entrants who fill up the last one are drawn and rated like
    /// all others.
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
    /// Who loses is out. Each round is drawn at random, with those apart who met already.
    ///
    /// Larger tables: the best of each table go on, by points at it, then in all, then by lot, until all who are
    /// left sit at one table, the final. The house's entrants never go on. If too few are left for the final and
    /// the house does not complete it, the best of those who went out last do.
    KnockOut {
        /// How many of a table go on, from 1 to all but one.
        #[serde(default = "one")]
        advance: u32,
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
    #[error("there are {0} entrants besides the house's; a tournament needs 2 or more")]
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
    /// Too few rivals for a gauntlet.
    #[error("{0} rivals, the house's included, fill no table with a hero; name fewer heroes")]
    Rivals(usize),
    /// A setting out of its range.
    #[error("{name} is {value}, which should be 1 to {most}")]
    Setting {
        /// Its name.
        name: &'static str,
        /// What it is.
        value: u32,
        /// What it may be at most.
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
        for (name, value, most) in self.settings(field) {
            if !(1..=most).contains(&(value as usize)) {
                return Err(FormatError::Setting { name, value, most });
            }
        }
        if let Self::Gauntlet { heroes, .. } = *self {
            let rivals = all - heroes as usize;
            if rivals < field.seats - 1 {
                return Err(FormatError::Rivals(rivals));
            }
        }
        match self.length(field) {
            long if long > ROUNDS_MAX => Err(FormatError::Long(long)),
            _ => Ok(()),
        }
    }

    /// The settings that have to be 1 or more, and what each may be at most.
    fn settings(&self, field: &Field) -> Vec<(&'static str, u32, usize)> {
        match *self {
            Self::RoundRobin { laps } => vec![("laps", laps, ROUNDS_MAX)],
            Self::Gauntlet { heroes, laps } => vec![
                ("heroes", heroes, field.entrants - 1),
                ("laps", laps, ROUNDS_MAX),
            ],
            Self::Swiss { rounds } | Self::Groups { rounds, .. } => {
                vec![("rounds", rounds, ROUNDS_MAX)]
            }
            Self::KnockOut { advance } => vec![("advance", advance, field.seats - 1)],
        }
    }

    /// How many rounds there are if all settings are in their ranges.
    fn length(&self, field: &Field) -> usize {
        match *self {
            Self::RoundRobin { laps } => robin::rounds_a_lap(field) * laps as usize,
            Self::Gauntlet { heroes, laps } => {
                gauntlet::rounds_a_lap(field, heroes as usize) * laps as usize
            }
            Self::Swiss { rounds } | Self::Groups { rounds, .. } => rounds as usize,
            Self::KnockOut { advance } => knock_out::rounds(field, advance as usize),
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
    /// If the past is not that of this field, each round with its points.
    #[must_use]
    pub fn next(&self, field: &Field, past: &Past<'_>) -> Option<Round> {
        let number = past.rounds.len();
        let rounds = self.rounds(field)? as usize;
        if number >= rounds {
            return match self {
                Self::KnockOut { .. } => knock_out::play_off(past, number - rounds),
                _ => None,
            };
        }
        let history = History::new(field, past);
        let mut round = match *self {
            Self::RoundRobin { .. } => robin::round(field, &history, number),
            Self::Gauntlet { heroes, .. } => {
                gauntlet::round(field, &history, heroes as usize, number)
            }
            Self::Swiss { .. } => swiss::round(field, &history, number),
            Self::KnockOut { advance } => knock_out::round(field, past, &history, advance as usize),
            Self::Groups {
                mode,
                random_rounds,
                ..
            } => groups::round(field, past, &history, mode, random_rounds),
        };
        history.seat(&mut round);
        Some(round)
    }
}
