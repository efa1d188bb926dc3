//! Starts, deadlines and places of programs, with shell scripts.

use super::*;
use crate::programs::stderr_parts;

const READY: &str = r#"echo '{"type":"ready","protocol":1}'"#;

/// A program that runs this script.
fn launch(script: &str) -> Launch {
    Launch {
        name: "mine".to_owned(),
        argv: ["sh", "-c", script].map(str::to_owned).to_vec(),
        directory: std::env::temp_dir(),
        stderr_kept: 4_096,
        ..Launch::default()
    }
}

/// The same and those that run.
fn runner(script: &str) -> (Runner, Bots) {
    let (bots, launch) = (Bots::none(), launch(script));
    let runner = Runner::new(&bots, Arc::new(launch), Opening::default(), || ());
    (runner, bots)
}

/// Sends a decision and asks for it; afterwards it is past.
fn decide(runner: &mut Runner, number: u64, within_ms: u64) -> ProgramReply {
    let rest = "\"ask\":1}".to_owned();
    runner.send_lines(vec![Line::Ask { number, rest }]);
    let reply = runner.ask(number, Instant::now() + Duration::from_millis(within_ms));
    let act = "1".to_owned();
    runner.send_lines(vec![Line::Played { number, act }]);
    reply
}

/// The program answers this many decisions with 1, and this is what it wrote to standard error for each. It may end after
/// one of them, which is noticed before the next.
fn writes(script: &str, decisions: u64, ends_after: Option<u64>, expected: &[(Option<u64>, &str)]) {
    let (mut runner, _) = runner(script);
    for number in 1..=decisions {
        let reply = decide(&mut runner, number, 20_000);
        assert_eq!(reply, ProgramReply::Act(Value::from(1)), "{number}");
        let begun = Instant::now();
        while ends_after == Some(number) && runner.running.is_some() {
            runner.look();
            assert!(begun.elapsed() < Duration::from_secs(60));
            std::thread::yield_now();
        }
    }
    let report = runner.end(None);
    let parts = stderr_parts(&report.stderr, &report.stderr_parts);
    assert_eq!(parts, expected, "{report:?}");
}

