//! The island as a picture: land stays; energy, triangles, beams, lighthouses and players move.

use super::state::{CELLS_MAX, LighthouseState, PlayerState, State};
use crate::rules::{ENERGY_MAX, Point};
use drover_game::scene::{
    Anchor, Entry, LEGEND_NAME_CHARS, Names, Picture, Svg, legend, legend_height,
};
use drover_game::text::counted;
use serde::Deserialize as _;
use serde_json::Value;
use std::collections::BTreeMap;

/// Width that a map is drawn to fill, in units.
const WIDTH: f64 = 360.0;
/// Height that it keeps to if it can.
const HEIGHT: f64 = 388.0;
/// Units of a cell's side.
const CELL: std::ops::RangeInclusive<f64> = 2.0..=28.0;
/// Lighthouses, players and triangles that are drawn: more than there can be.
const DRAWN_MAX: usize = 256;
/// Height of the numbers next to lighthouses, the least one of those on them, and the reach of one that has room for it.
const SMALL: f64 = 11.0;
const SEAT: f64 = 9.6;
const SEATED: f64 = 6.0;
/// Room for the numbers of columns below the map, and of those of rows on its left.
const AXIS: f64 = 12.0;
const ROWS_AXIS: f64 = 15.0;
/// Height of the line below them.
const KEY: f64 = 16.0;
/// Columns and rows from one number to the next, and the least units of a cell where they are numbered.
const EVERY: usize = 5;
const NUMBERED: f64 = 4.0;
/// The least units of a cell between which there are lines.
const LINED: f64 = 6.0;

/// The picture of a state, if it is one.
#[must_use]
pub fn draw(state: &Value, names: &Names) -> Option<Picture> {
    let state = State::deserialize(state).ok()?;
    let island = Island::new(&state, names)?;
    Some(Picture {
        width: island.width as u32,
        height: island.height as u32,
        still: island.still(&state),
        moving: island.moving(&state),
    })
}

/// Where things are drawn.
struct Island<'a> {
    names: &'a Names,
    rows: usize,
    cols: usize,
    cell: f64,
    /// The map's upper left corner.
    corner: (f64, f64),
    width: f64,
    height: f64,
    size: (f64, f64),
}

impl<'a> Island<'a> {
    fn new(state: &State, names: &'a Names) -> Option<Self> {
        let rows = state.island.len();
        let cols = state.island.first()?.chars().count();
        let even = |row: &String| row.chars().count() == cols;
        let area = cols.checked_mul(rows)?;
        if area == 0 || area > CELLS_MAX || !state.island.iter().all(even) {
            return None;
        }
        let (across, down) = (cols as f64, rows as f64);
        let fitting = ((WIDTH - ROWS_AXIS) / across).min(HEIGHT / down).floor();
        let cell = fitting.clamp(*CELL.start(), *CELL.end());
        let width = (across * cell + ROWS_AXIS).max(WIDTH);
        let top = legend_height(state.players.len());
        Some(Self {
            names,
            rows,
            cols,
            cell,
            corner: (((width + ROWS_AXIS - across * cell) / 2.0).floor(), top),
            width,
            height: top + down * cell + AXIS + KEY,
            size: (across * cell, down * cell),
        })
    }

    /// The middle of a cell, or of what would be one.
    fn middle(&self, at: Point) -> (f64, f64) {
        let (left, top) = self.corner;
        let down = self.rows as f64 - f64::from(at.y);
        (
            left + (f64::from(at.x) + 0.5) * self.cell,
            top + (down - 0.5) * self.cell,
        )
    }

    fn still(&self, state: &State) -> String {
        let mut svg = Svg::new();
        svg.rect("s-board", self.corner, self.size, 0.0);
        svg.boxes("s-land", self.runs(state, |_, letter| letter != '#'));
        self.coast(&mut svg, state);
        self.axes(&mut svg);
        self.key(&mut svg);
        svg.finish()
    }

    /// What the marks mean, below the map.
    fn key(&self, svg: &mut Svg) {
        let (middle, base) = (self.height - KEY / 2.0, self.height - KEY / 2.0 + 4.0);
        let corners = [
            (8.0, middle - 5.0),
            (13.0, middle),
            (8.0, middle + 5.0),
            (3.0, middle),
        ];
        svg.polygon("s-neutral", corners);
        svg.rect("s-light", (244.0, middle - 4.5), (9.0, 9.0), 0.0);
        for (x, words) in [
            (17.0, "lighthouse: owner on it, energy above"),
            (257.0, "energy of a cell"),
        ] {
            svg.text("s-muted", (x, base), SMALL, Anchor::Start, words);
        }
    }

