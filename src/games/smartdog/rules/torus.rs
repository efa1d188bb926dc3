//! Directions and distances on a world without borders (README.md, section 2).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One of the four ways to step. x grows to the right, y downwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// y − 1.
    Up,
    /// x + 1.
    Right,
    /// y + 1.
    Down,
    /// x − 1.
    Left,
}

impl Direction {
    /// All four, clockwise.
    pub const ALL: [Direction; 4] = [
        Direction::Up,
        Direction::Right,
        Direction::Down,
        Direction::Left,
    ];

    /// The word on the wire, such as `up`.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Direction::Up => "up",
            Direction::Right => "right",
            Direction::Down => "down",
            Direction::Left => "left",
        }
    }

    /// The direction with this [`word`](Self::word).
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|direction| direction.word() == word)
    }

    /// The words in the order in which the official server lists them.
    pub const WORDS: &str = "up,down,left,right";

    const fn clockwise(self, quarters: usize) -> Self {
        Self::ALL[(self as usize + quarters) % 4]
    }

    /// The order in which a calm sheep looking this way tries to step: ahead, to its left, to its right,
    /// back.
    #[must_use]
    pub const fn tries(self) -> [Self; 4] {
        [
            self,
            self.clockwise(3),
            self.clockwise(1),
            self.clockwise(2),
        ]
    }

    /// The dominant axis of a displacement; on a tie the vertical one. (0, 0) gives up.
    #[must_use]
    pub const fn along(dx: i32, dy: i32) -> Self {
        match (dx.abs() > dy.abs(), dx > 0, dy > 0) {
            (true, true, _) => Direction::Right,
            (true, false, _) => Direction::Left,
            (false, _, true) => Direction::Down,
            (false, _, false) => Direction::Up,
        }
    }

    /// The opposite direction.
    #[must_use]
    pub const fn opposite(self) -> Self {
        self.clockwise(2)
    }

    /// The step to the right and downwards.
    #[must_use]
    pub const fn delta(self) -> (i32, i32) {
        match self {
            Direction::Up => (0, -1),
            Direction::Right => (1, 0),
            Direction::Down => (0, 1),
            Direction::Left => (-1, 0),
        }
    }
}

/// A cell: x to the right, y downwards, both from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Spot {
    /// Column, below the world's columns.
    pub x: u16,
    /// Row, below the world's rows.
    pub y: u16,
}

/// The size of the world, at least one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Torus {
    pub(super) cols: u16,
    pub(super) rows: u16,
}

impl Spot {
    /// The cell in this column and row.
    #[must_use]
    pub const fn new(x: u16, y: u16) -> Self {
        Self { x, y }
    }
}

impl std::fmt::Display for Spot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}, {}", self.x, self.y)
    }
}

impl Torus {
    /// A world of this many columns and rows, each at least one.
    #[must_use]
    pub const fn new(cols: u16, rows: u16) -> Self {
        Self {
            cols: if cols == 0 { 1 } else { cols },
            rows: if rows == 0 { 1 } else { rows },
        }
    }

    /// Every cell, row by row.
    pub fn spots(self) -> impl Iterator<Item = Spot> {
        (0..self.rows).flat_map(move |y| (0..self.cols).map(move |x| Spot { x, y }))
    }

    /// Columns, at least 1.
    #[must_use]
    pub const fn cols(self) -> u16 {
        self.cols
    }

    /// Rows, at least 1.
    #[must_use]
    pub const fn rows(self) -> u16 {
        self.rows
    }

    /// Cells.
    #[must_use]
    pub const fn area(self) -> usize {
        self.cols as usize * self.rows as usize
    }

    /// Whether a cell lies in the world.
    #[must_use]
    pub const fn contains(self, spot: Spot) -> bool {
        spot.x < self.cols && spot.y < self.rows
    }

    /// The cell at this index in arrays by cell, which must be below the area.
    #[must_use]
    pub const fn spot(self, index: usize) -> Spot {
        Spot {
            x: (index % self.cols as usize) as u16,
            y: (index / self.cols as usize) as u16,
        }
    }

    /// The cell's index in arrays by cell, row by row. `spot` must lie in the world.
    #[must_use]
    pub const fn index(self, spot: Spot) -> usize {
        spot.y as usize * self.cols as usize + spot.x as usize
    }

    /// The cell `dx` to the right of and `dy` below `spot`.
    #[must_use]
    pub const fn offset(self, spot: Spot, dx: i32, dy: i32) -> Spot {
        Spot {
            x: wrapped(spot.x as i32 + dx, self.cols as i32),
            y: wrapped(spot.y as i32 + dy, self.rows as i32),
        }
    }

    /// The next cell in a direction.
    #[must_use]
    pub const fn next(self, spot: Spot, direction: Direction) -> Spot {
        let (dx, dy) = direction.delta();
        self.offset(spot, dx, dy)
    }

    /// The displacement from one cell to another, by axis: the shorter of the direct and the wrapped way, and
    /// the wrapped one if they are equal.
    #[must_use]
    pub const fn displacement(self, from: Spot, to: Spot) -> (i32, i32) {
        (
            shorter(to.x as i32 - from.x as i32, self.cols as i32),
            shorter(to.y as i32 - from.y as i32, self.rows as i32),
        )
    }

    /// Whether the Euclidean distance is at most `radius`.
    #[must_use]
    pub const fn within(self, from: Spot, to: Spot, radius: u32) -> bool {
        let (dx, dy) = self.displacement(from, to);
        (dx * dx + dy * dy) as u64 <= radius as u64 * radius as u64
    }
}

/// The remainder, without a division for steps to neighbours.
const fn wrapped(at: i32, size: i32) -> u16 {
    let near = if at < 0 {
        at + size
    } else if at >= size {
        at - size
    } else {
        at
    };
    if 0 <= near && near < size {
        near as u16
    } else {
        at.rem_euclid(size) as u16
    }
}

const fn shorter(direct: i32, size: i32) -> i32 {
    if direct.abs() < size - direct.abs() {
        direct
    } else {
        direct - direct.signum() * size
    }
}

#[cfg(test)]
mod tests {
    use super::{Direction, Spot, Torus};

    #[test]
    fn the_wrapped_way_wins_ties() {
        let torus = Torus { cols: 4, rows: 5 };
        let from = |x, y| torus.displacement(Spot { x: 1, y: 1 }, Spot { x, y });
        assert_eq!(from(3, 1), (-2, 0));
        assert_eq!(from(0, 4), (-1, -2));
        assert_eq!(from(2, 3), (1, 2));
    }

    #[test]
    fn hands() {
        use Direction::{Down, Left, Right, Up};
        assert_eq!(Down.tries(), [Down, Right, Left, Up]);
        assert_eq!(Up.tries(), [Up, Left, Right, Down]);
        assert_eq!(Left.tries(), [Left, Down, Up, Right]);
        assert_eq!(Right.tries(), [Right, Up, Down, Left]);
    }
}
