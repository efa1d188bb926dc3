//! The field as a picture: fences, trees and pens stay; dogs, barks, sheep and what is out of sight move.

use super::state::{DogState, PlayerState, SheepState, State, hundredths};
use crate::rules::{Direction, DogAction, Land, SheepAction, Spot, Torus};
use drover_game::game::Seat;
use drover_game::scene::{
    Anchor, Entry, LEGEND_NAME_CHARS, Names, Picture, Point, Size, Svg, legend, legend_height,
};
use drover_game::text::counted;
use serde::Deserialize as _;
use serde_json::Value;
use std::collections::BTreeMap;

/// Units that a field is drawn to fill in a window and on a phone, so that letters have the same size on both.
const WIDE: Size = Size {
    width: 560.0,
    height: 300.0,
};
const NARROW: Size = Size {
    width: 360.0,
    height: 400.0,
};
/// Units of a cell's side.
const CELL: std::ops::RangeInclusive<f64> = 2.0..=24.0;
/// Dogs and sheep that are drawn: all of four of the largest tiles.
const DRAWN_MAX: usize = 2_400;
/// The least units of a sheep and of a dog, whatever those of a cell.
const SHEEP: f64 = 9.0;
const DOG: f64 = 11.0;
/// Heights of the number on a dog.
const NUMBER: std::ops::RangeInclusive<f64> = 10.5..=14.0;
/// Cells between two numbers, and between two lines that are always there; the least units of a cell whose lines all are.
const EVERY: u16 = 5;
const LINED: f64 = 6.0;
/// Room for the numbers of columns below the field, and of those of rows on its left, and the least units of a cell where
/// there are any.
const AXIS: f64 = 12.0;
const ROWS_AXIS: f64 = 15.0;
const NUMBERED: f64 = 5.0;
/// Height of a line of the two below them, and of letters there.
const KEY_LINE: f64 = 15.0;
const KEY_LETTERS: f64 = 11.0;
/// Units of a mark's side in it, and of a sheep's.
const KEY_MARK: f64 = 11.0;
const KEY_SHEEP: f64 = 14.0;
/// Where the first mark of fright stands in the second line, and the room that each takes with its word.
const FRIGHT: f64 = 150.0;
const FRIGHT_ROOM: f64 = 58.0;
/// Points of a circle.
const CIRCLE_POINTS: u32 = 40;

/// The picture of a state, if it is one.
#[must_use]
pub fn draw(state: &Value, names: &Names) -> Option<Picture> {
    drawn(state, names, WIDE)
}

/// The same for a phone.
#[must_use]
pub fn draw_narrow(state: &Value, names: &Names) -> Option<Picture> {
    drawn(state, names, NARROW)
}

fn drawn(state: &Value, names: &Names, room: Size) -> Option<Picture> {
    let state = State::deserialize(state).ok()?;
    let (torus, land) = state.field()?;
    let field = Field::new(torus, state.players.len(), names, room);
    Some(Picture {
        width: field.width as u32,
        height: field.height as u32,
        still: field.still(&land),
        moving: field.moving(&state),
    })
}

/// Where things are drawn.
struct Field<'a> {
    names: &'a Names,
    torus: Torus,
    cell: f64,
    /// The field's upper left corner.
    corner: (f64, f64),
    width: f64,
    height: f64,
}

impl<'a> Field<'a> {
    /// `room`: what it fills; more columns than there is room for make it wider.
    fn new(torus: Torus, players: usize, names: &'a Names, room: Size) -> Self {
        let (cols, rows) = (f64::from(torus.cols()), f64::from(torus.rows()));
        let fitting = ((room.width - ROWS_AXIS) / cols)
            .min(room.height / rows)
            .floor();
        let cell = fitting.clamp(*CELL.start(), *CELL.end());
        let width = (cols * cell + ROWS_AXIS).max(room.width);
        let top = legend_height(players);
        Self {
            names,
            torus,
            cell,
            corner: (((width - cols * cell) / 2.0).round().max(ROWS_AXIS), top),
            width,
            height: top + rows * cell + AXIS + 2.0 * KEY_LINE,
        }
    }

