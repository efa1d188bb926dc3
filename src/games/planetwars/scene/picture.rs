//! The map as a picture: its ground stays; planets and fleets move.

use super::state::{PlayerState, State};
use crate::rules::{NEUTRAL, PLANETS_MAX, Planet, PlayerId, ShownFleet};
use drover_game::scene::{
    Anchor, Entry, LEGEND_NAME_CHARS, Names, Picture, Point, Svg, legend, legend_aside,
    legend_aside_height, legend_height, player,
};
use drover_game::text::counted;
use serde::Deserialize as _;
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Width of the map, in units, and of what stands next to it in a window, with the room between.
const WIDTH: f64 = 360.0;
const ASIDE: f64 = 150.0;
const BETWEEN: f64 = 10.0;
/// Sides that have room there.
const ASIDE_MAX: usize = 4;
/// Heights of the map.
const MAP: std::ops::RangeInclusive<f64> = 150.0..=340.0;
/// Room at the map's edges.
const EDGE: f64 = 34.0;
/// Heights of numbers on planets, and of those around planets and next to fleets.
const LARGE: f64 = 12.0;
const LEAST: f64 = 9.6;
const SMALL: f64 = 10.5;
/// A planet without growth, and what each ship of growth adds to its radius.
const RADIUS: f64 = 8.5;
const GROWN: f64 = 2.6;
/// Height of the key below the map and next to it, of its lines, and of its letters.
const KEY: f64 = 46.0;
const KEY_ASIDE: f64 = 148.0;
const KEY_LINE: f64 = 14.0;
const KEY_LETTERS: f64 = 11.0;
/// Room for samples of planets in it, and between two of them.
const SAMPLES: f64 = 110.0;
const SAMPLES_APART: f64 = 4.0;
/// Growth that is drawn.
const GROWTH_MAX: i64 = 5;
/// What a planet takes of the way of a fleet.
const RIM: f64 = 23.0;
/// Fleets that are drawn, and those of a side whose ships are shown.
const FLEETS_MAX: usize = 300;
const FLEETS_SHOWN: usize = 30;
/// Planets up to which their numbers are shown.
const PLANETS_SHOWN: usize = 60;

/// The picture of a state, if it is one.
#[must_use]
pub fn draw(state: &Value, names: &Names) -> Option<Picture> {
    drawn(state, names, true)
}

/// The same for a phone.
#[must_use]
pub fn draw_narrow(state: &Value, names: &Names) -> Option<Picture> {
    drawn(state, names, false)
}

/// `wide`: where that has room, sides and key stand next to the map, else above and below it.
fn drawn(state: &Value, names: &Names, wide: bool) -> Option<Picture> {
    let state = State::deserialize(state).ok()?;
    let map = Map::new(&state, names, wide)?;
    let (width, height) = match map.wide {
        true => (WIDTH + ASIDE, map.height.max(map.key_top() + KEY_ASIDE)),
        false => (WIDTH, map.key_top() + KEY),
    };
    Some(Picture {
        width: width as u32,
        height: height as u32,
        still: map.still(),
        moving: map.moving(&state),
    })
}

/// A player, as it is listed.
struct Side<'a> {
    /// Its seat, its number on the wire where its seat is not known, or its team's letter where all teams are known and
    /// some have several players.
    label: String,
    name: String,
    colour: &'static str,
    player: &'a PlayerState,
    own: bool,
}

fn sides<'a>(state: &'a State, names: &Names) -> Vec<Side<'a>> {
    let teams: BTreeSet<u8> = state
        .players
        .iter()
        .filter_map(|known| known.team)
        .collect();
    let all_known = state.players.iter().all(|known| known.team.is_some());
    let in_teams = all_known && teams.len() < state.players.len();
    let side = |(at, known): (usize, &'a PlayerState)| {
        // A seat knows others by their numbers only.
        let place = match state.viewer {
            None => Some(at),
            Some(_) => names.place_of(known.player),
        };
        let number = known.player as usize;
        let seat = place.map(|place| names.seat(place));
        Side {
            label: match (known.team.filter(|_| in_teams), seat) {
                (Some(team), _) => letters(team),
                (None, Some(seat)) => (seat + 1).to_string(),
                // Among seats a number is marked as such.
                (None, None) if names.count() > 0 => format!("P{number}"),
                (None, None) => number.to_string(),
            },
            name: match place {
                Some(place) => names.short(place, LEGEND_NAME_CHARS),
                None => names.of_number(known.player),
            },
            // Who may sit on any seat is drawn as none.
            colour: match place {
                Some(place) => names.colour(place),
                None => player(names.count() + number.saturating_sub(1)),
            },
            player: known,
            own: state.viewer == Some(known.player),
        }
    };
    state.players.iter().enumerate().map(side).collect()
}