    /// Every fifth column and row by its number, at the edges of the map where there is room.
    fn axes(&self, svg: &mut Svg) {
        if self.cell < NUMBERED {
            return;
        }
        let bottom = self.corner.1 + self.size.1;
        for col in (0..self.cols).step_by(EVERY) {
            let (x, _) = self.middle(Point::from((col as i32, 0)));
            let at = (x, bottom + AXIS - 2.0);
            svg.text("s-muted", at, SMALL, Anchor::Middle, col);
        }
        for row in (0..self.rows).step_by(EVERY) {
            let (_, y) = self.middle(Point::from((0, row as i32)));
            let at = (self.corner.0 - 1.0, y + 3.8);
            svg.text("s-muted", at, SMALL, Anchor::End, row);
        }
    }

    /// Where land ends, unless cells are too small for lines.
    fn coast(&self, svg: &mut Svg, state: &State) {
        if self.cell < LINED {
            return;
        }
        let rows: Vec<Vec<bool>> = state
            .island
            .iter()
            .map(|row| row.chars().map(|letter| letter != '#').collect())
            .collect();
        let land = |x: usize, y: usize| rows.get(y).and_then(|row| row.get(x)) == Some(&true);
        let (left, top) = self.corner;
        let corner = |x: usize, y: usize| (left + x as f64 * self.cell, top + y as f64 * self.cell);
        let mut ends = Vec::new();
        for y in 0..=self.rows {
            for x in 0..=self.cols {
                let here = land(x, y);
                if here != (y > 0 && land(x, y - 1)) {
                    ends.push((corner(x, y), corner(x + 1, y)));
                }
                if here != (x > 0 && land(x - 1, y)) {
                    ends.push((corner(x, y), corner(x, y + 1)));
                }
            }
        }
        svg.strokes("s-line", ends, 1.0);
    }

    /// The cells of a kind as boxes, each as wide as there are neighbours of its kind.
    fn runs(&self, state: &State, is: impl Fn(Point, char) -> bool) -> Vec<[f64; 4]> {
        let mut boxes: Vec<[f64; 4]> = Vec::new();
        for (y, row) in state.island.iter().rev().enumerate() {
            let mut open = false;
            for (x, letter) in row.chars().enumerate() {
                let at = Point::from((x as i32, y as i32));
                if !is(at, letter) {
                    open = false;
                    continue;
                }
                if let Some([_, _, width, _]) = boxes.last_mut().filter(|_| open) {
                    *width += self.cell;
                } else {
                    let (x, y) = self.middle(at);
                    boxes.push([
                        x - self.cell / 2.0,
                        y - self.cell / 2.0,
                        self.cell,
                        self.cell,
                    ]);
                }
                open = true;
            }
        }
        boxes
    }

    fn moving(&self, state: &State) -> String {
        let mut svg = Svg::titled(&self.words(state));
        self.energy(&mut svg, state);
        if self.cell >= LINED {
            svg.grid(self.corner, self.size, self.cell, 0.8);
        }
        self.links(&mut svg, state);
        for lighthouse in state.lighthouses.iter().take(DRAWN_MAX) {
            self.lighthouse(&mut svg, lighthouse);
        }
        for player in state.players.iter().take(DRAWN_MAX) {
            self.player(&mut svg, player, state);
        }
        let entries: Vec<Entry> = state
            .players
            .iter()
            .map(|player| self.entry(player, state))
            .collect();
        legend(&mut svg, self.width, &entries);
        svg.finish()
    }

    /// A square in each cell that has energy, larger for more, the whole cell for all that it can have; a veil
    /// where it is not known.
    fn energy(&self, svg: &mut Svg, state: &State) {
        let cells = state.energy.iter().take(CELLS_MAX);
        let known: BTreeMap<(i32, i32), u8> = cells
            .map(|(x, y, energy)| ((i32::from(*x), i32::from(*y)), *energy))
            .collect();
        let of = |at: Point| known.get(&(at.x, at.y)).copied();
        if state.viewer.is_some() {
            let unknown = |at, letter| letter != '#' && of(at).is_none();
            svg.boxes("s-neutral s-faint", self.runs(state, unknown));
        }
        let full = |at, _| of(at).is_some_and(|energy| energy >= ENERGY_MAX);
        let part = known
            .iter()
            .filter(|(_, energy)| (1..ENERGY_MAX).contains(*energy));
        let part = part.map(|(at, energy)| {
            let (x, y) = self.middle(Point::from(*at));
            // The square's area stands for the energy. Its corners are whole numbers.
            let share = (f64::from(*energy) / f64::from(ENERGY_MAX)).sqrt();
            let half = (share * self.cell * 0.45).floor().max(1.0);
            let side = 2.0 * half + self.cell % 2.0;
            [x - side / 2.0, y - side / 2.0, side, side]
        });
        let lit = self.runs(state, full).into_iter().chain(part);
        svg.boxes("s-light", lit);
    }

