//! Every parameter's description, values and example.

use super::events::LAST_EVENT;
use crate::store::{OpponentKind, Standing};
use games::{Cause, Part};
use serde_json::{Value, json};

/// The parameters of a path and of its query, as an OpenAPI document has them.
/// Where answers have tags, a caller may name those that it has.
pub(super) fn parameters(path: &str, names: &[&str], tagged: bool) -> Vec<Value> {
    let in_path = path.split('/').collect::<Vec<_>>();
    let in_path = in_path.windows(2).filter_map(|pair| {
        let name = pair[1].strip_prefix('{')?.split('}').next()?;
        Some(path_parameter(pair[0], name))
    });
    let named = names.iter().map(|name| match *name {
        LAST_EVENT => header(name, "As `after`; it counts before that.", "2-0"),
        name => query_parameter(path, name),
    });
    let tags = tagged.then(|| {
        let about = "Tags of answers that the caller has: one that is still the same is a 304.";
        header("If-None-Match", about, "\"0123456789abcdef\"")
    });
    in_path.chain(named).chain(tags).collect()
}

fn path_parameter(of: &str, name: &str) -> Value {
    let number = json!({ "type": "integer", "format": "int64", "minimum": 0 });
    let (about, schema, example) = match (of, name) {
        ("sessions", _) => ("The session's number.", number, json!(1)),
        ("opponents", _) => ("The opponent's number.", number, json!(1)),
        ("seats", _) => (
            "The seat, from 0.",
            json!({ "type": "integer", "minimum": 0, "maximum": 255 }),
            json!(0),
        ),
        ("tokens", _) => (
            "The token's name or number.",
            json!({ "type": "string", "minLength": 1 }),
            json!("ann"),
        ),
        (_, "referee") => (
            "The referee: a name or an address.",
            json!({ "type": "string", "minLength": 1 }),
            json!("contest"),
        ),
        (_, "market") => ("The referee's number of the match.", number, json!(12)),
        (_, "game") => ("The game.", words(all_games()), json!("koehandel")),
        (_, "bot") => (
            "The bot's name.",
            json!({ "type": "string", "minLength": 1 }),
            json!("champion"),
        ),
        _ => (
            "Its id, a ULID.",
            json!({ "type": "string", "minLength": 1 }),
            json!("01K3ZQ4T5V6W7X8Y9Z0A1B2C3D"),
        ),
    };
    json!({
        "name": name, "in": "path", "required": true, "description": about, "schema": schema,
        "example": example,
    })
}

fn header(name: &str, about: &str, example: &str) -> Value {
    json!({
        "name": name, "in": "header", "required": false, "description": about,
        "schema": { "type": "string" }, "example": example,
    })
}

fn query_parameter(path: &str, name: &str) -> Value {
    let (about, schema, example) = known(path, name);
    let mut parameter = json!({
        "name": name, "in": "query", "required": false, "description": about, "schema": schema,
    });
    if !example.is_null() {
        parameter["example"] = example;
    }
    parameter
}

/// What a query parameter does.
pub(super) fn about(path: &str, name: &str) -> &'static str {
    known(path, name).0
}

