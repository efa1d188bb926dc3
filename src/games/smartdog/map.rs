//! Map files in the official format: a header of options, then one player's tile (README.md, section 1).

use super::options::{KEYS, Key, Options};
use drover_game::SetupError;
use drover_game::text::without_mark;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// The most cells in a tile's side.
pub const SIDE_MAX: usize = 1_000;
/// The most sheep on a tile.
pub const SHEEP_MAX: usize = 500;
/// The most dogs on a tile.
pub const DOGS_MAX: usize = 100;
/// The most bytes in the header's line.
pub const HEADER_BYTES_MAX: usize = 4_096;
/// The most bytes in a map file: the largest tile with room for line ends and margins.
pub const FILE_BYTES_MAX: usize = 2 * SIDE_MAX * SIDE_MAX;

/// What a cell of a map file holds at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Square {
    /// `.`
    Grass,
    /// `#`
    Wall,
    /// `^`
    Tree,
    /// `-`
    Pen,
    /// `o`: a sheep on a pen cell.
    PennedSheep,
    /// `*`: a sheep on grass.
    Sheep,
    /// `@`: a dog on grass.
    Dog,
}

impl Square {
    const ALL: [Square; 7] = [
        Square::Grass,
        Square::Wall,
        Square::Tree,
        Square::Pen,
        Square::PennedSheep,
        Square::Sheep,
        Square::Dog,
    ];

    /// The letter in map files.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Square::Grass => '.',
            Square::Wall => '#',
            Square::Tree => '^',
            Square::Pen => '-',
            Square::PennedSheep => 'o',
            Square::Sheep => '*',
            Square::Dog => '@',
        }
    }

    /// The square with this [`letter`](Self::letter).
    #[must_use]
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|square| square.letter() == letter)
    }

    /// Whether a sheep starts here.
    #[must_use]
    pub const fn has_sheep(self) -> bool {
        matches!(self, Square::Sheep | Square::PennedSheep)
    }
}

/// A map's own options. The hub decides those it does not set.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Header {
    values: [Option<u32>; KEYS],
    extra: BTreeMap<String, i64>,
}

impl Header {
    /// The map's own value of an option, if it has one.
    #[must_use]
    pub const fn get(&self, key: Key) -> Option<u32> {
        self.values[key.index()]
    }

    /// Sets the map's own value of an option.
    ///
    /// # Errors
    /// [`SetupError`].
    pub fn set(&mut self, key: Key, value: i64) -> Result<(), SetupError> {
        self.values[key.index()] = Some(key.accept(value)?);
        Ok(())
    }

    /// Keys that are not options. The official server forwards them to the players.
    #[must_use]
    pub const fn extra(&self) -> &BTreeMap<String, i64> {
        &self.extra
    }

    /// The options of a game on this map at a hub whose options are `hub`.
    #[must_use]
    pub fn over(&self, hub: Options) -> Options {
        Key::ALL.into_iter().fold(hub, |options, key| {
            let own = self.get(key).map(i64::from);
            // Own values were checked when they were set.
            own.and_then(|own| options.with(key, own).ok())
                .unwrap_or(options)
        })
    }

    fn read(line: usize, text: &str) -> Result<Self, SetupError> {
        if text.len() > HEADER_BYTES_MAX {
            let bytes = text.len();
            let why = format!("the header has {bytes} bytes; at most {HEADER_BYTES_MAX} are read");
            return Err(wrong(line, why));
        }
        let values: BTreeMap<String, Value> = serde_json::from_str(text).map_err(|why| {
            let why = format!("the header must be one JSON object on one line: {why}");
            wrong(line, why)
        })?;
        let mut header = Self::default();
        for (key, value) in values {
            let Some(number) = whole(&value) else {
                let why = format!("the header's {key:?} must be a whole number, not {value}");
                return Err(wrong(line, why));
            };
            match Key::from_name(&key) {
                Some(key) => header.set(key, number).map_err(|why| wrong(line, why))?,
                None => {
                    header.extra.insert(key, number);
                }
            }
        }
        Ok(header)
    }

    fn entries(&self) -> impl Iterator<Item = (&str, i64)> {
        let own = |key: Key| Some((key.name(), i64::from(self.get(key)?)));
        let extra = self.extra.iter().map(|(key, value)| (key.as_str(), *value));
        Key::ALL.into_iter().filter_map(own).chain(extra)
    }
}

/// A whole number, bare or quoted: hubs send both.
fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::String(text) => text.parse().ok(),
        number => number.as_i64(),
    }
}

/// One map file: the tile that every player gets a copy of, and its options.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Map {
    header: Header,
    cols: usize,
    squares: Vec<Square>,
}

