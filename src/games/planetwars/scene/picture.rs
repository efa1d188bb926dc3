//! The map and the curves as a picture: planets' numbers stay; planets, fleets and curves move.

use super::state::{PlayerState, State};
use crate::rules::{NEUTRAL, PLANETS_MAX, Planet, PlayerId, ShownFleet};
use drover_game::scene::{Anchor, Entry, Picture, Point, Svg, legend, legend_height, player};
use serde::Deserialize as _;
use serde_json::Value;
use std::collections::BTreeMap;

/// Width of the picture, in units.
const WIDTH: f64 = 360.0;
/// Heights of the map.
const MAP: std::ops::RangeInclusive<f64> = 150.0..=340.0;
/// Room at the map's edges.
const EDGE: f64 = 20.0;
/// Height of the curves with what stands above them.
const CURVES: f64 = 96.0;
/// Height of numbers on the map.
const SMALL: f64 = 8.0;
/// What a planet takes of the way of a fleet.
const RIM: f64 = 12.0;
/// Fleets that are drawn, and those of a side whose ships are shown.
const FLEETS_MAX: usize = 300;
const FLEETS_SHOWN: usize = 30;
/// Planets up to which their numbers are shown.
const PLANETS_SHOWN: usize = 60;
/// Players or teams that are listed and have curves, and turns of a curve.
const SIDES_MAX: usize = 20;
const TURNS_MAX: usize = 100;

/// The picture of a state, if it is one.
#[must_use]
pub fn draw(state: &Value) -> Option<Picture> {
    let state = State::deserialize(state).ok()?;
    let map = Map::new(&state)?;
    Some(Picture {
        width: WIDTH as u32,
        height: (map.top + map.height + CURVES) as u32,
        still: map.still(&state),
        moving: map.moving(&state),
    })
}

/// A player, or a team where the viewer knows all teams and they are fewer than the players.
struct Side<'a> {
    label: String,
    players: Vec<&'a PlayerState>,
    own: bool,
}

fn sides(state: &State) -> Vec<Side<'_>> {
    let mut teams: BTreeMap<u8, Vec<&PlayerState>> = BTreeMap::new();
    for player in &state.players {
        if let Some(team) = player.team {
            teams.entry(team).or_default().push(player);
        }
    }
    let in_teams: usize = teams.values().map(Vec::len).sum();
    if in_teams == state.players.len() && teams.len() < in_teams {
        let side = |(team, players): (u8, Vec<_>)| Side {
            label: letters(team),
            players,
            own: false,
        };
        return teams.into_iter().map(side).collect();
    }
    let side = |player| Side {
        label: player_label(player),
        players: vec![player],
        own: state.viewer == Some(player.player),
    };
    state.players.iter().map(side).collect()
}

fn player_label(player: &PlayerState) -> String {
    player.player.to_string()
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
    sides: Vec<Side<'a>>,
    /// The colour of each player.
    colours: BTreeMap<PlayerId, &'static str>,
    /// Where planets are, by number.
    places: BTreeMap<u32, (f64, f64)>,
    top: f64,
    height: f64,
}

