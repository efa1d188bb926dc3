//! The wire of 2010, both ways (README.md, section 2): planets by the order of their lines, fleets in sight,
//! the reader always player 1.

use super::judge::{Line, Lines, Offence, REPLY_LINE_MAX};
use super::state::State;
use crate::rules::{
    Act, COORDINATE_MAX, Launch, NEUTRAL, PLANETS_MAX, Planet, PlanetId, PlayerId, ShownFleet,
};
use drover_game::game::{Cause, Illegal};
use drover_game::wire::WireError;
use std::fmt::Write as _;

/// Ends a state and a reply.
pub const END: &str = "go";
/// The most fleets in a state.
const FLEETS_MAX: usize = 100_000;
/// Numbers are capped beyond what any game can reach, so that sums do not overflow.
const MOST: i64 = 1_000_000_000_000_000;

/// Whether a frame is on this wire: by its last line.
#[must_use]
pub fn is_spoken(frame: &[u8]) -> bool {
    let last = frame.trim_ascii_end().rsplit(|byte| *byte == b'\n').next();
    last.is_some_and(|line| line.trim_ascii() == END.as_bytes())
}

/// A player's number as it is sent to another one: the reader is 1, and who is 1 has the reader's number.
fn seen_by(you: PlayerId, player: PlayerId) -> PlayerId {
    match player {
        player if player == you => 1,
        1 => you,
        player => player,
    }
}

/// A state as one player receives it.
#[must_use]
pub fn state(planets: &[Planet], fleets: &[ShownFleet], you: PlayerId) -> String {
    let mut out = String::new();
    for planet in planets {
        let Planet { x, y, .. } = planet;
        let owner = seen_by(you, planet.owner);
        // Writing to a string cannot fail.
        let _ = writeln!(out, "P {x} {y} {owner} {} {}", planet.ships, planet.growth);
    }
    let place = |id: PlanetId| planets.iter().position(|planet| planet.id == id);
    for fleet in fleets {
        let (Some(from), Some(to)) = (place(fleet.from), place(fleet.to)) else {
            continue;
        };
        let (owner, ships) = (seen_by(you, fleet.owner), fleet.ships);
        let (turns, left) = (fleet.turns, fleet.left);
        let _ = writeln!(out, "F {owner} {ships} {from} {to} {turns} {left}");
    }
    out.push_str(END);
    out
}

/// Reads a line of a reply: `source destination ships` by the places of planets, or the end.
///
/// # Errors
/// [`Offence`].
pub fn line(bytes: &[u8], lines: Lines, planets: &[Planet]) -> Result<Line, Offence> {
    let text = String::from_utf8_lossy(bytes);
    let shown = || text.trim().chars().take(60).collect::<String>();
    let offence = |cause, why| Err(Offence { cause, why });
    if text.len() > REPLY_LINE_MAX {
        let why = format!("a line longer than {REPLY_LINE_MAX} bytes");
        return offence(Cause::ProtocolError, why);
    }
    let text = text.split('#').next().unwrap_or_default();
    let words: Vec<&str> = text.split_ascii_whitespace().collect();
    match words.as_slice() {
        [] => Ok(Line::Blank),
        [END] => Ok(Line::End),
        [from, to, ships] => {
            let number = |word: &str| word.parse::<i64>().ok();
            let (Some(from), Some(to), Some(ships)) = (number(from), number(to), number(ships))
            else {
                let why = format!("{:?} has no three whole numbers", shown());
                return offence(Cause::ProtocolError, why);
            };
            let id = |place: i64| {
                let planet = usize::try_from(place).ok().and_then(|at| planets.get(at));
                planet.map(|planet| planet.id)
            };
            let Some((from, to)) = id(from).zip(id(to)) else {
                let last = planets.len().saturating_sub(1);
                let why = format!("planets {from} and {to}: there are 0 to {last}");
                return offence(Cause::IllegalMove, why);
            };
            Ok(Line::Launch(Launch { from, to, ships }))
        }
        _ if lines == Lines::Lenient => Ok(Line::Blank),
        _ => {
            let why = format!(
                "{:?} is neither source destination ships nor {END}",
                shown()
            );
            offence(Cause::ProtocolError, why)
        }
    }
}

