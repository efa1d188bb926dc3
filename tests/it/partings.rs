//! The end of a game over a shim: stored, or in a journal, whichever process is killed. And short clocks, whatever
//! the daemon does.

use crate::app::{Piped, TestApp, folder, play, report, shim, shim_command, shim_seat, until};
use crate::lighthouses::{begin, state};
use nix::sys::signal::Signal;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::JoinHandle;

/// A shim of Lighthouses at this socket.
fn keeper(socket: &Path) -> Piped {
    shim("lighthouses", "ring", socket)
}

/// A few rounds, at whose end the pipe's end is the only word for the game's.
fn rounds(shim: &mut Piped) {
    shim.ask_json(&begin());
    for round in 0..4 {
        shim.ask_json(&state(round));
        shim.say(&json!({"success": true}).to_string());
    }
}

fn journals(folder: &Path) -> Vec<PathBuf> {
    let files = folder.read_dir().unwrap().map(|file| file.unwrap().path());
    files
        .filter(|path| path.extension().is_some_and(|end| end == "journal"))
        .collect()
}

/// The next start of the daemon has the game, with its end and its result, and leaves no journal.
fn ends_normally(folder: &Path) {
    let app = TestApp::start(folder);
    let played = app.only_match("lighthouses");
    assert_eq!(played["cause"], "normal", "{played}");
    assert_eq!(app.facts(&played["id"], "result"), 1);
    until(|| journals(folder).is_empty());
    app.stop_verified();
}

#[test]
fn an_end_that_a_killed_daemon_has_received_is_stored_at_its_next_start() {
    let folder = folder();
    let app = TestApp::start(folder.path());
    let mut shim = keeper(&folder.path().join("drover.sock"));
    rounds(&mut shim);
    // The daemon has everything but the end, and then receives that and never gets to it.
    until(|| {
        let list = app.items("/api/v1/matches?game=lighthouses");
        list.first()
            .is_some_and(|row| app.entries(&row["id"]) == 14)
    });
    app.signal(Signal::SIGSTOP);
    until(|| app.is_stopped());
    assert_eq!(shim.close(), Some(0));
    app.kill();
    assert_eq!(journals(folder.path()).len(), 1);
    ends_normally(folder.path());
}

/// A daemon that gives these responses, receives one message more, and is gone for ever.
pub fn forgetful(socket: &Path, responses: Vec<Value>) -> JoinHandle<()> {
    let listener = UnixListener::bind(socket).unwrap();
    std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut lines = BufReader::new(&stream).lines();
        for response in responses {
            lines.next().unwrap().unwrap();
            writeln!(&stream, "{response}").unwrap();
        }
        lines.next().unwrap().unwrap();
    })
}

#[test]
fn an_end_that_a_daemon_does_not_acknowledge_is_in_the_journal() {
    let folder = folder();
    let socket = folder.path().join("drover.sock");
    let said = |n: u64, text: Value| json!({"ack": {"n": n, "text": text.to_string()}});
    let mut responses = vec![json!({"welcome": {"synced": true}})];
    responses.push(said(1, json!({"name": "drover-ring"})));
    for n in [2, 4, 6, 8] {
        responses.push(said(n, json!({"command": "pass"})));
        responses.push(json!({"ack": {"n": n + 1, "text": ""}}));
    }
    // What it receives last is the end.
    let gone = forgetful(&socket, responses);
    let mut shim = keeper(&socket);
    rounds(&mut shim);
    assert_eq!(shim.close(), Some(0));
    gone.join().unwrap();
    ends_normally(folder.path());
}

#[test]
fn an_end_that_cannot_be_stored_or_journalled_is_reported() {
    let folder = folder();
    let noted = folder.path().join("stderr");
    let socket = folder.path().join("gone/drover.sock");
    let stderr = std::fs::File::create(&noted).unwrap();
    let mut shim = Piped::start(
        shim_command("lighthouses", "ring", &socket),
        Stdio::from(stderr),
    );
    rounds(&mut shim);
    assert_eq!(shim.close(), Some(0));
    let noted = std::fs::read_to_string(noted).unwrap();
    assert!(
        noted.contains("lost: messages 1 to 9 and the end"),
        "{noted}"
    );
}

#[test]
fn a_daemon_that_hangs_costs_no_game_of_two_seconds() {
    let folder = folder();
    let app = TestApp::start(folder.path());
    app.signal(Signal::SIGSTOP);
    until(|| app.is_stopped());
    let ours = shim_seat("planowanie", "rules", folder.path());
    let seats = [&*ours, "builtin:greedy", "builtin:greedy", "builtin:greedy"];
    let report = report(
        play("planowanie", &seats, &["time_ms=2000"])
            .output()
            .unwrap(),
    );
    assert_eq!(report["seats"][0]["faults"], json!({}), "{report}");
    app.signal(Signal::SIGCONT);
    // Everything is handed over in the end.
    let played = app.only_match("planowanie");
    assert_eq!(played["cause"], "normal", "{played}");
    app.stop_verified();
}