/// A team's name: `A`, `B`, …
fn letters(team: u8) -> String {
    match team {
        0..26 => char::from(b'A' + team).to_string(),
        more => more.to_string(),
    }
}

/// Where things are drawn.
struct Map<'a> {
    names: &'a Names,
    sides: Vec<Side<'a>>,
    /// Where planets are, by number.
    places: BTreeMap<u32, (f64, f64)>,
    top: f64,
    height: f64,
    /// Whether sides and key stand next to it.
    wide: bool,
}

impl<'a> Map<'a> {
    fn new(state: &'a State, names: &'a Names, wide: bool) -> Option<Self> {
        let planets = &state.planets;
        let finite = planets
            .iter()
            .all(|planet| planet.x.is_finite() && planet.y.is_finite());
        if planets.is_empty() || planets.len() > PLANETS_MAX || !finite {
            return None;
        }
        let low = |of: fn(&Planet) -> f64| planets.iter().map(of).fold(f64::MAX, f64::min);
        let high = |of: fn(&Planet) -> f64| planets.iter().map(of).fold(f64::MIN, f64::max);
        let (left, right) = (low(|planet| planet.x), high(|planet| planet.x));
        let (bottom, roof) = (low(|planet| planet.y), high(|planet| planet.y));
        // Halved, so that no difference is beyond all numbers; a lone planet has the least size.
        let (across, down) = (
            (right / 2.0 - left / 2.0).max(0.5),
            roof / 2.0 - bottom / 2.0,
        );
        let widest = (WIDTH - 2.0 * EDGE) / across;
        let scale = widest.min((MAP.end() - 2.0 * EDGE) / down.max(f64::MIN_POSITIVE));
        let height = (down * scale + 2.0 * EDGE)
            .clamp(*MAP.start(), *MAP.end())
            .ceil();
        let sides = sides(state, names);
        let wide = wide && sides.len() <= ASIDE_MAX;
        let top = if wide {
            0.0
        } else {
            legend_height(sides.len())
        };
        // Games are sent with y downwards or upwards; here it is upwards.
        let place = |planet: &Planet| {
            let x = (planet.x / 2.0 - (left / 4.0 + right / 4.0)) * scale;
            let y = (planet.y / 2.0 - (bottom / 4.0 + roof / 4.0)) * scale;
            (
                planet.id,
                (tenths(WIDTH / 2.0 + x), tenths(top + height / 2.0 - y)),
            )
        };
        Some(Self {
            names,
            places: planets.iter().map(place).collect(),
            top,
            height,
            wide,
            sides,
        })
    }

