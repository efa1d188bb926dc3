//! `drover play --from ID:N`: a stored match played on from one of its entries.

use crate::app::{folder, ok, play, refused, report, run_on};
use crate::explain::{explain, kept};
use crate::planetwars;
use crate::shims::PROGRAM;
use serde_json::Value;
use std::path::Path;
use std::process::Output;

fn from(store: &Path, id: &str, entry: &Value, more: &[&str]) -> Output {
    let from = format!("{id}:{entry}");
    run_on(
        store,
        &[&["play", "--from", &from, "--output", "json"], more].concat(),
    )
}

fn scores(json: &Value) -> Vec<i64> {
    let seats = json["seats"].as_array().unwrap().iter();
    let score = |seat: &Value| seat["mean_score"].as_f64().unwrap() as i64;
    seats.map(score).collect()
}

/// Bots that decide alike whenever they are asked play the same match again from anywhere; other players play
/// another one, and receive before what its seat had received.
#[test]
fn a_match_goes_on_from_an_entry_as_it_went_or_with_others() {
    let folder = folder();
    let (program, fleets) = (
        format!("cmd:{PROGRAM} none"),
        format!("cmd:{} none", planetwars::PROGRAM),
    );
    for (game, seats, options, other) in [
        (
            "koehandel",
            &["face", "face", "face", "face"][..],
            &[][..],
            "builtin:evolved",
        ),
        (
            "planowanie",
            &["rules", "greedy", "rules"],
            &["deals=5 0 4 1"],
            &program,
        ),
        (
            "lighthouses",
            &["triangle", "triangle"],
            &["rounds=200"],
            "builtin:passer",
        ),
        ("planetwars", &["bully", "dual"], &["rounds=40"], &fleets),
    ] {
        let seats: Vec<String> = seats.iter().map(|bot| format!("builtin:{bot}")).collect();
        let seats: Vec<&str> = seats.iter().map(String::as_str).collect();
        let (store, id) = kept(game, &seats, options, folder.path());
        let shown = ok(run_on(&store, &["match", "show", &id, "--output", "json"]));
        let shown: Value = serde_json::from_str(&shown).unwrap();
        let ended: Vec<i64> = serde_json::from_value(shown["match"]["scores"].clone()).unwrap();
        let decisions = explain(&store, &id, "2", &[]);
        let decisions = decisions.as_array().unwrap();
        for at in [0, decisions.len() / 2, decisions.len() - 1] {
            let again = ok(from(&store, &id, &decisions[at]["entry"], &[]));
            let again: Value = serde_json::from_str(&again).unwrap();
            assert_eq!(again["from"]["cause"], "normal", "{game}");
            assert_eq!(scores(&again), ended, "{game} from decision {at}");
        }
        let (middle, seat) = (
            &decisions[decisions.len() / 2]["entry"],
            format!("2={other}"),
        );
        let with = ok(from(&store, &id, middle, &["--seat", &seat]));
        let with: Value = serde_json::from_str(&with).unwrap();
        assert_eq!(with["from"]["cause"], "normal", "{game} {with}");
        assert_eq!(with["seats"][1]["bot"], other);
        assert_eq!(with["seats"][1]["failure"], Value::Null, "{game} {with}");
        assert_eq!(
            (&with["from"]["match"], &with["from"]["entry"]),
            (&id.clone().into(), middle)
        );
        assert_ne!(scores(&with), ended, "{game}: another one plays");
    }
}

