//! The arbiter of stdio games against programs that do what they must not.

use crate::app::{drover, folder, play, refused, report};
use crate::shims::PROGRAM;
use crate::{lighthouses, planetwars};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Stdio;

/// No further arguments.
const NONE: &[&str] = &[];

/// What came of one game.
struct Game {
    json: Value,
    log: String,
    stderr: String,
    pid: u32,
}

impl Game {
    /// Plays one game of the faulty player on seat 0, a good program on seat 1 and two bots.
    fn play(fault: &str, extra: &[&str]) -> Self {
        let [first, second] = [fault, "none"].map(|fault| format!("cmd:{PROGRAM} {fault}"));
        Self::with(&first, &second, extra)
    }

    fn with(first: &str, second: &str, extra: &[&str]) -> Self {
        let folder = folder();
        let seats = [first, second, "builtin:greedy", "builtin:random"];
        let child = play("planowanie", &seats, &["deals=2 0 5 1"])
            .args(["--seed", "3", "--log", folder.path().to_str().unwrap()])
            .args(extra)
            .env("LATE", "0.301")
            .env("TAG", std::process::id().to_string())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let pid = child.id();
        let json = report(child.wait_with_output().unwrap());
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap_or_default();
        Self {
            json,
            log: read("match-000001.txt"),
            stderr: read("match-000001.seat0.stderr"),
            pid,
        }
    }

    fn faults(&self, seat: usize) -> &Value {
        &self.json["seats"][seat]["faults"]
    }

    /// Whether no process of it is left.
    fn left_nothing(&self) -> bool {
        let inherited = format!("DROVER_PROGRAM={}-", self.pid);
        let inherits = |folder: &Path| {
            let environment = fs::read(folder.join("environ")).unwrap_or_default();
            String::from_utf8_lossy(&environment).contains(&inherited)
        };
        let processes = fs::read_dir("/proc").unwrap();
        !processes.flatten().any(|entry| inherits(&entry.path()))
    }
}

fn ends_by(cause: &str, fault: &str, extra: &[&str], detail: &str) {
    let game = Game::play(fault, extra);
    assert_eq!(
        game.faults(0).to_string(),
        format!("{{\"{cause}\":1}}"),
        "{fault}"
    );
    let blame = game
        .log
        .lines()
        .find(|line| line.starts_with("blame\t0\t"))
        .unwrap();
    assert!(blame.contains(detail), "{fault}: {blame}");
    for seat in 1..4 {
        assert_eq!(game.faults(seat).to_string(), "{}", "{fault}");
        let share = game.json["seats"][seat]["win_share"].as_f64().unwrap();
        assert!((share - 1.0 / 3.0).abs() < 1e-9, "{fault}: {share}");
        assert_eq!(game.json["seats"][seat]["pair_score"], 1.0, "{fault}");
    }
    assert!(game.left_nothing(), "{fault}");
}

fn ends_well(fault: &str) -> Game {
    let game = Game::play(fault, &[]);
    for seat in 0..4 {
        assert_eq!(game.faults(seat).to_string(), "{}", "{fault}: {}", game.log);
    }
    assert!(game.left_nothing(), "{fault}");
    game
}

#[test]
fn answers_that_the_rules_forbid() {
    for (fault, extra, detail) in [
        (
            "wrong_number",
            NONE,
            "\\\"= 99\\\", which is no number from 0 to 2",
        ),
        ("no_number", NONE, "\\\"= some\\\""),
        ("trailing", NONE, "\\\"= 0 ok\\\""),
        ("refuses_declare", NONE, "\\\"? I will not\\\""),
        ("refuses_move", NONE, "\\\"? I will not\\\""),
        (
            "foreign_card",
            NONE,
            "\\\"= 9Z\\\", which is no card of the deck",
        ),
        ("anothers_card", NONE, "does not hold"),
        ("revoke", &["--option", "deals=13 0"], "must follow suit"),
    ] {
        ends_by("illegal_move", fault, extra, detail);
    }
}

#[test]
fn answers_that_do_not_come() {
    for (fault, detail) in [
        ("silent", "gen_declare: its time was over"),
        ("late", "gen_declare: its time was over"),
        (
            "half",
            "gen_declare: no blank line came after its reply \\\"= 0\\\"",
        ),
    ] {
        ends_by("time_forfeit", fault, &["--timeout", "300ms"], detail);
    }
    for (fault, extra, detail) in [
        ("exits", NONE, "gen_declare: it is gone: exit status 0"),
        (
            "closes",
            NONE,
            "gen_declare: it is gone: it closed its output and ran on",
        ),
        ("deaf", NONE, "it is gone: it closed its input and ran on"),
        (
            "wants_memory",
            &["--memory-mib", "200"],
            "gen_declare: it is gone: ",
        ),
    ] {
        ends_by("crash", fault, extra, detail);
    }
    ends_by(
        "init_failure",
        "dies_at_start",
        NONE,
        "it never replied: exit status 3",
    );
}

