//! What does not change during a match: landscape, tiles, options (README.md, section 3).

use super::setup::{Players, Setup};
use super::torus::{Direction, Spot, Torus};
use crate::map::Square;
use crate::options::Options;
use drover_game::game::{Seat, Seats};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// As a number of steps: no way exists.
pub const UNREACHED: u16 = u16::MAX;

/// The landscape of a cell, regardless of what stands on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Land {
    /// Open to all.
    Grass,
    /// Closed to all.
    Wall,
    /// Closed to all.
    Tree,
    /// Open to all; sheep here count for the owner.
    Pen(Seat),
}

impl Land {
    /// What is under a square of this owner's tile.
    #[must_use]
    pub const fn from_square(square: Square, owner: Seat) -> Self {
        match square {
            Square::Wall => Land::Wall,
            Square::Tree => Land::Tree,
            Square::Pen | Square::PennedSheep => Land::Pen(owner),
            Square::Grass | Square::Sheep | Square::Dog => Land::Grass,
        }
    }

    /// Whether dogs and sheep may stand here.
    #[must_use]
    pub const fn is_open(self) -> bool {
        matches!(self, Land::Grass | Land::Pen(_))
    }

    /// The meaning of this character in the `landscape` message. Pens of players that do not play are grass,
    /// unknown characters walls.
    #[must_use]
    pub fn from_letter(letter: char, players: Players) -> Self {
        match letter {
            '.' => Land::Grass,
            '^' => Land::Tree,
            _ => match letter.to_digit(10) {
                Some(owner) if (1..=players.count()).contains(&(owner as usize)) => {
                    Land::Pen(Seat(owner as u8 - 1))
                }
                Some(_) => Land::Grass,
                None => Land::Wall,
            },
        }
    }

    /// The character in the `landscape` message: `.`, `#`, `^` or the owner's digit from 1.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Land::Grass => '.',
            Land::Wall => '#',
            Land::Tree => '^',
            Land::Pen(owner) => (b'1' + owner.0) as char,
        }
    }
}

/// A rectangle of cells, edges included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Area {
    /// Top left.
    pub first: Spot,
    /// Bottom right.
    pub last: Spot,
}

impl Area {
    /// A rectangle without cells.
    pub const NOWHERE: Area = Area {
        first: Spot { x: 1, y: 1 },
        last: Spot { x: 0, y: 0 },
    };

    /// Whether a cell lies inside.
    #[must_use]
    pub const fn contains(&self, spot: Spot) -> bool {
        self.first.x <= spot.x
            && spot.x <= self.last.x
            && self.first.y <= spot.y
            && spot.y <= self.last.y
    }

    /// The cell n columns and rows from the top left, inside or not.
    #[must_use]
    pub const fn at(&self, x: u16, y: u16) -> Spot {
        Spot {
            x: self.first.x.saturating_add(x),
            y: self.first.y.saturating_add(y),
        }
    }
}

/// Why what a hub described is no ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// Cells of the landscape, and the world's rows and columns.
    #[error("the landscape has {0} cells, not {1} rows of {2}")]
    Landscape(usize, u16, u16),
    /// The corners of the player's tile.
    #[error("a tile from {0} to {1} does not lie in the world")]
    Tile(Spot, Spot),
}

/// The unchanging part of a match, shared by all its positions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Ground {
    torus: Torus,
    /// Cell by cell, row by row: `.` grass, `#` wall, `^` tree, a digit the pen of that player, from 1.
    #[serde(with = "letters")]
    #[schemars(with = "String")]
    land: Vec<Land>,
    tiles: Seats<Area>,
    options: Options,
    sheep_of_tile: u32,
    penned_of_tile: u32,
}

/// What a hub says about a match at its start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Announced {
    /// The number of players.
    pub players: Players,
    /// The reader's own seat.
    pub seat: Seat,
    /// The reader's own tile.
    pub tile: Area,
    /// The options in force.
    pub options: Options,
    /// `maxSheepsCount`.
    pub sheep_of_tile: u32,
    /// `iniSheepsCount`.
    pub penned_of_tile: u32,
}

/// Where all dogs and sheep stand at the start, in creation order.
pub(super) struct Places {
    pub(super) dogs: Vec<(Seat, Spot)>,
    pub(super) sheep: Vec<Spot>,
}

