//! The engine's side: what it writes, byte for byte, and how it reads a bot's lines.

use super::python::{Value, parse};
use crate::rules::{Act, Ask, Cell, Chart, Lighthouse, Lighthouses, Point, Step, VIEW_REACH};
use drover_game::dialect::ReplyLine;
use drover_game::game::{Illegal, Seat};
use serde::{Deserialize, Serialize};
use std::fmt::{Display, Write as _};

/// The most bytes in one line of a bot.
pub const REPLY_LINE_MAX: usize = 64 << 10;
/// Letters shown of a line that is no JSON.
const SHOWN_MAX: usize = 60;

/// How an unowned lighthouse is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Default)]
pub enum Neutral {
    /// As in the original text and the contests.
    #[default]
    #[serde(rename = "-1")]
    MinusOne,
    /// As in the public engine.
    #[serde(rename = "null")]
    Null,
}

/// Why a bot is dropped, in a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Broken(pub String);

/// Why a command cannot be done whatever the position is, in the engine's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadCommand {
    /// It is none of the engine's.
    #[error("Invalid command {0}")]
    Unknown(String),
    /// A move without a delta.
    #[error("Move command requires x, y")]
    NoDelta,
    /// A move by something else than -1, 0 or 1.
    #[error("Delta must be 1 cell away")]
    Delta,
    /// An attack without strength.
    #[error("Attack command requires integer energy")]
    NoEnergy,
    /// A connection to nothing.
    #[error("Connect command requires destination")]
    NoDestination,
    /// A connection to something that is no place.
    #[error("Destination must be a coordinate pair")]
    Destination,
}

/// The first message: who the player is and what the island looks like.
#[must_use]
pub fn begin(chart: &Chart, seat: Seat, players: usize, position: Cell) -> String {
    let mut out = String::with_capacity(64 + 3 * chart.cells());
    let Point { x, y } = chart.point(position);
    let _ = write!(
        out,
        "{{\"player_num\": {}, \"player_count\": {players}, \"position\": [{x}, {y}], \"map\": ",
        seat.0
    );
    let rows = chart.island().chunks(chart.width().max(1));
    list(&mut out, rows, |out, row| {
        list(out, row, |out, island| {
            out.push(if *island { '1' } else { '0' });
        });
    });
    out.push_str(", \"lighthouses\": ");
    list(&mut out, chart.lighthouses(), |out, at| {
        pair(out, chart.point(*at));
    });
    out.push('}');
    out
}

/// The state sent to a player at its turn.
#[must_use]
pub fn state(game: &Lighthouses, seat: Seat, neutral: Neutral) -> String {
    let (chart, network) = (game.chart(), game.network());
    let mut out = String::with_capacity(512 + 128 * chart.lighthouses().len());
    let Some(player) = game.players().get(seat.index()) else {
        return out;
    };
    out.push_str("{\"position\": ");
    pair(&mut out, chart.point(player.position));
    out.push_str(", \"score\": ");
    whole(&mut out, player.score);
    out.push_str(", \"energy\": ");
    whole(&mut out, player.energy.into());
    out.push_str(", \"view\": [");
    let side = 2 * VIEW_REACH + 1;
    for (at, seen) in (0..).zip(game.sight(player.position)) {
        out.push_str(match at % side {
            0 if at > 0 => "], [",
            0 => "[",
            _ => ", ",
        });
        whole(&mut out, seen.map_or(-1, |(_, energy)| energy.into()));
    }
    out.push_str("]], \"lighthouses\": ");
    let places = (0..).map(Lighthouse).zip(chart.lighthouses());
    list(&mut out, places, |out, (at, cell)| {
        let beacon = network.beacon(at);
        out.push_str("{\"position\": ");
        pair(out, chart.point(*cell));
        out.push_str(", \"owner\": ");
        match (beacon.owner, neutral) {
            (Some(owner), _) => whole(out, owner.0.into()),
            (None, Neutral::MinusOne) => out.push_str("-1"),
            (None, Neutral::Null) => out.push_str("null"),
        }
        out.push_str(", \"energy\": ");
        whole(out, beacon.energy.into());
        out.push_str(", \"connections\": ");
        list(out, Lighthouse::in_set(beacon.links), |out, to| {
            pair(out, chart.point(chart.lighthouses()[to.index()]));
        });
        out.push_str(", \"have_key\": ");
        out.push_str(if player.keys & at.bit() != 0 {
            "true}"
        } else {
            "false}"
        });
    });
    out.push('}');
    out
}

