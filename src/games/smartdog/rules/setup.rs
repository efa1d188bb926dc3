//! What a match starts from: a map, the number of players, the hub's options.

use crate::map::Map;
use crate::options::Options;
use serde::{Deserialize, Serialize};

/// The number of players. Each has its own layout of tiles (README.md, section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub enum Players {
    /// A single tile.
    One,
    /// Side by side.
    Two,
    /// The diagonal of a square of nine.
    Three,
    /// Staggered in two rows.
    Four,
}

impl Players {
    /// All numbers of players, the fewest first.
    pub const ALL: [Players; 4] = [Players::One, Players::Two, Players::Three, Players::Four];

    /// 1 to 4.
    #[must_use]
    pub const fn count(self) -> usize {
        self as usize + 1
    }

    /// Rows of tiles; numbers are players counted from 1, 0 is an empty tile of grass.
    #[must_use]
    pub const fn layout(self) -> &'static [&'static [u8]] {
        match self {
            Players::One => &[&[1]],
            Players::Two => &[&[1, 2]],
            Players::Three => &[&[1, 0, 0], &[0, 2, 0], &[0, 0, 3]],
            Players::Four => &[&[1, 0, 3, 0], &[0, 2, 0, 4]],
        }
    }
}

impl TryFrom<u8> for Players {
    type Error = WrongNumber;

    fn try_from(count: u8) -> Result<Self, WrongNumber> {
        Self::ALL
            .into_iter()
            .find(|players| players.count() == usize::from(count))
            .ok_or(WrongNumber(count))
    }
}

/// A number of players that cannot play.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} cannot play; a game has 1 to 4 players")]
pub struct WrongNumber(pub u8);

impl From<Players> for u8 {
    fn from(players: Players) -> u8 {
        players as u8 + 1
    }
}

/// Everything that a match follows from, together with its commands. The game has no randomness.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The tile that every player gets a copy of. Its header takes precedence over `options`.
    pub map: Map,
    /// The number of players.
    pub players: Players,
    /// The hub's options.
    #[serde(default)]
    pub options: Options,
}

impl Setup {
    /// This many players on this map, at a hub with the official options.
    #[must_use]
    pub fn on_map(map: Map, players: Players) -> Self {
        let options = Options::default();
        Self {
            map,
            players,
            options,
        }
    }
}
