//! One JSON object a line: a result of two players, or a match of any of our games.
//!
//! `{"first": "a", "second": "b", "share": 1}`, with a share of 0.5 for a draw and 0 if the second won; or
//! `{"game": "planowanie", "seats": ["a", "b", "c", "d"], "scores": [50, 42, 61, 42], "cause": "normal"}`, whose
//! results between each two players are those that count in that game. A seat is a name, or an object with `name`
//! or `spec` as REST shows it. A match that was given up for all has no scores; each of its seats in `faults` (counted
//! from 0) lost to all others. One with scores has in `faults` the seats whose results are not their own (the cause
//! `not_played`): they lost to all others, too; REST says so of a seat by `blame` and `participation`. Seats with one number in `teams` (a number a seat) are mates, who have no result against
//! each other. Lines with one `table` share it: give all rotations over one deal the same.

use super::found::{Problem, shown};
use super::reading::Record;
use crate::results::Score;
use games::{Cause, Duel, Outcome, Participation, Seat, are_mates, is_earned};
use serde::Deserialize;
use serde_json::Value;

/// Both kinds of line; fields that are not listed are ignored.
#[derive(Deserialize)]
struct Line {
    first: Option<String>,
    second: Option<String>,
    share: Option<f64>,
    game: Option<String>,
    seats: Option<Vec<Seated>>,
    #[serde(default)]
    scores: Vec<i64>,
    cause: Option<Cause>,
    #[serde(default)]
    faults: Vec<Seat>,
    blame: Option<Seat>,
    /// By seat; empty: all play alone.
    #[serde(default)]
    teams: Vec<u8>,
    /// Text or a number.
    table: Option<Value>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Seated {
    Name(String),
    Seat {
        name: Option<String>,
        spec: Option<String>,
        participation: Option<Participation>,
    },
}

impl Seated {
    fn name(&self) -> &str {
        match self {
            Self::Name(name) => name,
            Self::Seat { name, spec, .. } => {
                name.as_ref().or(spec.as_ref()).map_or("", |name| name)
            }
        }
    }

    /// Whether it left more decisions to its fallback than it may.
    fn is_earned(&self) -> bool {
        let Self::Seat {
            participation: Some(part),
            ..
        } = self
        else {
            return true;
        };
        let count = |count: Option<u32>| u64::from(count.unwrap_or_default());
        is_earned(count(part.decisions), count(part.fallback))
    }
}

fn refuse<T>(why: impl Into<String>) -> Result<T, Problem> {
    Err(Problem::Json(why.into()))
}

/// What one line says.
pub(super) fn record(line: &str) -> Result<Record, Problem> {
    let line: Line = serde_json::from_str(line).or_else(|why| refuse(shown(&why.to_string())))?;
    let table = match &line.table {
        None | Some(Value::Null) => None,
        Some(Value::String(name)) => Some(name.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        Some(_) => return refuse("`table` is neither text nor a number"),
    };
    let (players, results) = match &line {
        Line {
            first: Some(first),
            second: Some(second),
            share: Some(share),
            ..
        } => {
            let Some(score) = Score::from_share(*share) else {
                return refuse(format!("`share` is {share}; it must be 1, 0.5 or 0"));
            };
            (vec![first.clone(), second.clone()], vec![(0, 1, score)])
        }
        Line {
            game: Some(game),
            seats: Some(seats),
            ..
        } => {
            let players = seats.iter().map(|seat| seat.name().to_owned());
            (players.collect(), played(game, seats, &line)?)
        }
        _ => {
            return refuse(
                "a line needs `first`, `second` and `share`, or `game`, `seats`, `scores` and `cause`",
            );
        }
    };
    Ok(Record {
        players,
        results,
        table,
    })
}

/// The results of a match: none if it is not over, or was broken off by nobody's fault.
fn played(
    game: &str,
    players: &[Seated],
    line: &Line,
) -> Result<Vec<(usize, usize, Score)>, Problem> {
    let seats = players.len();
    let Some(kit) = games::find(game) else {
        let known: Vec<&str> = games::ALL.iter().map(|kit| kit.card().name).collect();
        return refuse(format!(
            "there is no game {:?}; there are: {}",
            shown(game),
            known.join(", ")
        ));
    };
    let cause = line.cause.unwrap_or(Cause::Normal);
    if matches!(cause, Cause::Cancelled | Cause::Unterminated) {
        return Ok(Vec::new());
    }
    if !line.scores.is_empty() && line.scores.len() != seats {
        let scores = line.scores.len();
        return refuse(format!("there are {scores} scores for {seats} seats"));
    }
    if !line.teams.is_empty() && line.teams.len() != seats {
        let teams = line.teams.len();
        return refuse(format!(
            "there are {teams} numbers in `teams` for {seats} seats"
        ));
    }
    let outcome = Outcome {
        cause,
        scores: line.scores.iter().copied().collect(),
    };
    let is_last = |seat: Seat| {
        let own = players.get(seat.index());
        let unearned = line.blame == Some(seat) || own.is_some_and(|own| !own.is_earned());
        line.faults.contains(&seat) || cause == Cause::NotPlayed && unearned
    };
    let duels = match line.scores.is_empty() {
        true => Duel::of_given_up(seats, |seat| line.faults.contains(&seat)),
        false => kit.earned(None, &outcome, is_last).1,
    };
    let duels = duels.into_iter();
    let duels = duels.filter(|duel| !are_mates(&line.teams, duel.first, duel.second));
    let scored = duels.map(|duel| match Score::from_share(duel.share) {
        Some(score) => Ok((duel.first.index(), duel.second.index(), score)),
        None => refuse(format!("{game} shares a result as {}", duel.share)),
    });
    scored.collect()
}