    fn side(&self, owner: PlayerId) -> Option<&Side<'a>> {
        let mut sides = self.sides.iter().filter(|_| owner != NEUTRAL);
        sides.find(|side| side.player.player == owner)
    }

    fn colour(&self, owner: PlayerId) -> &'static str {
        self.side(owner).map_or("s-neutral", |side| side.colour)
    }

    fn still(&self) -> String {
        let mut svg = Svg::new();
        svg.rect("s-board", (0.0, self.top), (WIDTH, self.height), 0.0);
        self.key(&mut svg);
        svg.finish()
    }

    /// The upper edge of the key.
    fn key_top(&self) -> f64 {
        match self.wide {
            true => legend_aside_height(self.sides.len()),
            false => self.top + self.height,
        }
    }

    /// What numbers and marks mean.
    fn key(&self, svg: &mut Svg) {
        self.key_line(svg, 0.0, "On it: its ships ·|at its edge: its owner");
        self.key_line(svg, 1.0, "1▸50: a fleet of|player 1, 50 ships");
    }

    /// What sizes and the words below a planet mean: those of this map, where growth may rise.
    fn growth_key(&self, svg: &mut Svg, state: &State) {
        let Point { x: left, y: middle } = self.key_middle();
        let mut right = left;
        for growth in samples(state) {
            let radius = radius(growth);
            let x = tenths(right + SAMPLES_APART + radius);
            right = x + radius;
            svg.circle("s-neutral", (x, middle), radius);
            let more = state.planets.iter().any(|planet| planet.growth > growth);
            let words = match growth == GROWTH_MAX && more {
                true => format!("≥{growth}"),
                false => format!("{growth:+}"),
            };
            let at = (x, middle + LARGE * 0.36);
            svg.text("s-on s-bold", at, LARGE, Anchor::Middle, words);
        }
        let growth = match state.planets.first() {
            Some(Planet { id, growth, .. }) if are_labelled(state) => {
                let ships = counted(*growth, "new ship");
                format!("P{id} {growth:+}: planet {id},|{ships} a turn")
            }
            _ => "The larger, the more|new ships a turn".to_owned(),
        };
        self.key_line(svg, -1.0, &growth);
    }

    /// A line of the key, this many below its middle; in a window broken in two where it says so.
    fn key_line(&self, svg: &mut Svg, line: f64, words: &str) {
        let Point { x: left, y: middle } = self.key_middle();
        let mut write = |x, y, words: &str| {
            svg.text(
                "s-muted",
                (x, middle + y),
                KEY_LETTERS,
                Anchor::Start,
                words,
            );
        };
        if !self.wide {
            return write(114.0, 4.0 + line * KEY_LINE, &words.replace('|', " "));
        }
        for (half, words) in [0.0, 1.0].into_iter().zip(words.split('|')) {
            let down = 40.0 + (2.0 * (line + 1.0) + half) * KEY_LINE;
            write(left, down, words.trim_end_matches(" ·"));
        }
    }

    /// The left edge of the key, and the middle of its samples.
    fn key_middle(&self) -> Point {
        let left = if self.wide { WIDTH + BETWEEN } else { 0.0 };
        (left, self.key_top() + KEY / 2.0 + 1.0).into()
    }

    fn moving(&self, state: &State) -> String {
        let mut svg = Svg::titled(&self.words(state));
        let fleets = self.fleets(&state.fleets);
        // Where there are many, ways let through what is beneath.
        let faint = match state.fleets.len() {
            0..=FLEETS_SHOWN => "s-line",
            _ => "s-line s-faint",
        };
        for (class, fleets) in &fleets {
            let ways = fleets.iter().map(|fleet| (fleet.corners[0], fleet.goal));
            svg.strokes(&format!("{faint} {class}"), ways, 1.5);
        }
        // Small ones are not hidden by large ones.
        let mut planets: Vec<&Planet> = state.planets.iter().collect();
        planets.sort_by_key(|planet| Reverse(planet.growth));
        for planet in planets {
            self.planet(&mut svg, planet, state);
        }
        self.labels(&mut svg, state);
        for (class, fleets) in &fleets {
            svg.group(&format!("{class} s-bold s-halo"), "", |svg| {
                for fleet in fleets {
                    svg.polygon("", fleet.corners);
                }
                for UnderWay { at, words, .. } in fleets.iter().take(FLEETS_SHOWN) {
                    svg.text("", (at.0, at.1 - 7.0), SMALL, Anchor::Middle, words);
                }
            });
        }
        let entries: Vec<Entry> = self.sides.iter().map(entry).collect();
        match self.wide {
            true => legend_aside(&mut svg, WIDTH + BETWEEN, &entries),
            false => legend(&mut svg, WIDTH, &entries),
        }
        self.growth_key(&mut svg, state);
        svg.finish()
    }

    /// The fleets that are drawn, by colour.
    fn fleets(&self, fleets: &[ShownFleet]) -> BTreeMap<&'static str, Vec<UnderWay>> {
        let mut by_colour: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for fleet in fleets.iter().take(FLEETS_MAX) {
            let ends = (self.places.get(&fleet.from), self.places.get(&fleet.to));
            if let (Some(from), Some(to)) = ends {
                let of_colour = by_colour.entry(self.colour(fleet.owner)).or_default();
                let label = self
                    .side(fleet.owner)
                    .map_or("", |side| side.label.as_str());
                of_colour.push(UnderWay::new(fleet, label, (*from).into(), (*to).into()));
            }
        }
        by_colour
    }

    /// On planets their ships, below them their numbers and growth, at their edges whose they are.
    fn labels(&self, svg: &mut Svg, state: &State) {
        let placed = state.planets.iter().filter_map(|planet| {
            let at = self.places.get(&planet.id)?;
            Some((planet, *at, radius(planet.growth)))
        });
        let placed: Vec<_> = placed.collect();
        svg.group("s-on s-bold", "", |svg| {
            for &(planet, (x, y), radius) in &placed {
                // What does not fit is smaller.
                let digits = planet.ships.to_string().len() as f64;
                let size = tenths(radius * 3.1 / digits).clamp(LEAST, LARGE);
                let base = (x, tenths(y + size * 0.36));
                svg.text("", base, size, Anchor::Middle, planet.ships);
            }
        });
        svg.group("s-muted s-halo", "", |svg| {
            for &(planet, (x, y), radius) in placed.iter().filter(|_| are_labelled(state)) {
                let Planet { id, growth, .. } = planet;
                let below = (x, tenths(y + radius + SMALL));
                let words = format_args!("P{id} {growth:+}");
                svg.text("", below, SMALL, Anchor::Middle, words);
            }
        });
        for side in &self.sides {
            svg.group(&format!("{} s-bold s-halo", side.colour), "", |svg| {
                for &(planet, (x, y), radius) in &placed {
                    if planet.owner == side.player.player {
                        let edge = (tenths(x + radius * 0.75), tenths(y - radius * 0.6));
                        svg.text("", edge, SMALL, Anchor::Start, &side.label);
                    }
                }
            });
        }
    }

    /// A disc, larger for more growth.
    fn planet(&self, svg: &mut Svg, planet: &Planet, state: &State) {
        let Some(at) = self.places.get(&planet.id).copied() else {
            return;
        };
        let radius = radius(planet.growth);
        let Planet {
            id,
            ships,
            growth,
            owner,
            ..
        } = planet;
        let whose = match *owner {
            NEUTRAL => "nobody".to_owned(),
            owner => self.name(state, owner),
        };
        let title = format!("Planet {id} of {whose}: {ships} ships, growth {growth}");
        svg.group("", &title, |svg| {
            if state.allies.contains(owner) && state.viewer != Some(*owner) {
                svg.circle("s-accent", at, radius + 4.0);
            }
            svg.circle(self.colour(*owner), at, radius);
        });
    }

    /// What a player is called.
    fn name(&self, state: &State, player: PlayerId) -> String {
        let place = state
            .players
            .iter()
            .position(|known| known.player == player);
        match place.filter(|_| state.viewer.is_none()) {
            Some(place) => self.names.name(place),
            None => self.names.of_number(player),
        }
    }

    /// The picture in words.
    fn words(&self, state: &State) -> String {
        let eyes = match state.viewer {
            Some(viewer) => format!(", seen by {}", self.names.of_number(viewer)),
            None => String::new(),
        };
        let (turn, planets, fleets) = (state.turn, state.planets.len(), state.fleets.len());
        format!("The map after {turn} turns{eyes}: {planets} planets, {fleets} fleets")
    }
}