fn list<T>(
    out: &mut String,
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut String, T),
) {
    out.push('[');
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        write(out, item);
    }
    out.push(']');
}

fn pair(out: &mut String, at: Point) {
    out.push('[');
    whole(out, at.x.into());
    out.push_str(", ");
    whole(out, at.y.into());
    out.push(']');
}

/// Digits without the overhead of `fmt`: a state has hundreds of them.
fn whole(out: &mut String, number: i64) {
    let mut digits = [0; 20];
    let (mut rest, mut at) = (number.unsigned_abs(), digits.len());
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        out.push('-');
    }
    out.extend(digits[at..].iter().map(|digit| char::from(*digit)));
}

/// The result of a turn, which was done or refused for this reason.
#[must_use]
pub fn result(refused: Option<&str>) -> String {
    match refused {
        None => "{\"success\": true}".to_owned(),
        Some(why) => {
            let mut out = "{\"success\": false, \"message\": \"".to_owned();
            for letter in why.chars() {
                match letter {
                    '"' | '\\' => {
                        out.push('\\');
                        out.push(letter);
                    }
                    '\n' => out.push_str("\\n"),
                    '\r' => out.push_str("\\r"),
                    '\t' => out.push_str("\\t"),
                    '\u{8}' => out.push_str("\\b"),
                    '\u{C}' => out.push_str("\\f"),
                    ' '..='~' => out.push(letter),
                    letter => {
                        for unit in letter.encode_utf16(&mut [0; 2]) {
                            // Writing to a string cannot fail.
                            let _ = write!(out, "\\u{unit:04x}");
                        }
                    }
                }
            }
            out.push_str("\"}");
            out
        }
    }
}

/// A bot's name from its greeting.
///
/// # Errors
/// [`Broken`] if it is not a greeting.
pub fn greeting(line: &[u8]) -> Result<String, Broken> {
    let value = parse(line).map_err(|why| no_json("its greeting", line, &why))?;
    match value.get("name") {
        Some(Value::Text(name)) => Ok(name.clone()),
        _ => Err(Broken("it did not greet with its name".to_owned())),
    }
}

/// What a bot does with its turn, or why it cannot be done before the rules are consulted.
///
/// # Errors
/// [`Broken`] if it is not a command.
pub fn command(chart: &Chart, line: &[u8]) -> Result<Result<Act, BadCommand>, Broken> {
    let value = parse(line).map_err(|why| no_json("its command", line, &why))?;
    let Some(command) = value.get("command") else {
        return Err(Broken(
            "its line is no object with a \"command\"".to_owned(),
        ));
    };
    let Value::Text(word) = command else {
        return Ok(Err(BadCommand::Unknown(command.repr())));
    };
    Ok(match word.as_str() {
        "pass" => Ok(Act::Pass),
        "move" => step(&value),
        "attack" => strength(&value),
        "connect" => destination(chart, &value),
        _ => Err(BadCommand::Unknown(command.repr())),
    })
}

