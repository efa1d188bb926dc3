//! Callers who want everything for themselves, each from an address of its own, next to one who plays.

use crate::app::{Answer, TestApp, dial_from, exchange, folder, serve, set, until, with_files};
use std::io::Write as _;
use std::net::TcpStream;
use std::time::{Duration, Instant};

const STRANGER: [u8; 4] = [127, 0, 0, 2];
const REFEREE: [u8; 4] = [127, 0, 0, 3];
/// Within what an honest caller must have an answer: far less than a head's time limit.
const SOON: Duration = Duration::from_secs(8);

fn daemon(settings: &[(&str, &str)]) -> TestApp {
    TestApp::new(&[&[("DRAIN__LIMIT_S", "0")], settings].concat())
}

fn begin(app: &TestApp, from: [u8; 4], market: u32) -> Answer {
    begin_on(dial_from(from, app.callbacks), app, market)
}

fn begin_on(stream: TcpStream, app: &TestApp, market: u32) -> Answer {
    stream.set_read_timeout(Some(SOON)).unwrap();
    let target = format!("/koehandel/random?market={market}&id=1&type=begin");
    exchange(stream, app.callbacks, "GET", &target, &[], "").expect("an answer soon")
}

#[test]
fn one_caller_does_not_fill_the_sessions_for_everybody() {
    let app = daemon(&[("CALLBACKS__SESSIONS_MAX", "32")]);
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
fn what_a_stranger_merely_began_goes_and_is_counted() {
    let app = daemon(&[("CALLBACKS__IDLE_LIMIT_S", "1")]);
    for market in 1..=3 {
        assert_eq!(begin(&app, STRANGER, market).status, 200);
    }
    let all = "drover_matches_discarded_total 3";
    until(|| app.get("/metrics").body.lines().any(|line| line == all));
    assert!(app.items("/api/v1/matches").is_empty());
    app.stop();
}

#[test]
fn a_daemon_that_is_full_says_so() {
    let app = daemon(&[("CALLBACKS__SESSIONS_MAX", "4")]);
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
    let app = daemon(&[("CALLBACKS__CONNECTIONS_MAX", "64")]);
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
        let answer = begin_on(seat, &app, market);
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
    let hub = ("REFEREE__SMARTDOG__LISTEN", "127.0.0.1:0");
    let command = set(serve(folder.path()), &[("DRAIN__LIMIT_S", "0"), hub]);
    let app = TestApp::spawn(with_files(&command, 256), folder.path());
    // Wherever they come from: their number is limited.
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
