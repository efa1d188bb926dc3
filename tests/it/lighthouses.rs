//! Lighthouses over pipes: our engine against programs that do what they must not, and our shims
//! against an engine that says nothing at the end.

use crate::app::{self, Piped, TestApp, folder, report, shim, verified};
use crate::partings::forgetful;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

pub const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/keeper.sh");
/// A busy machine is slow to start a program, and to say something.
const PATIENT: [&str; 2] = ["start_ms=20000", "hard_ms=20000"];

/// Plays one game of a program against a bot that walks about; the report.
fn play(fault: &str, options: &[&str]) -> Value {
    let hurried = fault == "silent" || options.iter().any(|option| option.starts_with("hard_ms"));
    let patient = &PATIENT[..if hurried { 1 } else { 2 }];
    let options = [&["map=plain", "rounds=40"], patient, options].concat();
    let seats = [&*format!("cmd:{PROGRAM} {fault}"), "builtin:nearest"];
    report(app::play("lighthouses", &seats, &options).output().unwrap())
}

#[test]
fn a_broken_bot_is_dropped_by_the_named_cause_and_the_game_goes_on() {
    for (fault, cause) in [
        ("junk", "protocol_error"),
        ("empty", "protocol_error"),
        ("silent", "time_forfeit"),
        ("exit", "crash"),
        ("closed", "crash"),
        ("nameless", "protocol_error"),
        ("dead", "init_failure"),
        ("endless", "protocol_error"),
    ] {
        let report = play(fault, &[]);
        let [keeper, rival] = [&report["seats"][0], &report["seats"][1]];
        assert_eq!(keeper["faults"], json!({ cause: 1 }), "{fault}");
        assert_eq!(rival["faults"], json!({}), "{fault}");
        let points = rival["mean_score"].as_f64().unwrap();
        assert!(points > 0.0, "{fault}: the other one plays on: {report}");
    }
}

#[test]
fn bots_that_are_only_slow_or_wrong_play_on() {
    // Twice as long as the soft limit, and commands that do not succeed.
    let late = play("late", &[]);
    assert_eq!(late["seats"][0]["faults"], json!({}));
    assert!(late["seats"][0]["missed"].as_u64().unwrap() >= 4, "{late}");
    let wrong = play("wrong", &[]);
    assert_eq!(wrong["seats"][0]["faults"], json!({}));
    assert_eq!(wrong["seats"][0]["refused"], 40, "{wrong}");
    // Beyond the hard limit, where the turn passes.
    let options = ["hard_ms=250", "on_silence=pass"];
    let passed = play("asleep", &options);
    assert_eq!(passed["seats"][0]["faults"], json!({}), "{passed}");
    assert!(
        passed["seats"][0]["missed"].as_u64().unwrap() >= 1,
        "{passed}"
    );
    // Two lines at once: the second one is the next turn's, as at the public engine.
    let twice = play("twice", &[]);
    assert_eq!(twice["seats"][0]["faults"], json!({}));
}

/// An island as large as there may be: its description fills more than a pipe.
fn wide_map() -> String {
    let sea = "#".repeat(240);
    let mut rows = vec![sea.clone()];
    rows.extend((0..238).map(|_| format!("#{}#", " ".repeat(238))));
    rows[3].replace_range(2..6, "!01!");
    rows[5].replace_range(3..4, "!");
    rows.push(sea);
    rows.join("\n")
}

#[test]
fn the_clock_runs_from_when_a_message_is_begun() {
    let folder = folder();
    let map = folder.path().join("wide.txt");
    std::fs::write(&map, wide_map()).unwrap();
    let map = format!("map={}", map.display());
    for (start_ms, faults) in [
        ("start_ms=3000", json!({"init_failure": 1})),
        ("start_ms=20000", json!({})),
    ] {
        // It does not read for two seconds, and greets after two more.
        let options = [&map, start_ms, "hard_ms=20000", "rounds=2"];
        let seats = [&*format!("cmd:{PROGRAM} tardy"), "builtin:nearest"];
        let played = app::play("lighthouses", &seats, &options).output();
        let report = report(played.unwrap());
        assert_eq!(report["seats"][0]["faults"], faults, "{start_ms}: {report}");
    }
}