impl<'a> Map<'a> {
    fn new(state: &'a State) -> Option<Self> {
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
        let sides = sides(state);
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
        let numbered = sides.iter().enumerate();
        let colours = numbered.flat_map(|(at, side)| {
            let players = side.players.iter();
            players.map(move |known| (known.player, player(at)))
        });
        Some(Self {
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
        if state.planets.len() <= PLANETS_SHOWN {
            for (planet, (x, y)) in &self.places {
                svg.text("s-muted", (x + 7.0, y - 8.0), 7.0, Anchor::Start, planet);
            }
        }
        svg.finish()
    }

    fn moving(&self, state: &State) -> String {
        let mut svg = Svg::titled(&words(state));
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
                svg.text("s-text", (at.0, at.1 - 3.5), 7.0, Anchor::Middle, ships);
            }
        }
        let curves = [
            ("Ships", (|(ships, _)| ships) as fn((i64, i64)) -> i64),
            ("Growth", |(_, growth)| growth),
        ];
        for (at, (name, of)) in curves.into_iter().enumerate() {
            self.curves(&mut svg, at as f64 * WIDTH / 2.0, name, of);
        }
        let entries: Vec<Entry> = (0..)
            .zip(&self.sides)
            .map(|(at, side)| entry(at, side))
            .collect();
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

    /// A disc, larger for more growth, with the ships on it.
    fn planet(&self, svg: &mut Svg, planet: &Planet, state: &State) {
        let Some((x, y)) = self.places.get(&planet.id).copied() else {
            return;
        };
        let radius = 6.0 + planet.growth.clamp(0, 6) as f64 * 0.8;
        let Planet {
            id,
            ships,
            growth,
            owner,
            ..
        } = planet;
        let whose = match *owner {
            NEUTRAL => "nobody".to_owned(),
            owner => format!("player {owner}"),
        };
        let title = format!("Planet {id} of {whose}: {ships} ships, growth {growth}");
        svg.group("", &title, |svg| {
            if state.allies.contains(owner) && state.viewer != Some(*owner) {
                svg.circle("s-accent", (x, y), radius + 2.0);
            }
            svg.circle(self.colour(*owner), (x, y), radius);
            svg.text("s-on", (x, y + 2.9), SMALL, Anchor::Middle, ships);
        });
    }

    /// What each side had over the last turns.
    fn curves(&self, svg: &mut Svg, left: f64, name: &str, of: fn((i64, i64)) -> i64) {
        let top = self.top + self.height;
        let (from, size) = ((left + 4.0, top + 20.0), (WIDTH / 2.0 - 8.0, CURVES - 24.0));
        svg.rect("s-board", from, size, 0.0);
        let of_side = |side: &Side<'_>| -> Vec<i64> {
            let turns = side.players.iter().map(|player| player.past.len()).max();
            let sum = |turn: usize| {
                let now = side
                    .players
                    .iter()
                    .filter_map(|player| player.past.get(turn));
                now.map(|turn| of(*turn)).fold(0, i64::saturating_add)
            };
            (0..turns.unwrap_or_default().min(TURNS_MAX))
                .map(sum)
                .collect()
        };
        let curves: Vec<Vec<i64>> = self.sides.iter().take(SIDES_MAX).map(of_side).collect();
        let turns = curves.iter().map(Vec::len).max().unwrap_or_default();
        let most = curves
            .iter()
            .flatten()
            .copied()
            .max()
            .unwrap_or_default()
            .max(1);
        let words = format!("{name}, last {turns} turns, up to {most}");
        svg.text(
            "s-text",
            (left + 4.0, top + 14.0),
            10.0,
            Anchor::Start,
            words,
        );
        let step = (size.0 - 6.0) / (turns.max(2) - 1) as f64;
        for (at, curve) in curves.iter().enumerate() {
            // Points on a straight line between their neighbours are left out.
            let bends = |turn: usize| {
                let near = (curve.get(turn.wrapping_sub(1)), curve.get(turn + 1));
                let (Some(before), Some(after)) = near else {
                    return true;
                };
                let middle = curve.get(turn).map(|figure| 2 * i128::from(*figure));
                middle != Some(i128::from(*before) + i128::from(*after))
            };
            let points = curve.iter().enumerate().filter(|(turn, _)| bends(*turn));
            let points = points.map(|(turn, figure)| {
                let share = (*figure as f64 / most as f64).clamp(0.0, 1.0);
                let x = from.0 + 3.0 + turn as f64 * step;
                (
                    tenths(x),
                    tenths(from.1 + size.1 - 3.0 - share * (size.1 - 6.0)),
                )
            });
            svg.polyline(&format!("s-line {}", player(at)), points, 1.5);
        }
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

fn tenths(at: f64) -> f64 {
    (at * 10.0).round() / 10.0
}

fn entry(place: usize, side: &Side<'_>) -> Entry {
    let sum = |of: fn(&PlayerState) -> i64| {
        let players = side.players.iter();
        players
            .map(|player| of(player))
            .fold(0, i64::saturating_add)
    };
    let planets = sum(|player| player.planets.into());
    let growth = sum(|player| player.growth);
    // A side whose fleets are hidden has at least what is on its planets.
    let hidden = side.players.iter().any(|player| player.flying.is_none());
    let ships = sum(|player| {
        player
            .ships
            .saturating_add(player.flying.unwrap_or_default())
    });
    let ships = if hidden {
        format!("{ships}+")
    } else {
        ships.to_string()
    };
    let words = match planets {
        1 => format!("1 planet, {growth:+}"),
        planets => format!("{planets} planets, {growth:+}"),
    };
    Entry {
        place,
        label: side.label.clone(),
        words,
        figure: ships,
        own: side.own,
    }
}

/// The picture in words.
fn words(state: &State) -> String {
    let eyes = match state.viewer {
        Some(viewer) => format!(", seen by player {viewer}"),
        None => String::new(),
    };
    let (turn, planets, fleets) = (state.turn, state.planets.len(), state.fleets.len());
    format!("The map after {turn} turns{eyes}: {planets} planets, {fleets} fleets")
}
