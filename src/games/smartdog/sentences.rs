//! Facts in sentences.

use super::dialect::{self, Line};
use super::rules::Direction;
use drover_game::Fact;
use drover_game::scene::Who;
use drover_game::sentence::{Reading, listed};
use drover_game::text::counted;
use serde_json::Value;

/// A fact in a sentence.
#[must_use]
pub fn sentence(read: Reading<'_>) -> Option<String> {
    let own = read.own();
    let text = || read.text("text").unwrap_or_default();
    match read.fact.kind.as_str() {
        "start" => {
            let (cols, rows) = (read.number("cols")?, read.number("rows")?);
            let sheep = counted_sheep(read.number("sheep")?);
            let map = read
                .text("map")
                .filter(|map| !is_digest(map))
                .map_or_else(String::new, |map| format!(" on {map}"));
            Some(format!(
                "The match begins{map}: {cols} × {rows} cells, {sheep} for each player"
            ))
        }
        "own_bark" => Some(match read.list("dogs").len() {
            ..=1 => format!("{own} barks"),
            dogs => format!("{own} barks with {dogs} dogs"),
        }),
        "bark" => Some(barks(read, &own)),
        "sheep_won" => {
            let count = counted_sheep(read.number("count")?);
            Some(format!("{own} gets {count} into its pen"))
        }
        "sheep_lost" => {
            let count = counted_sheep(read.number("count")?);
            Some(format!("{own} loses {count} from its pen"))
        }
        "score" => {
            let points = read.get("points").and_then(Value::as_f64)?;
            let penned = counted_sheep(read.number("penned")?);
            let points = counted((points * 100.0).round() as i64, "point");
            let end = if read.is("final") { " at the end" } else { "" };
            Some(format!("{own} has {points} with {penned} in its pen{end}"))
        }
        "disabled" => disabled(read),
        "warning" => Some(format!("A command of {own} is refused: {}", text())),
        "error" => Some(format!("The hub reports an error to {own}: {}", text())),
        "result" => Some(match (read.text("error"), read.number("winner")) {
            (Some(error), _) => format!("The hub gave the match up: {error}"),
            (None, Some(winner)) => format!("{} wins the match", player(winner)),
            (None, None) if read.is("won") => format!("{own} wins the match"),
            (None, None) => "Nobody wins the match".to_owned(),
        }),
        _ => None,
    }
}

/// Whether a match turns on a fact: a sheep that gets out of a pen.
#[must_use]
pub fn turns_on(fact: &Fact) -> bool {
    fact.kind == "sheep_lost"
}

/// An answer in words. Dogs are counted: their numbers on the wire say nothing to people.
#[must_use]
pub fn answered(answer: &str) -> Option<String> {
    let mut moves = [0i64; Direction::ALL.len()];
    let mut barks = 0;
    for line in answer.lines() {
        match dialect::receive(line) {
            Line::Move { direction, .. } => {
                let at = Direction::ALL
                    .iter()
                    .position(|one| Some(*one) == direction)?;
                *moves.get_mut(at)? += 1;
            }
            Line::Bark { .. } => barks += 1,
            Line::End => {}
            Line::Join { .. } | Line::Do { .. } | Line::Other { .. } => return None,
        }
    }
    let moves = Direction::ALL
        .iter()
        .zip(moves)
        .filter(|(_, dogs)| *dogs > 0);
    let moves =
        moves.map(|(direction, dogs)| format!("{} {}", counted(dogs, "dog"), direction.word()));
    let moves: Vec<String> = moves.collect();
    let moves = (!moves.is_empty()).then(|| format!("moves {}", listed(&moves)));
    let barks = (barks > 0).then(|| format!("barks with {}", counted(barks, "dog")));
    let done: Vec<String> = moves.into_iter().chain(barks).collect();
    Some(match done.is_empty() {
        true => "waits".to_owned(),
        false => listed(&done),
    })
}

/// Whether a map's name is only a digest of it, which is nothing to read.
fn is_digest(map: &str) -> bool {
    let digits = map.strip_prefix("map-");
    digits.is_some_and(|digits| {
        digits.len() == 16 && digits.chars().all(|digit| digit.is_ascii_hexdigit())
    })
}

