//! The rooms of a hub: how many play in each.

use games::Kit;
use std::fmt;
use std::str::FromStr;

/// The room of players that name none.
pub(super) const USUAL_ROOM: &str = "default";
/// The longest name of a room, in characters.
const NAME_MAX: usize = 32;

/// One room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// Its name, in lower case.
    pub name: String,
    /// The number of players with which a match may begin.
    pub fewest: usize,
    /// The number of players with which it begins at once.
    pub most: usize,
}

/// Why a text does not describe a room.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RoomError {
    /// Wrong form.
    #[error(
        "{0:?} is not a room: write NAME:PLAYERS or NAME:FEWEST-MOST, such as duet:2 or default:2-4"
    )]
    Form(String),
    /// A name that cannot be requested.
    #[error("room {0:?}: a name has 1 to {NAME_MAX} letters, digits, dashes and underscores")]
    Name(String),
    /// More or fewer players than the game has seats.
    #[error("room {name:?}: {game} has {fewest} to {most} players")]
    Players {
        /// The room's name.
        name: String,
        /// The game.
        game: &'static str,
        /// The fewest that play it.
        fewest: usize,
        /// The most.
        most: usize,
    },
    /// A range that ends before it begins.
    #[error(
        "room {name:?}: {fewest}-{most} is no range of players: the fewest come first, as in {most}-{fewest}"
    )]
    Range {
        /// The room's name.
        name: String,
        /// The number before the dash.
        fewest: usize,
        /// The number after it.
        most: usize,
    },
    /// Two rooms with one name.
    #[error("room {0:?} is given twice")]
    Twice(String),
}

impl Room {
    fn new(name: &str, fewest: usize, most: usize) -> Self {
        Self {
            name: name.to_owned(),
            fewest,
            most,
        }
    }

    /// A room's name as it is kept: players may write `#` before it, and so may its maker.
    #[must_use]
    pub fn plain(name: &str) -> String {
        name.trim().trim_start_matches('#').to_lowercase()
    }

    /// The rooms of the official server.
    #[must_use]
    pub fn official() -> Vec<Self> {
        vec![
            Self::new(USUAL_ROOM, 2, 4),
            Self::new("solo", 1, 1),
            Self::new("duet", 2, 2),
            Self::new("trio", 3, 3),
            Self::new("quartet", 4, 4),
        ]
    }

    /// The official rooms followed by these; one with an official name replaces it.
    ///
    /// # Errors
    /// [`RoomError`] naming the room that cannot be used.
    pub fn with(more: &[String], kit: &dyn Kit) -> Result<Vec<Self>, RoomError> {
        let mut rooms = Self::official();
        let mut named = Vec::new();
        for text in more {
            let room: Self = text.parse()?;
            let (fewest, most) = kit.card().seats.clone().into_inner();
            if room.fewest < fewest || room.most > most {
                let (name, game) = (room.name, kit.card().name);
                return Err(RoomError::Players {
                    name,
                    game,
                    fewest,
                    most,
                });
            }
            if named.contains(&room.name) {
                return Err(RoomError::Twice(room.name));
            }
            named.push(room.name.clone());
            rooms.retain(|known| known.name != room.name);
            rooms.push(room);
        }
        Ok(rooms)
    }
}

impl FromStr for Room {
    type Err = RoomError;

    fn from_str(text: &str) -> Result<Self, RoomError> {
        let form = || RoomError::Form(text.to_owned());
        let (name, players) = text.trim().split_once(':').ok_or_else(form)?;
        let (fewest, most) = players.split_once('-').unwrap_or((players, players));
        let count = |text: &str| text.trim().parse::<usize>().map_err(|_| form());
        let name = Self::plain(name);
        let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
        if name.is_empty() || name.len() > NAME_MAX || !name.chars().all(plain) {
            return Err(RoomError::Name(name));
        }
        let (fewest, most) = (count(fewest)?, count(most)?);
        match fewest > most {
            true => Err(RoomError::Range { name, fewest, most }),
            false => Ok(Self::new(&name, fewest, most)),
        }
    }
}

impl fmt::Display for Room {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.fewest == self.most {
            write!(f, "{}:{}", self.name, self.most)
        } else {
            write!(f, "{}:{}-{}", self.name, self.fewest, self.most)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Room;

    #[test]
    fn rooms_as_text() {
        let kit = games::find("smartdog").unwrap();
        let with = |texts: &[&str]| {
            let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
            Room::with(&texts, kit).map(|rooms| rooms.iter().map(Room::to_string).collect())
        };
        let official = ["default:2-4", "solo:1", "duet:2", "trio:3", "quartet:4"];
        let plain: Vec<String> = with(&[]).unwrap();
        assert_eq!(plain, official);
        let more: Vec<String> = with(&["#Final:2", " #duet:2-3"]).unwrap();
        assert_eq!(more[3..], ["quartet:4", "final:2", "duet:2-3"]);
        for (texts, what) in [
            (vec!["duet"], "NAME:PLAYERS"),
            (vec!["a b:2"], "letters"),
            (vec!["five:5"], "1 to 4 players"),
            (
                vec!["final:4-2"],
                "4-2 is no range of players: the fewest come first, as in 2-4",
            ),
            (vec!["x:1", "#X:2"], "twice"),
        ] {
            assert!(with(&texts).unwrap_err().to_string().contains(what));
        }
    }
}
