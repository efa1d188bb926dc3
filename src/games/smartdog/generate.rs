//! Random maps (README.md, section 6): the same seed and style give the same map forever.

use super::map::{Header, Map, Square};
use super::options::Key;
use drover_game::rng::Rng;
use std::ops::RangeInclusive;

/// A map seed's random streams begin here, away from those of the deals and the bots.
const MAP_STREAM: u64 = 2 << 32;
/// How many drawings with obstacles are tried before one is made without.
const ATTEMPTS: u64 = 20;

/// The kind of maps to draw. Ranges are clamped to what fits on the tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Style {
    /// Cells per side of a tile, 5 to 200.
    pub sides: RangeInclusive<u32>,
    /// Dogs on a tile, 1 to 100.
    pub dogs: RangeInclusive<u32>,
    /// Sheep on a tile, 1 to 500; never more than its pen has room for.
    pub sheep: RangeInclusive<u32>,
    /// Whether the left half is the mirror image of the right half.
    pub symmetric: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            sides: 8..=24,
            dogs: 1..=5,
            sheep: 1..=20,
            symmetric: false,
        }
    }
}

/// Draws the map of a seed: every open cell can be reached from every other one, even on a tile without
/// neighbours, and the pen has room for all sheep of the tile.
#[must_use]
pub fn generate(seed: u64, style: &Style) -> Map {
    let drawn = (0..ATTEMPTS).find_map(|attempt| {
        let mut sketch = Sketch::draw(&mut Rng::new(seed, MAP_STREAM + attempt), style, true);
        sketch.is_connected().then(|| sketch.finish())
    });
    drawn.flatten().unwrap_or_else(|| {
        let mut rng = Rng::new(seed, MAP_STREAM + ATTEMPTS);
        let bare = Sketch::draw(&mut rng, style, false).finish();
        #[expect(
            clippy::expect_used,
            reason = "checked over thousands of seeds and styles"
        )]
        bare.expect("a drawing without obstacles is connected and within every limit")
    })
}

/// A drawing in progress.
struct Sketch {
    header: Header,
    rows: Vec<Vec<Square>>,
    symmetric: bool,
}

fn within(rng: &mut Rng, range: &RangeInclusive<u32>, least: u32, most: u32) -> u32 {
    let first = (*range.start()).clamp(least, most);
    let last = (*range.end()).clamp(first, most);
    first + rng.below(last - first + 1)
}

impl Sketch {
    fn draw(rng: &mut Rng, style: &Style, obstacles: bool) -> Self {
        let cols = within(rng, &style.sides, 5, 200) as usize;
        let rows = within(rng, &style.sides, 5, 200) as usize;
        let mut sketch = Self {
            header: header(rng),
            rows: vec![vec![Square::Grass; cols]; rows],
            symmetric: style.symmetric,
        };
        let dogs = within(rng, &style.dogs, 1, 100).min((cols * rows / 12).max(1) as u32);
        let wanted = within(rng, &style.sheep, 1, 500);
        let pen = sketch.pen(rng, wanted, obstacles);
        let sheep = wanted.min(pen.len() as u32);
        let penned = match rng.below(4) {
            0 => rng.below(sheep + 1),
            1 if rng.chance(0.3) => sheep,
            _ => 0,
        };
        if obstacles {
            let clumps = rng.below((cols * rows / 40) as u32 + 1);
            (0..clumps).for_each(|_| sketch.clump(rng));
        }
        let mut pens = pen;
        rng.shuffle(&mut pens);
        let penned = sketch.place(&pens, Square::Pen, Square::PennedSheep, penned);
        let mut grass = sketch.cells();
        rng.shuffle(&mut grass);
        let pair = if style.symmetric { 2 } else { 1 };
        sketch.place(&grass, Square::Grass, Square::Dog, dogs.max(pair));
        rng.shuffle(&mut grass);
        let loose = (sheep - penned).max(if sheep < pair { pair } else { 0 });
        sketch.place(&grass, Square::Grass, Square::Sheep, loose);
        sketch
    }

    fn size(&self) -> (usize, usize) {
        (self.rows.first().map_or(0, Vec::len), self.rows.len())
    }

    fn cells(&self) -> Vec<(usize, usize)> {
        let (cols, rows) = self.size();
        (0..rows)
            .flat_map(|y| (0..cols).map(move |x| (x, y)))
            .collect()
    }

    fn get(&self, x: usize, y: usize) -> Square {
        let row = self.rows.get(y);
        row.and_then(|row| row.get(x))
            .copied()
            .unwrap_or(Square::Wall)
    }

    /// Sets the cell and, on a symmetric map, its mirror image.
    fn set(&mut self, x: usize, y: usize, square: Square) {
        for (x, y) in self.images(x, y) {
            if let Some(cell) = self.rows.get_mut(y).and_then(|row| row.get_mut(x)) {
                *cell = square;
            }
        }
    }

    /// The cell and, on a symmetric map, its mirror image.
    fn images(&self, x: usize, y: usize) -> Vec<(usize, usize)> {
        let mirrored = self.size().0 - 1 - x;
        if self.symmetric && mirrored != x {
            vec![(x, y), (mirrored, y)]
        } else {
            vec![(x, y)]
        }
    }

    /// Puts `count` of `what` on the first of these cells that hold `ground`, and returns how many were put.
    /// On a symmetric map the last one may find no cell that is its own mirror image.
    fn place(&mut self, cells: &[(usize, usize)], ground: Square, what: Square, count: u32) -> u32 {
        let mut left = count as usize;
        for (x, y) in cells.iter().copied() {
            let images = self.images(x, y);
            if images.len() <= left && images.iter().all(|(x, y)| self.get(*x, *y) == ground) {
                left -= images.len();
                self.set(x, y, what);
            }
        }
        count - left as u32
    }

