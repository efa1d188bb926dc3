//! Reads a hub's lines in every known form. Unknown words and fields are ignored, so that a hub may say more
//! than this version knows.

use super::argument::{fields, items};
use crate::options::{Key, Options};
use crate::rules::{
    Announced, Area, Direction, DogAction, Land, Players, Seen, SeenDog, SeenSheep, SheepAction,
    Spot, Torus, WrongNumber,
};
use drover_game::game::Seat;

/// The longest side of a world accepted, in cells: four of the largest tiles.
const SIDE_MAX: i64 = 4_000;

/// The largest world accepted, in cells.
const AREA_MAX: usize = 2_000_000;

/// The line after which a hub waits for orders.
pub const TURN: &str = "turn";

/// One line of a hub.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// The player is in the queue.
    Wait,
    /// A match begins.
    Start(Box<Start>),
    /// The world's rows from top to bottom.
    Landscape(Vec<String>),
    /// A turn begins; its number, if given.
    State(Option<u32>),
    /// One object of a turn.
    Object(Object),
    /// Orders are wanted.
    Turn,
    /// A command was refused.
    Warning {
        /// The dog, if named.
        dog: Option<u64>,
        /// Why.
        why: String,
    },
    /// Something was rejected.
    Error(String),
    /// The match is over.
    Finished(Finish),
    /// A line that this version does not know.
    Unknown,
}

/// `start`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The size of the world.
    pub torus: Torus,
    /// Everything else.
    pub announced: Announced,
}

/// `obj`, its dogs by their numbers. Spots may lie outside the world: a caller that knows the world must check.
pub type Object = Seen<u64>;

/// `finished`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Finish {
    /// Whether the reader won, if given.
    pub wins: Option<bool>,
    /// Who won, if anyone.
    pub winner: Option<Seat>,
    /// Why the match was aborted, if it was.
    pub error: Option<String>,
}

/// Whether the hub now expects something or has ended something.
#[must_use]
pub fn completes(line: &str) -> bool {
    matches!(
        word(line).0,
        TURN | "landscape" | "wait" | "error" | "finished"
    )
}

fn word(line: &str) -> (&str, &str) {
    let line = line.trim();
    let (word, argument) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    (word, argument.trim())
}

/// Reads one line.
///
/// # Errors
/// [`StartError`] says which part of a `start` is missing or cannot be played.
pub fn read(line: &str) -> Result<Message, StartError> {
    let (word, argument) = word(line);
    Ok(match word {
        "wait" => Message::Wait,
        "start" => Message::Start(Box::new(start(&Fields::from_argument(argument))?)),
        "landscape" => Message::Landscape(items(argument)),
        "state" => {
            let turn = Fields::from_argument(argument).number("turn");
            Message::State(turn.and_then(|turn| u32::try_from(turn).ok()))
        }
        "obj" => object(&Fields::from_argument(argument)).map_or(Message::Unknown, Message::Object),
        TURN => Message::Turn,
        "warning" => warning(argument),
        "error" => Message::Error(argument.to_owned()),
        "finished" => Message::Finished(finish(&Fields::from_argument(argument))),
        _ => Message::Unknown,
    })
}

struct Fields(Vec<(String, String)>);

impl Fields {
    fn from_argument(argument: &str) -> Self {
        Self(fields(argument))
    }

    fn text(&self, key: &str) -> Option<&str> {
        let field = self.0.iter().find(|(name, _)| name == key)?;
        Some(&field.1)
    }

    fn number(&self, key: &str) -> Option<i64> {
        self.text(key)?.parse().ok()
    }

    fn needed(&self, key: &'static str, most: i64) -> Result<u16, StartError> {
        let text = self.text(key).ok_or(StartError::Missing(key))?;
        let number = text
            .parse()
            .ok()
            .filter(|number| (0..=most).contains(number));
        number
            .and_then(|number: i64| u16::try_from(number).ok())
            .ok_or_else(|| StartError::NoNumber(key, text.to_owned(), most))
    }

    fn spot(&self) -> Option<Spot> {
        let coordinate = |key| u16::try_from(self.number(key)?).ok();
        Some(Spot::new(coordinate("x")?, coordinate("y")?))
    }

    fn seat(&self, key: &str) -> Option<Seat> {
        let player = u8::try_from(self.number(key)?).ok()?;
        player.checked_sub(1).map(Seat)
    }
}

