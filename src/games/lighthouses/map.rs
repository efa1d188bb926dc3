//! Map files: rows of text, the top row first (README.md, section 2).

use super::rules::{Chart, Point};
pub use super::rules::{LIGHTHOUSES_MAX, SIDE_MAX};
use drover_game::SetupError;
use drover_game::text::without_mark;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The most bytes in a map file: the largest map with room for line ends.
pub const FILE_BYTES_MAX: usize = SIDE_MAX * (SIDE_MAX + 2) * 4;

/// Sea in map files.
const SEA: char = '#';
/// An empty island cell.
const ISLAND: char = ' ';
/// A lighthouse.
const LIGHTHOUSE: char = '!';

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
    /// [`SetupError`] says what is wrong where.
    pub fn read(text: &str) -> Result<Self, SetupError> {
        let wrong = |why: String| Err(SetupError(why));
        if text.len() > FILE_BYTES_MAX {
            let bytes = text.len();
            return wrong(format!(
                "the map has {bytes} bytes; at most {FILE_BYTES_MAX} are read"
            ));
        }
        let lines = without_mark(text).lines();
        let rows: Vec<Vec<char>> = lines.map(|line| line.chars().collect()).collect();
        let (height, width) = (rows.len(), rows.first().map_or(0, Vec::len));
        if width == 0 {
            return wrong("the map is empty".to_owned());
        }
        if width > SIDE_MAX || height > SIDE_MAX {
            return wrong(format!(
                "the map is {width} x {height}; at most {SIDE_MAX} x {SIDE_MAX} is played on"
            ));
        }
        let ragged = (1..).zip(&rows).find(|(_, row)| row.len() != width);
        if let Some((row, letters)) = ragged {
            let cells = letters.len();
            return wrong(format!(
                "row {row} has {cells} cells, the first row {width}: All map rows must have the same width"
            ));
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
                    let (row, column) = (height - y, x + 1);
                    return wrong(format!(
                        "row {row}, column {column} is {letter:?}: Map border must not be part of island"
                    ));
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
            return wrong(format!(
                "the map has {count} lighthouses; it must have 1 to {LIGHTHOUSES_MAX}"
            ));
        }
        if map.starts.is_empty() {
            return wrong(format!(
                "the map has no start cell: any character but {SEA:?}, {ISLAND:?} and {LIGHTHOUSE:?}"
            ));
        }
        map.connected()?;
        Ok(map)
    }

    /// Every island cell must be reachable from every other one by king's moves.
    fn connected(&self) -> Result<(), SetupError> {
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
        Err(SetupError(format!(
            "row {row}, column {column} cannot be reached from row {from_row}, column {from_column}: the island must be connected"
        )))
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