impl Ground {
    /// Lays out the tiles: row of tiles by row, inside a tile row by row, left to right. This is also the
    /// creation order of dogs and sheep.
    pub(super) fn lay(setup: &Setup) -> (Self, Places) {
        let (map, layout) = (&setup.map, setup.players.layout());
        let (cols, rows) = (map.cols() as u16, map.rows() as u16);
        let tiles_across = layout.first().map_or(1, |row| row.len());
        let torus = Torus {
            cols: (map.cols() * tiles_across) as u16,
            rows: (map.rows() * layout.len()) as u16,
        };
        let mut ground = Self {
            torus,
            land: vec![Land::Grass; torus.area()],
            tiles: Seats::from_fn(setup.players.count(), |seat| tile(layout, cols, rows, seat)),
            options: map.header().over(setup.options),
            sheep_of_tile: map.count(Square::has_sheep) as u32,
            penned_of_tile: map.count(|square| square == Square::PennedSheep) as u32,
        };
        let mut places = Places {
            dogs: Vec::new(),
            sheep: Vec::new(),
        };
        for player in layout.concat().into_iter().filter(|player| *player > 0) {
            ground.lay_tile(setup, Seat(player - 1), &mut places);
        }
        (ground, places)
    }

    /// The ground that a hub described. `land`: row by row, `torus.area()` cells.
    ///
    /// The other players' tiles follow from the own one if it lies where the layout for that number of
    /// players has it; otherwise no other player has a territory.
    ///
    /// # Errors
    /// [`Unfit`] says what does not fit together.
    pub fn from_start(torus: Torus, land: Vec<Land>, announced: &Announced) -> Result<Self, Unfit> {
        if land.len() != torus.area() {
            return Err(Unfit::Landscape(land.len(), torus.rows(), torus.cols()));
        }
        let Area { first, last } = announced.tile;
        if first.x > last.x || first.y > last.y || last.x >= torus.cols() || last.y >= torus.rows()
        {
            return Err(Unfit::Tile(first, last));
        }
        let (cols, rows) = (last.x - first.x + 1, last.y - first.y + 1);
        let layout = announced.players.layout();
        let across = layout.first().map_or(1, |row| row.len());
        let place = |seat| tile(layout, cols, rows, seat);
        let fits = usize::from(torus.cols()) == usize::from(cols) * across
            && usize::from(torus.rows()) == usize::from(rows) * layout.len()
            && place(announced.seat) == announced.tile;
        Ok(Self {
            torus,
            land,
            tiles: Seats::from_fn(announced.players.count(), |seat| {
                if seat == announced.seat {
                    announced.tile
                } else if fits {
                    place(seat)
                } else {
                    Area::NOWHERE
                }
            }),
            options: announced.options,
            sheep_of_tile: announced.sheep_of_tile,
            penned_of_tile: announced.penned_of_tile,
        })
    }

    fn lay_tile(&mut self, setup: &Setup, owner: Seat, places: &mut Places) {
        let corner = self.tiles[owner].first;
        for (y, row) in (corner.y..).zip(setup.map.iter()) {
            for (x, square) in (corner.x..).zip(row) {
                let spot = Spot { x, y };
                self.land[self.torus.index(spot)] = Land::from_square(*square, owner);
                match square {
                    Square::Dog => places.dogs.push((owner, spot)),
                    Square::Sheep | Square::PennedSheep => places.sheep.push(spot),
                    _ => {}
                }
            }
        }
    }

    /// The size of the world.
    #[must_use]
    pub const fn torus(&self) -> Torus {
        self.torus
    }

    /// The landscape of a cell. `spot` must lie in the world.
    #[must_use]
    pub fn land(&self, spot: Spot) -> Land {
        self.land[self.torus.index(spot)]
    }

    /// The landscape's rows from top to bottom, as on the wire.
    pub fn rows(&self) -> impl Iterator<Item = String> {
        self.land
            .chunks(usize::from(self.torus.cols()))
            .map(|row| row.iter().map(|land| land.letter()).collect())
    }

    /// Steps over open ground from each cell to a seat's pen, by cell: [`UNREACHED`] where there is no way.
    #[must_use]
    pub fn steps_to_pen(&self, seat: Seat) -> Vec<u16> {
        let cells = self.torus.spots();
        let pen = cells.filter(|spot| self.land(*spot) == Land::Pen(seat));
        let next = |cell: usize, way| {
            let to = self.torus.next(self.torus.spot(cell), way);
            self.land(to).is_open().then(|| self.torus.index(to))
        };
        flood(
            self.torus.area(),
            pen.map(|spot| self.torus.index(spot)),
            next,
        )
    }

