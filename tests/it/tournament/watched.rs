//! A run that serves its own pages.

use super::tournament;
use super::workers::Running;
use crate::app::{
    drover, folder, ok, play, refused, request, run_on, set, text, until, verified, wait,
};
use crate::bots::is_there;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use std::fs::{self, File, Permissions};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Where the pages are, if what was printed says so.
fn address_in(said: &str) -> Option<SocketAddr> {
    let address = said.split_once("watch at http://")?.1;
    address.split_once('/')?.0.parse().ok()
}

/// A run that serves its pages, and where. It ends with the test, however that ends.
fn served(folder: &Path, mut run: Command) -> (Running, SocketAddr) {
    let said = folder.join("said");
    run.arg("--watch=127.0.0.1:0").stdout(Stdio::null());
    run.stderr(File::create(&said).unwrap());
    let run = Running(run.spawn().unwrap());
    let address = || address_in(&fs::read_to_string(&said).unwrap());
    until(|| address().is_some());
    (run, address().unwrap())
}

/// The matches that are played now.
fn live(address: SocketAddr) -> Vec<Value> {
    let all = request(address, "GET", "/api/v1/matches", &[], "").items();
    let live = |row: &Value| row["cause"].is_null();
    all.into_iter().filter(live).collect()
}

/// Two bots that take their time, kept in this folder.
fn slow(folder: &Path) -> Command {
    let deals = "deals=13 0 13 1";
    let mut command = play("planowanie", &["builtin:champion"; 2], &[deals]);
    command.args(["--budget", "250ms", "--store", "p.db"]);
    command.current_dir(folder);
    command
}

/// The matches kept in this database, newest first.
fn kept(store: &Path) -> Vec<Value> {
    let listed = ok(run_on(
        store,
        &["match", "list", "--output", "json", "--limit", "250"],
    ));
    let listed: Value = serde_json::from_str(&listed).unwrap();
    listed["items"].as_array().unwrap().clone()
}

#[test]
fn a_match_is_shown_move_by_move_while_it_is_played() {
    let folder = folder();
    let (mut run, address) = served(folder.path(), slow(folder.path()));
    until(|| !live(address).is_empty());
    let id = live(address)[0]["id"].as_str().unwrap().to_owned();
    let entries = || {
        let path = format!("/api/v1/matches/{id}/entries.ndjson");
        request(address, "GET", &path, &[], "").body.lines().count()
    };
    let at_first = entries();
    until(|| entries() > at_first);
    let later = entries();
    until(|| entries() > later);
    let page = format!("href=\"/matches/{id}\"");
    until(|| {
        let start = request(address, "GET", "/", &[], "").body;
        let shown = ["class=\"board", "tag live", &*page];
        shown.into_iter().all(|shown| start.contains(shown))
    });
    until(|| run.0.try_wait().unwrap().is_some());
    assert!(run.0.wait().unwrap().success());
    let store = folder.path().join("p.db");
    let kept = kept(&store);
    assert_eq!(kept.len(), 1, "{kept:?}");
    assert_eq!(
        (&kept[0]["id"], &kept[0]["cause"]),
        (&json!(id), &json!("normal"))
    );
    assert!(verified(&store).contains("in order"));
}

#[test]
fn results_are_the_same_whether_a_run_is_watched_or_not() {
    let watch = "--watch=127.0.0.1:0";
    // Over pipes, and over HTTP with bots that learn from what is stored.
    for file in [super::CUP, super::LEARNERS] {
        let results = |more: &[&str]| {
            super::played(file, |folder| {
                let more = [&["cup.toml"][..], more].concat();
                ok(tournament(folder, "run", &more).output().unwrap());
                let store = folder.join("tournament.db");
                assert!(verified(&store).contains("in order"));
                let open = kept(&store)
                    .into_iter()
                    .filter(|row| row["cause"].is_null());
                assert_eq!(open.count(), 0);
            })
        };
        assert_eq!(results(&[watch]), results(&[]));
    }
    // In this process, for long enough to be seen while it lasts.
    let played = |watched: bool| {
        let folder = folder();
        let mut command = play("planowanie", &["builtin:champion"; 2], &["deals=13 0"]);
        command.args(["--budget", "4000n", "--seed", "7", "--store", "p.db"]);
        command.current_dir(folder.path());
        if watched {
            let (mut run, address) = served(folder.path(), command);
            until(|| !live(address).is_empty());
            assert!(run.0.wait().unwrap().success());
        } else {
            ok(command.output().unwrap());
        }
        let store = folder.path().join("p.db");
        let row = kept(&store).remove(0);
        let id = row["id"].as_str().unwrap();
        let file = ok(run_on(&store, &["match", "export", id, "--format", "json"]));
        let file: Value = serde_json::from_str(&file).unwrap();
        let lines = file["entries"].as_array().unwrap().iter();
        let lines = lines.map(|line| (line["seat"].clone(), line["text"].clone()));
        let by_seat = |seat: i64| lines.clone().filter(move |line| line.0 == seat);
        let said: Vec<(Value, Value)> = by_seat(0).chain(by_seat(1)).collect();
        let result = ["scores", "setup", "market"].map(|key| row[key].clone());
        (said, result)
    };
    assert_eq!(played(true), played(false));
}