fn step(value: &Value) -> Result<Act, BadCommand> {
    let (Some(x), Some(y)) = (value.get("x"), value.get("y")) else {
        return Err(BadCommand::NoDelta);
    };
    // The engine breaks on 1.0, which equals 1 but is not an index: here it is a wrong delta.
    let delta = |value: &Value| match value {
        Value::Float(_) => None,
        value => [-1i8, 0, 1]
            .into_iter()
            .find(|delta| value.number() == Some(f64::from(*delta))),
    };
    match (delta(x), delta(y)) {
        (Some(dx), Some(dy)) => Ok(Act::Move(Step { dx, dy })),
        _ => Err(BadCommand::Delta),
    }
}

fn strength(value: &Value) -> Result<Act, BadCommand> {
    match value.get("energy") {
        Some(Value::Bool(truth)) => Ok(Act::Attack(i64::from(*truth))),
        // A value too long for a number is capped at more than any player has.
        Some(Value::Int(digits)) => Ok(Act::Attack(digits.parse().unwrap_or({
            if digits.starts_with('-') {
                i64::MIN
            } else {
                i64::MAX
            }
        }))),
        _ => Err(BadCommand::NoEnergy),
    }
}

fn destination(chart: &Chart, value: &Value) -> Result<Act, BadCommand> {
    let Some(destination) = value.get("destination") else {
        return Err(BadCommand::NoDestination);
    };
    let nowhere = Lighthouse(u8::MAX);
    let at = match destination {
        Value::List(items) if items.iter().all(Value::hashable) => match items.as_slice() {
            [x, y] => lighthouse(chart, x, y).unwrap_or(nowhere),
            _ => nowhere,
        },
        // Texts and objects count as lists of their letters and keys.
        Value::Text(_) | Value::Dict(_) => nowhere,
        _ => return Err(BadCommand::Destination),
    };
    Ok(Act::Connect(at))
}

fn lighthouse(chart: &Chart, x: &Value, y: &Value) -> Option<Lighthouse> {
    let coordinate = |value: &Value| {
        let number = value.number()?;
        let whole = number.fract() == 0.0 && (0.0..f64::from(u16::MAX)).contains(&number);
        whole.then_some(number as i32)
    };
    let at = Point::from((coordinate(x)?, coordinate(y)?));
    chart.lighthouse_at(chart.cell(at)?)
}

/// What a line of a bot is: an answer is one line.
///
/// # Errors
/// [`Illegal`]: it is no JSON object.
pub fn reply_line(line: &[u8]) -> Result<ReplyLine, Illegal> {
    if line.trim_ascii().is_empty() {
        return Ok(ReplyLine::Blank);
    }
    match parse(line) {
        Ok(Value::Dict(_)) => Ok(ReplyLine::Last),
        _ => Err(Illegal(format!(
            "its line {:?} is no JSON object",
            shown(line)
        ))),
    }
}

/// The beginning of a line.
fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    text.trim().chars().take(SHOWN_MAX).collect()
}

fn no_json(what: &str, line: &[u8], why: &dyn Display) -> Broken {
    Broken(format!("{what} {:?} is no JSON: {why}", shown(line)))
}

/// The act of a whole answer to what is asked.
///
/// # Errors
/// [`Illegal`]: it is no greeting, or no command that can be done.
pub fn act(chart: &Chart, ask: Ask, line: &[u8]) -> Result<Act, Illegal> {
    match ask {
        Ask::Prepare => greeting(line).map(|_| Act::Pass).map_err(Illegal::new),
        Ask::Turn => match command(chart, line) {
            Ok(act) => act.map_err(Illegal::new),
            Err(Broken(why)) => Err(Illegal(why)),
        },
    }
}

/// Whether an answer is legal in form, whatever the rules say.
///
/// # Errors
/// [`Illegal`] says what a reader would not take.
pub fn in_form(message: &[u8], answer: &str) -> Result<(), Illegal> {
    let ask = match String::from_utf8_lossy(message).contains("\"player_num\"") {
        true => Ask::Prepare,
        false => Ask::Turn,
    };
    let chart = Chart::new(1, vec![true], &[Point { x: 0, y: 0 }]);
    act(&chart, ask, answer.as_bytes()).map(drop)
}
