//! `drover match explain`: why a stored bot decided as it did.

use crate::app::{folder, ok, play, refused, report, run_on};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Plays one match and keeps it; the database and its id.
pub fn kept(game: &str, seats: &[&str], options: &[&str], folder: &Path) -> (PathBuf, String) {
    let store = folder.join(format!("{game}.db"));
    let mut line = play(game, seats, options);
    line.args(["--budget", "300n", "--seed", "7", "--store"])
        .arg(&store);
    report(line.output().unwrap());
    let listed = ok(run_on(&store, &["match", "list", "--output", "json"]));
    let listed: Value = serde_json::from_str(&listed).unwrap();
    (store, listed["items"][0]["id"].as_str().unwrap().to_owned())
}

/// What the verb shows of a seat.
pub fn explain(store: &Path, id: &str, seat: &str, more: &[&str]) -> Value {
    let line = [
        &["match", "explain", id, "--seat", seat, "--output", "json"],
        more,
    ]
    .concat();
    serde_json::from_str(&ok(run_on(store, &line))).unwrap()
}

/// The champion of each game explains decisions of a stored match; and a bot that plays by rules alone explains
/// each of its own as it made it, by the rule that decided.
#[test]
fn bots_of_every_game_explain_what_they_did_in_a_stored_match() {
    let folder = folder();
    for (game, seats, options, rule) in [
        (
            "koehandel",
            &["champion", "face", "guide", "setbuilder"][..],
            &[][..],
            "limit for this card",
        ),
        (
            "planowanie",
            &["champion", "greedy", "rules", "greedy"],
            &[],
            "let it expect",
        ),
        (
            "lighthouses",
            &["champion", "triangle"],
            &["rounds=40"],
            "Its plan",
        ),
        (
            "smartdog",
            &["champion", "stand"],
            &["turnsLimit=30"],
            "never gives an order",
        ),
        (
            "planetwars",
            &["champion", "bully"],
            &["rounds=30"],
            "its strongest",
        ),
    ] {
        let seats: Vec<String> = seats.iter().map(|bot| format!("builtin:{bot}")).collect();
        let seats: Vec<&str> = seats.iter().map(String::as_str).collect();
        let (store, id) = kept(game, &seats, options, folder.path());
        let decisions = explain(&store, &id, "1", &[]);
        let decisions = decisions.as_array().unwrap();
        assert!(decisions.len() >= 4, "{game}: {}", decisions.len());
        // As many as a machine that others keep busy thinks over in time, too, and enough to compare some.
        let nodes = if game == "planetwars" {
            "300n"
        } else {
            "3000n"
        };
        let mut compared = 0;
        for decision in decisions.iter().step_by(decisions.len() / 4) {
            let entry = decision["entry"].to_string();
            let line = ["--entry", &entry, "--budget", nodes];
            let message = explain(&store, &id, "1", &line);
            assert_eq!(
                (&message["game"], &message["bot"]),
                (&game.into(), &"champion".into())
            );
            assert_eq!(&message["decision"], decision, "{game}");
            assert_eq!(message["out_of_time"], false, "{game}");
            let [said, words] =
                ["said", "words"].map(|name| decision[name].as_str().unwrap_or_default());
            let wire = said.trim_end();
            let spoken = !words.is_empty() && (wire.is_empty() || !words.contains(wire));
            assert!(spoken, "{game}: {said:?} is {words:?}");
            let explanation = &message["explanation"];
            let candidates = explanation["candidates"].as_array().unwrap();
            if let Some(chosen) = candidates.first() {
                assert_eq!(chosen["act"], explanation["answer"], "{game}");
            }
            compared += usize::from(candidates.len() > 1);
            let again = explain(&store, &id, "1", &line);
            assert_eq!(
                message, again,
                "{game}: as many nodes give the same reasons"
            );
        }
        assert!(compared > 0, "{game}");
        let mut reasons = Vec::new();
        for seat in ["2", "3"].into_iter().take(seats.len() - 1) {
            let decisions = explain(&store, &id, seat, &[]);
            for decision in decisions.as_array().unwrap().iter().step_by(9) {
                let entry = decision["entry"].to_string();
                let message = explain(&store, &id, seat, &["--entry", &entry]);
                assert_eq!(
                    message["explanation"]["answer"], decision["said"],
                    "{game} {decision}"
                );
                assert_eq!(message["same"], true, "{game} {decision}");
                reasons.push(message["explanation"]["summary"].to_string());
            }
        }
        let named = reasons.iter().any(|reason| reason.contains(rule));
        assert!(named, "{game}: {reasons:?}");
        let entry = decisions[decisions.len() / 2]["entry"].to_string();
        let line = ["match", "explain", &id, "--seat", "1", "--entry", &entry];
        let shown = ok(run_on(&store, &line));
        for part in ["bot    ", "said   ", "now    ", "why    "] {
            assert!(shown.contains(part), "{game}: {shown}");
        }
    }
}

#[test]
fn what_cannot_be_explained_is_reported() {
    let folder = folder();
    let program = format!(
        "cmd:{} shim planowanie --bot greedy",
        env!("CARGO_BIN_EXE_drover")
    );
    let seats = ["builtin:rules", &program, "builtin:greedy"];
    let (store, id) = kept("planowanie", &seats, &[], folder.path());
    let wrong = |more: &[&str], code| {
        let line = [&["match", "explain"], more].concat();
        refused(run_on(&store, &line), code)
    };
    for (more, code, message) in [
        (
            &[&*id, "--seat", "2"][..],
            1,
            "was not played by one of our bots",
        ),
        (&[&id, "--seat", "4"], 2, "seats of match"),
        (&[&id, "--seat", "0"], 2, "seats are numbers from 1"),
        (
            &[&id, "--session", "999"],
            1,
            "it has those of seat 1 (session",
        ),
        (
            &[&id, "--seat", "1", "--entry", "999999"],
            1,
            "whose entries are",
        ),
        (
            &[&id, "--seat", "1", "--entry", "1"],
            1,
            "asks for no decision",
        ),
        (
            &[&id, "--seat", "1", "--budget", "5s"],
            2,
            "it takes 1n to 2000000n",
        ),
        (&["nothing", "--seat", "1"], 1, "there is no match nothing"),
    ] {
        let why = wrong(more, code);
        assert!(why.contains(message), "{more:?}: {why}");
    }
}
