//! What `drover play` reports of programs that fail.

use crate::app::{drover, folder, ok, text};
use crate::bots::bot;
use crate::shims::PROGRAM;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Output;

fn played(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = drover();
    command.current_dir(folder).arg("play").args(arguments);
    command.output().unwrap()
}

fn script(folder: &Path, name: &str, code: &str) {
    let path = folder.join(name);
    fs::write(&path, code).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Two matches of Lighthouses between this program and a bot.
fn lighthouses(folder: &Path, program: &str, more: &[&str]) -> Output {
    let program = format!("cmd:{program}");
    let usual = [
        "lighthouses",
        "--seat",
        &program,
        "--seat",
        "builtin:ring",
        "--games",
        "2",
        "--option",
        "rounds=5",
    ];
    played(folder, &[&usual[..], more].concat())
}

#[test]
fn a_program_that_never_plays_is_reported_with_its_last_words() {
    let folder = folder();
    let path = folder.path();
    script(
        path,
        "loud",
        "#!/bin/sh\nprintf 'one\\n\\033]0;OWNED\\007\\n' >&2\nexit 3\n",
    );
    // It waits: one that has ended is not asked what it said.
    script(path, "hello", "#!/bin/sh\necho hello\ncat >/dev/null\n");
    for (program, why, last) in [
        (
            "sh nosuch.sh",
            "init_failure: its program was gone before it greeted: exit status ",
            "nosuch.sh",
        ),
        (
            "./loud",
            "init_failure: its program was gone before it greeted: exit status 3",
            "    one\n    \u{fffd}]0;OWNED\u{fffd}\n",
        ),
        (
            "./hello",
            "protocol_error: its greeting \"hello\" is no JSON: at byte 1",
            "",
        ),
    ] {
        let output = lighthouses(path, program, &[]);
        let printed = text(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{printed}");
        assert!(printed.contains("failed in match "), "{printed}");
        assert!(printed.contains(why), "{printed}");
        assert!(
            printed.contains("took no decision in 2 matches\n"),
            "{printed}"
        );
        assert!(printed.contains(last), "{printed}");
        // It was not silent: it ended, or said what is no greeting.
        assert!(!printed.contains("pause_us"), "{printed}");
    }
    let silent = lighthouses(path, "sleep 60", &["--option", "start_ms=50"]);
    let printed = text(&silent.stdout);
    assert!(
        printed.contains("a program that does not answer: --option pause_us"),
        "{printed}"
    );
    let json = lighthouses(path, "./loud", &["--output", "json"]);
    assert_eq!(json.status.code(), Some(1));
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    let failure = &json["seats"][0]["failure"];
    assert_eq!(failure["matches_not_played"], 2, "{json}");
    assert_eq!(failure["stderr"][0], "one", "{json}");
    assert_eq!(json["seats"][1]["failure"], Value::Null, "{json}");
    let csv = lighthouses(path, "./loud", &["--output", "csv"]);
    assert_eq!(csv.status.code(), Some(1));
    assert_eq!(text(&csv.stdout).lines().count(), 3);
    assert!(text(&csv.stderr).contains("exit status 3\n"));
}

#[test]
fn a_script_without_its_interpreter_names_it() {
    let folder = folder();
    script(folder.path(), "old", "#!/no/such/python3.99\n");
    let output = lighthouses(folder.path(), "./old", &[]);
    let message = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(
        message.contains("the interpreter \"/no/such/python3.99\" that its first line names"),
        "{message}"
    );
}

/// A fault after decisions of its own is in the table, and no reason to fail.
#[test]
fn a_single_fault_stays_in_the_table() {
    let folder = folder();
    let program = format!("cmd:{PROGRAM} foreign_card");
    let seats = [
        "planowanie",
        "--seat",
        &program,
        "--seat",
        "builtin:greedy",
        "--seat",
        "builtin:rules",
        "--games",
        "1",
        "--option",
        "deals=2 0 5 1",
    ];
    let output = ok(played(folder.path(), &seats));
    assert!(
        output.contains(": illegal_move 1 (1 of 1 such matches lost)"),
        "{output}"
    );
    assert!(
        output.contains("failed in match 1: illegal_move: "),
        "{output}"
    );
    assert!(!output.contains("took no decision"), "{output}");
}

/// The fallback answers for a user's bot that does not: that it never played is reported all the same.
#[test]
fn a_users_bot_that_never_plays_is_reported() {
    let folder = folder();
    let idle = folder.path().join("idle");
    fs::create_dir(&idle).unwrap();
    fs::write(
        idle.join("bot.toml"),
        "name = \"idle\"\nversion = \"1\"\ngames = [\"koehandel\"]\nrun = [\"./bot\"]\n",
    )
    .unwrap();
    script(&idle, "bot", "#!/bin/sh\necho no module >&2\nexit 1\n");
    ok(bot(folder.path(), &["add", "idle"]));
    let seats = [
        "koehandel",
        "--seat",
        "bot:idle",
        "--seat",
        "builtin:guide",
        "--games",
        "1",
        "--budget",
        "100n",
    ];
    let output = played(folder.path(), &seats);
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{printed}");
    assert!(
        printed.contains("bot:idle@1 failed: it failed "),
        "{printed}"
    );
    assert!(
        printed.contains("  its standard error ended:\n    no module\n"),
        "{printed}"
    );
    assert!(
        printed.contains("bot:idle@1 took no decision in one match"),
        "{printed}"
    );
}