fn known(path: &str, name: &str) -> (&'static str, Value, Value) {
    let text = || json!({ "type": "string" });
    let truth = || json!({ "type": "boolean" });
    let time = || json!({ "type": "string", "format": "date-time" });
    let whole = |maximum: u64| json!({ "type": "integer", "minimum": 0, "maximum": maximum });
    match name {
        "limit" => (
            "The maximum number of rows of a page.",
            json!({ "type": "integer", "minimum": 1, "maximum": super::params::LIMIT_MAX }),
            json!(5),
        ),
        "cursor" => (
            "Where the page begins: `next` of the page before.",
            json!({ "type": "string", "minLength": 1 }),
            Value::Null,
        ),
        "follow" => (
            "Whether to go on with what comes: the next page waits for rows, a stream ends with its match or never. \
             Lists whose newest rows come first begin with `limit` of these, the oldest of them first.",
            truth(),
            json!(false),
        ),
        "wait" => (
            "With `follow`: how long a page may wait for rows, in seconds.",
            whole(super::params::WAIT_S_MAX),
            json!(5),
        ),
        "fields" => (
            "Only these fields, separated by commas; a dot leads into a field.",
            json!({ "type": "string", "minLength": 1 }),
            Value::Null,
        ),
        "game" => ("Only this game.", words(all_games()), json!("koehandel")),
        "bot" => (
            "Only with this bot of ours; a user's is bot:NAME@VERSION, or bot:NAME for all its versions.",
            text(),
            json!("champion"),
        ),
        "opponent" if path.contains("/bluffs") => {
            ("Only of this named opponent.", text(), json!("alice"))
        }
        "opponent" => (
            "Only with this opponent: a name, an entrant or a bot, as `rival` in records says it. A command or an address only admins may ask for.",
            text(),
            json!("alice"),
        ),
        "between" => (
            "How it ended between `bot` and `opponent`, as their record counts it; it takes both.",
            words(Standing::ENDED.map(|(word, _)| word)),
            Value::Null,
        ),
        "entrant" => (
            "Only with this entrant of a tournament.",
            text(),
            json!("alice"),
        ),
        "tournament" => (
            "Only matches of this tournament that have ended.",
            text(),
            json!("01K3ZQ4T5V6W7X8Y9Z0A1B2C3D"),
        ),
        "match" => (
            "Only of this match.",
            text(),
            json!("01K3ZQ4T5V6W7X8Y9Z0A1B2C3D"),
        ),
        "referee" => (
            "Only of this referee: a name or an address.",
            text(),
            json!("localhost"),
        ),
        "market" => (
            "Only with this number of the referee's; of running matches only what the caller may know.",
            whole(u64::MAX),
            json!(12),
        ),
        "side" => (
            "Only where this side's transcript is stored.",
            words(["player", "referee"]),
            json!("player"),
        ),
        "outcome" => (
            "How it ended for `bot`, or for any seat of ours.",
            words(Standing::ALL.map(|(word, _)| word)),
            json!("won"),
        ),
        "cause" => (
            "Why it ended. A player that failed in a match that went on to its end is found by `participation`.",
            words(Cause::ALL.map(Cause::word)),
            json!("normal"),
        ),
        "participation" => (
            "Only where a seat took part so: that of `bot` or `entrant`, if these are given, else any. Of most \
             seats of others' matches it is not known.",
            words(Part::ALL.map(Part::word)),
            json!("played"),
        ),
        "since" => (
            "Not before this time.",
            time(),
            json!("2026-01-31T12:00:00Z"),
        ),
        "until" => ("Before this time.", time(), json!("2126-01-31T12:00:00Z")),
        "live" => (
            "Only what runs, or only what has ended.",
            truth(),
            json!(false),
        ),
        "caught" => (
            "Only bluffs that were caught, or were not.",
            truth(),
            json!(true),
        ),
        "by" => (
            "Only by this place, in the wire's own word.",
            text(),
            json!("W"),
        ),
        "seat" => ("Only of this seat, from 0.", whole(255), json!(0)),
        "session" if path.contains("/seats/") => (
            "Which of several bots of ours on the seat.",
            whole(i64::MAX as u64),
            Value::Null,
        ),
        "session" => ("Only of this session.", whole(i64::MAX as u64), json!(1)),
        "kind" if path.contains("/opponents") => (
            "Only this kind.",
            words([OpponentKind::Named, OpponentKind::Type].map(OpponentKind::word)),
            json!("named"),
        ),
        "kind" => ("Only facts of this kind.", text(), json!("result")),
        "after" => (
            "How far the stream was followed before: an event's id.",
            text(),
            Value::Null,
        ),
        "entry" => (
            "The entry that asked for the decision; without it, all decisions are listed.",
            whole(i64::MAX as u64),
            Value::Null,
        ),
        "nodes" => (
            "How long the bot thinks, in nodes.",
            json!({
                "type": "integer", "minimum": 1, "maximum": crate::replay::NODES_MAX,
                "default": crate::replay::NODES_DEFAULT,
            }),
            json!(1_000),
        ),
        "from" => ("The first step.", whole(u64::from(u32::MAX)), json!(1)),
        "pictures" => ("Whether each step is drawn.", truth(), json!(true)),
        "states" => (
            "Whether each step has its state, which is most of it.",
            truth(),
            json!(true),
        ),
        other => unreachable!("the parameter {other} of {path} has no description"),
    }
}

fn all_games() -> impl Iterator<Item = &'static str> {
    games::ALL.iter().map(|kit| kit.game())
}

fn words(words: impl IntoIterator<Item = &'static str>) -> Value {
    json!({ "type": "string", "enum": words.into_iter().collect::<Vec<_>>() })
}

#[cfg(test)]
mod tests {
    use super::parameters;

    #[test]
    fn a_parameter_has_an_example_or_none_and_is_what_it_is_called() {
        let rivals = parameters("/api/v1/rivals/{game}/{referee}/{market}", &[], false);
        let types = rivals.iter().map(|one| &one["schema"]["type"]);
        assert_eq!(types.collect::<Vec<_>>(), ["string", "string", "integer"]);
        let listed = parameters("/api/v1/matches", &["cursor", "fields", "limit"], false);
        let shown = listed.iter().map(|one| one.get("example").is_some());
        assert_eq!(shown.collect::<Vec<_>>(), [false, false, true]);
    }
}