/// A dog that cannot do all it would. Facts number dogs as the wire or the reader does, not among its player's.
fn disabled(read: Reading<'_>) -> Option<String> {
    let whose = player(read.number("player")?);
    let how = match read.text("how").as_deref() {
        Some("panic") => "panics".to_owned(),
        Some("indignant") => "is indignant and does not bark".to_owned(),
        other => format!("is disabled ({})", other.unwrap_or("for a while")),
    };
    Some(format!("A dog of {whose} {how}"))
}

/// The player with this number, from 1.
fn player(number: i64) -> String {
    let place = usize::try_from(number.saturating_sub(1)).unwrap_or_default();
    Who(place).to_string()
}

fn counted_sheep(count: i64) -> String {
    format!("{count} sheep")
}

/// Barks that reached a seat.
fn barks(read: Reading<'_>, own: &str) -> String {
    let mut fields = read.fact.data.as_object().into_iter().flatten();
    let barks = fields
        .find_map(|(_, field)| field.as_array())
        .map_or(&[][..], Vec::as_slice);
    let mut by: Vec<i64> = barks
        .iter()
        .filter_map(|bark| bark.get("by")?.as_i64())
        .collect();
    by.sort_unstable();
    by.dedup();
    let names: Vec<String> = by.into_iter().map(player).collect();
    let unseen = barks
        .iter()
        .filter(|bark| bark.get("by").is_none_or(Value::is_null))
        .count();
    let unseen = (unseen > 0).then(|| format!("{} out of sight", counted(unseen as i64, "dog")));
    let all: Vec<String> = names.into_iter().chain(unseen).collect();
    format!("{own} notices barks of {}", listed(&all))
}

#[cfg(test)]
mod tests {
    use super::{Fact, answered, sentence};
    use drover_game::scene::Names;
    use drover_game::sentence::Reading;
    use serde_json::{Value, json};

    #[test]
    fn facts_are_sentences_and_points_those_of_results() {
        let said = |kind: &str, data: Value| {
            let fact = Fact::new(kind, data);
            let sentence = sentence(Reading {
                fact: &fact,
                own: Some(1),
            });
            Names::by_seat(&["ann", "bob"].map(Some)).fill(&sentence.expect("a sentence"))
        };
        for (kind, data, expected) in [
            (
                "own_bark",
                json!({"turn": 3, "dogs": [4, 7]}),
                "bob barks with 2 dogs",
            ),
            ("own_bark", json!({"turn": 3, "dogs": [402]}), "bob barks"),
            (
                "warning",
                json!({"turn": 3, "dog": 402, "text": "it panics"}),
                "A command of bob is refused: it panics",
            ),
            (
                "start",
                json!({"map": "map-99abc1c245d25b1c", "cols": 9, "rows": 8, "sheep": 3}),
                "The match begins: 9 × 8 cells, 3 sheep for each player",
            ),
            (
                "start",
                json!({"map": "map-1", "cols": 9, "rows": 8, "sheep": 3}),
                "The match begins on map-1: 9 × 8 cells, 3 sheep for each player",
            ),
            (
                "bark",
                json!({"turn": 3, "barks": [{"by": 1, "x": 3, "y": 4}, {"by": null, "x": 1, "y": 1}]}),
                "bob notices barks of ann and 1 dog out of sight",
            ),
            (
                "sheep_won",
                json!({"count": 1}),
                "bob gets 1 sheep into its pen",
            ),
            (
                "score",
                json!({"points": 8.75, "penned": 7, "final": true}),
                "bob has 875 points with 7 sheep in its pen at the end",
            ),
            (
                "disabled",
                json!({"player": 1, "dog": 12, "how": "panic"}),
                "A dog of ann panics",
            ),
            (
                "result",
                json!({"won": false, "winner": 1, "error": null}),
                "ann wins the match",
            ),
        ] {
            assert_eq!(said(kind, data), expected);
        }
    }

    #[test]
    fn answers_are_said_with_directions() {
        let orders = "do 402 move up\ndo 403 move up\ndo 404 move left\ndo 402 bark\nend";
        let words = "moves 2 dogs up and 1 dog left and barks with 1 dog";
        assert_eq!(answered(orders).as_deref(), Some(words));
        assert_eq!(answered("end").as_deref(), Some("waits"));
        assert_eq!(answered("join me"), None);
    }
}
