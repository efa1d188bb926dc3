//! The daemon with a hub of its own, on which it plays itself.

use crate::app::{TestApp, drover, folder, serve, text, verified};
use serde_json::Value;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;

/// `serve` with a hub, two players who meet there, and one whose hub is not there.
fn with_hubs(folder: &Path) -> Command {
    let port = || {
        TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
    };
    let (hub, nowhere) = (port(), port());
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

fn items(body: &Value) -> Vec<Value> {
    let items = body["items"].as_array();
    items
        .unwrap_or_else(|| panic!("no items in {body}"))
        .clone()
}

#[test]
fn it_plays_on_its_own_hub_and_every_match_is_one() {
    let folder = folder();
    let app = TestApp::spawn(with_hubs(folder.path()), folder.path());
    let ended = "/api/v1/matches?cause=normal&limit=1";
    let answer = app.get_until(ended, |answer| !items(&answer.json()).is_empty());
    let row = items(&answer.json()).remove(0);
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
    let learnt = app.get_until("/api/v1/opponents?game=smartdog&kind=type", |answer| {
        !items(&answer.json()).is_empty()
    });
    let name = items(&learnt.json()).remove(0)["name"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(name.starts_with("map-"), "{name}");
    let facts = items(&app.get(&format!("{path}/facts")).json());
    let kinds: Vec<&str> = facts
        .iter()
        .filter_map(|fact| fact["kind"].as_str())
        .collect();
    for kind in ["start", "score", "result"] {
        assert!(kinds.contains(&kind), "no {kind} in {kinds:?}");
    }
    let hubs = items(&app.get("/api/v1/hubs").json());
    assert_eq!(hubs.len(), 3);
    assert!(hubs[0]["games"].as_u64().unwrap() > 0);
    let error = hubs[2]["last_error"].as_str().unwrap();
    assert!(error.contains("cannot be reached"), "{error}");
    app.stop_verified();
}

#[test]
fn a_game_that_a_stop_cut_is_kept_as_a_lost_connection() {
    let folder = folder();
    let mut command = with_hubs(folder.path());
    command.env("DROVER__REFEREE__SMARTDOG__OPTIONS__TURNSLIMIT", "100000");
    let app = TestApp::spawn(command, folder.path());
    // Both players have a session, and their referee one for each.
    app.get_until("/api/v1/sessions?live=true", |answer| {
        items(&answer.json()).len() >= 4
    });
    app.kill();
    let app = TestApp::spawn(with_hubs(folder.path()), folder.path());
    let lost = app.get_until("/api/v1/sessions?cause=disconnect", |answer| {
        items(&answer.json()).len() >= 2
    });
    let session = items(&lost.json()).remove(0);
    assert_eq!(session["detail"], "the daemon was stopped in mid-game");
    let cut = items(&app.get("/api/v1/matches?cause=cancelled").json());
    assert_eq!(cut[0]["detail"], "the hub was stopped in mid-game");
    app.get_until("/api/v1/matches?cause=normal&limit=1", |answer| {
        !items(&answer.json()).is_empty()
    });
    app.stop();
}

#[test]
fn matches_without_a_wire_are_kept_as_the_wire_would_have_them() {
    let folder = folder();
    let path = folder.path().join("played.db");
    let mut play = drover();
    play.args([
        "play",
        "smartdog",
        "--games",
        "6",
        "--option",
        "turnsLimit=30",
    ]);
    for bot in ["shipped", "herder", "random"] {
        play.args(["--seat", &format!("builtin:{bot}")]);
    }
    let played = play.arg("--store").arg(&path).output().unwrap();
    assert!(played.status.success(), "{}", text(&played.stderr));
    let told = verified(&path);
    assert!(told.contains("6 matches, 18 sessions"), "{told}");
}
