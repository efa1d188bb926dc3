//! The hub's lines, byte for byte as the official server writes them (README.md, section 8).

use crate::map::Header;
use crate::options::Key;
use crate::rules::{DogId, Ground, Refusal, Seen, Spot, View};
use drover_game::game::Seat;
use serde_json::Value;
use std::fmt::Write as _;

/// The options of the `start` message, in its order.
const SENT: [Key; 7] = [
    Key::WaitForTurn,
    Key::DogVisibilityR,
    Key::DogBarkingR,
    Key::SheepStandBy,
    Key::SheepScaryTurns,
    Key::TurnsLimit,
    Key::DogScaryTurns,
];

/// Text as it appears inside a JSON string.
#[must_use]
pub fn escaped(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    let inner = quoted
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'));
    inner.unwrap_or_default().to_owned()
}

/// The line to a queued player, with this many in the queue: the number without its first and last digit.
#[must_use]
pub fn wait(queued: usize) -> String {
    let digits = queued.to_string();
    let inner = digits.get(1..digits.len() - 1).unwrap_or_default();
    format!("wait {inner}")
}

/// `start` and `landscape` for a seat on a map with this header. Options that it lacks are quoted where the official
/// server does that.
#[must_use]
pub fn start(ground: &Ground, seat: Seat, header: &Header) -> String {
    let (torus, tiles) = (ground.torus(), ground.tiles());
    let mut text = format!(
        r#"start "you":{},"rows":{},"cols":{},"players":{}"#,
        seat.0 + 1,
        torus.rows(),
        torus.cols(),
        tiles.len()
    );
    let add = |text: &mut String, key: &str, value: i64| {
        // Writing to a string cannot fail.
        let _ = write!(text, ",\"{}\":{value}", escaped(key));
    };
    if let Some(tile) = tiles.get(seat) {
        let (first, last) = (tile.first, tile.last);
        for (key, value) in [
            ("x1", first.x),
            ("x2", last.x),
            ("y1", first.y),
            ("y2", last.y),
        ] {
            add(&mut text, key, i64::from(value));
        }
    }
    for key in SENT {
        let value = ground.options().get(key);
        if header.get(key).is_none() && key.is_text_by_default() {
            let _ = write!(text, ",\"{}\":\"{value}\"", key.name());
        } else {
            add(&mut text, key.name(), i64::from(value));
        }
    }
    for (key, value) in header.extra() {
        add(&mut text, key, *value);
    }
    add(
        &mut text,
        "maxSheepsCount",
        i64::from(ground.sheep_of_tile()),
    );
    add(
        &mut text,
        "iniSheepsCount",
        i64::from(ground.penned_of_tile()),
    );
    let rows: Vec<String> = ground.rows().map(|row| format!("\"{row}\"")).collect();
    text.push_str("\nlandscape ");
    text.push_str(&rows.join(","));
    text
}

/// A turn as its player sees it: `state`, every `obj`, `turn`. `number`: dogs on the wire.
#[must_use]
pub fn state(view: &View, number: impl Fn(DogId) -> u64) -> String {
    let mut text = format!("state  \"turn\":{}\n", view.turn);
    for seen in &view.seen {
        // Writing to a string cannot fail.
        let _ = match *seen {
            Seen::Voice(Spot { x, y }) => {
                writeln!(text, r#"obj  "voice":"barking","x":{x},"y":{y}"#)
            }
            Seen::Dog(dog) => writeln!(
                text,
                r#"obj  "id":{},"type":"Dog","x":{},"y":{},"owner":{},"action":"{}"{}"#,
                number(dog.id),
                dog.spot.x,
                dog.spot.y,
                dog.owner.0 + 1,
                dog.action.word(),
                if dog.voice {
                    r#","voice":"barking""#
                } else {
                    ""
                }
            ),
            Seen::Sheep(sheep) => writeln!(
                text,
                r#"obj  "type":"Sheep","x":{},"y":{},"action":"{}","direction":"{}""#,
                sheep.spot.x,
                sheep.spot.y,
                sheep.action.word(),
                sheep.direction.word()
            ),
        };
    }
    text.push_str("turn");
    text
}

/// A refused command, with the dog's number as the player gave it.
#[must_use]
pub fn warning(number: &str, why: &Refusal) -> String {
    format!("warning {} {why}", escaped(number))
}

/// A line that the hub rejects.
#[must_use]
pub fn error(why: &str) -> String {
    format!("error {}", escaped(why))
}

/// The end of a match for a seat.
#[must_use]
pub fn finish(seat: Seat, winner: Option<Seat>) -> String {
    let wins = winner == Some(seat);
    match winner {
        Some(winner) => format!(r#"finished "youWin":{wins},"winner":{}"#, winner.0 + 1),
        None => format!(r#"finished "youWin":{wins}"#),
    }
}

/// The end of a match that was aborted.
#[must_use]
pub fn gone() -> String {
    r#"finished "youWin":false,"error":"player.gone""#.to_owned()
}
