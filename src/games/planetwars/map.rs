//! Maps as text: the state's own planet lines, `P id x y growth owner ships`, or those of 2010, `P x y owner ships
//! growth` (README.md, section 5).

use super::rules::{COORDINATE_MAX, NEUTRAL, PLANETS_MAX, Planet, SHIPS_MAX};
use drover_game::SetupError;
use drover_game::text::without_mark;
use std::fmt::Write as _;

/// What a planet's line holds.
const FORM: &str = "P id x y growth owner ships";
/// The same in maps and states of 2010.
const FORM_OF_2010: &str = "P x y owner ships growth";
/// The longest text of a map, in bytes.
pub const TEXT_MAX: usize = 64 << 10;

/// The planets of a map, in the form of its first one; in that of 2010 they are numbered from 0. Blank lines, and what
/// follows a `#`, are ignored.
///
/// # Errors
/// [`SetupError`] names the line, counted from 1.
pub fn read(text: &str) -> Result<Vec<Planet>, SetupError> {
    let wrong = |line: usize, why: String| SetupError(format!("line {line}: {why}"));
    if text.len() > TEXT_MAX {
        let bytes = text.len();
        return Err(wrong(
            1,
            format!("{bytes} bytes; a map has {TEXT_MAX} at most"),
        ));
    }
    let mut planets: Vec<Planet> = Vec::new();
    let mut is_of_2010 = None;
    for (line, text) in (1..).zip(without_mark(text).lines()) {
        let text = text.split('#').next().unwrap_or_default();
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let has_five_numbers = matches!(words[..], ["P", _, _, _, _, _]);
        let planet = match words[..] {
            [] => continue,
            ["F", ..] => Err(LineError::Fleet),
            _ if *is_of_2010.get_or_insert(has_five_numbers) => from_2010(planets.len(), &words),
            _ if has_five_numbers => Err(LineError::FiveNumbers),
            _ => planet(text),
        };
        let planet = planet.map_err(|why| wrong(line, why.to_string()))?;
        if planets.iter().any(|other| other.id == planet.id) {
            return Err(wrong(
                line,
                format!("planet {} stands there twice", planet.id),
            ));
        }
        if planets.len() == PLANETS_MAX {
            return Err(wrong(line, format!("more than {PLANETS_MAX} planets")));
        }
        planets.push(planet);
    }
    if planets.is_empty() {
        return Err(wrong(1, "there is no planet".to_owned()));
    }
    Ok(planets)
}

/// Why a line of a map is no planet's.
#[derive(Debug, thiserror::Error)]
enum LineError {
    #[error("a game begins without fleets: leave out the lines of F")]
    Fleet,
    #[error(
        "a number is missing: {FORM}; in a map of 2010 all planets, the first one too, are {FORM_OF_2010}"
    )]
    FiveNumbers,
    #[error("this is no {FORM_OF_2010}, the form of 2010 in which the map begins")]
    NotOf2010,
    #[error("a planet's line begins with P")]
    NoPlanet,
    #[error("{0} is missing: {FORM}")]
    Missing(&'static str),
    #[error("{field} must be a whole number from {least} to {most}, not {word:?}")]
    NotWhole {
        field: &'static str,
        least: i64,
        most: i64,
        word: String,
    },
    #[error("{0} must be a number up to {COORDINATE_MAX}, not {1:?}")]
    NoCoordinate(&'static str, String),
    #[error("{0:?} is one word too many")]
    TooMany(String),
}

/// The planet of a line of 2010, which has no number.
fn from_2010(id: usize, words: &[&str]) -> Result<Planet, LineError> {
    let ["P", x, y, owner, ships, growth] = words else {
        return Err(LineError::NotOf2010);
    };
    planet(&format!("P {id} {x} {y} {growth} {owner} {ships}"))
}

/// The planet of one line.
fn planet(line: &str) -> Result<Planet, LineError> {
    let mut words = line.split_ascii_whitespace();
    if words.next() != Some("P") {
        return Err(LineError::NoPlanet);
    }
    let mut word = |field| words.next().ok_or(LineError::Missing(field));
    let id = whole(word("id")?, "id", 0, u32::MAX.into())? as u32;
    let x = coordinate(word("x")?, "x")?;
    let y = coordinate(word("y")?, "y")?;
    let growth = whole(word("growth")?, "growth", -SHIPS_MAX, SHIPS_MAX)?;
    let owner = whole(word("owner")?, "owner", NEUTRAL.into(), u32::MAX.into())? as u32;
    let ships = whole(word("ships")?, "ships", 0, SHIPS_MAX)?;
    if let Some(more) = words.next() {
        return Err(LineError::TooMany(more.to_owned()));
    }
    Ok(Planet {
        id,
        x,
        y,
        growth,
        owner,
        ships,
    })
}

fn whole(word: &str, field: &'static str, least: i64, most: i64) -> Result<i64, LineError> {
    let number = word.parse::<i64>().ok();
    number
        .filter(|number| (least..=most).contains(number))
        .ok_or_else(|| LineError::NotWhole {
            field,
            least,
            most,
            word: word.to_owned(),
        })
}

fn coordinate(word: &str, field: &'static str) -> Result<f64, LineError> {
    let number = word.parse::<f64>().ok();
    number
        .filter(|number| number.abs() <= COORDINATE_MAX)
        .ok_or_else(|| LineError::NoCoordinate(field, word.to_owned()))
}

/// A map as text. Whole coordinates are written as whole numbers.
#[must_use]
pub fn text(planets: &[Planet]) -> String {
    let mut out = String::new();
    for planet in planets {
        let Planet { id, x, y, .. } = planet;
        let (growth, owner, ships) = (planet.growth, planet.owner, planet.ships);
        // Writing to a string cannot fail.
        let _ = writeln!(out, "P {id} {x} {y} {growth} {owner} {ships}");
    }
    out
}
