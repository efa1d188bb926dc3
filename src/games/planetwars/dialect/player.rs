//! A player's side: states, read as leniently as other judges may write them, and replies.

use super::google;
pub use super::state::State;
use crate::rules::{Act, COORDINATE_MAX, PLANETS_MAX, Planet};
use drover_game::wire::WireError;
use std::fmt::Write as _;

/// Ends a state and a reply.
pub const END: &str = ".";

/// Whether this line is the last one of a state.
#[must_use]
pub fn completes(line: &[u8]) -> bool {
    [END.as_bytes(), google::END.as_bytes()].contains(&line.trim_ascii())
}

/// The state of a frame, on the wire of 2010 if it ends like one. Lines may come in any order; lines of other kinds are ignored.
///
/// # Errors
/// [`WireError`] names the line that is missing or wrong.
pub fn read(frame: &[u8]) -> Result<State, WireError> {
    if google::is_spoken(frame) {
        return google::read(frame);
    }
    let text = std::str::from_utf8(frame).map_err(|_| WireError::new("state", "it is no text"))?;
    let mut planets: Vec<Planet> = Vec::new();
    let (mut message, mut you) = (None, None);
    let mut whole = false;
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("P") => {
                if planets.len() == PLANETS_MAX {
                    return Err(WireError::new(
                        "P",
                        format!("more than {PLANETS_MAX} planets"),
                    ));
                }
                let planet = planet(words, line)?;
                if planets.iter().any(|other| other.id == planet.id) {
                    return Err(WireError::new("P", format!("planet {} twice", planet.id)));
                }
                planets.push(planet);
            }
            // Signed or not, the same 32 bits.
            Some("M") => {
                let word = words.next().and_then(|word| word.parse::<i64>().ok());
                let word =
                    word.ok_or_else(|| WireError::new("M", format!("no whole number: {line:?}")))?;
                message = Some(word as u32);
            }
            Some("Y") => {
                let word = words.next().and_then(|word| word.parse::<u32>().ok());
                you =
                    Some(word.ok_or_else(|| WireError::new("Y", format!("no player: {line:?}")))?);
            }
            Some(END) => whole = true,
            _ => {}
        }
    }
    if !whole {
        return Err(WireError::new(".", "the state does not end with it"));
    }
    if planets.is_empty() {
        return Err(WireError::new("P", "there is no planet"));
    }
    let you = you.ok_or_else(|| WireError::new("Y", "it is missing"))?;
    Ok(State {
        planets,
        fleets: None,
        message,
        you,
    })
}

/// The planet of a line, whose words after the first one are these.
fn planet<'a>(mut words: impl Iterator<Item = &'a str>, line: &str) -> Result<Planet, WireError> {
    let wrong = |why: String| WireError::new("P", format!("{why}: {line:?}"));
    let mut next = |field: &str| {
        words
            .next()
            .ok_or_else(|| wrong(format!("{field} is missing")))
    };
    let number = |word: &str, field: &str| {
        word.parse::<i64>()
            .map_err(|_| wrong(format!("{field} is no whole number")))
    };
    let small = |word: &str, field: &str| {
        word.parse::<u32>()
            .map_err(|_| wrong(format!("{field} is no number from 0")))
    };
    let coordinate = |word: &str, field: &str| {
        let number = word.parse::<f64>().ok();
        number
            .filter(|number| number.abs() <= COORDINATE_MAX)
            .ok_or_else(|| wrong(format!("{field} is no number up to {COORDINATE_MAX}")))
    };
    // Capped beyond what any game can reach, so that sums do not overflow.
    let most = 1_000_000_000_000_000;
    Ok(Planet {
        id: small(next("id")?, "id")?,
        x: coordinate(next("x")?, "x")?,
        y: coordinate(next("y")?, "y")?,
        growth: number(next("growth")?, "growth")?.clamp(-most, most),
        owner: small(next("owner")?, "owner")?,
        ships: number(next("ships")?, "ships")?.clamp(0, most),
    })
}

/// A reply.
#[must_use]
pub fn write(act: &Act) -> String {
    let mut out = String::with_capacity(16 * (act.launches.len() + 2));
    for launch in &act.launches {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "F {} {} {}", launch.from, launch.to, launch.ships);
    }
    for planet in &act.upgrades {
        let _ = writeln!(out, "B {planet}");
    }
    if let Some(message) = act.message {
        let _ = writeln!(out, "M {message}");
    }
    out.push_str(END);
    out
}