    /// The upper left corner of a cell.
    fn at(&self, spot: Spot) -> (f64, f64) {
        let (left, top) = self.corner;
        (
            left + f64::from(spot.x) * self.cell,
            top + f64::from(spot.y) * self.cell,
        )
    }

    fn middle(&self, spot: Spot) -> (f64, f64) {
        let (x, y) = self.at(spot);
        (x + self.cell / 2.0, y + self.cell / 2.0)
    }

    /// The cells of a kind as boxes, each as wide as there are neighbours of its kind.
    fn runs(&self, is: impl Fn(Spot) -> bool) -> Vec<[f64; 4]> {
        let mut boxes = Vec::new();
        for y in 0..self.torus.rows() {
            let mut x = 0;
            while x < self.torus.cols() {
                let from = x;
                while x < self.torus.cols() && is(Spot::new(x, y)) {
                    x += 1;
                }
                if x > from {
                    let (left, top) = self.at(Spot::new(from, y));
                    boxes.push([left, top, f64::from(x - from) * self.cell, self.cell]);
                }
                x += 1;
            }
        }
        boxes
    }

    fn still(&self, land: &[Land]) -> String {
        let mut svg = Svg::new();
        let (cols, rows) = (self.torus.cols(), self.torus.rows());
        let size = (f64::from(cols) * self.cell, f64::from(rows) * self.cell);
        svg.rect("s-board", self.corner, size, 0.0);
        let kind = |spot: Spot| land.get(self.torus.index(spot)).copied();
        for seat in (0..4).map(Seat) {
            let pen = self.runs(|spot| kind(spot) == Some(Land::Pen(seat)));
            let class = format!("{} s-faint", self.names.colour(seat.index()));
            svg.boxes(&class, pen);
        }
        svg.boxes(
            "s-neutral",
            self.runs(|spot| kind(spot) == Some(Land::Wall)),
        );
        let trees = self
            .torus
            .spots()
            .filter(|spot| kind(*spot) == Some(Land::Tree));
        for tree in trees {
            svg.circle("s-neutral s-faint", self.middle(tree), self.cell * 0.42);
        }
        for step in [1, EVERY].map(|cells| f64::from(cells) * self.cell) {
            if step >= LINED {
                svg.grid(self.corner, size, step, 0.8);
            }
        }
        self.axes(&mut svg);
        self.key(&mut svg, land);
        svg.finish()
    }

    /// Every fifth column and row by its number, as messages and facts have them.
    fn axes(&self, svg: &mut Svg) {
        if self.cell < NUMBERED {
            return;
        }
        let every = |end: u16| (0..end).step_by(EVERY.into());
        let below = self.height - 2.0 * KEY_LINE - 2.0;
        for col in every(self.torus.cols()) {
            let at = (self.middle(Spot::new(col, 0)).0, below);
            svg.text("s-muted", at, KEY_LETTERS, Anchor::Middle, col);
        }
        for row in every(self.torus.rows()) {
            let (_, y) = self.middle(Spot::new(0, row));
            let at = (self.corner.0 - 1.0, y + 3.8);
            svg.text("s-muted", at, KEY_LETTERS, Anchor::End, row);
        }
    }

    /// The middle of a line of the key, from 0.
    fn key_middle(&self, line: f64) -> f64 {
        self.height - KEY_LINE * (1.5 - line)
    }

