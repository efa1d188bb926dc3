//! Programs apart from each other, and gone when we are.

use crate::app::{drover, folder, ok, play, report, until};
use crate::shims::PROGRAM;
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};

/// Whether this machine can isolate programs; says so if it cannot.
fn isolates() -> bool {
    let told = ok(drover().args(["tournament", "check"]).output().unwrap());
    assert!(told.starts_with("isolation: "), "{told}");
    let none = told.starts_with("isolation: none");
    if none {
        eprintln!("SKIPPED in part: this machine cannot isolate programs: {told}");
    }
    !none
}

/// The processes of a run, ours and others', by what they inherited.
fn left_of(run: u32) -> Vec<String> {
    let inherited = format!("DROVER_PROGRAM={run}-");
    let inherits = |folder: &Path| {
        let environment = fs::read(folder.join("environ")).unwrap_or_default();
        String::from_utf8_lossy(&environment).contains(&inherited)
    };
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let left = processes.filter(|entry| inherits(&entry.path()));
    left.map(|entry| fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default())
        .collect()
}

/// Plays a program against one that stays whatever happens and has a child in a session of its own.
fn lingering(more: &[&str]) -> Child {
    let seats = [&*format!("cmd:{PROGRAM} lingers"), "builtin:random"];
    let mut line = play("planowanie", &seats, &["deals=2 0"]);
    line.args(more).stdout(Stdio::null()).spawn().unwrap()
}

#[test]
fn no_program_outlives_a_run_that_is_killed() {
    isolates();
    for more in [&[][..], &["--no-isolation"], &["--fair"]] {
        let mut run = lingering(more);
        let sleeps = |line: &String| line.starts_with("sleep\0983");
        until(|| left_of(run.id()).iter().any(sleeps));
        run.kill().unwrap();
        run.wait().unwrap();
        until(|| left_of(run.id()).is_empty());
    }
}

#[test]
fn programs_do_not_see_our_secrets() {
    let folder = folder();
    let seen = folder.path().join("seen");
    let seat = format!("cmd:sh -c 'env > {}; exec {PROGRAM} none'", seen.display());
    let mut line = play("planowanie", &[&seat, "builtin:random"], &["deals=2 0"]);
    line.env("DROVER__API__TOKEN", "hush").env("GIVEN", "on");
    report(line.output().unwrap());
    let seen = fs::read_to_string(seen).unwrap();
    assert!(
        seen.contains("GIVEN=on") && !seen.contains("hush"),
        "{seen}"
    );
}

#[test]
fn no_program_can_end_anothers_process() {
    let isolated = isolates();
    // Only what this test starts.
    let tag = format!("tag-{}", std::process::id());
    let seats = ["none", "kills"].map(|fault| format!("cmd:{PROGRAM} {fault} {tag}"));
    let played = |more: &[&str]| {
        let seats = [&*seats[0], &seats[1], "builtin:random"];
        let mut line = play("planowanie", &seats, &["deals=2 0 1 1"]);
        report(line.args(more).output().unwrap())
    };
    let apart = played(&[]);
    if isolated {
        assert_eq!(apart["seats"][0]["faults"], json!({}), "{apart}");
        assert_eq!(apart["seats"][1]["faults"], json!({}), "{apart}");
        assert!(apart.get("not_isolated").is_none(), "{apart}");
    } else {
        assert!(apart["not_isolated"].is_string(), "{apart}");
    }
    // It does win by that where nothing keeps it from it, and the report says so.
    let together = played(&["--no-isolation"]);
    assert_eq!(
        together["seats"][0]["faults"],
        json!({"crash": 1}),
        "{together}"
    );
    assert_eq!(together["not_isolated"], "--no-isolation");
}

#[test]
fn an_isolated_program_is_who_it_was_and_sees_itself() {
    if !isolates() {
        return;
    }
    let folder = folder();
    let told = folder.path().join("told");
    let script = format!(
        "cmd:sh -c '{{ id -u; id -g; pwd; echo $PPID; tr \"\\0\" \" \" < /proc/$$/cmdline; echo; ls /proc | grep -c \
         \"^[0-9]\"; }} > {}; exec {PROGRAM} none'",
        told.display()
    );
    let played = play("planowanie", &[&script, "builtin:random"], &["deals=1 0"]).output();
    report(played.unwrap());
    let told = fs::read_to_string(told).unwrap();
    let lines: Vec<&str> = told.lines().collect();
    let own = |flag: &str| {
        let id = std::process::Command::new("id").arg(flag).output();
        String::from_utf8(id.unwrap().stdout)
            .unwrap()
            .trim()
            .to_owned()
    };
    assert_eq!(lines[0], own("-u"), "{told}");
    assert_eq!(lines[1], own("-g"), "{told}");
    assert_eq!(lines[2], std::env::current_dir().unwrap().to_str().unwrap());
    assert_eq!(lines[3], "0", "its parent is outside: {told}");
    if lines[4].starts_with("sh -c") {
        assert!(lines[5].parse::<u32>().unwrap() < 10, "{told}");
    } else {
        eprintln!("SKIPPED in part: this machine does not let a namespace have a /proc of its own");
    }
}

#[test]
fn a_report_of_programs_that_were_not_isolated_says_so() {
    let mut line = drover();
    line.args(["play", "planowanie", "--games", "1", "--no-isolation"]);
    line.args(["--option", "deals=1 0", "--seat", "builtin:random"]);
    line.arg("--seat").arg(format!("cmd:{PROGRAM} none"));
    let table = ok(line.output().unwrap());
    let told = "programs were not isolated: one could end another's process (--no-isolation)";
    assert!(table.contains(told), "{table}");
}
