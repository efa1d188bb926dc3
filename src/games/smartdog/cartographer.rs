//! Learns maps from the matches played on them (README.md, section 7): where a tile's dogs and sheep start,
//! inferred from what one player saw, and merged over several matches.

use super::map::{Header, Map, Square};
use super::options::Key;
use super::rules::{
    Area, Command, Direction, DogId, Event, Ground, Land, Seen, SeenDog, SheepAction, Spot, View,
};
use super::scene;
use drover_game::game::Seat;
use drover_game::ladder::digest;
use drover_game::text::counted;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

/// The schema of evidence and models.
const VERSION: u32 = 1;
/// The largest tile learnt, in cells.
const CELLS_MAX: usize = 16_384;
/// The most places in a model.
const PLACES_MAX: usize = 1_000;
/// The most barks remembered in a match; any more end the learning.
const BARKS_MAX: usize = 4_096;
/// The options that make one map differ from another; the time for a turn does not.
const KEYS: &[Key] = Key::ALL.split_at(6).0;

/// What is known about a map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Model {
    version: u32,
    /// The tile's rows of `.`, `#`, `^` and `-`.
    landscape: Vec<String>,
    options: BTreeMap<String, u32>,
    /// Sheep of the tile, and how many of them start in the pen.
    sheep: u32,
    penned: u32,
    /// Where dogs start: column, row.
    dogs: Vec<(u16, u16)>,
    /// Where sheep start: column, row, in how many matches one was found there.
    places: Vec<(u16, u16, u32)>,
    /// How many matches went into it.
    matches: u32,
}

/// The name of the map that a match is played on, the same for every seat: `map-` and sixteen hexadecimal
/// digits of a digest of landscape, options and numbers of sheep.
#[must_use]
pub fn map_name(ground: &Ground, seat: Seat) -> Option<String> {
    blank(ground, seat).map(|model| model.name())
}

/// Observes one match from one seat.
#[derive(Clone, Debug, Default)]
pub struct Cartographer {
    model: Option<Model>,
    found: BTreeSet<(u16, u16)>,
    barks: Vec<(u32, Spot)>,
    /// Own dogs at the beginning of the turn.
    own: Vec<(DogId, Spot)>,
    view: Option<Arc<View>>,
    blind: bool,
}

impl Cartographer {
    /// Nothing seen yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in an event of the seat.
    pub fn observe(&mut self, event: &Event) {
        match event {
            Event::Turn(view) => self.see(view),
            Event::Ordered(orders) => self.receive_own(orders),
            Event::Refused { .. } | Event::Over { .. } => {}
        }
    }

    /// What this match has revealed so far, for [`merge`]; null if nothing.
    #[must_use]
    pub fn evidence(&self) -> Value {
        let Some(mut model) = self.model.clone() else {
            return Value::Null;
        };
        model.places = self.found.iter().map(|(x, y)| (*x, *y, 1)).collect();
        serde_json::to_value(model).unwrap_or(Value::Null)
    }

    fn see(&mut self, view: &Arc<View>) {
        if view.turn == 1 {
            *self = Self {
                model: blank(&view.ground, view.seat),
                ..Self::default()
            };
        }
        let torus = view.ground.torus();
        let inside = |seen: &&Seen| torus.contains(seen.spot());
        let seen: Vec<Seen> = view.seen.iter().filter(inside).copied().collect();
        self.own.clear();
        for seen in &seen {
            match *seen {
                Seen::Dog(dog) if dog.owner == view.seat => self.own.push((dog.id, dog.spot)),
                // A dog that barked last turn may have done so before or after a step.
                Seen::Voice(spot)
                | Seen::Dog(SeenDog {
                    spot, voice: true, ..
                }) => {
                    self.barks.push((view.turn.saturating_sub(1), spot));
                }
                Seen::Dog(_) | Seen::Sheep(_) => {}
            }
        }
        if self.blind || self.barks.len() > BARKS_MAX {
            self.blind = true;
            self.barks = Vec::new();
        }
        self.view = Some(Arc::clone(view));
        if self.model.is_none() || self.blind {
            return;
        }
        if view.turn == 1 {
            self.find_dogs(view);
        }
        for seen in &seen {
            if let Seen::Sheep(sheep) = seen
                && sheep.action != SheepAction::Panic
                && sheep.direction == Direction::Down
                && self.is_origin(view, sheep.spot)
            {
                self.found.extend(tile_cell(&view.ground, sheep.spot));
            }
        }
    }

