//! Random maps (README.md, section 5): the same seed and style give the same map forever.

use super::rules::{NEUTRAL, PLANETS_MAX, PLAYERS, Planet, PlayerId};
use drover_game::game::SetupError;
use drover_game::rng::Rng;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// A map seed's random streams begin here, away from those of the bots and the seating.
const MAP_STREAM: u64 = 4 << 32;

/// What a map looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
#[serde(rename_all = "snake_case")]
pub enum Look {
    /// Like the contest's own: whole numbers anywhere in a square, growth 1, homes of 2 ships, neutral
    /// planets of 1 ship, no symmetry.
    #[default]
    Contest,
    /// Like 2010: the same for every player around the middle, homes of 100 ships that grow by 5, neutral
    /// planets of up to 100 ships that grow by up to 5.
    Google,
}

/// The kind of map to draw; a `None` follows from the number of players or from the seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Its look.
    pub look: Look,
    /// Players with a home.
    pub players: usize,
    /// Planets, homes included. Around a middle there may be fewer, so that all players get the same.
    pub planets: Option<usize>,
    /// Highest coordinate of the contest's square.
    pub side: Option<usize>,
}

impl Style {
    /// A map for n players, the rest as usual.
    #[must_use]
    pub const fn new(look: Look, players: usize) -> Self {
        Self {
            look,
            players,
            planets: None,
            side: None,
        }
    }
}

/// The highest coordinate that may be requested.
pub const SIDE_MAX: usize = 1_000;
/// Distance between neighbouring homes around a middle, in units.
const HOMES_APART: f64 = 7.0;
/// The least distance between planets around a middle, in units.
const APART: f64 = 1.2;
/// How often a place too near to another is redrawn.
const DRAWS: usize = 200;

/// The map for this seed and style.
///
/// # Errors
/// [`SetupError`] names what cannot be drawn.
pub fn generate(seed: u64, style: &Style) -> Result<Vec<Planet>, SetupError> {
    let Style {
        players, planets, ..
    } = *style;
    if !PLAYERS.contains(&players) {
        let (least, most) = (PLAYERS.start(), PLAYERS.end());
        let why = format!("{players} players: {least} to {most} can play");
        return Err(SetupError(why));
    }
    if let Some(planets) = planets.filter(|planets| !(players..=PLANETS_MAX).contains(planets)) {
        return Err(SetupError(format!(
            "{planets} planets: {players} (one for each player) to {PLANETS_MAX} can be drawn"
        )));
    }
    let mut rng = Rng::new(seed, MAP_STREAM);
    match style.look {
        Look::Contest => contest(&mut rng, style),
        Look::Google => Ok(google(&mut rng, style)),
    }
}

/// Planets 1 to n are the homes of players n to 1, as on the contest's own maps.
fn contest(rng: &mut Rng, style: &Style) -> Result<Vec<Planet>, SetupError> {
    let players = style.players;
    let planets = style.planets.unwrap_or((5 * players).min(99).max(players));
    // The contest's squares: 7 for 5 planets, 10 for 10, 50 for 99.
    let side = style
        .side
        .unwrap_or((planets / 2).max(7).max(planets.isqrt() * 2));
    let cells = side
        .saturating_add(1)
        .saturating_mul(side.saturating_add(1));
    if side > SIDE_MAX || cells < planets {
        return Err(SetupError(format!(
            "a square of 0 to {side} has no room for {planets} planets, or is larger than {SIDE_MAX}"
        )));
    }
    let mut taken: Vec<(u32, u32)> = Vec::with_capacity(planets);
    while taken.len() < planets {
        let at = (rng.below(side as u32 + 1), rng.below(side as u32 + 1));
        if !taken.contains(&at) {
            taken.push(at);
        }
    }
    let planets = taken.iter().enumerate().map(|(place, (x, y))| {
        let home = place < players;
        Planet {
            id: place as u32 + 1,
            x: f64::from(*x),
            y: f64::from(*y),
            growth: 1,
            owner: if home {
                (players - place) as PlayerId
            } else {
                NEUTRAL
            },
            ships: if home { 2 } else { 1 },
        }
    });
    Ok(planets.collect())
}

