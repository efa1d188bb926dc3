//! Facts in sentences.

use drover_game::Fact;
use drover_game::sentence::{Reading, listed, words};
use drover_game::text::counted;
use serde_json::Value;

/// A fact in a sentence.
#[must_use]
pub fn sentence(read: Reading<'_>) -> Option<String> {
    let own = read.own();
    match read.fact.kind.as_str() {
        "game" => {
            let (players, lighthouses) = (read.number("players")?, read.number("lighthouses")?);
            Some(format!(
                "The game begins: {}, {}",
                counted(players, "player"),
                counted(lighthouses, "lighthouse")
            ))
        }
        "capture" => {
            let (to, place) = (read.who("to")?, place(read.get("lighthouse")?));
            let energy = read.number("energy").unwrap_or_default();
            let from = read
                .who("from")
                .map_or_else(String::new, |from| format!(" from {from}"));
            Some(format!(
                "{to} takes the lighthouse at {place}{from} with {energy} energy"
            ))
        }
        "fall" => {
            let (from, place) = (read.who("from")?, place(read.get("lighthouse")?));
            Some(format!(
                "{from} loses the lighthouse at {place}: its energy is spent"
            ))
        }
        "link" | "link_lost" | "triangle" | "triangle_lost" => network(read),
        "key" => Some(format!(
            "{own} gets the key of the lighthouse at {}",
            place(read.get("lighthouse")?)
        )),
        "standing" => {
            let (round, points) = (read.number("round")?, read.number("points")?);
            let held = read
                .own
                .and_then(|own| read.list("held").get(own)?.as_i64());
            let held = held.map_or_else(String::new, |held| {
                format!(" and holds {}", counted(held, "lighthouse"))
            });
            Some(format!(
                "After {} {own} has {}{held}",
                counted(round, "round"),
                counted(points, "point"),
            ))
        }
        "result" => {
            let rounds = counted(read.number("rounds")?, "round");
            Some(match read.number("points") {
                Some(points) => {
                    let points = counted(points, "point");
                    format!("The game ends for {own} after {rounds} with {points}")
                }
                None => format!("The game ends after {rounds}"),
            })
        }
        _ => None,
    }
}

/// A link or a triangle that comes or goes.
fn network(read: Reading<'_>) -> Option<String> {
    match read.fact.kind.as_str() {
        "link" | "link_lost" => {
            let lost = read.fact.kind == "link_lost";
            let verb = if lost { "loses the link" } else { "links" };
            let between = if lost { "between " } else { "" };
            Some(format!(
                "{} {verb} {between}{}",
                read.who("by")?,
                places(read.list("ends"))
            ))
        }
        "triangle" | "triangle_lost" => {
            let verb = if read.fact.kind == "triangle" {
                "closes"
            } else {
                "loses"
            };
            let (by, cells) = (read.who("by")?, counted(read.number("cells")?, "cell"));
            Some(format!(
                "{by} {verb} the triangle {} of {cells}",
                places(read.list("corners"))
            ))
        }
        _ => None,
    }
}

/// Whether a match turns on a fact: a lighthouse taken from another, a triangle.
#[must_use]
pub fn turns_on(fact: &Fact) -> bool {
    let from = fact.data.get("from").is_some_and(|from| !from.is_null());
    fact.kind == "triangle" || fact.kind == "capture" && from
}

/// An answer in words.
#[must_use]
pub fn answered(answer: &str) -> Option<String> {
    let said: Value = serde_json::from_str(answer).ok()?;
    let number = |name: &str| said.get(name)?.as_i64();
    if said.get("name").is_some() {
        return Some("is ready".to_owned());
    }
    Some(match said.get("command")?.as_str()? {
        "pass" => "passes".to_owned(),
        "move" => match (number("x")?, number("y")?) {
            (0, 0) => "stays where it is".to_owned(),
            (x, y) => format!("moves {}", direction(x, y)),
        },
        "attack" => format!("puts {} energy into its lighthouse", number("energy")?),
        "connect" => format!("links with {}", place(said.get("destination")?)),
        _ => return None,
    })
}

/// Where a step leads: up is north.
fn direction(x: i64, y: i64) -> &'static str {
    match (x.signum(), y.signum()) {
        (0, 1) => "north",
        (1, 1) => "northeast",
        (1, 0) => "east",
        (1, -1) => "southeast",
        (0, -1) => "south",
        (-1, -1) => "southwest",
        (-1, 0) => "west",
        (-1, 1) => "northwest",
        _ => "nowhere",
    }
}

/// `(3, 4)`
fn place(at: &Value) -> String {
    match at.as_array().map(Vec::as_slice) {
        Some([x, y]) => format!("({x}, {y})"),
        _ => words(at),
    }
}

fn places(all: &[Value]) -> String {
    listed(&all.iter().map(place).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::{Fact, answered, sentence};
    use drover_game::scene::Names;
    use drover_game::sentence::Reading;
    use serde_json::{Value, json};

    #[test]
    fn facts_are_sentences_with_names_and_places() {
        let said = |kind: &str, data: Value| {
            let fact = Fact::new(kind, data);
            let sentence = sentence(Reading {
                fact: &fact,
                own: Some(0),
            });
            Names::by_seat(&["ann", "bob"].map(Some)).fill(&sentence.expect("a sentence"))
        };
        for (kind, data, expected) in [
            (
                "capture",
                json!({"lighthouse": [3, 4], "from": 1, "to": 0, "energy": 20}),
                "ann takes the lighthouse at (3, 4) from bob with 20 energy",
            ),
            (
                "capture",
                json!({"lighthouse": [3, 4], "from": null, "to": 1, "energy": 2}),
                "bob takes the lighthouse at (3, 4) with 2 energy",
            ),
            (
                "link_lost",
                json!({"by": 1, "ends": [[1, 2], [3, 4]]}),
                "bob loses the link between (1, 2) and (3, 4)",
            ),
            (
                "triangle",
                json!({"by": 0, "corners": [[1, 2], [3, 4], [5, 6]], "cells": 1}),
                "ann closes the triangle (1, 2), (3, 4) and (5, 6) of 1 cell",
            ),
            (
                "result",
                json!({"rounds": 20}),
                "The game ends after 20 rounds",
            ),
            (
                "standing",
                json!({"round": 1, "points": 1, "held": [1, 0]}),
                "After 1 round ann has 1 point and holds 1 lighthouse",
            ),
        ] {
            assert_eq!(said(kind, data), expected);
        }
    }

    #[test]
    fn answers_are_said_with_directions_and_places() {
        for (answer, words) in [
            (r#"{"command": "move", "x": 1, "y": -1}"#, "moves southeast"),
            (
                r#"{"command": "move", "x": 0, "y": 0}"#,
                "stays where it is",
            ),
            (
                r#"{"command": "attack", "energy": 30}"#,
                "puts 30 energy into its lighthouse",
            ),
            (
                r#"{"command": "connect", "destination": [3, 4]}"#,
                "links with (3, 4)",
            ),
            (r#"{"command": "pass"}"#, "passes"),
        ] {
            assert_eq!(answered(answer).as_deref(), Some(words));
        }
        assert_eq!(answered(r#"{"name":"ann"}"#).as_deref(), Some("is ready"));
        assert_eq!(answered("nonsense"), None);
    }
}
