//! Callers who want everything for themselves, each from an address of its own, beside one who plays.

use crate::app::{Answer, TestApp, dial_from, drover, folder, request_on, serve};
use std::io::Write as _;
use std::net::TcpStream;
use std::time::{Duration, Instant};

const STRANGER: [u8; 4] = [127, 0, 0, 2];
const REFEREE: [u8; 4] = [127, 0, 0, 3];
/// Within what an honest caller must have an answer: far less than a head's time limit.
const SOON: Duration = Duration::from_secs(8);

fn daemon(folder: &tempfile::TempDir, settings: &[(&str, &str)]) -> TestApp {
    let mut command = serve(folder.path());
    command.env("DROVER__DRAIN__LIMIT_S", "0");
    for (key, value) in settings {
        command.env(format!("DROVER__{key}"), value);
    }
    TestApp::spawn(command, folder.path())
}

fn call(app: &TestApp, from: [u8; 4], target: &str) -> Answer {
    let stream = dial_from(from, app.callbacks);
    stream.set_read_timeout(Some(SOON)).unwrap();
    request_on(stream, app.callbacks, "GET", target).expect("an answer soon")
}

fn begin(app: &TestApp, from: [u8; 4], market: u32) -> Answer {
    let what = format!("market={market}&id=1&type=begin");
    call(app, from, &format!("/koehandel/random?{what}"))
}

#[test]
fn one_caller_does_not_fill_the_sessions_for_everybody() {
    let folder = folder();
    let app = daemon(&folder, &[("CALLBACKS__SESSIONS_MAX", "32")]);
    let said: Vec<Answer> = (1..=100)
        .map(|market| begin(&app, STRANGER, market))
        .collect();
    let begun = said.iter().filter(|answer| answer.status == 200).count();
    for market in 1..=2 {
        let answer = begin(&app, REFEREE, market);
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    assert_eq!(begun, 25, "up to the shortage");
    let refused = said.last().unwrap();
    assert_eq!(refused.status, 503);
    assert!(refused.head.to_lowercase().contains("retry-after:"));
    assert!(refused.body.contains("your share"), "{refused:?}");
    // New matches are still taken, and that is what it says.
    let ready = app.get("/readyz");
    assert_eq!(ready.status, 200);
    assert!(ready.body.contains("scarce"), "{ready:?}");
    let figures = app.get("/metrics").body;
    assert!(figures.contains("drover_sessions_max 32"), "{figures}");
    assert!(figures.contains("drover_sessions_refused_total{why=\"share\"} 75"));
    app.stop();
}

#[test]
fn a_daemon_that_is_full_says_so() {
    let folder = folder();
    let app = daemon(&folder, &[("CALLBACKS__SESSIONS_MAX", "4")]);
    assert_eq!(app.get("/readyz").body, "{\"status\":\"ready\"}");
    for last in 1..=4 {
        assert_eq!(begin(&app, [127, 0, 1, last], 1).status, 200);
    }
    let ready = app.get("/readyz");
    assert_eq!(ready.status, 503);
    assert!(
        ready.body.contains("no room for another match"),
        "{ready:?}"
    );
    assert_eq!(app.get("/healthz").status, 200);
    app.stop();
}

#[test]
fn silent_connections_and_half_heads_keep_nobody_off() {
    let folder = folder();
    let app = daemon(&folder, &[("CALLBACKS__CONNECTIONS_MAX", "64")]);
    let mut silent = Vec::new();
    for number in 0..200 {
        let mut stream = dial_from([127, 0, 1, 2 + number % 4], app.callbacks);
        if number % 2 == 0 {
            // It may be closed already.
            let _ = stream.write_all(b"GET /koehandel/random?market=1");
        }
        silent.push(stream);
    }
    let begun = Instant::now();
    // One referee with a connection for each of eight seats, all at once.
    let seats: Vec<TcpStream> = (0..8).map(|_| dial_from(REFEREE, app.callbacks)).collect();
    for (market, seat) in (1..).zip(seats) {
        seat.set_read_timeout(Some(SOON)).unwrap();
        let target = format!("/koehandel/random?market={market}&id=1&type=begin");
        let answer = request_on(seat, app.callbacks, "GET", &target).expect("an answer soon");
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
    let figures = app.get("/metrics").body;
    assert!(figures.contains("drover_connections_max{listener=\"callbacks\"} 64"));
    drop(silent);
    app.stop();
}

#[test]
fn silent_players_of_the_hub_leave_descriptors_for_callbacks() {
    let folder = folder();
    let mut command = drover_with_files(256);
    let listen = "--listen 127.0.0.1:0 --api-listen 127.0.0.1:0 --data";
    command
        .args(["serve"])
        .args(listen.split(' '))
        .arg(folder.path())
        .env("DROVER__DRAIN__LIMIT_S", "0")
        .env("DROVER__REFEREE__SMARTDOG__LISTEN", "127.0.0.1:0");
    let app = TestApp::spawn(command, folder.path());
    // Wherever they come from: there are only so many.
    let hub = app.hub.unwrap();
    let silent: Vec<TcpStream> = (0..400_u16)
        .map(|number| dial_from([127, 0, 1, (number % 200) as u8 + 1], hub))
        .collect();
    for market in 1..=20 {
        let answer = begin(&app, REFEREE, market);
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    let figures = app.get("/metrics").body;
    assert!(figures.contains("drover_files_max 256"), "{figures}");
    let log = app.log();
    assert!(log.contains("too few files may be open"), "{log}");
    drop(silent);
    app.stop();
}

/// The executable with this many files to open, and no way to get more.
fn drover_with_files(limit: u32) -> std::process::Command {
    let plain = drover();
    let mut command = std::process::Command::new("sh");
    let script = format!("ulimit -n {limit} && exec \"$0\" \"$@\"");
    command.arg("-c").arg(script).arg(plain.get_program());
    for (name, value) in plain.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}
