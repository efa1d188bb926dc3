//! `drover bot compare`: a bot compared with those who played in stored sessions.

use crate::app::{TestApp, drover, folder, ok, play, refused, report, run_on};
use crate::bots::{bot, is_there};
use crate::explain::kept;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Output;

/// Runs the verb over a database, in its folder.
fn compare(store: &Path, more: &[&str]) -> Output {
    let mut command = drover();
    command.args(["bot", "compare"]).args(more);
    command.env("DROVER__STORE__PATH", store);
    command
        .current_dir(store.parent().unwrap())
        .output()
        .unwrap()
}

fn found(store: &Path, more: &[&str]) -> Value {
    let shown = ok(compare(store, &[more, &["--output", "json"]].concat()));
    let mut shown: Value = serde_json::from_str(&shown).unwrap();
    shown["games"][0].take()
}

/// What plays by rules alone would play the same again, in each game.
#[test]
fn a_bot_of_every_game_agrees_with_itself_in_a_stored_match() {
    let folder = folder();
    for (game, seats, options) in [
        ("koehandel", &["face", "guide", "setbuilder"][..], &[][..]),
        ("planowanie", &["greedy", "rules", "rules"], &[]),
        ("lighthouses", &["triangle", "nearest"], &["rounds=40"]),
        ("smartdog", &["herder", "stand"], &["turnsLimit=30"]),
        ("planetwars", &["bully", "dual"], &["rounds=30"]),
    ] {
        let specs: Vec<String> = seats.iter().map(|bot| format!("builtin:{bot}")).collect();
        let specs: Vec<&str> = specs.iter().map(String::as_str).collect();
        let (store, id) = kept(game, &specs, options, folder.path());
        let old = ["--game", game, "--bot", seats[0]];
        let same = found(&store, &[&[specs[0]][..], &old].concat());
        assert_eq!(same["game"], game);
        assert!(same["decisions"].as_u64() > Some(4), "{same:#}");
        assert_eq!(same["agreed"], same["decisions"], "{same:#}");
        assert_eq!(same["differences"], Value::Array(Vec::new()));
        let other = found(&store, &[&[specs[1]][..], &old].concat());
        assert!(other["differed"].as_u64() > Some(0), "{other:#}");
        let first = &other["differences"][0];
        assert_eq!((&first["match"], &first["seat"]), (&id.into(), &0.into()));
        assert_ne!(first["played"], first["would_play"], "{other:#}");
    }
}

#[test]
fn a_program_is_compared_next_to_a_running_daemon_and_mistakes_are_reported() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    let store = folder.path().join("drover.db");
    ok(bot(folder.path(), &["new", "mine", "--game", "planowanie"]));
    let seats = ["builtin:greedy", "builtin:rules", "builtin:rules"];
    let mut line = play("planowanie", &seats, &[]);
    report(line.arg("--store").arg(&store).output().unwrap());
    let daemon = TestApp::start(folder.path());
    let shown = found(&store, &["mine"]);
    assert_eq!(
        (&shown["candidate"], &shown["sessions"]),
        (&"bot:mine@1".into(), &3.into())
    );
    assert!(shown["decisions"].as_u64() > Some(4), "{shown:#}");
    assert_eq!(
        (&shown["illegal"], &shown["failed"]),
        (&0.into(), &0.into())
    );
    assert!(
        shown["candidate_ms"]["p50"].as_f64() > Some(0.0),
        "{shown:#}"
    );
    daemon.stop();
    let shown = ok(compare(
        &store,
        &["mine", "--limit", "1", "--html", "page.html"],
    ));
    let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
    for text in [&shown, &page] {
        assert!(
            text.contains("planowanie: the newest 1 session; there are more"),
            "{text}"
        );
        assert!(
            text.contains("where bot:mine@1 would not play the same"),
            "{text}"
        );
    }
    let empty = folder.path().join("none.db");
    let refusals: [(&Path, &[&str], i32, &str); 6] = [
        (
            &store,
            &["mine", "--bot", "nobody"],
            2,
            "no such bot is built in",
        ),
        (
            &store,
            &["mine", "--bot", "champion"],
            1,
            "no such session of champion",
        ),
        (
            &store,
            &["mine", "--game", "koehandel"],
            2,
            "it does not play koehandel",
        ),
        (&store, &["nothing"], 2, "nothing/bot.toml cannot be read"),
        (&store, &["builtin:rex"], 2, "it does not play any game"),
        (&empty, &["mine"], 2, "none.db"),
    ];
    for (store, line, code, why) in refusals {
        let shown = refused(compare(store, line), code);
        assert!(shown.contains(why), "{line:?}: {shown}");
    }
    fs::write(
        folder.path().join("mine/drover_bot.py"),
        "import sys\nsys.exit('no luck')",
    )
    .unwrap();
    let shown = refused(compare(&store, &["mine"]), 1);
    assert!(
        shown.contains("bot:mine@1 made none of its") && shown.contains("no luck"),
        "{shown}"
    );
    // What it said is kept nowhere.
    assert!(ok(run_on(&store, &["db", "verify"])).contains("all in order"));
}