    fn receive_own(&mut self, orders: &[Command]) {
        let Some(view) = self.view.as_ref().filter(|_| !self.blind) else {
            return;
        };
        for command in orders {
            let Command::Bark(id) = command else { continue };
            let dog = self.own.iter().find(|(own, _)| own == id);
            self.barks.extend(dog.map(|(_, spot)| (view.turn, *spot)));
        }
    }

    fn find_dogs(&mut self, view: &View) {
        let tile = view.ground.tiles().get(view.seat);
        let (Some(model), Some(tile)) = (&mut self.model, tile) else {
            return;
        };
        model.dogs = self
            .own
            .iter()
            .filter(|(_, spot)| tile.contains(*spot))
            .map(|(_, spot)| (spot.x - tile.first.x, spot.y - tile.first.y))
            .collect();
        model.dogs.sort_by_key(|(x, y)| (*y, *x));
        model.dogs.dedup();
    }

    /// Whether a calm sheep that looks down stands where it started: no sheep has strolled yet, or it stands
    /// so deep in a pen that no stroll leads there; and no bark was near, allowing three cells per turn for
    /// fright that spreads.
    fn is_origin(&self, view: &View, spot: Spot) -> bool {
        let ground = &view.ground;
        let options = ground.options();
        let torus = ground.torus();
        let strolled = view.turn > options.get(Key::SheepStandBy).saturating_add(1);
        let deep = Direction::ALL
            .into_iter()
            .all(|way| matches!(ground.land(torus.next(spot, way)), Land::Pen(_)))
            && matches!(ground.land(spot), Land::Pen(_));
        let runs = options
            .get(Key::SheepScaryTurns)
            .saturating_mul(2)
            .saturating_add(2);
        let reach = options.get(Key::DogBarkingR).saturating_add(5);
        (!strolled || deep)
            && self.barks.iter().all(|(turn, bark)| {
                let spread = view.turn.saturating_sub(*turn).min(runs).saturating_mul(3);
                !torus.within(*bark, spot, reach.saturating_add(spread).min(30_000))
            })
    }
}

/// A cell's place on its tile, if it lies on one.
fn tile_cell(ground: &Ground, spot: Spot) -> Option<(u16, u16)> {
    let tile = |(_, area): &(Seat, &Area)| area.contains(spot);
    let (_, area) = ground.tiles().iter().find(tile)?;
    Some((spot.x - area.first.x, spot.y - area.first.y))
}

/// The model of a ground without dogs or sheep.
fn blank(ground: &Ground, seat: Seat) -> Option<Model> {
    let tile = ground.tiles().get(seat)?;
    let torus = ground.torus();
    if !torus.contains(tile.first) || !torus.contains(tile.last) {
        return None;
    }
    let letter = |x, y| match ground.land(Spot { x, y }) {
        Land::Wall => '#',
        Land::Tree => '^',
        Land::Pen(_) => '-',
        Land::Grass => '.',
    };
    let row = |y| -> String { (tile.first.x..=tile.last.x).map(|x| letter(x, y)).collect() };
    let model = Model {
        version: VERSION,
        landscape: (tile.first.y..=tile.last.y).map(row).collect(),
        options: KEYS
            .iter()
            .map(|key| (key.name().to_owned(), ground.options().get(*key)))
            .collect(),
        sheep: ground.sheep_of_tile(),
        penned: ground.penned_of_tile(),
        dogs: Vec::new(),
        places: Vec::new(),
        matches: 1,
    };
    model.is_sound().then_some(model)
}

