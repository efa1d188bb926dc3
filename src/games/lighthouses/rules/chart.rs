//! A map with everything that follows from it before any player has moved.

use super::point::Point;
use super::triangle::spans;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// The most cells in a map's side.
pub const SIDE_MAX: usize = 256;
/// The most lighthouses on a map: sets of them are one machine word.
pub const LIGHTHOUSES_MAX: usize = 64;
/// The most energy of a cell.
pub const ENERGY_MAX: u8 = 100;
/// How far a player sees, in cells along a row or column.
pub const VIEW_REACH: i32 = 3;
/// A cell at this distance from a lighthouse, or farther, gets nothing from it.
const KERNEL_REACH: i32 = 5;

/// A cell of a chart: `y * width + x`.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    Serialize,
    Deserialize,
    JsonSchema,
)]
pub struct Cell(pub u16);

impl Cell {
    /// The cell's index in arrays by cell.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A lighthouse by its index in the list that players receive.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    Serialize,
    Deserialize,
    JsonSchema,
)]
pub struct Lighthouse(pub u8);

impl Lighthouse {
    /// The lighthouse's index in arrays by lighthouse.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The set of this lighthouse only.
    #[must_use]
    pub const fn bit(self) -> u64 {
        1 << (self.0 & 63)
    }

    /// The lighthouses of a set, in order.
    #[inline]
    pub fn in_set(mut set: u64) -> impl Iterator<Item = Lighthouse> {
        std::iter::from_fn(move || {
            let next = (set != 0).then(|| Lighthouse(set.trailing_zeros() as u8));
            set &= set.wrapping_sub(1);
            next
        })
    }
}

/// A king's move, or staying put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// To the right: -1, 0 or 1.
    pub dx: i8,
    /// Upwards: -1, 0 or 1.
    pub dy: i8,
}

/// A map with everything that follows from it: what each cell receives, which links may be made, what each
/// triangle lights.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Drawn", into = "Drawn")]
pub struct Chart {
    width: usize,
    height: usize,
    island: Vec<bool>,
    increments: Vec<u8>,
    neighbours: Vec<SmallVec<[Cell; 8]>>,
    lighthouses: Vec<Cell>,
    /// The lighthouse on each cell, or [`NOBODY`].
    lighthouse_at: Vec<u8>,
    /// By lighthouse: the others to which a link passes over no third lighthouse.
    linkable: Vec<u64>,
    /// By two lighthouses and a third one x: the set of those y for which the links cross.
    crossings: Vec<u64>,
    /// By three lighthouses: island cells that the triangle lights.
    areas: Vec<u32>,
}

/// A chart as it is written: what all the rest follows from, and what each cell receives.
#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Chart")]
struct Drawn {
    /// Cells of a row.
    width: usize,
    /// The rows, the bottom one first: `#` is island, `.` is sea.
    rows: Vec<String>,
    /// Where the lighthouses stand, by their index.
    lighthouses: Vec<Cell>,
    /// What each cell receives per round.
    increments: Vec<u8>,
}

/// Why a drawn chart is none.
#[derive(Debug, thiserror::Error)]
enum ChartError {
    #[error("a chart of {0} by {1} cells")]
    Size(usize, usize),
    #[error("{0} lighthouses")]
    Lighthouses(usize),
    #[error("a row is not {0} cells long")]
    Row(usize),
    #[error("a lighthouse on cell {0}, which is no island")]
    AtSea(u16),
}

/// Island in a row of [`Drawn`].
const LAND: char = '#';

impl From<Chart> for Drawn {
    fn from(chart: Chart) -> Self {
        let letter = |land: &bool| if *land { LAND } else { '.' };
        let rows = chart.island.chunks(chart.width.max(1));
        Self {
            width: chart.width,
            rows: rows.map(|row| row.iter().map(letter).collect()).collect(),
            lighthouses: chart.lighthouses,
            increments: chart.increments,
        }
    }
}

impl TryFrom<Drawn> for Chart {
    type Error = ChartError;

    fn try_from(drawn: Drawn) -> Result<Self, ChartError> {
        let (width, height) = (drawn.width, drawn.rows.len());
        if !(1..=SIDE_MAX).contains(&width) || !(1..=SIDE_MAX).contains(&height) {
            return Err(ChartError::Size(width, height));
        }
        if drawn.lighthouses.len() > LIGHTHOUSES_MAX {
            return Err(ChartError::Lighthouses(drawn.lighthouses.len()));
        }
        let mut island = Vec::with_capacity(width * height);
        for row in &drawn.rows {
            island.extend(row.chars().take(width).map(|letter| letter == LAND));
        }
        if island.len() != width * height || drawn.rows.iter().any(|row| row.len() != width) {
            return Err(ChartError::Row(width));
        }
        let at = |cell: &Cell| {
            let point = ((cell.index() % width) as i32, (cell.index() / width) as i32);
            let land = island.get(cell.index()).copied().unwrap_or_default();
            land.then(|| Point::from(point))
                .ok_or(ChartError::AtSea(cell.0))
        };
        let lighthouses: Vec<Point> = drawn.lighthouses.iter().map(at).collect::<Result<_, _>>()?;
        Ok(Self::new(width, island, &lighthouses))
    }
}

