//! The daemon with a hub of its own, on which it plays itself.

use crate::app::{TestApp, folder, free_address, ok, run, serve, set, verified};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// The newest match that was played to its end.
const ENDED: &str = "/api/v1/matches?cause=normal&limit=1";

/// `serve` with a hub, two players who meet there, and one whose hub is not there.
fn with_hubs(folder: &Path) -> Command {
    let (hub, nowhere) = (free_address(), free_address());
    let config = format!(
        "[referee.smartdog]\nlisten = \"{hub}\"\n\
         [referee.smartdog.options]\nturnsLimit = 20\nmap = \"drawn\"\n\
         [[hub]]\naddress = \"{hub}\"\nhub = \"#Duet\"\nname = \"ann\"\nbot = \"herder\"\nseats = 2\n\
         [[hub]]\naddress = \"{nowhere}\"\nbot = \"stand\"\n"
    );
    let path = folder.join("drover.toml");
    std::fs::write(&path, config).unwrap();
    let mut command = serve(folder);
    command.arg("--config").arg(path);
    command
}

#[test]
fn it_plays_on_its_own_hub_and_every_match_is_one() {
    let folder = folder();
    let app = TestApp::spawn(with_hubs(folder.path()), folder.path());
    let row = app.items_until(ENDED, |items| !items.is_empty()).remove(0);
    assert_eq!(
        (&row["ours"], &row["game"]),
        (&Value::Bool(true), &"smartdog".into())
    );
    assert_eq!(row["scores"].as_array().unwrap().len(), 2);
    assert_eq!(
        (&row["seats"][0]["name"], &row["seats"][1]["name"]),
        (&"ann".into(), &"ann".into())
    );
    let id = row["id"].as_str().unwrap();
    // The referee's side and both players' are sessions of one match.
    let sides = |answer: &crate::app::Answer| {
        let sessions = answer.json()["sessions"].as_array().unwrap().clone();
        let side = |session: &Value| session["side"].as_str().unwrap().to_owned();
        let mut sides: Vec<String> = sessions.iter().map(side).collect();
        sides.sort();
        sides
    };
    let path = format!("/api/v1/matches/{id}");
    app.get_until(&path, |answer| {
        sides(answer) == ["player", "player", "referee", "referee"]
    });
    let learnt = "/api/v1/opponents?game=smartdog&kind=type";
    let learnt = app.items_until(learnt, |items| !items.is_empty());
    let name = learnt[0]["name"].as_str().unwrap();
    assert!(name.starts_with("map-"), "{name}");
    for kind in ["start", "score", "result"] {
        assert!(app.facts(&row["id"], kind) > 0, "no {kind}");
    }
    let hubs = app.items("/api/v1/hubs");
    assert_eq!(hubs.len(), 3);
    assert!(hubs[0]["games"].as_u64().unwrap() > 0);
    let error = hubs[2]["last_error"].as_str().unwrap();
    assert!(error.contains("cannot be reached"), "{error}");
    app.stop_verified();
}

#[test]
fn a_game_that_a_stop_cut_is_kept_as_a_lost_connection() {
    let folder = folder();
    let long = ("REFEREE__SMARTDOG__OPTIONS__TURNSLIMIT", "100000");
    let app = TestApp::spawn(set(with_hubs(folder.path()), &[long]), folder.path());
    // Both players have a session, and their referee one for each.
    app.items_until("/api/v1/sessions?live=true", |items| items.len() >= 4);
    app.kill();
    let app = TestApp::spawn(with_hubs(folder.path()), folder.path());
    let lost = app.items_until("/api/v1/sessions?cause=disconnect", |items| {
        items.len() >= 2
    });
    assert_eq!(lost[0]["detail"], "the daemon was stopped in mid-game");
    let cut = app.items("/api/v1/matches?cause=cancelled");
    assert_eq!(cut[0]["detail"], "the hub was stopped in mid-game");
    app.items_until(ENDED, |items| !items.is_empty());
    app.stop();
}

#[test]
fn matches_without_a_wire_are_kept_as_the_wire_would_have_them() {
    let folder = folder();
    let path = folder.path().join("played.db");
    let line = "play smartdog --games 6 --option turnsLimit=30 --seat builtin:shipped \
                --seat builtin:herder --seat builtin:random --store";
    let mut play: Vec<&str> = line.split_whitespace().collect();
    play.push(path.to_str().unwrap());
    ok(run(&play));
    let message = verified(&path);
    assert!(message.contains("6 matches, 18 sessions"), "{message}");
}
