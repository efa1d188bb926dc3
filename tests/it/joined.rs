//! Users' bots behind a running daemon: added while it runs, called over HTTP, on a shim, killed with it.

use crate::app::{
    TestApp, WITH_REFEREE, connected, drover, folder, ok, play, report, shim_seat, until,
};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// Adds the Python starter of a game to the shelf of the daemon in this folder.
fn add(folder: &Path, name: &str, game: &str) -> bool {
    add_with(folder, (name, game), "")
}

/// The same with this line in its bot.toml.
fn add_with(folder: &Path, (name, game): (&str, &str), line: &str) -> bool {
    let python = Command::new("python3").arg("--version").output();
    if !python.is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: there is no python3");
        return false;
    }
    let bot = |words: &[&str]| {
        let mut command = drover();
        command.env("DROVER__BOTS__FOLDER", folder.join("bots"));
        ok(command
            .arg("bot")
            .args(words)
            .current_dir(folder)
            .output()
            .unwrap());
    };
    bot(&["new", name, "--lang", "python", "--game", game]);
    let manifest = folder.join(name).join("bot.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(manifest, format!("{text}{line}\n")).unwrap();
    bot(&["add", name]);
    true
}

/// Processes that run something on the shelf in this folder.
fn running(folder: &Path) -> usize {
    let shelf = folder.join("bots");
    let shelf = shelf.to_str().unwrap();
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let here = |entry: fs::DirEntry| {
        let place = fs::read_link(entry.path().join("cwd")).ok();
        let words = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let words = String::from_utf8_lossy(&words).into_owned();
        let place = place.is_some_and(|place| place.starts_with(shelf));
        (place || words.contains(shelf)) && !words.is_empty()
    };
    processes.map(here).filter(|here| *here).count()
}

fn start(folder: &Path) -> TestApp {
    let shelf = folder.join("bots").to_str().unwrap().to_owned();
    TestApp::with(folder, &[WITH_REFEREE, ("BOTS__FOLDER", &shelf)])
}

/// A match of a user's bot and a built-in one at the daemon's own referee.
fn begin(app: &TestApp, name: &str) {
    let bot = |name: &str| format!("http://{}/koehandel/{name}", app.callbacks);
    let query = format!("/?connect&url1={}&url2={}", bot(name), bot("guide"));
    connected(app.referee.unwrap(), &query);
}

#[test]
fn a_bot_added_while_the_daemon_runs_plays_and_stands_in_history() {
    let folder = folder();
    let app = start(folder.path());
    if !add(folder.path(), "mine", "koehandel") {
        return;
    }
    begin(&app, "bot:mine");
    let played = app.only_match("koehandel");
    assert_eq!(played["cause"], "normal", "{played}");
    let sessions = app.items("/api/v1/sessions?game=koehandel");
    let bots: Vec<&str> = sessions
        .iter()
        .filter_map(|session| session["bot"].as_str())
        .collect();
    let own = bots.iter().find(|bot| bot.starts_with("bot:mine@"));
    assert!(own.is_some(), "{bots:?}");
    let found = app.items(&format!("/api/v1/matches?bot={}", own.unwrap()));
    assert_eq!(found.len(), 1);
    // It needs no prefix where no built-in bot has its name.
    begin(&app, "mine");
    app.ended_matches("koehandel", 2);
    until(|| running(folder.path()) == 0);
    app.stop_verified();
}

#[test]
fn no_program_outlives_the_daemon_and_its_match_goes_on() {
    let folder = folder();
    if !add(folder.path(), "ships", "lighthouses") {
        return;
    }
    let app = start(folder.path());
    let seats = [
        &*shim_seat("lighthouses", "bot:ships", folder.path()),
        "builtin:harvester",
    ];
    let options = [
        "rounds=300",
        "start_ms=30000",
        "soft_ms=2000",
        "hard_ms=30000",
    ];
    let mut judge = play("lighthouses", &seats, &options);
    let judge = judge.stdout(Stdio::piped()).spawn().unwrap();
    until(|| running(folder.path()) > 0);
    until(|| {
        let list = app.items("/api/v1/matches?game=lighthouses");
        list.first()
            .is_some_and(|row| app.entries(&row["id"]) >= 100)
    });
    app.kill();
    until(|| running(folder.path()) == 0);
    let app = start(folder.path());
    let report = report(judge.wait_with_output().unwrap());
    assert_eq!(report["seats"][0]["faults"], json!({}), "{report}");
    let played = app.only_match("lighthouses");
    assert_eq!(played["cause"], "normal");
    until(|| running(folder.path()) == 0);
}
