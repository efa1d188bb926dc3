//! Random maps (README.md, section 2): the same seed and style give the same map forever.

use super::map::{LIGHTHOUSES_MAX, Map, SIDE_MAX};
use super::rules::PLAYERS;
use drover_game::game::SetupError;
use drover_game::rng::Rng;
use std::ops::RangeInclusive;

/// A map seed's random streams begin here, away from those of the deals and the bots.
const MAP_STREAM: u64 = 3 << 32;
/// How many drawings are tried for one with enough room.
const ATTEMPTS: u64 = 40;
/// The shortest side: a shorter one has no room for anything.
pub const SIDE_MIN: usize = 6;
/// Sides drawn unless one is requested.
const SIDES: RangeInclusive<usize> = 12..=32;

/// The kind of maps to draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Style {
    /// Cells per row, [`SIDE_MIN`] to [`SIDE_MAX`]; `None`: by seed.
    pub width: Option<usize>,
    /// Rows, in the same range.
    pub height: Option<usize>,
    /// Lighthouses, 1 to [`LIGHTHOUSES_MAX`]; `None`: by seed and size. A symmetric map without a middle cell
    /// has one fewer if the number is odd.
    pub lighthouses: Option<usize>,
    /// Start cells, 1 to 16.
    pub players: usize,
    /// Whether the island maps to itself when turned by half a turn, so that the first two players start
    /// alike, and the next two.
    pub symmetric: bool,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            width: None,
            height: None,
            lighthouses: None,
            players: 4,
            symmetric: false,
        }
    }
}

/// Draws the map of a seed.
///
/// # Errors
/// [`SetupError`] names what in the style cannot be drawn.
pub fn generate(seed: u64, style: &Style) -> Result<Map, SetupError> {
    let side = |name: &str, side: Option<usize>| match side {
        Some(side) if !(SIDE_MIN..=SIDE_MAX).contains(&side) => Err(SetupError(format!(
            "{name} must be {SIDE_MIN} to {SIDE_MAX}, not {side}"
        ))),
        _ => Ok(()),
    };
    side("width", style.width)?;
    side("height", style.height)?;
    if let Some(count) = style.lighthouses
        && !(1..=LIGHTHOUSES_MAX).contains(&count)
    {
        return Err(SetupError(format!(
            "lighthouses must be 1 to {LIGHTHOUSES_MAX}, not {count}"
        )));
    }
    if !PLAYERS.contains(&style.players) {
        let (least, most) = (PLAYERS.start(), PLAYERS.end());
        let players = style.players;
        return Err(SetupError(format!(
            "players must be {least} to {most}, not {players}"
        )));
    }
    let drawn = (0..ATTEMPTS).find_map(|attempt| {
        // The last ones are all land.
        let wild = attempt + 4 < ATTEMPTS;
        Sketch::draw(&mut Rng::new(seed, MAP_STREAM + attempt), style, wild)
    });
    drawn.ok_or_else(|| SetupError::new("there is no room for that many lighthouses and players"))
}

/// A drawing in progress.
struct Sketch {
    width: usize,
    height: usize,
    letters: Vec<char>,
    symmetric: bool,
}

impl Sketch {
    fn draw(rng: &mut Rng, style: &Style, wild: bool) -> Option<Map> {
        let mut side = |wanted: Option<usize>| {
            let (least, most) = (*SIDES.start(), *SIDES.end());
            let drawn = least + rng.below((most - least + 1) as u32) as usize;
            wanted.unwrap_or(drawn)
        };
        let (width, height) = (side(style.width), side(style.height));
        let mut sketch = Self {
            width,
            height,
            letters: vec!['#'; width * height],
            symmetric: style.symmetric,
        };
        for y in 1..height - 1 {
            for x in 1..width - 1 {
                sketch.letters[y * width + x] = ' ';
            }
        }
        if wild {
            sketch.flood(rng);
        }
        sketch.keep_largest();
        let land = sketch.land().len();
        let usual = (land / 24).clamp(3, 40) as u32;
        let drawn = usual - usual / 3 + rng.below(2 * usual / 3 + 1);
        let lighthouses = style.lighthouses.unwrap_or(drawn as usize);
        if land < 2 * (lighthouses + style.players) && wild {
            return None;
        }
        sketch.place_lighthouses(rng, lighthouses)?;
        sketch.place_starts(rng, style.players)?;
        let text: String = sketch
            .letters
            .chunks(width)
            .flat_map(|row| row.iter().copied().chain(['\n']))
            .collect();
        Map::read(&text).ok()
    }

    /// The cell opposite this one.
    fn image(&self, cell: usize) -> usize {
        self.letters.len() - 1 - cell
    }

    fn set(&mut self, cell: usize, letter: char) {
        self.letters[cell] = letter;
    }