/// It takes play's options for what comes, and its report is play's.
#[test]
fn other_options_hold_from_an_entry_on() {
    let folder = folder();
    let bots = ["builtin:triangle", "builtin:triangle"];
    let (store, id) = kept("lighthouses", &bots, &["rounds=40"], folder.path());
    let decisions = explain(&store, &id, "2", &[]);
    let decisions = decisions.as_array().unwrap();
    let (first, last) = (&decisions[0]["entry"], &decisions.last().unwrap()["entry"]);
    let on = |rounds: &str| ["--option".to_owned(), format!("rounds={rounds}")];
    let played = |entry, rounds| {
        let on = on(rounds);
        from(&store, &id, entry, &[on[0].as_str(), on[1].as_str()])
    };
    let long: Value = serde_json::from_str(&ok(played(first, "80"))).unwrap();
    let short: Value = serde_json::from_str(&ok(played(first, "20"))).unwrap();
    assert_eq!(long["options"]["rounds"], 80, "{long}");
    assert!(scores(&long).iter().sum::<i64>() > scores(&short).iter().sum());
    let why = refused(played(last, "20"), 1);
    assert!(why.contains("cannot be changed in the middle"), "{why}");
    let why = refused(from(&store, &id, first, &["--option", "wind=3"]), 2);
    assert!(why.contains("no option \"wind\""), "{why}");

    let mut fresh = play("lighthouses", &bots, &["rounds=5"]);
    let fresh = report(fresh.output().unwrap());
    let keys = |value: &Value| -> Vec<String> {
        let keys = value.as_object().unwrap().keys();
        keys.filter(|key| *key != "from").cloned().collect()
    };
    assert_eq!(keys(&long), keys(&fresh));
    assert_eq!(keys(&long["seats"][0]), keys(&fresh["seats"][0]));

    let bots = ["builtin:rules", "builtin:greedy"];
    let (store, id) = kept("planowanie", &bots, &["deals=5 0"], folder.path());
    let middle = &explain(&store, &id, "1", &[])[2]["entry"];
    let timed = ok(from(&store, &id, middle, &["--timeout", "7s"]));
    let timed: Value = serde_json::from_str(&timed).unwrap();
    assert_eq!(timed["options"]["time_ms"], 7000, "{timed}");
    assert_eq!(timed["from"]["cause"], "normal", "{timed}");
    let why = refused(from(&store, &id, middle, &["--option", "seed=3"]), 2);
    assert!(why.contains("no option \"seed\""), "{why}");
}

#[test]
fn what_cannot_be_played_on_is_reported() {
    let folder = folder();
    let bots = |bot: &'static str| ["builtin:random", bot];
    let (store, id) = kept(
        "smartdog",
        &bots("builtin:stand"),
        &["turnsLimit=5"],
        folder.path(),
    );
    let why = refused(from(&store, &id, &1.into(), &[]), 2);
    assert!(why.contains("smartdog players dial a hub"), "{why}");
    let program = format!("cmd:{PROGRAM} none");
    let seats = ["builtin:rules", &program, "builtin:greedy"];
    let (store, id) = kept("planowanie", &seats, &["deals=2 0"], folder.path());
    let decision = &explain(&store, &id, "1", &[])[0]["entry"];
    let own = format!("2={program}");
    let broken = format!("2=cmd:{PROGRAM} exits");
    for (entry, more, code, message) in [
        (decision, &[][..], 2, "say who plays on: --seat 2=SPEC"),
        (decision, &["--seat", "cmd:x"], 2, "it takes SEAT=SPEC"),
        (
            decision,
            &["--seat", "7=builtin:rules"],
            2,
            "seat 7: the seats of match",
        ),
        (decision, &["--seat", "2=builtin:nobody"], 1, "nobody"),
        (
            decision,
            &["--seat", "2=url:http://127.0.0.1:1/"],
            2,
            "played on here by builtin",
        ),
        (
            &999_999.into(),
            &["--seat", &own],
            1,
            "entry 999999 is not in the transcripts",
        ),
        (&2.into(), &["--seat", &own], 1, "entry 2 is an answer"),
    ] {
        let why = refused(from(&store, &id, entry, more), code);
        assert!(why.contains(message), "{entry} {more:?}: {why}");
    }
    let last = explain(&store, &id, "3", &[]);
    let last = &last.as_array().unwrap().last().unwrap()["entry"];
    let why = refused(from(&store, &id, last, &["--seat", &broken]), 1);
    assert!(why.contains("the player of seat 2 did not follow"), "{why}");
    let why = refused(run_on(&store, &["play", "--from", "nonsense"]), 2);
    assert!(why.contains("it takes ID:N"), "{why}");
    let why = refused(
        run_on(&store, &["play", "--from", "x:1", "--games", "3"]),
        2,
    );
    assert!(why.contains("cannot be used with"), "{why}");
}