#[test]
fn answers_that_are_none() {
    for (fault, detail) in [
        ("banner", "\\\"welcome\\\" b"),
        ("junk", "\\\"thinking\\\" begins with neither = nor ?"),
        ("twice", "declare: it said \\\"= 0\\\" before it was asked"),
        ("endless_line", "longer than 1024 bytes"),
        ("endless_reply", "its reply has no end"),
    ] {
        ends_by("protocol_error", fault, NONE, detail);
    }
}

#[test]
fn a_program_that_does_not_exist() {
    let folder = folder();
    let plain = folder.path().join("plain");
    fs::write(&plain, "no program").unwrap();
    let plain = plain.to_str().unwrap();
    for (program, why) in [
        ("/no/such/program", "No such file"),
        (plain, "Permission denied"),
    ] {
        let seats = [
            &*format!("cmd:{program}"),
            "builtin:random",
            "builtin:random",
        ];
        let error = refused(play("planowanie", &seats, NONE).output().unwrap(), 2);
        let expected = format!("drover: seat cmd:{program}: {program:?} cannot be started: {why}");
        assert!(error.starts_with(&expected), "{error}");
    }
}

#[test]
fn a_program_of_a_pool_is_missed_before_the_first_game() {
    for seed in ["1", "2", "3", "4"] {
        let mut line = drover();
        line.args(["play", "planowanie", "--games", "1", "--seed", seed]);
        line.args(["--option", "deals=1 0", "--pool"]);
        line.arg("cmd:/no/such/program,builtin:random,builtin:greedy,builtin:rules");
        let error = refused(line.output().unwrap(), 2);
        assert!(error.contains("cannot be started: No such file"), "{error}");
    }
}

#[test]
fn decisions_are_timed_and_no_other_commands() {
    let game = Game::play("none", &[]);
    for seat in 0..4 {
        // A declaration for each of two deals, and a card for each of seven tricks.
        assert_eq!(game.json["seats"][seat]["timed"], 9, "{}", game.json);
    }
}

#[test]
fn words_of_a_command_are_quoted_as_for_a_shell() {
    let seat = format!("cmd:sh -c 'exec \"$0\" \"$1\"' {PROGRAM} none");
    let game = Game::with(&seat, "builtin:random", &[]);
    assert_eq!(game.faults(0).to_string(), "{}", "{}", game.log);
}

#[test]
fn a_program_that_leaves_its_pipe_to_others() {
    let begun = std::time::Instant::now();
    ends_by(
        "crash",
        "orphans",
        NONE,
        "gen_declare: it is gone: exit status 0",
    );
    // Its clock has a minute more to run.
    assert!(begun.elapsed().as_secs() < 20);
    let sleeping = |folder: &Path| {
        let line = fs::read(folder.join("cmdline")).unwrap_or_default();
        let own = |seconds: u32| format!("sleep\0{seconds}.{}\0", std::process::id()).into_bytes();
        line == own(984) || line == own(985)
    };
    let processes = fs::read_dir("/proc").unwrap();
    assert!(!processes.flatten().any(|entry| sleeping(&entry.path())));
}

#[test]
fn what_is_tolerated() {
    ends_well("three_ends");
    ends_well("carriage_returns");
    ends_well("no_blank");
    let lenient = &["--option", "lenient=true"][..];
    for (fault, extra) in [
        ("junk", lenient),
        ("trailing", lenient),
        ("banner", lenient),
        ("none", &["--fair"]),
    ] {
        assert_eq!(
            Game::play(fault, extra).faults(0).to_string(),
            "{}",
            "{fault}"
        );
    }
}

#[test]
fn nothing_is_left_behind() {
    ends_well("grandchild");
    ends_well("stays");
    let flood = ends_well("floods_stderr");
    assert!(flood.stderr.len() < 70_000, "{}", flood.stderr.len());
    assert!(
        flood
            .stderr
            .starts_with("[99934464 bytes before this were not kept]")
    );
}

/// .NET and others begin their output with a byte order mark.
#[test]
fn a_byte_order_mark_before_a_programs_first_line_is_no_fault() {
    let marked = |program: &str| {
        format!("cmd:sh -c 'printf \"\\357\\273\\277\"; exec \"$0\" none' {program}")
    };
    // A busy machine is slow to start a program.
    let patient = ["rounds=4", "start_ms=20000"];
    for (game, program, rival, options) in [
        ("planowanie", PROGRAM, "random", &["deals=2 0"][..]),
        ("lighthouses", lighthouses::PROGRAM, "nearest", &patient),
        ("planetwars", planetwars::PROGRAM, "random", &patient),
    ] {
        let seats = [&*marked(program), &format!("builtin:{rival}")];
        let line = play(game, &seats, options).output();
        let printed = report(line.unwrap());
        assert_eq!(
            printed["seats"][0]["faults"],
            json!({}),
            "{game}: {printed}"
        );
    }
}