impl Model {
    /// Reads a model or evidence; `None` for anything else.
    fn read(value: &Value) -> Option<Self> {
        let model = Self::deserialize(value).ok()?;
        model.is_sound().then_some(model)
    }

    fn is_sound(&self) -> bool {
        let cols = self.landscape.first().map_or(0, String::len);
        let cells = cols.saturating_mul(self.landscape.len());
        let inside =
            |x: u16, y: u16| usize::from(x) < cols && usize::from(y) < self.landscape.len();
        self.version == VERSION
            && cells > 0
            && cells <= CELLS_MAX
            && self
                .landscape
                .iter()
                .all(|row| row.len() == cols && row.bytes().all(|letter| b".#^-".contains(&letter)))
            && self.options.len() == KEYS.len()
            && self.dogs.len() + self.places.len() <= PLACES_MAX
            && self.dogs.iter().all(|(x, y)| inside(*x, *y))
            && self.places.iter().all(|(x, y, _)| inside(*x, *y))
    }

    fn is_same_map(&self, other: &Self) -> bool {
        (&self.landscape, &self.options) == (&other.landscape, &other.options)
            && (self.sheep, self.penned) == (other.sheep, other.penned)
    }

    fn name(&self) -> String {
        let mut text = self.landscape.join("\n");
        for (key, value) in &self.options {
            let _ = write!(text, "\n{key}={value}");
        }
        let _ = write!(text, "\n{} {}", self.sheep, self.penned);
        format!("map-{:016x}", digest(&text))
    }

    /// Adds another match's places.
    fn join(&mut self, other: &Self) {
        let mut places: BTreeMap<(u16, u16), u32> = BTreeMap::new();
        for (x, y, count) in self.places.iter().chain(&other.places) {
            let sum = places.entry((*x, *y)).or_default();
            *sum = sum.saturating_add(*count);
        }
        self.places = places
            .into_iter()
            .map(|((x, y), count)| (x, y, count))
            .collect();
        self.places
            .sort_by_key(|(x, y, count)| (std::cmp::Reverse(*count), *y, *x));
        if self.dogs.is_empty() {
            self.dogs.clone_from(&other.dogs);
        }
        self.places
            .truncate(PLACES_MAX.saturating_sub(self.dogs.len()));
        self.matches = self.matches.saturating_add(other.matches);
    }

    /// The map, once every dog and sheep has its place: those found most often, with no other place found as
    /// often.
    fn map(&self) -> Option<Map> {
        let mut places = self.places.clone();
        places.sort_by_key(|(x, y, count)| (std::cmp::Reverse(*count), *y, *x));
        let wanted = self.sheep as usize;
        let doubtful = match (
            wanted.checked_sub(1).and_then(|last| places.get(last)),
            places.get(wanted),
        ) {
            (Some(last), Some(next)) => last.2 == next.2,
            (None, next) => next.is_some(),
            (Some(_), None) => false,
        };
        if self.dogs.is_empty() || places.len() < wanted || doubtful {
            return None;
        }
        let mut rows: Vec<Vec<Square>> = self
            .landscape
            .iter()
            .map(|row| row.chars().filter_map(Square::from_letter).collect())
            .collect();
        let mut put = |x: u16, y: u16, on: fn(Square) -> Option<Square>| {
            let cell = rows.get_mut(usize::from(y))?.get_mut(usize::from(x))?;
            *cell = on(*cell)?;
            Some(())
        };
        for (x, y) in &self.dogs {
            put(*x, *y, |square| {
                (square == Square::Grass).then_some(Square::Dog)
            })?;
        }
        for (x, y, _) in places.iter().take(wanted) {
            put(*x, *y, |square| match square {
                Square::Grass => Some(Square::Sheep),
                Square::Pen => Some(Square::PennedSheep),
                _ => None,
            })?;
        }
        let mut header = Header::default();
        for (name, value) in &self.options {
            header.set(Key::from_name(name)?, i64::from(*value)).ok()?;
        }
        let map = Map::new(header, &rows).ok()?;
        let penned = map.count(|square| square == Square::PennedSheep);
        (penned == self.penned as usize).then_some(map)
    }
}