#[test]
fn a_match_that_is_cut_off_does_not_stay_live() {
    let folder = folder();
    for signal in [Signal::SIGTERM, Signal::SIGKILL] {
        let (mut run, address) = served(folder.path(), slow(folder.path()));
        until(|| !live(address).is_empty());
        kill(Pid::from_raw(run.0.id() as i32), signal).unwrap();
        until(|| run.0.try_wait().unwrap().is_some());
    }
    // What the killed run has left open, the next one closes.
    let mut next = play("planowanie", &["builtin:random"; 2], &["deals=1 0"]);
    next.args(["--store", "p.db"]).current_dir(folder.path());
    ok(next.output().unwrap());
    let kept = kept(&folder.path().join("p.db"));
    let ends = kept.iter().map(|row| {
        let [cause, detail] = ["cause", "detail"].map(|key| row[key].as_str().unwrap());
        (cause, detail)
    });
    let expected = [
        ("normal", ""),
        ("cancelled", "the run was killed before it ended"),
        ("cancelled", "the run was stopped before it ended"),
    ];
    assert_eq!(ends.collect::<Vec<_>>(), expected);
}

#[test]
fn a_run_that_is_watched_shows_how_far_it_has_come() {
    let folder = folder();
    let file = super::CUP.replace("rounds = 8", "rounds = 2000");
    fs::write(folder.path().join("cup.toml"), file).unwrap();
    let run = tournament(folder.path(), "run", &["cup.toml"]);
    let (_run, address) = served(folder.path(), run);
    let get = |path: &str| request(address, "GET", path, &[], "");
    let cups = || get("/api/v1/tournaments").items();
    until(|| {
        cups()
            .first()
            .is_some_and(|cup| cup["matches"].as_u64() > Some(3))
    });
    let cup = cups()[0].clone();
    assert_eq!(cup["ended"], Value::Null);
    let page = get(&format!("/tournaments/{}", cup["id"].as_str().unwrap())).body;
    for shown in [
        "of 2000: ",
        " ended; about ",
        "tag live\">running<",
        "Ranked by rating, points, score. A pair is",
        "1 point for the one that did better",
        "<span class=\"narrow soft small\">pairs won–drawn–lost ",
        "<a class=\"soft\" href=\"/bots/planowanie/rules\">rules v",
        "Schedule <small>scores in points; ▲ won; players swap seats",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let start = get("/").body;
    assert!(start.contains("class=\"board"), "{start}");
}

/// A match that is watched there, and kept in this folder.
fn watched(folder: &Path, address: &str) -> Command {
    let mut command = play("planowanie", &["builtin:random"; 2], &["deals=1 0"]);
    command.arg(format!("--watch={address}"));
    command.args(["--store", "p.db"]).current_dir(folder);
    command
}

#[test]
fn pages_for_others_need_a_token_and_all_pages_a_free_port() {
    let (folder, place) = (folder(), folder());
    let open = watched(folder.path(), "0.0.0.0:0").output().unwrap();
    let printed = refused(open, 2);
    let expected = "--watch=0.0.0.0:0: others can reach it; set api.token, or watch on 127.0.0.1";
    assert!(printed.contains(expected), "{printed}");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = listener.local_addr().unwrap().to_string();
    let printed = refused(watched(folder.path(), &taken).output().unwrap(), 1);
    assert!(printed.contains("cannot be listened on"), "{printed}");
    let made = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(made, 0, "nothing was opened");
    let first = place.path().join("first");
    fs::write(&first, "hush".repeat(16)).unwrap();
    fs::set_permissions(&first, Permissions::from_mode(0o600)).unwrap();
    for guard in [
        ("API__TOKEN", "hush"),
        ("API__FIRST_TOKEN_FILE", first.to_str().unwrap()),
    ] {
        let output = set(watched(folder.path(), "0.0.0.0:0"), &[guard]).output();
        let output = output.unwrap();
        let printed = text(&output.stderr);
        ok(output);
        let address = address_in(&printed).unwrap();
        assert!(address.ip().is_loopback(), "{printed}");
    }
    // The key of passes goes with the run.
    assert!(folder.path().join("p.db").exists());
    assert!(!folder.path().join("p.db.passkey").exists());
}

#[test]
fn on_a_terminal_the_pages_stay_after_the_result() {
    if !is_there("script") {
        return;
    }
    let folder = folder();
    let line = "echo $$ >pid; exec \"$PROGRAM\" play planowanie --seat builtin:random --seat builtin:random --games 1 \
                --watch=127.0.0.1:0";
    let (clean, mut command) = (drover(), Command::new("script"));
    for (name, _) in clean.get_envs() {
        command.env_remove(name);
    }
    command
        .args(["-qefc", line, "said"])
        .current_dir(folder.path());
    command
        .env("PROGRAM", clean.get_program())
        .env("SHELL", "/bin/sh");
    // An input that goes on: at its end the terminal would be closed.
    command.stdin(Stdio::piped()).stdout(Stdio::null());
    let mut run = command.spawn().unwrap();
    let input = run.stdin.take();
    let said = || fs::read_to_string(folder.path().join("said")).unwrap_or_default();
    until(|| said().contains("the pages stay until Ctrl-C"));
    let address = address_in(&said()).unwrap();
    let matches = request(address, "GET", "/api/v1/matches", &[], "").items();
    assert_eq!(matches.len(), 1, "{}", said());
    let pid = fs::read_to_string(folder.path().join("pid")).unwrap();
    kill(Pid::from_raw(pid.trim().parse().unwrap()), Signal::SIGTERM).unwrap();
    assert!(wait(run).success(), "the run itself came to its end");
    drop(input);
}