/// Why a `start` begins no match.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// It lacks a field.
    #[error("start has no {0}")]
    Missing(&'static str),
    /// A field, its value, and the greatest one allowed.
    #[error("start: {0} is {1:?}, not a number of 0 to {2}")]
    NoNumber(&'static str, String, i64),
    /// A side of the world is 0.
    #[error("start: {0} is 0")]
    Zero(&'static str),
    /// The world has this many cells.
    #[error("start: a world of {0} cells is not played on; {AREA_MAX} are the most")]
    TooLarge(usize),
    /// The number of players.
    #[error(transparent)]
    Players(#[from] WrongNumber),
    /// The reader is none of the players.
    #[error("start does not say who the reader is")]
    NoReader,
}

fn start(fields: &Fields) -> Result<Start, StartError> {
    let side = |key| match fields.needed(key, SIDE_MAX)? {
        0 => Err(StartError::Zero(key)),
        side => Ok(side),
    };
    let torus = Torus::new(side("cols")?, side("rows")?);
    if torus.area() > AREA_MAX {
        return Err(StartError::TooLarge(torus.area()));
    }
    let players = Players::try_from(fields.needed("players", 255)? as u8)?;
    let seat = fields
        .seat("you")
        .filter(|seat| seat.index() < players.count())
        .ok_or(StartError::NoReader)?;
    let corner = |x, y| {
        let (x, y) = (fields.needed(x, SIDE_MAX)?, fields.needed(y, SIDE_MAX)?);
        Ok::<_, StartError>(Spot::new(x, y))
    };
    let tile = Area {
        first: corner("x1", "y1")?,
        last: corner("x2", "y2")?,
    };
    // A value outside our ranges is played as the nearest value inside them.
    let options = Key::ALL
        .into_iter()
        .fold(Options::default(), |options, key| {
            let (least, most) = (
                i64::from(*key.range().start()),
                i64::from(*key.range().end()),
            );
            let given = fields.number(key.name());
            let value = given.map(|value| value.clamp(least, most));
            value
                .and_then(|value| options.with(key, value).ok())
                .unwrap_or(options)
        });
    let count = |key| {
        let count = fields.number(key).unwrap_or(0);
        u32::try_from(count.clamp(0, i64::from(u16::MAX))).unwrap_or(0)
    };
    Ok(Start {
        torus,
        announced: Announced {
            players,
            seat,
            tile,
            options,
            sheep_of_tile: count("maxSheepsCount"),
            penned_of_tile: count("iniSheepsCount"),
        },
    })
}

fn object(fields: &Fields) -> Option<Object> {
    let spot = fields.spot()?;
    let voice = fields.text("voice").is_some();
    match fields.text("type") {
        Some("Dog") => Some(Seen::Dog(SeenDog {
            id: u64::try_from(fields.number("id")?).ok()?,
            spot,
            owner: fields.seat("owner")?,
            action: named(&DogAction::ALL, DogAction::word, fields.text("action"))
                .unwrap_or(DogAction::Move),
            voice,
        })),
        Some("Sheep") => Some(Seen::Sheep(SeenSheep {
            spot,
            action: named(&SheepAction::ALL, SheepAction::word, fields.text("action"))
                .unwrap_or(SheepAction::StandBy),
            direction: named(&Direction::ALL, Direction::word, fields.text("direction"))
                .unwrap_or(Direction::Down),
        })),
        _ => voice.then_some(Seen::Voice(spot)),
    }
}

fn named<T: Copy>(all: &[T], word: fn(T) -> &'static str, text: Option<&str>) -> Option<T> {
    all.iter().copied().find(|one| Some(word(*one)) == text)
}

fn warning(argument: &str) -> Message {
    let (first, rest) = argument.split_once(' ').unwrap_or((argument, ""));
    let (dog, why) = match first.parse() {
        Ok(dog) => (Some(dog), rest),
        Err(_) => (None, argument),
    };
    let why = why.to_owned();
    Message::Warning { dog, why }
}

fn finish(fields: &Fields) -> Finish {
    Finish {
        wins: match fields.text("youWin") {
            Some("true" | "1") => Some(true),
            Some("false" | "0") => Some(false),
            _ => None,
        },
        winner: fields.seat("winner"),
        error: fields.text("error").map(str::to_owned),
    }
}

/// The landscape's cells, row by row.
#[must_use]
pub fn cells(rows: &[String], players: Players) -> Vec<Land> {
    let letters = rows.iter().flat_map(|row| row.chars());
    letters
        .map(|letter| Land::from_letter(letter, players))
        .collect()
}