    /// All players' territories.
    #[must_use]
    pub const fn tiles(&self) -> &Seats<Area> {
        &self.tiles
    }

    /// The options in force: the map's own take precedence over the hub's.
    #[must_use]
    pub const fn options(&self) -> &Options {
        &self.options
    }

    /// Sheep of one tile: `maxSheepsCount` on the wire.
    #[must_use]
    pub const fn sheep_of_tile(&self) -> u32 {
        self.sheep_of_tile
    }

    /// Sheep of one tile that start in its pen: `iniSheepsCount` on the wire.
    #[must_use]
    pub const fn penned_of_tile(&self) -> u32 {
        self.penned_of_tile
    }

    /// The points of a player with `penned` sheep in its pen (README.md, section 5): −10 for an emptied pen,
    /// 0 for as many as at the start, 10 for as many as one tile has.
    #[must_use]
    pub fn score(&self, penned: u32) -> f64 {
        let (held, initial) = (f64::from(penned), f64::from(self.penned_of_tile));
        if penned == self.penned_of_tile {
            0.0
        } else if penned < self.penned_of_tile {
            // The official order of operations, so that results agree to the last bit.
            -10.0 * ((initial - held) / initial)
        } else {
            10.0 * held / f64::from(self.sheep_of_tile)
        }
    }
}

/// Steps from each of `area` cells to the nearest source: [`UNREACHED`] where there is no way. `next` is the cell after
/// a step, which can be taken both ways, or `None`. Sources beyond the area are left out.
pub fn flood(
    area: usize,
    sources: impl IntoIterator<Item = usize>,
    next: impl Fn(usize, Direction) -> Option<usize>,
) -> Vec<u16> {
    let mut far = vec![UNREACHED; area];
    let mut queue = VecDeque::new();
    for cell in sources {
        if let Some(at) = far.get_mut(cell) {
            *at = 0;
            queue.push_back(cell);
        }
    }
    while let Some(cell) = queue.pop_front() {
        let steps = (far[cell] + 1).min(UNREACHED - 1);
        for way in Direction::ALL {
            if let Some(to) = next(cell, way)
                && far[to] == UNREACHED
            {
                far[to] = steps;
                queue.push_back(to);
            }
        }
    }
    far
}

/// A player's tile of this many columns and rows.
fn tile(layout: &[&[u8]], cols: u16, rows: u16, seat: Seat) -> Area {
    let mut first = Spot { x: 0, y: 0 };
    for (row, tiles) in layout.iter().enumerate() {
        if let Some(column) = tiles.iter().position(|player| *player == seat.0 + 1) {
            first.x = column as u16 * cols;
            first.y = row as u16 * rows;
        }
    }
    Area {
        first,
        last: Spot::new(first.x + cols - 1, first.y + rows - 1),
    }
}

/// Landscape as letters.
mod letters {
    use super::{Land, Seat};
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(land: &[Land], to: S) -> Result<S::Ok, S::Error> {
        let text: String = land.iter().map(|land| land.letter()).collect();
        to.serialize_str(&text)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Land>, D::Error> {
        let text = String::deserialize(from)?;
        let land = |letter: char| match letter {
            '.' => Some(Land::Grass),
            '#' => Some(Land::Wall),
            '^' => Some(Land::Tree),
            '1'..='9' => Some(Land::Pen(Seat(letter as u8 - b'1'))),
            _ => None,
        };
        let known = |letter| land(letter).ok_or_else(|| D::Error::custom("unknown landscape"));
        text.chars().map(known).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::Map;
    use crate::options::Options;
    use crate::rules::SmartDog;

    #[test]
    fn steps_to_a_pen_go_round_what_is_closed() {
        let game = SmartDog::begin(&Setup {
            map: Map::read("-.#..\n####.\n#@.#.\n#####").unwrap(),
            players: Players::One,
            options: Options::default(),
        });
        let steps = game.ground().steps_to_pen(Seat(0));
        // Round the world to the left; the wall shuts the dog in.
        assert_eq!(steps[..5], [0, 1, UNREACHED, 2, 1]);
        assert_eq!(
            steps[10..],
            [
                UNREACHED, UNREACHED, UNREACHED, UNREACHED, 3, UNREACHED, UNREACHED, UNREACHED,
                UNREACHED, UNREACHED
            ]
        );
    }
}
