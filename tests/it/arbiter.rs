//! The arbiter of stdio games against programs that do what they must not.

use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const OURS: &str = env!("CARGO_BIN_EXE_drover");

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
        let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/player.sh");
        Self::with(
            &format!("cmd:{program} {fault}"),
            &format!("cmd:{program} none"),
            extra,
        )
    }

    fn with(first: &str, second: &str, extra: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let child = Command::new(OURS)
            .args([
                "play",
                "planowanie",
                "--games",
                "1",
                "--no-rotate",
                "--output",
                "json",
            ])
            .args(["--seat", first, "--seat", second])
            .args(["--seat", "builtin:greedy", "--seat", "builtin:random"])
            .args(["--option", "deals=2 0 5 1", "--seed", "3"])
            .args(["--log", folder.path().to_str().unwrap()])
            .args(extra)
            .env("LATE", "0.301")
            .env("TAG", std::process::id().to_string())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let pid = child.id();
        let Output {
            status,
            stdout,
            stderr,
        } = child.wait_with_output().unwrap();
        assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap_or_default();
        Self {
            json: serde_json::from_slice(&stdout).unwrap(),
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
    ends_by(
        "illegal_move",
        "wrong_number",
        &[],
        "\\\"= 99\\\", which is no number from 0 to 2",
    );
    ends_by("illegal_move", "no_number", &[], "\\\"= some\\\"");
    ends_by("illegal_move", "trailing", &[], "\\\"= 0 ok\\\"");
    ends_by(
        "illegal_move",
        "refuses_declare",
        &[],
        "\\\"? I will not\\\"",
    );
    ends_by("illegal_move", "refuses_move", &[], "\\\"? I will not\\\"");
    ends_by(
        "illegal_move",
        "foreign_card",
        &[],
        "\\\"= 9Z\\\", which is no card of the deck",
    );
    ends_by("illegal_move", "anothers_card", &[], "does not hold");
    ends_by(
        "illegal_move",
        "revoke",
        &["--option", "deals=13 0"],
        "must follow suit",
    );
}

#[test]
fn answers_that_do_not_come() {
    ends_by(
        "time_forfeit",
        "silent",
        &["--timeout", "300ms"],
        "gen_declare: its time was over",
    );
    ends_by(
        "time_forfeit",
        "late",
        &["--timeout", "300ms"],
        "gen_declare: its time was over",
    );
    ends_by(
        "time_forfeit",
        "half",
        &["--timeout", "300ms"],
        "gen_declare: its time was over",
    );
    ends_by(
        "crash",
        "exits",
        &[],
        "gen_declare: it is gone: exit status 0",
    );
    ends_by("crash", "closes", &[], "gen_declare: it is gone");
    ends_by(
        "crash",
        "wants_memory",
        &["--memory-mib", "200"],
        "gen_declare: it is gone: ",
    );
    ends_by(
        "init_failure",
        "dies_at_start",
        &[],
        "it never replied: exit status 3",
    );
}

#[test]
fn answers_that_are_none() {
    ends_by(
        "protocol_error",
        "junk",
        &[],
        "\\\"thinking\\\" begins with neither = nor ?",
    );
    ends_by(
        "protocol_error",
        "endless_line",
        &[],
        "longer than 1024 bytes",
    );
    ends_by(
        "protocol_error",
        "endless_reply",
        &[],
        "its reply has no end",
    );
}

#[test]
fn a_program_that_does_not_exist() {
    let game = Game::with("cmd:/no/such/program", "builtin:random", &[]);
    assert_eq!(game.faults(0).to_string(), "{\"init_failure\":1}");
    assert!(game.log.contains("cannot be started"), "{}", game.log);
}

#[test]
fn a_program_that_leaves_its_pipe_to_others() {
    let begun = std::time::Instant::now();
    ends_by(
        "crash",
        "orphans",
        &[],
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
    assert_eq!(
        Game::play("junk", &["--option", "lenient=true"])
            .faults(0)
            .to_string(),
        "{}"
    );
    assert_eq!(
        Game::play("trailing", &["--option", "lenient=true"])
            .faults(0)
            .to_string(),
        "{}"
    );
    assert_eq!(Game::play("none", &["--fair"]).faults(0).to_string(), "{}");
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