impl Map {
    /// A map of these rows.
    ///
    /// # Errors
    /// [`SetupError`] for missing or ragged rows (lines are then counted from the first row) and for sizes
    /// beyond the limits of this module.
    pub fn new(header: Header, rows: &[Vec<Square>]) -> Result<Self, SetupError> {
        let cols = rows.first().map_or(0, Vec::len);
        if cols == 0 {
            return Err(empty());
        }
        for (line, row) in (1..).zip(rows) {
            same_length(line, row.len(), cols)?;
        }
        Self {
            header,
            cols,
            squares: rows.concat(),
        }
        .within_limits()
    }

    /// Reads a map file. Blank lines, margins and carriage returns are dropped.
    ///
    /// # Errors
    /// [`SetupError`] says what is wrong in which line.
    pub fn read(text: &str) -> Result<Self, SetupError> {
        if text.len() > FILE_BYTES_MAX {
            let bytes = text.len();
            let why = format!("the map has {bytes} bytes; at most {FILE_BYTES_MAX} are read");
            return Err(SetupError(why));
        }
        let mut lines = (1..)
            .zip(without_mark(text).lines())
            .map(|(number, line)| (number, line.trim()))
            .filter(|(_, line)| !line.is_empty())
            .peekable();
        let header = match lines.next_if(|(_, line)| line.starts_with('{')) {
            Some((number, line)) => Header::read(number, line)?,
            None => Header::default(),
        };
        let mut squares = Vec::new();
        let mut first = None;
        for (number, line) in lines {
            let before = squares.len();
            read_row(number, line, &mut squares)?;
            let cols = squares.len() - before;
            same_length(number, cols, *first.get_or_insert(cols))?;
        }
        let cols = first.ok_or_else(empty)?;
        Self {
            header,
            cols,
            squares,
        }
        .within_limits()
    }

    /// The same map with its own value of an option.
    ///
    /// # Errors
    /// [`SetupError`].
    pub fn with(mut self, key: Key, value: i64) -> Result<Self, SetupError> {
        self.header.set(key, value)?;
        Ok(self)
    }

    /// The map's own options.
    #[must_use]
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// Cells per row, 1 to [`SIDE_MAX`].
    #[must_use]
    pub const fn cols(&self) -> usize {
        self.cols
    }

    /// Rows, 1 to [`SIDE_MAX`].
    #[must_use]
    pub fn rows(&self) -> usize {
        self.squares.len() / self.cols
    }

    /// The rows from top to bottom.
    pub fn iter(&self) -> impl Iterator<Item = &[Square]> {
        self.squares.chunks(self.cols)
    }

    /// How many squares of the tile satisfy `which`.
    pub fn count(&self, which: impl Fn(Square) -> bool) -> usize {
        self.squares.iter().filter(|square| which(**square)).count()
    }

    fn within_limits(self) -> Result<Self, SetupError> {
        let sheep = self.count(Square::has_sheep);
        let dogs = self.count(|square| square == Square::Dog);
        for (what, count, max) in [
            ("rows", self.rows(), SIDE_MAX),
            ("columns", self.cols, SIDE_MAX),
            ("sheep", sheep, SHEEP_MAX),
            ("dogs", dogs, DOGS_MAX),
        ] {
            if count > max {
                let why = format!("the tile has {count} {what}; at most {max} are allowed");
                return Err(SetupError(why));
            }
        }
        Ok(self)
    }
}

fn read_row(line: usize, row: &str, squares: &mut Vec<Square>) -> Result<(), SetupError> {
    for (column, letter) in (1..).zip(row.chars()) {
        squares.push(Square::from_letter(letter).ok_or_else(|| {
            let why = format!("{letter:?} is none of `.#^-o*@`");
            SetupError(format!("line {line}, column {column}: {why}"))
        })?);
    }
    Ok(())
}

fn wrong(line: usize, why: impl fmt::Display) -> SetupError {
    SetupError(format!("line {line}: {why}"))
}

fn empty() -> SetupError {
    SetupError("the map has no rows".to_owned())
}

fn same_length(line: usize, cols: usize, first: usize) -> Result<(), SetupError> {
    if cols == first {
        Ok(())
    } else {
        let why =
            format!("the row has {cols} cells, the first row {first}; all rows are equally long");
        Err(wrong(line, why))
    }
}

/// The map file: the header, if it has content, then the rows.
impl fmt::Display for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let entries: Vec<String> = self
            .header
            .entries()
            .map(|(key, value)| format!("{}: {value}", Value::from(key)))
            .collect();
        if !entries.is_empty() {
            writeln!(f, "{{{}}}", entries.join(", "))?;
        }
        for row in self.iter() {
            let row: String = row.iter().map(|square| square.letter()).collect();
            writeln!(f, "{row}")?;
        }
        Ok(())
    }
}

impl TryFrom<String> for Map {
    type Error = SetupError;

    fn try_from(text: String) -> Result<Self, SetupError> {
        Self::read(&text)
    }
}

impl From<Map> for String {
    fn from(map: Map) -> Self {
        map.to_string()
    }
}