#[test]
fn a_map_that_is_no_file_or_no_map_is_refused() {
    let folder = folder();
    let plain = folder.path().join("plain.txt");
    std::fs::write(&plain, "no map\n").unwrap();
    let seats = ["builtin:ring", "builtin:ring"];
    for (path, why) in [
        ("no/such.txt", "no/such.txt cannot be read: No such file"),
        (plain.to_str().unwrap(), "plain.txt: "),
    ] {
        let map = format!("map={path}");
        let played = app::play("lighthouses", &seats, &[&map]).output();
        let error = app::refused(played.unwrap(), 2);
        assert!(error.contains("--option map: "), "{error}");
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn a_report_hints_at_the_options_for_programs_that_do_not_answer() {
    let table = |fault: &str| {
        let mut line = app::drover();
        line.args(["play", "lighthouses", "--games", "1", "--seat"]);
        line.arg(format!("cmd:{PROGRAM} {fault}"));
        line.args(["--seat", "builtin:ring", "--option", "map=plain"]);
        line.args(["--option", "rounds=8", "--option", "start_ms=20000"]);
        app::ok(line.output().unwrap())
    };
    let hint = "a program that does not answer: --option pause_us=1000";
    let silent = table("silent");
    assert!(silent.contains("time_forfeit 1"), "{silent}");
    assert!(silent.contains(hint), "{silent}");
    assert!(silent.contains("neutral=null"), "{silent}");
    assert!(!table("junk").contains(hint), "it did answer");
}

#[test]
fn the_engine_pauses_before_the_next_state_if_it_is_asked_to() {
    let begun = Instant::now();
    let report = play("none", &["pause_us=20000"]);
    assert_eq!(report["seats"][0]["faults"], json!({}), "{report}");
    // Before every state of the program but its first.
    let least = 39 * Duration::from_millis(20);
    assert!(begun.elapsed() >= least, "{:?}", begun.elapsed());
}

impl Piped {
    pub fn ask_json(&mut self, line: &Value) -> Value {
        self.say(&line.to_string());
        let answer = self.line();
        serde_json::from_str(&answer).unwrap_or_else(|why| panic!("{answer:?}: {why}"))
    }
}

pub fn begin() -> Value {
    json!({
        "player_num": 1, "player_count": 2, "position": [2, 2],
        "map": [[0, 0, 0, 0, 0], [0, 1, 1, 1, 0], [0, 1, 1, 1, 0], [0, 1, 1, 1, 0], [0, 0, 0, 0, 0]],
        "lighthouses": [[1, 1], [3, 1], [2, 3]],
    })
}

/// An engine of another make: other spacing, other order, a smaller view, neutral owners both ways.
pub fn state(round: u64) -> Value {
    let tower = |at: Value, owner: Value, energy: u64| json!({"energy": energy, "position": at, "owner": owner, "connections": [], "have_key": false});
    json!({
        "energy": 10 * round, "score": 2 * round, "position": [2, 2],
        "view": [[0, 5, 0], [5, 0, 5], [0, 5, 0]],
        "lighthouses": [
            tower(json!([2, 3]), json!(null), 0),
            tower(json!([1, 1]), if round < 3 { json!(-1) } else { json!(1) }, 7 * (round / 3)),
            tower(json!([3, 1]), json!(0), 500),
        ],
    })
}

#[test]
fn a_shim_plays_with_a_foreign_engine_and_its_end_is_the_pipes() {
    let folder = folder();
    let app = TestApp::start(folder.path());
    let mut shim = shim("lighthouses", "ring", &folder.path().join("drover.sock"));
    assert_eq!(shim.ask_json(&begin()), json!({"name": "drover-ring"}));
    for round in 0..6 {
        let command = shim.ask_json(&state(round));
        let word = command["command"].as_str().unwrap();
        assert!(["pass", "move", "attack", "connect"].contains(&word));
        shim.say(&json!({"success": true}).to_string());
    }
    assert_eq!(shim.close(), Some(0));
    let played = app.only_match("lighthouses");
    assert_eq!(played["cause"], "normal", "{played}");
    let id = played["id"].as_str().unwrap();
    let whole = app.get(&format!("/api/v1/matches/{id}")).json();
    let seats = whole["seats"].as_array().unwrap();
    assert_eq!(seats.len(), 2, "{whole}");
    assert_eq!(seats[1]["spec"], "builtin:ring", "{whole}");
    for kind in ["game", "capture", "result"] {
        assert!(app.facts(&played["id"], kind) > 0, "no {kind}");
    }
}

#[test]
fn a_journal_that_is_begun_in_mid_game_has_all_that_the_daemon_may_not_have() {
    let folder = folder();
    let socket = folder.path().join("drover.sock");
    let said = [json!({"name": "drover-ring"}), json!({"command": "pass"})];
    let said = (1..)
        .zip(said)
        .map(|(n, said): (u64, _)| json!({"say": {"n": n, "text": said.to_string()}}));
    let welcome = json!({"welcome": {"synced": true}});
    let gone = forgetful(&socket, [welcome].into_iter().chain(said).collect());
    let mut shim = shim("lighthouses", "ring", &socket);
    shim.ask_json(&begin());
    assert_eq!(shim.ask_json(&state(0)), json!({"command": "pass"}));
    // The daemon receives this, and is gone before it says whether it has it.
    shim.say(&json!({"success": true}).to_string());
    gone.join().unwrap();
    shim.ask_json(&state(1));
    assert_eq!(shim.close(), Some(0));
    let journal = folder.path().read_dir().unwrap().flatten();
    let mut journal = journal.map(|file| file.path());
    let journal = journal.find(|path| path.extension().is_some_and(|end| end == "journal"));
    let kept = std::fs::read_to_string(journal.unwrap()).unwrap();
    for number in [3, 4] {
        assert!(kept.contains(&format!("\"n\":{number},")), "{kept}");
    }
}

#[test]
fn matches_of_our_own_engine_are_stored_and_verified() {
    let folder = folder();
    let store = folder.path().join("played.db");
    let options = [&["rounds=60", "map=strand"], &PATIENT[..]].concat();
    let [keeper, broken] = ["none", "junk"].map(|fault| format!("cmd:{PROGRAM} {fault}"));
    // One alone, and one who is left alone when the other one is dropped: neither has a fault.
    for (seats, dropped) in [
        (vec![keeper.as_str()], None),
        (vec![&broken, &keeper], Some(0)),
        (vec![&keeper, "builtin:ring", &broken], Some(2)),
        (vec!["builtin:ring", "builtin:triangle"], None),
    ] {
        let mut play = app::play("lighthouses", &seats, &options);
        let report = report(play.arg("--store").arg(&store).output().unwrap());
        for (seat, row) in report["seats"].as_array().unwrap().iter().enumerate() {
            let faults = if dropped == Some(seat) {
                json!({"protocol_error": 1})
            } else {
                json!({})
            };
            assert_eq!(row["faults"], faults, "{seats:?}: {report}");
            assert_eq!(row["refused"], 0, "{seats:?}: {report}");
        }
    }
    verified(&store);
}
