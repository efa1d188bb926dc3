//! The map as a picture: its ground stays; planets and fleets move.

use super::state::{PlayerState, State};
use crate::rules::{NEUTRAL, PLANETS_MAX, Planet, PlayerId, ShownFleet};
use drover_game::scene::{
    Anchor, Entry, LEGEND_NAME_CHARS, Names, Picture, Point, Svg, legend, legend_height, player,
};
use drover_game::text::counted;
use serde::Deserialize as _;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Width of the picture, in units.
const WIDTH: f64 = 360.0;
/// Heights of the map.
const MAP: std::ops::RangeInclusive<f64> = 150.0..=340.0;
/// Room at the map's edges.
const EDGE: f64 = 34.0;
/// Height of numbers on planets, and of those below planets and next to fleets.
const LARGE: f64 = 10.5;
const SMALL: f64 = 10.0;
/// A planet without growth, and what each ship of growth adds to its radius.
const RADIUS: f64 = 8.5;
const GROWN: f64 = 2.0;
/// Height of the line below the map, and of its letters.
const KEY: f64 = 16.0;
const KEY_LETTERS: f64 = 10.5;
/// Growth that is drawn.
const GROWTH_MAX: i64 = 5;
/// What a planet takes of the way of a fleet.
const RIM: f64 = 20.0;
/// Fleets that are drawn, and those of a side whose ships are shown.
const FLEETS_MAX: usize = 300;
const FLEETS_SHOWN: usize = 30;
/// Planets up to which their numbers are shown.
const PLANETS_SHOWN: usize = 60;

/// The picture of a state, if it is one.
#[must_use]
pub fn draw(state: &Value, names: &Names) -> Option<Picture> {
    let state = State::deserialize(state).ok()?;
    let map = Map::new(&state, names)?;
    Some(Picture {
        width: WIDTH as u32,
        height: (map.top + map.height + KEY) as u32,
        still: map.still(&state),
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
    /// The colour of each player.
    colours: BTreeMap<PlayerId, &'static str>,
    /// Where planets are, by number.
    places: BTreeMap<u32, (f64, f64)>,
    top: f64,
    height: f64,
}

impl<'a> Map<'a> {
    fn new(state: &'a State, names: &'a Names) -> Option<Self> {
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
        let top = legend_height(sides.len());
        // Games are sent with y downwards or upwards; here it is upwards.
        let place = |planet: &Planet| {
            let x = (planet.x / 2.0 - (left / 4.0 + right / 4.0)) * scale;
            let y = (planet.y / 2.0 - (bottom / 4.0 + roof / 4.0)) * scale;
            (
                planet.id,
                (tenths(WIDTH / 2.0 + x), tenths(top + height / 2.0 - y)),
            )
        };
        let colours = sides.iter().map(|side| (side.player.player, side.colour));
        Some(Self {
            names,
            colours: colours.collect(),
            places: planets.iter().map(place).collect(),
            top,
            height,
            sides,
        })
    }

    fn colour(&self, owner: PlayerId) -> &'static str {
        let colour = self.colours.get(&owner).copied();
        colour.filter(|_| owner != NEUTRAL).unwrap_or("s-neutral")
    }

    fn still(&self, state: &State) -> String {
        let mut svg = Svg::new();
        svg.rect("s-board", (0.0, self.top), (WIDTH, self.height), 0.0);
        let key = match are_labelled(state) {
            true => "P3 +5: planet 3, with 5 new ships a turn · on it: its ships",
            false => "On a planet: its ships · the larger, the more new ships",
        };
        let at = (2.0, self.top + self.height + KEY - 4.0);
        svg.text("s-muted", at, KEY_LETTERS, Anchor::Start, key);
        svg.finish()
    }

    fn moving(&self, state: &State) -> String {
        let mut svg = Svg::titled(&self.words(state));
        let fleets = self.fleets(&state.fleets);
        for (class, fleets) in &fleets {
            let ways = fleets.iter().map(|fleet| (fleet.at, fleet.goal));
            svg.strokes(&format!("s-line s-faint {class}"), ways, 1.5);
        }
        for planet in &state.planets {
            self.planet(&mut svg, planet, state);
        }
        for (class, fleets) in &fleets {
            svg.group(class, "", |svg| {
                for fleet in fleets {
                    svg.circle("", fleet.at, 2.5);
                }
            });
            for UnderWay { at, ships, .. } in fleets.iter().take(FLEETS_SHOWN) {
                svg.text("s-text", (at.0, at.1 - 4.0), SMALL, Anchor::Middle, ships);
            }
        }
        let entries: Vec<Entry> = self.sides.iter().map(entry).collect();
        legend(&mut svg, WIDTH, &entries);
        svg.finish()
    }

    /// The fleets that are drawn, by colour.
    fn fleets(&self, fleets: &[ShownFleet]) -> BTreeMap<&'static str, Vec<UnderWay>> {
        let mut by_colour: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for fleet in fleets.iter().take(FLEETS_MAX) {
            let ends = (self.places.get(&fleet.from), self.places.get(&fleet.to));
            if let (Some(from), Some(to)) = ends {
                let of_colour = by_colour.entry(self.colour(fleet.owner)).or_default();
                of_colour.push(UnderWay::new(fleet, (*from).into(), (*to).into()));
            }
        }
        by_colour
    }

    /// A disc, larger for more growth, with the ships on it, its number and the growth below it.
    fn planet(&self, svg: &mut Svg, planet: &Planet, state: &State) {
        let Some(at) = self.places.get(&planet.id).copied() else {
            return;
        };
        let grown = planet.growth.clamp(0, GROWTH_MAX) as f64;
        let radius = tenths(RADIUS + grown * GROWN);
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
            let colour = self.colour(*owner);
            svg.circle(colour, at, radius);
            // What does not fit is smaller.
            let size = match ships {
                -9..=99 => LARGE,
                _ => LARGE - 1.0,
            };
            let base = (at.0, tenths(at.1 + size * 0.36));
            svg.text("s-on s-bold", base, size, Anchor::Middle, ships);
            if are_labelled(state) {
                let below = (at.0, tenths(at.1 + radius + SMALL));
                let words = format_args!("P{id} {growth:+}");
                svg.text("s-muted", below, SMALL, Anchor::Middle, words);
            }
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
    /// Where the way ends.
    goal: (f64, f64),
    ships: i64,
}

impl UnderWay {
    fn new(fleet: &ShownFleet, from: Point, to: Point) -> Self {
        let (dx, dy) = (to.x - from.x, to.y - from.y);
        let inset = (RIM / dx.hypot(dy).max(RIM)).min(0.5);
        let left = f64::from(fleet.left.min(fleet.turns)) / f64::from(fleet.turns.max(1));
        let on = |share: f64| (tenths(to.x - dx * share), tenths(to.y - dy * share));
        Self {
            at: on(inset + left * (1.0 - 2.0 * inset)),
            goal: on(inset),
            ships: fleet.ships,
        }
    }
}

/// Whether there is room for words below planets.
fn are_labelled(state: &State) -> bool {
    state.planets.len() <= PLANETS_SHOWN
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