/// In place of a lighthouse's number where there is none.
const NOBODY: u8 = u8::MAX;

impl Chart {
    /// The chart of `island`, rows of `width` cells, the bottom row first. At most
    /// [`SIDE_MAX`] cells per side and
    /// [`LIGHTHOUSES_MAX`] lighthouses, all of them island cells:
    /// the caller must have checked that.
    #[must_use]
    pub fn new(width: usize, island: Vec<bool>, lighthouses: &[Point]) -> Self {
        let height = island.len() / width.max(1);
        let mut chart = Self {
            width,
            height,
            increments: vec![0; island.len()],
            neighbours: Vec::with_capacity(island.len()),
            lighthouses: Vec::new(),
            lighthouse_at: vec![NOBODY; island.len()],
            linkable: Vec::new(),
            crossings: Vec::new(),
            areas: Vec::new(),
            island,
        };
        for at in lighthouses {
            let Some(cell) = chart.cell(*at) else {
                continue;
            };
            chart.lighthouse_at[cell.index()] = chart.lighthouses.len() as u8;
            chart.lighthouses.push(cell);
        }
        chart.find_neighbours();
        chart.add_increments();
        chart.find_links();
        chart.count_areas();
        chart
    }

    fn find_neighbours(&mut self) {
        for index in 0..self.island.len() {
            let at = self.point(Cell(index as u16));
            let mut near = SmallVec::new();
            for dy in -1..=1 {
                for dx in -1..=1 {
                    let next = Point::from((at.x + dx, at.y + dy));
                    if next != at && self.is_island(next) && self.island[index] {
                        near.extend(self.cell(next));
                    }
                }
            }
            self.neighbours.push(near);
        }
    }

    fn add_increments(&mut self) {
        for lighthouse in &self.lighthouses {
            let centre = self.point(*lighthouse);
            for dy in 1 - KERNEL_REACH..KERNEL_REACH {
                for dx in 1 - KERNEL_REACH..KERNEL_REACH {
                    let at = Point::from((centre.x + dx, centre.y + dy));
                    if !self.is_island(at) {
                        continue;
                    }
                    // floor(5 - sqrt(d)) in integers: the greatest g with (5 - g)² >= d.
                    let square = dx * dx + dy * dy;
                    let gain = (1..=KERNEL_REACH)
                        .rev()
                        .find(|gain| (KERNEL_REACH - gain).pow(2) >= square);
                    if let (Some(gain), Some(cell)) = (gain, self.cell(at)) {
                        let sum = &mut self.increments[cell.index()];
                        *sum = sum.saturating_add(gain as u8).min(ENERGY_MAX);
                    }
                }
            }
        }
    }

    fn find_links(&mut self) {
        let points: Vec<Point> = self.lighthouses.iter().map(|at| self.point(*at)).collect();
        let count = points.len();
        self.linkable = vec![0; count];
        self.crossings = vec![0; count * count * count];
        let turn = |a: Point, b: Point, c: Point| {
            ((b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x)).signum()
        };
        for (a, from) in points.iter().enumerate() {
            for (b, to) in points.iter().enumerate() {
                if a == b {
                    continue;
                }
                let between = |p: &Point| {
                    *p != *from
                        && *p != *to
                        && turn(*from, *to, *p) == 0
                        && (p.x - from.x) * (p.x - to.x) <= 0
                        && (p.y - from.y) * (p.y - to.y) <= 0
                };
                if !points.iter().any(between) {
                    self.linkable[a] |= 1 << b;
                }
                let side: Vec<i32> = points.iter().map(|p| turn(*from, *to, *p)).collect();
                for (x, p) in points.iter().enumerate() {
                    for (y, q) in points.iter().enumerate() {
                        let crosses =
                            side[x] * side[y] < 0 && turn(*p, *q, *from) * turn(*p, *q, *to) < 0;
                        if crosses {
                            self.crossings[(a * count + b) * count + x] |= 1 << y;
                        }
                    }
                }
            }
        }
    }