    /// What the marks that stay mean, below the field.
    fn key(&self, svg: &mut Svg, land: &[Land]) {
        let [middle, below] = [0.0, 1.0].map(|line| self.key_middle(line));
        let (half, colour) = (KEY_MARK / 2.0, self.names.colour(0));
        let corner = |x: f64| (x - half, middle - half);
        let side = (KEY_MARK, KEY_MARK);
        let sheep = (Point::from((9.0, middle)), Direction::Left);
        flock(svg, &[sheep], false, KEY_SHEEP);
        svg.rect(colour, corner(70.0), side, half / 2.0);
        svg.rect(&format!("{colour} s-faint"), corner(117.0), side, 0.0);
        let ring = [
            ("cx", 9.0),
            ("cy", below),
            ("r", half),
            ("stroke-width", 1.0),
        ];
        svg.shape("circle", "s-line s-muted", &ring);
        let mut words = vec![
            (18.0, middle, "sheep"),
            (78.0, middle, "dog"),
            (125.0, middle, "pen"),
            (18.0, below, "bark's reach (wraps)"),
        ];
        if land.contains(&Land::Wall) {
            svg.rect("s-neutral", corner(164.0), side, 0.0);
            words.push((172.0, middle, "fence"));
        }
        for (x, y, word) in words {
            svg.text("s-muted", (x, y + 4.0), KEY_LETTERS, Anchor::Start, word);
        }
    }

    /// The marks of fright behind them, where there is any.
    fn fright_key(&self, svg: &mut Svg, state: &State) {
        let is_any = |action| state.dogs.iter().any(|dog| dog.action == action);
        let mut sheep = state.sheep.iter();
        let panic = sheep.any(|sheep| sheep.action == SheepAction::Panic);
        let words = [
            (DogAction::Panic, "panic", panic),
            (DogAction::Indignant, "indignant", false),
        ];
        let shown = words
            .into_iter()
            .filter(|(action, _, known)| *known || is_any(*action));
        let (middle, mut x) = (self.key_middle(1.0), FRIGHT);
        for (action, word, _) in shown {
            frightened(svg, action, (x, middle).into(), KEY_MARK * 0.8);
            let at = (x + 8.0, middle + 4.0);
            svg.text("s-muted", at, KEY_LETTERS, Anchor::Start, word);
            x += FRIGHT_ROOM;
        }
    }

    fn moving(&self, state: &State) -> String {
        let mut svg = Svg::titled(&self.words(state));
        self.out_of_sight(&mut svg, state);
        self.barks(&mut svg, state);
        self.sheep(&mut svg, state);
        let owned = by_owner(state);
        for dog in state.dogs.iter().take(DRAWN_MAX) {
            let words = self.dog_words(dog, &owned);
            self.dog(&mut svg, dog, &words);
        }
        let entries: Vec<Entry> = state
            .players
            .iter()
            .map(|player| self.entry(player, state))
            .collect();
        legend(&mut svg, self.width, &entries);
        self.fright_key(&mut svg, state);
        svg.finish()
    }

    /// A veil over what the viewer's dogs do not see.
    fn out_of_sight(&self, svg: &mut Svg, state: &State) {
        let Some(viewer) = state.viewer else {
            return;
        };
        let own = state.dogs.iter().filter(|dog| dog.player == viewer);
        let own: Vec<Spot> = own
            .take(DRAWN_MAX)
            .filter_map(|dog| self.on(dog.x, dog.y))
            .collect();
        let reach = state.sight;
        let seen = |spot| own.iter().any(|dog| self.torus.within(*dog, spot, reach));
        svg.boxes("s-neutral s-faint", self.runs(|spot| !seen(spot)));
    }

    fn barks(&self, svg: &mut Svg, state: &State) {
        for dog in state.dogs.iter().filter(|dog| dog.barked).take(DRAWN_MAX) {
            let Some(spot) = self.on(dog.x, dog.y) else {
                continue;
            };
            let class = format!("s-line {}", self.owner(dog));
            svg.lines(&class, self.reach(spot, f64::from(state.bark) + 0.5), 1.0);
        }
        for spot in state.voices.iter().take(DRAWN_MAX) {
            if let Some(spot) = self.on(spot.x, spot.y) {
                let (x, y) = self.middle(spot);
                svg.text("s-warn s-bold", (x, y + 4.0), 12.0, Anchor::Middle, "!");
            }
        }
    }