#[test]
fn a_slow_start_is_no_hang() {
    let answers = r#"while read -r line; do case "$line" in *'"past":false'*)
        number=${line#*number\":}; echo "{\"type\":\"act\",\"number\":${number%%,*},\"act\":1}";; esac; done"#;
    let (mut runner, _) = runner(&format!("sleep 1; {READY}; {answers}"));
    for number in 1..=8 {
        assert_eq!(
            decide(&mut runner, number, 60),
            ProgramReply::Late,
            "{number}"
        );
    }
    // What it was asked while it started is past when it is ready.
    assert_eq!(
        decide(&mut runner, 9, 20_000),
        ProgramReply::Act(Value::from(1))
    );
    let report = runner.end(None);
    assert_eq!((report.starts, report.failed), (1, 0), "{report:?}");
    assert_eq!((report.answered, report.late), (1, 8), "{report:?}");
    assert_eq!((report.stale, report.refused), (0, 0), "{report:?}");
}

#[test]
fn what_it_wrote_to_standard_error_is_parted_by_decisions() {
    let answers = r#"while read -r line; do case "$line" in *'"past":false'*)
        number=${line#*number\":}; number=${number%%,*}; [ "$number" = 2 ] || echo "thought of $number" >&2
        echo "{\"type\":\"act\",\"number\":$number,\"act\":1}";; esac; done; echo bye >&2"#;
    let expected = [
        (Some(1), "begun\nthought of 1\n"),
        (Some(3), "thought of 3\n"),
        (None, "bye\n"),
    ];
    let script = format!("echo begun >&2; {READY}; {answers}");
    writes(&script, 3, None, &expected);
}

/// A program that writes what it thinks of, and whose first run ends at a line like this one, before it answers.
fn ends_once(at: &str) -> String {
    let decision = r#"*'"past":false'*)"#;
    format!(
        r#"while read -r line; do case "$line" in *'"again":true'*) again=1;; esac
        case "$line" in *'"type":"match"'*) {READY};; {decision} number=${{line#*number\":}}; number=${{number%%,*}}
        echo "thought of $number" >&2;; esac
        case "$line" in {at}) [ -n "$again" ] || {{ echo oops >&2; exit 3; }};; esac
        case "$line" in {decision} echo "{{\"type\":\"act\",\"number\":$number,\"act\":1}}";; esac; done"#
    )
}

#[test]
fn what_it_wrote_before_it_ended_belongs_to_the_decision_that_ended_it() {
    // Another one is started in the same decision, and answers all.
    let script = ends_once(r#"*'"number":2,'*'"past":false'*"#);
    let expected = [
        (Some(1), "thought of 1\n"),
        (Some(2), "thought of 2\noops\nthought of 2\n"),
        (Some(3), "thought of 3\n"),
    ];
    writes(&script, 3, None, &expected);
}

#[test]
fn what_it_wrote_before_it_ended_between_decisions_belongs_to_the_next_one_if_any() {
    // It ends when it learns that its second answer was played. Another one is started in the next decision.
    let script = ends_once(r#"*'"played","number":2,'*"#);
    for (decisions, last) in [
        (2, (None, "oops\n")),
        (3, (Some(3), "oops\nthought of 3\n")),
    ] {
        let expected = [
            (Some(1), "thought of 1\n"),
            (Some(2), "thought of 2\n"),
            last,
        ];
        writes(&script, decisions, Some(2), &expected);
    }
}

#[test]
fn a_program_that_is_ready_and_silent_is_started_again() {
    let (mut runner, _) = runner(&format!("{READY}; while read -r line; do :; done"));
    let mut number = 0;
    let begun = Instant::now();
    while runner.report.starts < 2 {
        number += 1;
        assert_eq!(decide(&mut runner, number, 60), ProgramReply::Late);
        assert!(begun.elapsed() < Duration::from_secs(60));
    }
    assert!(number >= u64::from(LATE_MAX), "{number}");
    let report = runner.end(None);
    let why = report.faults.concat();
    assert!(why.contains("it answered none of 3 decisions"), "{why}");
}

#[test]
fn a_decision_that_ends_the_program_uses_up_one_further_start() {
    let poisoned = format!(
        "{READY}; while read -r line; do case \"$line\" in *ask*) echo oops >&2; exit 3;; esac; done"
    );
    let (mut runner, _) = runner(&poisoned);
    let rest = "\"ask\":1}".to_owned();
    runner.send_lines(vec![Line::Ask { number: 1, rest }]);
    let deadline = Instant::now() + Duration::from_secs(60);
    assert_eq!(runner.ask(1, deadline), ProgramReply::Gone);
    assert!(Instant::now() < deadline);
    assert_eq!((runner.report.starts, runner.report.failed), (2, 2));
    // What both wrote is one part.
    let report = runner.end(None);
    let parts = stderr_parts(&report.stderr, &report.stderr_parts);
    assert_eq!(parts, [(Some(1), "oops\noops\n")], "{report:?}");
}

#[test]
fn a_place_is_taken_until_the_program_has_ended() {
    let (mut runner, bots) = runner("trap '' TERM; while :; do sleep 0.1; done");
    assert_eq!(format!("{bots:?}"), "Bots(1 running)");
    runner.stop();
    assert_eq!(format!("{bots:?}"), "Bots(1 running)");
    for (_, ending) in runner.ending.drain(..) {
        drop(ending.join().unwrap());
    }
    assert_eq!(format!("{bots:?}"), "Bots(0 running)");
}

#[test]
fn a_match_that_is_too_long_fails_once() {
    let (mut runner, _) = runner(&format!("{READY}; cat > /dev/null"));
    let line = || vec![Line::Plain("x".repeat(33 << 20))];
    for _ in 0..5 {
        runner.send_lines(line());
    }
    assert_eq!(runner.report.failed, 1, "{:?}", runner.report.faults);
}

#[test]
fn programs_take_turns_in_starting_and_a_slow_one_keeps_nobody_for_long() {
    let (first, bots) = runner("sleep 100");
    // Every other turn is taken as well.
    let held: Vec<_> = (0..64).map(|_| bots.starts().line_up(|| ())).collect();
    let mut taken: Vec<_> = held.iter().map(|turn| turn.come(Instant::now())).collect();
    assert!(taken.iter().any(Option::is_none));
    let (woken, wakes) = std::sync::mpsc::channel();
    let wake = move || woken.send(()).unwrap();
    let script = format!("{READY}; while read -r line; do :; done");
    let mut last = Runner::new(&bots, Arc::new(launch(&script)), Opening::default(), wake);
    assert_eq!(last.report.starts, 0);
    // Who is asked before its turn has come waits no longer than it may.
    assert_eq!(decide(&mut last, 1, 60), ProgramReply::Gone);
    assert_eq!(last.report.starts, 0);
    taken.clear();
    drop(held);
    wakes.recv_timeout(Duration::from_secs(60)).unwrap();
    last.look();
    assert_eq!(last.report.starts, 1);
    while last.is_starting() {
        last.look();
        std::thread::yield_now();
    }
    assert!(last.running.as_ref().unwrap().ready);
    let _ = last.end(None);
    // The first one never says that it is ready: its turn ends all the same.
    let mut first = first;
    while first.is_starting() {
        first.look();
        std::thread::yield_now();
    }
    assert!(first.running.is_some());
    let _ = first.end(None);
}

#[test]
fn a_program_that_takes_too_much_memory_together_is_notified() {
    let script = format!(
        "{READY}; for i in 1 2 3; do python3 -c 'import time; x = b\"x\" * (60 << 20); time.sleep(100)' & done; wait"
    );
    let bots = Bots::none();
    let mut launch = launch(&script);
    launch.limits.memory = Some(150 << 20);
    launch.limits.together = true;
    if std::process::Command::new("python3")
        .arg("--version")
        .output()
        .is_err()
    {
        eprintln!("SKIPPED: there is no python3");
        return;
    }
    let mut runner = Runner::new(&bots, Arc::new(launch), Opening::default(), || ());
    let mut number = 0;
    while runner.report.failed == 0 {
        number += 1;
        let _ = decide(&mut runner, number, 1_000);
    }
    let report = runner.end(None);
    let expected = "its processes took more than 150 MiB of memory together";
    assert_eq!(report.faults[0], expected, "{report:?}");
}

#[test]
fn programs_step_behind_the_host_of_their_matches() {
    let script = format!(
        "{READY}; while read -r line; do case \"$line\" in *'\"past\":false'*)
        echo \"{{\\\"type\\\":\\\"act\\\",\\\"number\\\":1,\\\"act\\\":$(nice)}}\";; esac; done"
    );
    let bots = Bots::none().behind(13);
    let launch = launch(&script);
    let mut runner = Runner::new(&bots, Arc::new(launch), Opening::default(), || ());
    let ProgramReply::Act(nice) = decide(&mut runner, 1, 20_000) else {
        panic!("{:?}", runner.end(None));
    };
    assert!(nice.as_i64() >= Some(13), "{nice}");
    let _ = runner.end(None);
}

/// The state of a process, as the system has it.
fn state(process: &Value) -> String {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let after = stat.rsplit(')').next().unwrap_or_default();
    after
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn a_program_that_rests_is_stopped_while_nothing_is_asked_of_it() {
    // It computes whenever it may.
    let script = format!(
        "{READY}; while read -r line; do case \"$line\" in *'\"past\":false'*)
        number=${{line#*number\\\":}}; echo \"{{\\\"type\\\":\\\"act\\\",\\\"number\\\":${{number%%,*}},\\\"act\\\":$$}}\";; esac; done"
    );
    for rests in [true, false] {
        let bots = Bots::none();
        let bots = if rests { bots.resting() } else { bots };
        let mut runner = Runner::new(&bots, Arc::new(launch(&script)), Opening::default(), || ());
        for number in 1..=3 {
            let ProgramReply::Act(process) = decide(&mut runner, number, 20_000) else {
                panic!("{:?}", runner.end(None));
            };
            let expected = if rests { "T" } else { "S" };
            let begun = Instant::now();
            while state(&process) != expected {
                assert!(
                    begun.elapsed() < Duration::from_secs(60),
                    "{}",
                    state(&process)
                );
                std::thread::yield_now();
            }
        }
        let report = runner.end(None);
        assert_eq!(
            (report.failed, report.answered, report.late),
            (0, 3, 0),
            "{report:?}"
        );
    }
}