/// A fleet on its way between the edges of two planets, so that neither covers it.
struct UnderWay {
    at: (f64, f64),
    /// Of an arrowhead, its tip first.
    corners: [(f64, f64); 3],
    /// Where the way ends.
    goal: (f64, f64),
    /// Whose it is, and its ships.
    words: String,
}

impl UnderWay {
    /// `label`: its owner's, empty where that is not known.
    fn new(fleet: &ShownFleet, label: &str, from: Point, to: Point) -> Self {
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        let length = dx.hypot(dy).max(1.0);
        let inset = (RIM / length.max(RIM)).min(0.5);
        let left = f64::from(fleet.left.min(fleet.turns)) / f64::from(fleet.turns.max(1));
        let on = |share: f64| (tenths(to.x - dx * share), tenths(to.y - dy * share));
        let at = on(inset + left * (1.0 - 2.0 * inset));
        let (ahead, aside) = (dx / length, dy / length);
        let corner = |far: f64, wide: f64| {
            let x = at.0 + ahead * far - aside * wide;
            (tenths(x), tenths(at.1 + aside * far + ahead * wide))
        };
        Self {
            at,
            corners: [corner(6.0, 0.0), corner(-4.0, 4.0), corner(-4.0, -4.0)],
            goal: on(inset),
            words: format!("{label}▸{}", fleet.ships),
        }
    }
}

/// Whether there is room for words below planets.
fn are_labelled(state: &State) -> bool {
    state.planets.len() <= PLANETS_SHOWN
}

/// The growths of this map's planets by their sizes, the least first; without those between for which there is no room.
fn samples(state: &State) -> Vec<i64> {
    let growths = state.planets.iter().map(|planet| planet.growth);
    let sizes: BTreeSet<i64> = growths.map(|growth| growth.clamp(0, GROWTH_MAX)).collect();
    let mut sizes: Vec<i64> = sizes.into_iter().collect();
    let room = |growth: &i64| SAMPLES_APART + 2.0 * radius(*growth);
    while sizes.iter().map(room).sum::<f64>() > SAMPLES {
        sizes.remove(sizes.len() / 2);
    }
    sizes
}

/// The radius of a planet that grows so.
fn radius(growth: i64) -> f64 {
    tenths(RADIUS + growth.clamp(0, GROWTH_MAX) as f64 * GROWN)
}

fn tenths(at: f64) -> f64 {
    (at * 10.0).round() / 10.0
}

fn entry(side: &Side<'_>) -> Entry {
    let PlayerState {
        planets,
        growth,
        ships,
        flying,
        ..
    } = side.player;
    // One whose fleets are hidden has at least what is on its planets.
    let figure = match flying {
        Some(flying) => counted(ships.saturating_add(*flying), "ship"),
        None => format!("{ships}+ ships"),
    };
    Entry {
        colour: side.colour,
        label: side.label.clone(),
        name: side.name.clone(),
        figure,
        words: format!("{}, {growth:+} a turn", counted(*planets, "planet")),
        own: side.own,
    }
}