    fn land(&self) -> Vec<usize> {
        let cells = self.letters.iter().enumerate();
        let land = cells.filter(|(_, letter)| **letter == ' ');
        land.map(|(cell, _)| cell).collect()
    }

    /// Erodes the island from the shore and here and there within.
    fn flood(&mut self, rng: &mut Rng) {
        let cells = self.letters.len();
        let shares = [0.05, 0.15, 0.3, 0.45];
        let share = shares[rng.below(shares.len() as u32) as usize];
        let mut wanted = (cells as f64 * share) as usize;
        // Every walk takes at least one step, and ends.
        for _ in 0..cells {
            if wanted == 0 {
                return;
            }
            let inland = rng.chance(0.3);
            let mut cell = rng.below(cells as u32) as usize;
            if (self.letters[cell] == '#') == inland {
                continue;
            }
            let length = 2 + rng.below(self.width.max(self.height) as u32);
            for _ in 0..length {
                let step = [1, self.width][rng.below(2) as usize];
                let next = if rng.chance(0.5) {
                    cell.checked_sub(step)
                } else {
                    Some(cell + step)
                };
                cell = match next.filter(|next| *next < cells) {
                    Some(next) => next,
                    None => break,
                };
                if self.letters[cell] == ' ' {
                    self.set(cell, '#');
                    wanted = wanted.saturating_sub(1);
                    if self.symmetric {
                        self.set(self.image(cell), '#');
                        wanted = wanted.saturating_sub(1);
                    }
                }
            }
        }
    }

    /// Keeps the largest island; of two equal ones the first. With symmetry either it maps to itself or the
    /// drawing is rejected as not symmetric.
    fn keep_largest(&mut self) {
        let mut best: Vec<usize> = Vec::new();
        let mut seen = vec![false; self.letters.len()];
        for first in self.land() {
            if seen[first] {
                continue;
            }
            let mut part = vec![first];
            seen[first] = true;
            let mut at = 0;
            while let Some(cell) = part.get(at).copied() {
                at += 1;
                let rows = [cell - self.width, cell, cell + self.width];
                for next in rows.into_iter().flat_map(|at| [at - 1, at, at + 1]) {
                    if self.letters[next] == ' ' && !seen[next] {
                        seen[next] = true;
                        part.push(next);
                    }
                }
            }
            if part.len() > best.len() {
                best = part;
            }
        }
        let mut kept = vec!['#'; self.letters.len()];
        for cell in best {
            kept[cell] = ' ';
        }
        self.letters = kept;
    }

    fn distance(&self, a: usize, b: usize) -> usize {
        let (ax, ay) = (a % self.width, a / self.width);
        let (bx, by) = (b % self.width, b / self.width);
        ax.abs_diff(bx).max(ay.abs_diff(by))
    }

    /// Spread out: as far apart as space allows.
    fn place_lighthouses(&mut self, rng: &mut Rng, count: usize) -> Option<()> {
        let mut land = self.land();
        if self.symmetric
            && land
                .iter()
                .any(|cell| self.letters[self.image(*cell)] == '#')
        {
            return None;
        }
        rng.shuffle(&mut land);
        let mut apart = ((land.len() as f64 / count as f64).sqrt() * 0.8) as usize;
        let mut placed: Vec<usize> = Vec::with_capacity(count);
        loop {
            for cell in &land {
                let twin = self.image(*cell);
                let pair = self.symmetric && twin != *cell;
                if placed.len() + 1 + usize::from(pair) > count {
                    continue;
                }
                let near = |other: &usize| self.distance(*other, *cell) <= apart;
                if placed.iter().any(near) || pair && self.distance(*cell, twin) <= apart {
                    continue;
                }
                placed.push(*cell);
                if pair {
                    placed.push(twin);
                }
            }
            // An odd one has no place if there is no middle.
            let odd = self.symmetric && placed.len() + 1 == count;
            if placed.len() == count || odd && apart == 0 {
                break;
            }
            apart = apart.checked_sub(1)?;
        }
        for cell in placed {
            self.set(cell, '!');
        }
        Some(())
    }

    /// Around the middle, as close to it as there is land.
    fn place_starts(&mut self, rng: &mut Rng, players: usize) -> Option<()> {
        let mut land = self.land();
        rng.shuffle(&mut land);
        if self.symmetric {
            land.retain(|cell| self.image(*cell) > *cell);
        }
        let middle = self.height / 2 * self.width + self.width / 2;
        land.sort_by_key(|cell| self.distance(*cell, middle));
        let mut cells = Vec::with_capacity(players + 1);
        for cell in land {
            if cells.len() >= players {
                break;
            }
            cells.push(cell);
            if self.symmetric {
                cells.push(self.image(cell));
            }
        }
        if cells.len() < players {
            return None;
        }
        for (letter, cell) in ('A'..='Z').zip(cells.into_iter().take(players)) {
            self.set(cell, letter);
        }
        Some(())
    }
}