    fn count_areas(&mut self) {
        let points: Vec<Point> = self.lighthouses.iter().map(|at| self.point(*at)).collect();
        let count = points.len();
        // Island cells of each row to the left of a column.
        let mut before = vec![0u32; (self.width + 1) * self.height];
        for y in 0..self.height {
            for x in 0..self.width {
                let at = y * (self.width + 1) + x;
                before[at + 1] = before[at] + u32::from(self.island[y * self.width + x]);
            }
        }
        self.areas = vec![0; count * count * count];
        for a in 0..count {
            for b in a + 1..count {
                for c in b + 1..count {
                    let area: u32 = spans(points[a], points[b], points[c])
                        .map(|(y, span)| {
                            let row = y as usize * (self.width + 1);
                            before[row + *span.end() as usize + 1]
                                - before[row + *span.start() as usize]
                        })
                        .sum();
                    for (a, b, c) in [
                        (a, b, c),
                        (a, c, b),
                        (b, a, c),
                        (b, c, a),
                        (c, a, b),
                        (c, b, a),
                    ] {
                        self.areas[(a * count + b) * count + c] = area;
                    }
                }
            }
        }
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

    /// How many cells there are, sea included.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.island.len()
    }

    /// Whether each cell is island, the bottom row first.
    #[must_use]
    pub fn island(&self) -> &[bool] {
        &self.island
    }

    /// What each cell receives per round, 0 to [`ENERGY_MAX`]: the sum of what all lighthouses give it.
    #[must_use]
    pub fn increments(&self) -> &[u8] {
        &self.increments
    }

    /// Where the lighthouses stand, in the order of the list that players receive.
    #[must_use]
    pub fn lighthouses(&self) -> &[Cell] {
        &self.lighthouses
    }

    /// The cell at a point, if the map has it.
    #[must_use]
    pub fn cell(&self, at: Point) -> Option<Cell> {
        let (x, y) = (usize::try_from(at.x).ok()?, usize::try_from(at.y).ok()?);
        (x < self.width && y < self.height).then_some(Cell((y * self.width + x) as u16))
    }

    /// Where a cell is.
    #[must_use]
    pub fn point(&self, cell: Cell) -> Point {
        let width = self.width.max(1);
        Point::from(((cell.index() % width) as i32, (cell.index() / width) as i32))
    }

    /// Whether a point belongs to the island.
    #[must_use]
    pub fn is_island(&self, at: Point) -> bool {
        self.cell(at).is_some_and(|cell| self.island[cell.index()])
    }

    /// The island cells around a cell; none for a sea cell.
    #[must_use]
    pub fn neighbours(&self, cell: Cell) -> &[Cell] {
        self.neighbours
            .get(cell.index())
            .map_or(&[], SmallVec::as_slice)
    }

    /// Where a step leads, if that is island.
    #[must_use]
    pub fn moved(&self, from: Cell, step: Step) -> Option<Cell> {
        let at = self.point(from);
        let to = Point::from((at.x + i32::from(step.dx), at.y + i32::from(step.dy)));
        self.cell(to).filter(|cell| self.island[cell.index()])
    }

    /// The step between two neighbouring cells, or from a cell to itself.
    #[must_use]
    pub fn step(&self, from: Cell, to: Cell) -> Step {
        let (from, to) = (self.point(from), self.point(to));
        Step {
            dx: (to.x - from.x).signum() as i8,
            dy: (to.y - from.y).signum() as i8,
        }
    }

    /// The lighthouse on a cell.
    #[must_use]
    pub fn lighthouse_at(&self, cell: Cell) -> Option<Lighthouse> {
        let number = *self.lighthouse_at.get(cell.index())?;
        (number != NOBODY).then_some(Lighthouse(number))
    }

    /// The set of lighthouses to which a link from this one passes over no third.
    #[must_use]
    pub fn linkable(&self, from: Lighthouse) -> u64 {
        self.linkable[from.index()]
    }

    /// For each lighthouse x the set of those y for which the link x–y properly crosses the link a–b.
    #[must_use]
    pub fn crossings(&self, a: Lighthouse, b: Lighthouse) -> &[u64] {
        let count = self.lighthouses.len();
        let from = (a.index() * count + b.index()) * count;
        &self.crossings[from..from + count]
    }

    /// Island cells that the triangle of three lighthouses lights.
    #[must_use]
    pub fn area(&self, a: Lighthouse, b: Lighthouse, c: Lighthouse) -> u32 {
        let count = self.lighthouses.len();
        self.areas[(a.index() * count + b.index()) * count + c.index()]
    }
}

/// Sets of lighthouses as lists of their indices.
pub(super) mod set {
    use super::Lighthouse;
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(in super::super) fn serialize<S: Serializer>(set: &u64, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(Lighthouse::in_set(*set))
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<u64, D::Error> {
        let list = Vec::<Lighthouse>::deserialize(from)?;
        Ok(list.iter().fold(0, |set, one| set | one.bit()))
    }
}