    /// Draws a pen with room for `sheep` if there is space, and its fence. Returns its cells.
    fn pen(&mut self, rng: &mut Rng, sheep: u32, fences: bool) -> Vec<(usize, usize)> {
        let (cols, rows) = self.size();
        let (most_wide, most_high) = ((cols - 4).min(8), (rows - 4).min(8));
        let mut wide = 1 + rng.below(most_wide.min(5) as u32) as usize;
        let mut high = 1 + rng.below(most_high.min(5) as u32) as usize;
        while wide * high < sheep as usize && (wide < most_wide || high < most_high) {
            if wide < most_wide && (wide <= high || high == most_high) {
                wide += 1;
            } else {
                high += 1;
            }
        }
        let mut x = 2 + rng.below((cols - 3 - wide) as u32) as usize;
        let y = 2 + rng.below((rows - 3 - high) as u32) as usize;
        if self.symmetric {
            wide = (wide + (cols - wide) % 2).min(cols - 2);
            x = (cols - wide) / 2;
        }
        let mut pen = Vec::new();
        for y in y..y + high {
            pen.extend((x..x + wide).map(|x| (x, y)));
        }
        if fences {
            match rng.below(3) {
                0 => self.fence(rng, x, y, wide, high, Square::Wall),
                1 => self.fence(rng, x, y, wide, high, Square::Tree),
                _ => {}
            }
        }
        pen.iter().for_each(|(x, y)| self.set(*x, *y, Square::Pen));
        pen
    }

    /// Walls (up to three sides, or four with a gate) or single trees around a pen.
    fn fence(&mut self, rng: &mut Rng, x: usize, y: usize, wide: usize, high: usize, of: Square) {
        let (left, top, right, bottom) = (x - 1, y - 1, x + wide, y + high);
        let across = |y| (left..=right).map(move |x| (x, y));
        let down = |x| (top..=bottom).map(move |y| (x, y));
        let sides: [Vec<_>; 4] = [
            across(top).collect(),
            down(right).collect(),
            across(bottom).collect(),
            down(left).collect(),
        ];
        let gate = rng.below(4) as usize;
        let narrow = rng.chance(0.5);
        for (at, side) in sides.iter().enumerate() {
            let built = if of == Square::Wall {
                at != gate || narrow
            } else {
                rng.chance(0.5)
            };
            let middle = side.len() / 2;
            for (place, (x, y)) in side.iter().copied().enumerate() {
                let gap = at == gate && place.abs_diff(middle) < 2;
                let stands = of == Square::Wall || rng.chance(0.5);
                if built && !gap && stands && self.get(x, y) == Square::Grass {
                    self.set(x, y, of);
                }
            }
        }
        if self.symmetric || of == Square::Wall {
            // The gate's middle stays open, whatever a mirrored side has put there.
            let side = &sides[gate];
            let middle = side.get(side.len() / 2 - 1..=side.len() / 2);
            for (x, y) in middle.unwrap_or_default() {
                self.set(*x, *y, Square::Grass);
            }
        }
    }

    /// A few trees or walls in a line, never on the tile's edge, so that tiles stay connected.
    fn clump(&mut self, rng: &mut Rng) {
        let (cols, rows) = self.size();
        let what = if rng.chance(0.6) {
            Square::Tree
        } else {
            Square::Wall
        };
        let mut x = 1 + rng.below(cols as u32 - 2) as usize;
        let mut y = 1 + rng.below(rows as u32 - 2) as usize;
        let upright = rng.chance(0.5);
        for _ in 0..1 + rng.below(4) {
            if x + 1 < cols && y + 1 < rows && self.get(x, y) == Square::Grass {
                self.set(x, y, what);
            }
            if upright {
                y += 1;
            } else {
                x += 1;
            }
        }
    }

    fn is_connected(&self) -> bool {
        let open = |x, y| !matches!(self.get(x, y), Square::Wall | Square::Tree);
        let mut all = self.cells();
        all.retain(|(x, y)| open(*x, *y));
        let (cols, rows) = self.size();
        let mut met = vec![false; cols * rows];
        let mut stack: Vec<(usize, usize)> = all.first().copied().into_iter().collect();
        let mut count = 0;
        while let Some((x, y)) = stack.pop() {
            if x >= cols || y >= rows || !open(x, y) || met[y * cols + x] {
                continue;
            }
            met[y * cols + x] = true;
            count += 1;
            let (left, up) = (x.wrapping_sub(1), y.wrapping_sub(1));
            stack.extend([(x + 1, y), (x, y + 1), (left, y), (x, up)]);
        }
        count == all.len()
    }

    fn finish(&mut self) -> Option<Map> {
        Map::new(self.header.clone(), &self.rows).ok()
    }
}

/// Options within the ranges that make an interesting game (README.md, section 6).
fn header(rng: &mut Rng) -> Header {
    let mut header = Header::default();
    let sight = 3 + rng.below(8);
    let bark = 1 + rng.below(6.min(sight + 1));
    for (key, value) in [
        (Key::TurnsLimit, 10 * (10 + rng.below(31))),
        (Key::DogVisibilityR, sight),
        (Key::DogBarkingR, bark),
        (Key::SheepScaryTurns, 1 + rng.below(4)),
        (Key::DogScaryTurns, 1 + rng.below(8)),
        (Key::SheepStandBy, 2 + rng.below(11)),
    ] {
        // Every value drawn lies in its option's range.
        let _ = header.set(key, i64::from(value));
    }
    header
}