    /// How far a bark reaches: a circle that goes on at the opposite edge where it leaves the field, as barks do.
    fn reach(&self, from: Spot, cells: f64) -> Vec<Vec<(f64, f64)>> {
        let (cols, rows) = (f64::from(self.torus.cols()), f64::from(self.torus.rows()));
        let (left, top) = self.corner;
        // Where a point is in one of the field's repetitions, or at its edge.
        let within = |field: (f64, f64), point: Point| {
            let x = left + (point.x - field.0 * cols).clamp(0.0, cols) * self.cell;
            let y = top + (point.y - field.1 * rows).clamp(0.0, rows) * self.cell;
            ((x * 10.0).round() / 10.0, (y * 10.0).round() / 10.0)
        };
        let (mut lines, mut line) = (Vec::new(), Vec::new());
        let mut before: Option<((f64, f64), Point)> = None;
        for point in 0..=CIRCLE_POINTS {
            let turn = std::f64::consts::TAU * f64::from(point) / f64::from(CIRCLE_POINTS);
            let x = f64::from(from.x) + 0.5 + cells * turn.cos();
            let y = f64::from(from.y) + 0.5 + cells * turn.sin();
            // Which repetition of the field it is in.
            let (field, point) = (((x / cols).floor(), (y / rows).floor()), Point { x, y });
            if let Some((left, last)) = before.filter(|(left, _)| *left != field) {
                line.push(within(left, point));
                lines.push(std::mem::replace(&mut line, vec![within(field, last)]));
            }
            line.push(within(field, point));
            before = Some((field, point));
        }
        lines.push(line);
        lines
    }

    /// Those that are calm, and then those that panic.
    fn sheep(&self, svg: &mut Svg, state: &State) {
        let placed = |sheep: &SheepState| {
            let spot = self.on(sheep.x, sheep.y)?;
            Some((Point::from(self.middle(spot)), sheep.direction))
        };
        for panic in [false, true] {
            let is_wanted = |sheep: &&SheepState| (sheep.action == SheepAction::Panic) == panic;
            let wanted = state.sheep.iter().filter(is_wanted).take(DRAWN_MAX);
            let wanted: Vec<_> = wanted.filter_map(placed).collect();
            flock(svg, &wanted, panic, self.cell.max(SHEEP));
        }
    }

    fn dog(&self, svg: &mut Svg, dog: &DogState, words: &str) {
        let Some(spot) = self.on(dog.x, dog.y) else {
            return;
        };
        let ((x, y), side) = (self.middle(spot), (self.cell * 0.92).max(DOG));
        svg.group("", words, |svg| {
            frightened(svg, dog.action, (x, y).into(), side);
            let corner = (x - side / 2.0, y - side / 2.0);
            svg.rect(self.owner(dog), corner, (side, side), side * 0.25);
            let size = (side * 0.75).clamp(*NUMBER.start(), *NUMBER.end());
            let base = (x, y + size * 0.36);
            svg.text("s-on s-bold", base, size, Anchor::Middle, dog.player);
        });
    }

    /// A cell of the field.
    fn on(&self, x: u16, y: u16) -> Option<Spot> {
        let spot = Spot::new(x, y);
        self.torus.contains(spot).then_some(spot)
    }

