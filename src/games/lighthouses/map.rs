//! Map files: rows of text, the top row first (README.md, section 2).

use super::rules::{Chart, Point};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The most cells in a map's side.
pub const SIDE_MAX: usize = 256;
/// The most lighthouses on a map: sets of them are one machine word.
pub const LIGHTHOUSES_MAX: usize = 64;
/// The most bytes in a map file: the largest map with room for line ends.
pub const FILE_BYTES_MAX: usize = SIDE_MAX * (SIDE_MAX + 2) * 4;

/// Sea in map files.
const SEA: char = '#';
/// An empty island cell.
const ISLAND: char = ' ';
/// A lighthouse.
const LIGHTHOUSE: char = '!';

/// Why a text is not a map.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MapError {
    /// More bytes than a map file may have.
    #[error("the map has {bytes} bytes; at most {FILE_BYTES_MAX} are read")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// No rows at all.
    #[error("the map is empty")]
    Empty,
    /// A side is too long.
    #[error("the map is {width} x {height}; at most {SIDE_MAX} x {SIDE_MAX} is played on")]
    TooLarge {
        /// Cells of a row.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// Rows differ in length.
    #[error(
        "row {row} has {width} cells, the first row {first}: All map rows must have the same width"
    )]
    Ragged {
        /// Counted from 1, from the top.
        row: usize,
        /// Its cells.
        width: usize,
        /// The first row's cells.
        first: usize,
    },
    /// An island cell on the border.
    #[error("row {row}, column {column} is {letter:?}: Map border must not be part of island")]
    Border {
        /// Counted from 1, from the top.
        row: usize,
        /// Counted from 1, from the left.
        column: usize,
        /// The character there.
        letter: char,
    },
    /// Too few lighthouses or too many.
    #[error("the map has {count} lighthouses; it must have 1 to {LIGHTHOUSES_MAX}")]
    Lighthouses {
        /// How many.
        count: usize,
    },
    /// No player can start.
    #[error("the map has no start cell: any character but {SEA:?}, {ISLAND:?} and {LIGHTHOUSE:?}")]
    NoStart,
    /// The island is not connected.
    #[error(
        "row {row}, column {column} cannot be reached from row {from_row}, column {from_column}: the island must be connected"
    )]
    Apart {
        /// Counted from 1, from the top.
        row: usize,
        /// Counted from 1, from the left.
        column: usize,
        /// Counted from 1, from the top.
        from_row: usize,
        /// Counted from 1, from the left.
        from_column: usize,
    },
}

/// A map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Map {
    width: usize,
    height: usize,
    /// Whether each cell is island, the bottom row first.
    island: Vec<bool>,
    lighthouses: Vec<Point>,
    /// Start cells with their characters, in the order of players.
    starts: Vec<(char, Point)>,
}

impl Map {
    /// Reads a map file. `\r\n` ends a row as `\n` does.
    ///
    /// # Errors
    /// [`MapError`] says what is wrong where.
    pub fn read(text: &str) -> Result<Self, MapError> {
        if text.len() > FILE_BYTES_MAX {
            return Err(MapError::TooLong { bytes: text.len() });
        }
        let rows: Vec<Vec<char>> = text.lines().map(|line| line.chars().collect()).collect();
        let (height, width) = (rows.len(), rows.first().map_or(0, Vec::len));
        if width == 0 {
            return Err(MapError::Empty);
        }
        if width > SIDE_MAX || height > SIDE_MAX {
            return Err(MapError::TooLarge { width, height });
        }
        let ragged = (1..).zip(&rows).find(|(_, row)| row.len() != width);
        if let Some((row, letters)) = ragged {
            return Err(MapError::Ragged {
                row,
                width: letters.len(),
                first: width,
            });
        }
        let mut map = Self {
            width,
            height,
            island: Vec::with_capacity(width * height),
            lighthouses: Vec::new(),
            starts: Vec::new(),
        };
        for (y, row) in rows.iter().rev().enumerate() {
            for (x, letter) in row.iter().copied().enumerate() {
                let border = x == 0 || y == 0 || x + 1 == width || y + 1 == height;
                if border && letter != SEA {
                    return Err(MapError::Border {
                        row: height - y,
                        column: x + 1,
                        letter,
                    });
                }
                map.island.push(letter != SEA);
                let point = Point::from((x as i32, y as i32));
                match letter {
                    SEA | ISLAND => {}
                    LIGHTHOUSE => map.lighthouses.push(point),
                    letter => map.starts.push((letter, point)),
                }
            }
        }
        map.starts.sort_by_key(|(letter, at)| (*letter, at.x, at.y));
        let count = map.lighthouses.len();
        if count == 0 || count > LIGHTHOUSES_MAX {
            return Err(MapError::Lighthouses { count });
        }
        if map.starts.is_empty() {
            return Err(MapError::NoStart);
        }
        map.connected()?;
        Ok(map)
    }

    /// Every island cell must be reachable from every other one by king's moves.
    fn connected(&self) -> Result<(), MapError> {
        let mut unreached = self.island.clone();
        let Some(first) = unreached.iter().position(|island| *island) else {
            return Ok(());
        };
        let mut open = vec![first];
        unreached[first] = false;
        while let Some(cell) = open.pop() {
            // The border is sea: no island cell lies on it.
            for row in [cell - self.width, cell, cell + self.width] {
                for next in [row - 1, row, row + 1] {
                    if std::mem::take(&mut unreached[next]) {
                        open.push(next);
                    }
                }
            }
        }
        let Some(apart) = unreached.iter().position(|island| *island) else {
            return Ok(());
        };
        let place = |cell: usize| (self.height - cell / self.width, cell % self.width + 1);
        let ((row, column), (from_row, from_column)) = (place(apart), place(first));
        Err(MapError::Apart {
            row,
            column,
            from_row,
            from_column,
        })
    }

    /// Cells of a row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    #[must_use]
    pub fn height(&self) -> usize {
        self.height
    }

    /// Whether each cell is island, the bottom row first.
    #[must_use]
    pub fn island(&self) -> &[bool] {
        &self.island
    }

    /// The lighthouses: the bottom row first, left to right within a row.
    #[must_use]
    pub fn lighthouses(&self) -> &[Point] {
        &self.lighthouses
    }

    /// Start cells in the order of players.
    pub fn starts(&self) -> impl ExactSizeIterator<Item = Point> {
        self.starts.iter().map(|(_, point)| *point)
    }

    /// The map with all that follows from it.
    #[must_use]
    pub fn chart(&self) -> Chart {
        Chart::new(self.width, self.island.clone(), &self.lighthouses)
    }
}

impl fmt::Display for Map {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let things: BTreeMap<Point, char> = self
            .starts
            .iter()
            .map(|(letter, at)| (*at, *letter))
            .chain(self.lighthouses.iter().map(|at| (*at, LIGHTHOUSE)))
            .collect();
        for y in (0..self.height).rev() {
            let mut row = String::with_capacity(self.width + 1);
            for x in 0..self.width {
                let point = Point::from((x as i32, y as i32));
                let land = if self.island[y * self.width + x] {
                    ISLAND
                } else {
                    SEA
                };
                row.push(things.get(&point).copied().unwrap_or(land));
            }
            row.push('\n');
            out.write_str(&row)?;
        }
        Ok(())
    }
}

impl TryFrom<String> for Map {
    type Error = MapError;
    fn try_from(text: String) -> Result<Self, MapError> {
        Self::read(&text)
    }
}

impl From<Map> for String {
    fn from(map: Map) -> Self {
        map.to_string()
    }
}