/// Merges a match's evidence ([`Cartographer::evidence`]) into the model of its map, if there is one.
/// Evidence that is invalid, or of another map, changes nothing; an invalid model is replaced.
#[must_use]
pub fn merge(model: Option<&Value>, evidence: &Value) -> Value {
    let old = model.and_then(Model::read);
    let joined = match (old, Model::read(evidence)) {
        (Some(mut old), Some(new)) if old.is_same_map(&new) => {
            old.join(&new);
            old
        }
        (Some(old), _) => old,
        (None, Some(new)) => {
            let mut model = Model {
                places: Vec::new(),
                matches: 0,
                ..new.clone()
            };
            model.join(&new);
            model
        }
        (None, None) => return Value::Null,
    };
    serde_json::to_value(joined).unwrap_or(Value::Null)
}

/// What options are called.
const KEYS_IN_WORDS: [(&str, &str); 6] = [
    ("dogBarkingR", "bark radius"),
    ("dogVisibilityR", "sight radius"),
    ("dogScaryTurns", "turns of a dog's fright"),
    ("sheepScaryTurns", "turns of a sheep's fright"),
    ("sheepStandBy", "turns between a sheep's steps"),
    ("turnsLimit", "turns of a match"),
];

/// What a model says, for people: names and texts.
pub(super) fn words(model: &Value) -> Vec<(&'static str, String)> {
    let Some(model) = Model::read(model) else {
        return Vec::new();
    };
    let dogs = model.dogs.iter().map(|(x, y)| place(*x, *y));
    let seen = model.places.iter().map(|(x, y, count)| {
        let times = counted(*count, "time");
        format!("{}, {times}", place(*x, *y))
    });
    let joined = |places: Vec<String>| match places.as_slice() {
        [] => "not known yet".to_owned(),
        places => places.join("; "),
    };
    let options = model.options.iter();
    let options: Vec<String> = options
        .map(|(key, value)| {
            let words = KEYS_IN_WORDS.iter().find(|(known, _)| known == key);
            format!("{} {value}", words.map_or(&**key, |(_, words)| *words))
        })
        .collect();
    let rows = model.landscape.len();
    let columns = model.landscape.first().map_or(0, String::len);
    let drawn = match 2 * columns * rows > scene::CELLS_MAX {
        true => ", too large to be drawn for two players",
        false => "",
    };
    let penned = match model.penned {
        0 => String::new(),
        penned => format!(", {penned} of them in the pen"),
    };
    let dogs_each = match model.dogs.len() {
        0 => String::new(),
        count => format!("{} and ", counted(count, "dog")),
    };
    let sheep = model.sheep;
    vec![
        (
            "Size",
            format!(
                "{columns} × {rows} cells for each player, with {dogs_each}{sheep} sheep{penned}{drawn}"
            ),
        ),
        ("Options", options.join(", ")),
        ("Dogs start at (x, y from 0)", joined(dogs.collect())),
        ("Sheep were found to start at", joined(seen.collect())),
    ]
}

/// A cell as the protocol names it: column and row from 0.
fn place(x: u16, y: u16) -> String {
    format!("({x}, {y})")
}

/// The map of a model with all sheep that were found in any match.
pub(super) fn found(model: &Value) -> Option<Map> {
    let mut model = Model::read(model)?;
    let is_penned = |(x, y, _): &&(u16, u16, u32)| {
        let row = model.landscape.get(usize::from(*y));
        row.and_then(|row| row.as_bytes().get(usize::from(*x))) == Some(&b'-')
    };
    model.penned = model.places.iter().filter(is_penned).count() as u32;
    model.sheep = model.places.len() as u32;
    model.map()
}

/// The map of a model in which every dog and sheep has its place.
pub(super) fn complete(model: &Value) -> Option<Map> {
    Model::read(model)?.map()
}