/// The state of a frame.
///
/// # Errors
/// [`WireError`] names the line that is missing or wrong.
pub fn read(frame: &[u8]) -> Result<State, WireError> {
    let text = std::str::from_utf8(frame).map_err(|_| WireError::new("state", "it is no text"))?;
    let (mut planets, mut fleets) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default();
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let wrong = |field| WireError::new(field, format!("cannot be read: {line:?}"));
        match words.as_slice() {
            ["P", rest @ ..] => {
                let id = planets.len() as PlanetId;
                planets.push(planet(id, rest).ok_or_else(|| wrong("P"))?);
            }
            ["F", rest @ ..] => fleets.push(fleet(rest).ok_or_else(|| wrong("F"))?),
            _ => {}
        }
        if planets.len() > PLANETS_MAX || fleets.len() > FLEETS_MAX {
            let why = format!("more than {PLANETS_MAX} planets or {FLEETS_MAX} fleets");
            return Err(WireError::new("state", why));
        }
    }
    if planets.is_empty() {
        return Err(WireError::new("P", "there is no planet"));
    }
    Ok(State {
        planets,
        fleets: Some(fleets),
        message: None,
        you: 1,
    })
}

fn planet(id: PlanetId, words: &[&str]) -> Option<Planet> {
    let [x, y, owner, ships, growth] = words else {
        return None;
    };
    let coordinate = |word: &str| {
        let number = word.parse::<f64>().ok();
        number.filter(|number| number.abs() <= COORDINATE_MAX)
    };
    Some(Planet {
        id,
        x: coordinate(x)?,
        y: coordinate(y)?,
        growth: growth.parse::<i64>().ok()?.clamp(-MOST, MOST),
        owner: owner.parse().ok()?,
        ships: ships.parse::<i64>().ok()?.clamp(0, MOST),
    })
}

fn fleet(words: &[&str]) -> Option<ShownFleet> {
    let [owner, ships, from, to, turns, left] = words else {
        return None;
    };
    let owner = owner.parse().ok().filter(|owner| *owner != NEUTRAL)?;
    Some(ShownFleet {
        owner,
        from: from.parse().ok()?,
        to: to.parse().ok()?,
        ships: ships.parse::<i64>().ok()?.clamp(0, MOST),
        turns: turns.parse().ok()?,
        left: left.parse().ok()?,
    })
}

/// A reply.
#[must_use]
pub fn write(act: &Act) -> String {
    let mut out = String::with_capacity(16 * (act.launches.len() + 1));
    for launch in &act.launches {
        let _ = writeln!(out, "{} {} {}", launch.from, launch.to, launch.ships);
    }
    out.push_str(END);
    out
}

/// Whether an answer is legal in form.
///
/// # Errors
/// [`Illegal`] says what a reader would not take.
pub fn in_form(answer: &str) -> Result<(), Illegal> {
    let mut lines = answer.lines();
    if lines.next_back().map(str::trim) != Some(END) {
        return Err(Illegal(format!("it does not end with {END}")));
    }
    for line in lines {
        let numbers = line.split_ascii_whitespace().map(str::parse::<u64>);
        let numbers: Result<Vec<u64>, _> = numbers.collect();
        if numbers.is_err() || numbers.is_ok_and(|numbers| ![0, 3].contains(&numbers.len())) {
            let why = format!("{line:?} is not source destination ships");
            return Err(Illegal(why));
        }
    }
    Ok(())
}

/// A reply in the lines of the teams' wire.
#[must_use]
pub fn translated(reply: &str) -> String {
    let lines = reply.lines().map(str::trim).filter(|line| *line != END);
    lines.map(|line| format!("F {line}\n")).collect()
}
