//! Starts, deadlines and places of programs, with shell scripts.

use super::*;
use std::collections::BTreeMap;

const READY: &str = r#"echo '{"type":"ready","protocol":1}'"#;

/// A program that runs this script, and those that run.
fn runner(script: &str) -> (Runner, Bots) {
    let bots = Bots::none();
    let launch = Launch {
        name: "mine".to_owned(),
        argv: ["sh", "-c", script].map(str::to_owned).to_vec(),
        directory: std::env::temp_dir(),
        environment: BTreeMap::new(),
        stderr_kept: 4_096,
        ..Launch::default()
    };
    let runner = Runner::new(&bots, Arc::new(launch), Opening::default());
    (runner, bots)
}

/// Tells a decision and asks for it; afterwards it is past.
fn decide(runner: &mut Runner, number: u64, within_ms: u64) -> Reply {
    let rest = "\"ask\":1}".to_owned();
    runner.tell(vec![Line::Ask { number, rest }]);
    let reply = runner.ask(number, Instant::now() + Duration::from_millis(within_ms));
    let act = "1".to_owned();
    runner.tell(vec![Line::Played { number, act }]);
    reply
}

#[test]
fn a_slow_start_is_no_hang() {
    let answers = r#"while read -r line; do case "$line" in *'"past":false'*)
        number=${line#*number\":}; echo "{\"type\":\"act\",\"number\":${number%%,*},\"act\":1}";; esac; done"#;
    let (mut runner, _) = runner(&format!("sleep 1; {READY}; {answers}"));
    for number in 1..=8 {
        assert_eq!(decide(&mut runner, number, 60), Reply::Late, "{number}");
    }
    // What it was asked while it started is past when it is ready.
    assert_eq!(decide(&mut runner, 9, 20_000), Reply::Act(Value::from(1)));
    let report = runner.end(None);
    assert_eq!((report.starts, report.failed), (1, 0), "{report:?}");
    assert_eq!((report.answered, report.late), (1, 8), "{report:?}");
    assert_eq!((report.stale, report.refused), (0, 0), "{report:?}");
}

#[test]
fn a_program_that_is_ready_and_silent_is_started_again() {
    let (mut runner, _) = runner(&format!("{READY}; while read -r line; do :; done"));
    let mut number = 0;
    let begun = Instant::now();
    while runner.report.starts < 2 {
        number += 1;
        assert_eq!(decide(&mut runner, number, 60), Reply::Late);
        assert!(begun.elapsed() < Duration::from_secs(60));
    }
    assert!(number >= u64::from(LATE_MAX), "{number}");
    let report = runner.end(None);
    let why = report.faults.concat();
    assert!(why.contains("it answered none of 3 decisions"), "{why}");
}

#[test]
fn a_decision_that_ends_the_program_uses_up_one_further_start() {
    let poisoned =
        format!("{READY}; while read -r line; do case \"$line\" in *ask*) exit 3;; esac; done");
    let (mut runner, _) = runner(&poisoned);
    let rest = "\"ask\":1}".to_owned();
    runner.tell(vec![Line::Ask { number: 1, rest }]);
    let deadline = Instant::now() + Duration::from_secs(60);
    assert_eq!(runner.ask(1, deadline), Reply::Gone);
    assert!(Instant::now() < deadline);
    assert_eq!((runner.report.starts, runner.report.failed), (2, 2));
}

#[test]
fn a_place_is_taken_until_the_program_has_ended() {
    let (mut runner, bots) = runner("trap '' TERM; while :; do sleep 0.1; done");
    assert_eq!(format!("{bots:?}"), "Bots(1 running)");
    runner.stop();
    assert_eq!(format!("{bots:?}"), "Bots(1 running)");
    for ending in runner.ending.drain(..) {
        drop(ending.join().unwrap());
    }
    assert_eq!(format!("{bots:?}"), "Bots(0 running)");
}

#[test]
fn a_match_that_is_too_long_fails_once() {
    let (mut runner, _) = runner(&format!("{READY}; cat > /dev/null"));
    let line = || vec![Line::Plain("x".repeat(33 << 20))];
    for _ in 0..5 {
        runner.tell(line());
    }
    assert_eq!(runner.report.failed, 1, "{:?}", runner.report.faults);
}