    fn links(&self, svg: &mut Svg, state: &State) {
        let place = |at: u8| {
            let lighthouse = state.lighthouses.get(usize::from(at))?;
            Some(self.middle(lighthouse.position))
        };
        for triangle in state.triangles.iter().take(DRAWN_MAX) {
            let corners: Option<Vec<_>> = triangle.corners.iter().map(|at| place(*at)).collect();
            if let Some(corners) = corners {
                let colour = self.names.colour(usize::from(triangle.player));
                svg.polygon(&format!("s-faint {colour}"), corners);
            }
        }
        let mut owners: Vec<u8> = state.lighthouses.iter().filter_map(|at| at.owner).collect();
        owners.sort_unstable();
        owners.dedup();
        for owner in owners.into_iter().take(DRAWN_MAX) {
            let own = |at: &&(u8, &LighthouseState)| at.1.owner == Some(owner);
            let numbered: Vec<_> = (0..).zip(&state.lighthouses).take(DRAWN_MAX).collect();
            let ends = numbered.iter().filter(own).flat_map(|(from, at)| {
                let later = at.links.iter().take(DRAWN_MAX).filter(move |to| from < *to);
                later.filter_map(|to| Some((place(*from)?, place(*to)?)))
            });
            let ends: Vec<_> = ends.take(DRAWN_MAX).collect();
            let colour = self.names.colour(usize::from(owner));
            svg.strokes(&format!("s-line {colour}"), ends, 2.0);
        }
    }

    /// A lozenge in its owner's colour, with the owner's seat and its energy.
    fn lighthouse(&self, svg: &mut Svg, lighthouse: &LighthouseState) {
        let (x, y) = self.middle(lighthouse.position);
        let reach = (self.cell * 0.7).max(4.0);
        let class = match lighthouse.owner {
            Some(owner) => self.names.colour(usize::from(owner)),
            None => "s-neutral",
        };
        let corners = [
            (x, y - reach),
            (x + reach, y),
            (x, y + reach),
            (x - reach, y),
        ];
        svg.polygon(class, corners);
        if let Some(owner) = lighthouse.owner {
            if reach >= SEATED {
                let seat = self.names.seat(usize::from(owner)) + 1;
                let size = (reach * 1.2).max(SEAT);
                let at = (x, y + size * 0.36);
                svg.text("s-on s-bold", at, size, Anchor::Middle, seat);
            }
            let (at, energy) = ((x, y - reach - 1.0), lighthouse.energy);
            svg.text("s-text s-bold s-halo", at, SMALL, Anchor::Middle, energy);
        }
    }

    /// A disc with the player's seat; those on one cell stand side by side.
    fn player(&self, svg: &mut Svg, player: &PlayerState, state: &State) {
        let Some(at) = player.position else {
            return;
        };
        let together = state.players.iter().take(DRAWN_MAX);
        let together: Vec<u8> = together
            .filter(|other| other.position == Some(at))
            .map(|other| other.player)
            .collect();
        let place = together.iter().position(|other| *other == player.player);
        let step = place.unwrap_or_default() as f64 - (together.len() as f64 - 1.0) / 2.0;
        let (x, y) = self.middle(at);
        let radius = (self.cell * 0.45).max(7.5);
        let x = x + step * radius * 1.7;
        let place = usize::from(player.player);
        svg.circle(self.names.colour(place), (x, y), radius);
        let (number, size) = (self.names.seat(place) + 1, radius * 1.5);
        svg.text(
            "s-on s-bold",
            (x, y + size * 0.36),
            size,
            Anchor::Middle,
            number,
        );
    }

    fn entry(&self, player: &PlayerState, state: &State) -> Entry {
        let (held, income) = (player.held, player.income);
        let lot = match (player.dropped, player.energy) {
            (Some(true), _) => "dropped".to_owned(),
            (_, Some(energy)) => format!("{income:+} a round, {energy} energy"),
            (_, None) => format!("{}, {income:+} points a round", counted(held, "lighthouse")),
        };
        let place = usize::from(player.player);
        Entry {
            colour: self.names.colour(place),
            label: (self.names.seat(place) + 1).to_string(),
            name: self.names.short(place, LEGEND_NAME_CHARS),
            figure: player
                .score
                .map_or_else(String::new, |score| counted(score, "point")),
            words: lot,
            own: state.viewer == Some(player.player),
        }
    }

    /// The picture in words.
    fn words(&self, state: &State) -> String {
        let eyes = match state.viewer {
            Some(viewer) => format!(", seen by {}", self.names.name(usize::from(viewer))),
            None => String::new(),
        };
        let (round, triangles) = (state.round, state.triangles.len());
        let held = state
            .lighthouses
            .iter()
            .filter(|at| at.owner.is_some())
            .count();
        let all = state.lighthouses.len();
        format!(
            "The island after {round} rounds{eyes}: {held} of {all} lighthouses held, {triangles} triangles"
        )
    }
}