/// One sector per player, with its home and the same neutral planets in it, and one planet in the middle.
fn google(rng: &mut Rng, style: &Style) -> Vec<Planet> {
    let sectors = style.players;
    let usual = (14 + rng.below(17) as usize)
        .max(sectors * 4 + 1)
        .min(PLANETS_MAX);
    let planets = style.planets.unwrap_or(usual);
    let each = (planets.saturating_sub(1) / sectors).max(1);
    let middle = planets > sectors * each;
    // The homes stand on a circle.
    let radius = (HOMES_APART / (TAU / (2 * sectors.max(2)) as f64).sin() / 2.0).max(8.0);
    let radius = rng.between(radius, radius * 1.5);
    let mut out: Vec<Planet> = Vec::with_capacity(planets);
    if middle {
        let growth = i64::from(rng.below(6));
        out.push(neutral(0.0, 0.0, growth, i64::from(rng.below(100)) + 1));
    }
    for number in 0..each {
        let home = number == 0;
        let (growth, ships) = if home {
            (5, 100)
        } else {
            (i64::from(rng.below(6)), i64::from(rng.below(98)) + 1)
        };
        let mut ring = Vec::new();
        for _ in 0..DRAWS {
            let (far, angle) = if home {
                (radius, rng.between(0.0, TAU))
            } else {
                // Uniformly over the disc.
                let far = radius * 1.4 * rng.between(0.01, 1.0).sqrt();
                (far, rng.between(0.0, TAU))
            };
            ring = (0..sectors)
                .map(|sector| turned(far, angle, sector, sectors))
                .collect();
            let near = |(x, y): &(f64, f64)| {
                let close = |a: f64, b: f64| (x - a).hypot(y - b) < APART;
                let others = ring.iter().filter(|at| *at != &(*x, *y));
                out.iter().any(|planet| close(planet.x, planet.y))
                    || others.into_iter().any(|(a, b)| close(*a, *b))
            };
            if !ring.iter().any(near) && alike(&ring, &out, sectors) {
                break;
            }
        }
        for (sector, (x, y)) in (1..).zip(ring) {
            out.push(Planet {
                owner: if home { sector } else { NEUTRAL },
                ..neutral(x, y, growth, ships)
            });
        }
    }
    for (id, planet) in (1..).zip(&mut out) {
        planet.id = id;
    }
    out
}

/// Whether all players fly the same number of turns to a ring of places: rounding may break this.
fn alike(ring: &[(f64, f64)], others: &[Planet], sectors: usize) -> bool {
    let turns = |from: (f64, f64), to: (f64, f64)| (from.0 - to.0).hypot(from.1 - to.1).ceil();
    let middle = others.len() % sectors;
    let (centre, rings) = others.split_at(middle);
    let places: Vec<(f64, f64)> = rings.iter().map(|planet| (planet.x, planet.y)).collect();
    let Some(first) = ring.first() else {
        return true;
    };
    ring.iter().enumerate().all(|(sector, at)| {
        let same = |circle: &[(f64, f64)]| {
            let turned = circle.iter().cycle().skip(sector);
            circle
                .iter()
                .zip(turned)
                .all(|(one, other)| turns(*first, *one) == turns(*at, *other))
        };
        let to_middle = |planet: &Planet| {
            let centre = (planet.x, planet.y);
            turns(*first, centre) == turns(*at, centre)
        };
        same(ring) && places.chunks(sectors).all(same) && centre.iter().all(to_middle)
    })
}

fn neutral(x: f64, y: f64, growth: i64, ships: i64) -> Planet {
    Planet {
        id: 0,
        x,
        y,
        growth,
        owner: NEUTRAL,
        ships,
    }
}

/// A place in a sector, on whole thousandths. Half and quarter turns are exact.
fn turned(far: f64, angle: f64, sector: usize, sectors: usize) -> (f64, f64) {
    let round = |number: f64| (number * 1_000.0).round() / 1_000.0;
    let (x, y) = (round(far * angle.cos()), round(far * angle.sin()));
    match (sector * 4).checked_rem(sectors) {
        Some(0) => match sector * 4 / sectors {
            0 => (x, y),
            1 => (-y, x),
            2 => (-x, -y),
            _ => (y, -x),
        },
        _ => {
            let angle = angle + TAU * sector as f64 / sectors as f64;
            (round(far * angle.cos()), round(far * angle.sin()))
        }
    }
}