    fn owner(&self, dog: &DogState) -> &'static str {
        self.names.colour(place(dog.player))
    }

    /// A player's sheep and points.
    fn entry(&self, player: &PlayerState, state: &State) -> Entry {
        let words = match (player.forfeited, player.penned) {
            (Some(true), _) => "has forfeited".to_owned(),
            (_, Some(penned)) => format!("{penned} sheep in its pen"),
            // A map has no score.
            (_, None) if state.viewer.is_none() => String::new(),
            (_, None) => "sheep not known".to_owned(),
        };
        let place = place(player.player);
        Entry {
            colour: self.names.colour(place),
            label: player.player.to_string(),
            name: self.names.short(place, LEGEND_NAME_CHARS),
            figure: player
                .points
                .map_or_else(String::new, |points| counted(hundredths(points), "point")),
            words,
            own: state.viewer == Some(player.player),
        }
    }

    /// A dog in words: counted from 1 among its player's dogs where all of them are shown.
    fn dog_words(&self, dog: &DogState, owned: &Owned) -> String {
        let DogState { number, player, .. } = dog;
        let how = match dog.action {
            DogAction::Move => "",
            DogAction::Panic => ", in panic",
            DogAction::Indignant => ", indignant",
        };
        let turns = match dog.frozen {
            Some(turns) if turns > 0 => format!(" for {turns} turns"),
            _ => String::new(),
        };
        let whose = self.names.name(place(*player));
        let numbers = owned.get(player).map_or(&[][..], Vec::as_slice);
        match numbers.binary_search(number) {
            Ok(at) if numbers.len() > 1 => {
                format!("Dog {} of {whose}{how}{turns}", at + 1)
            }
            _ => format!("A dog of {whose}{how}{turns}"),
        }
    }

    /// The picture in words.
    fn words(&self, state: &State) -> String {
        let eyes = match state.viewer {
            Some(viewer) => format!(", seen by {}", self.names.name(place(viewer))),
            None => String::new(),
        };
        let (dogs, sheep) = (state.dogs.len(), state.sheep.len());
        let turn = state.turn;
        format!("The field in turn {turn}{eyes}: {dogs} dogs, {sheep} sheep")
    }
}

/// Sheep of this side with wool, two legs, and their heads where they look; those that panic are gold and run.
fn flock(svg: &mut Svg, sheep: &[(Point, Direction)], panic: bool, side: f64) {
    let (class, stride) = match panic {
        false => ("s-fill s-text", 0.16),
        true => ("s-coin", 0.4),
    };
    let legs = sheep.iter().flat_map(|(at, _)| {
        let leg = |hip: f64, foot: f64| {
            let (hip, foot) = (at.x + hip * side, at.x + foot * side);
            ((hip, at.y + 0.2 * side), (foot, at.y + 0.5 * side))
        };
        [leg(-0.16, -stride), leg(0.16, stride)]
    });
    svg.strokes("s-line s-text", legs, side * 0.1);
    svg.tufts(class, sheep.iter().map(|(at, _)| *at), side * 0.32);
    for (at, looks) in sheep {
        let (dx, dy) = step(*looks);
        // One that comes this way shows its face.
        let far = side * if dy > 0.0 { 0.12 } else { 0.4 };
        svg.circle("s-text", (at.x + dx * far, at.y + dy * far), side * 0.17);
    }
}

/// A disc below a dog of this side that panics, with an edge of dashes below one that is indignant.
fn frightened(svg: &mut Svg, action: DogAction, middle: Point, side: f64) {
    let ring = [("cx", middle.x), ("cy", middle.y), ("r", side * 0.7)];
    match action {
        DogAction::Move => {}
        DogAction::Panic => svg.shape("circle", "s-coin", &ring),
        DogAction::Indignant => {
            let [cx, cy, r] = ring;
            let dashed = [cx, cy, r, ("stroke-dasharray", side * 0.3)];
            svg.shape("circle", "s-coin", &dashed);
        }
    }
}

/// The numbers of the dogs of each player that is shown with all of them, in rising order.
type Owned = BTreeMap<u8, Vec<u64>>;

fn by_owner(state: &State) -> Owned {
    let mut owned = Owned::new();
    let known = |dog: &&DogState| state.viewer.is_none_or(|viewer| viewer == dog.player);
    for dog in state.dogs.iter().filter(known) {
        owned.entry(dog.player).or_default().push(dog.number);
    }
    for numbers in owned.values_mut() {
        numbers.sort_unstable();
    }
    owned
}

/// The place of the player with this number.
fn place(player: u8) -> usize {
    usize::from(player.saturating_sub(1))
}

fn step(direction: Direction) -> (f64, f64) {
    match direction {
        Direction::Up => (0.0, -1.0),
        Direction::Right => (1.0, 0.0),
        Direction::Down => (0.0, 1.0),
        Direction::Left => (-1.0, 0.0),
    }
}
