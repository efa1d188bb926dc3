//! Programs apart from each other, and gone when we are.

use crate::app::{drover, folder, ok, play, report, until};
use crate::bots::{bot, is_there};
use crate::shims::PROGRAM;
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Whether this machine can isolate programs; says so if it cannot.
fn isolates() -> bool {
    let printed = ok(drover().args(["tournament", "check"]).output().unwrap());
    assert!(printed.starts_with("isolation: "), "{printed}");
    let none = printed.starts_with("isolation: none");
    if none {
        eprintln!("SKIPPED in part: this machine cannot isolate programs: {printed}");
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
    let message = folder.path().join("report");
    let script = format!(
        "cmd:sh -c '{{ id -u; id -g; pwd; echo $PPID; tr \"\\0\" \" \" < /proc/$$/cmdline; echo; ls /proc | grep -c \
         \"^[0-9]\"; }} > {}; exec {PROGRAM} none'",
        message.display()
    );
    let played = play("planowanie", &[&script, "builtin:random"], &["deals=1 0"]).output();
    report(played.unwrap());
    let message = fs::read_to_string(message).unwrap();
    let lines: Vec<&str> = message.lines().collect();
    let own = |flag: &str| {
        let id = Command::new("id").arg(flag).output();
        String::from_utf8(id.unwrap().stdout)
            .unwrap()
            .trim()
            .to_owned()
    };
    assert_eq!(lines[0], own("-u"), "{message}");
    assert_eq!(lines[1], own("-g"), "{message}");
    assert_eq!(lines[2], std::env::current_dir().unwrap().to_str().unwrap());
    assert_eq!(lines[3], "0", "its parent is outside: {message}");
    if lines[4].starts_with("sh -c") {
        assert!(lines[5].parse::<u32>().unwrap() < 10, "{message}");
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
    let message = "programs were not isolated: one could end another's process (--no-isolation)";
    assert!(table.contains(message), "{table}");
}

/// A library that notes which executables load it, outside of everything that a bot may write to.
const PRELOADED: &str = r#"
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
__attribute__((constructor)) static void note(void) {
    char loads[256] = {0};
    if (readlink("/proc/self/exe", loads, 255) < 0) return;
    int noted = open(NOTED, O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (noted >= 0) dprintf(noted, "%s\n", loads);
}
"#;

#[test]
fn what_a_manifest_sets_reaches_its_program_alone() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    let noted = folder.path().join("noted");
    ok(bot(
        folder.path(),
        &["new", "pre", "--lang", "python", "--game", "planowanie"],
    ));
    let own = folder.path().join("pre");
    fs::write(own.join("pre.c"), PRELOADED).unwrap();
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-o", "pre.so", "pre.c"])
        .arg(format!("-DNOTED=\"{}\"", noted.display()))
        .current_dir(&own)
        .status();
    assert!(built.unwrap().success());
    let manifest = own.join("bot.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    let text = text.replace("[environment]\n", "");
    let text = format!("build = [\"env\"]\n{text}\n[environment]\nLD_PRELOAD = \"./pre.so\"\n");
    fs::write(&manifest, text).unwrap();
    let loads = || fs::read_to_string(&noted).unwrap_or_default();
    ok(bot(folder.path(), &["add", "pre"]));
    // Its build has the rights of the user who adds it, and the library is there to be loaded.
    let of_build = loads();
    assert!(
        of_build.ends_with("env\n") && of_build.lines().count() == 1,
        "{of_build}"
    );
    ok(bot(folder.path(), &["check", "pre"]));
    let mut line = play("planowanie", &["bot:pre", "builtin:random"], &["deals=2 0"]);
    line.args(["--store", "data/drover.db"])
        .current_dir(folder.path());
    report(line.output().unwrap());
    let drover = Path::new(env!("CARGO_BIN_EXE_drover"));
    let escaped: Vec<String> = loads().lines().map(str::to_owned).collect();
    let name = drover.file_name().unwrap().to_str().unwrap();
    assert!(
        !escaped.iter().any(|exe| exe.ends_with(name)),
        "{escaped:?}"
    );
}

#[test]
fn a_guard_has_nothing_of_what_a_program_is_given() {
    let folder = folder();
    let seen = folder.path().join("seen");
    let script = format!(
        "cd /proc/$PPID; {{ readlink cwd; ls fd; tr \"\\0\" \" \" <cmdline; cat environ; }} > {}; cd /; exec {PROGRAM} none",
        seen.display()
    );
    let seat = format!("cmd:sh -c '{script}'");
    let mut line = play("planowanie", &[&seat, "builtin:random"], &["deals=2 0"]);
    line.arg("--no-isolation");
    line.env("LD_BIND_NOW", "1").env("GIVEN", "on");
    report(line.output().unwrap());
    let seen = fs::read_to_string(seen).unwrap();
    assert!(
        seen.starts_with("/\n") && seen.contains("program-guard"),
        "{seen}"
    );
    for given in ["GIVEN", "LD_BIND_NOW", "PATH=", PROGRAM] {
        assert!(!seen.contains(given), "{given}: {seen}");
    }
}

#[test]
fn programs_do_not_collide_over_what_is_named_after_their_process() {
    if !isolates() {
        return;
    }
    let folder = folder();
    let tag = format!("drover-{}-x", std::process::id());
    let mut seats = Vec::new();
    for player in ["one", "two"] {
        let notes = folder.path().join(player);
        fs::create_dir(&notes).unwrap();
        // As the JVM: a file named after the process, which nobody else may hold.
        let held = ["/tmp", "/var/tmp", "/dev/shm"].map(|shared| format!("mkdir {shared}/{tag}"));
        let script = format!(
            "{} || echo held by \"\"another >&2; echo $$ > {notes}/number; readlink /proc/self/ns/ipc > {notes}/ipc; \
             exec {PROGRAM} none",
            held.join(" && "),
            notes = notes.display()
        );
        seats.push(format!("cmd:sh -c '{script}'"));
    }
    let seats: Vec<&str> = seats.iter().map(String::as_str).collect();
    let mut line = play("planowanie", &seats, &["deals=2 0"]);
    let log = folder.path().join("log");
    line.arg("--log").arg(&log);
    let played = report(line.output().unwrap());
    for seat in 0..2 {
        assert_eq!(played["seats"][seat]["faults"], json!({}), "{played}");
    }
    let log = fs::read_dir(log).unwrap().flatten();
    let log: String = log
        .map(|entry| fs::read_to_string(entry.path()).unwrap())
        .collect();
    assert!(!log.contains("held by another"), "{log}");
    assert!(!Path::new("/tmp").join(&tag).exists());
    let noted = |player: &str, what: &str| {
        let noted = fs::read_to_string(folder.path().join(player).join(what));
        noted.unwrap().trim().to_owned()
    };
    let number = |player: &str| noted(player, "number").parse::<u32>().unwrap();
    // A system that does not let us choose them begins with 2 in each.
    let numbers = [number("one"), number("two")];
    assert!(numbers[0] != numbers[1] || numbers == [2, 2], "{numbers:?}");
    // Queues and shared memory are kept by namespace.
    if let Ok(ours) = fs::read_link("/proc/self/ns/ipc") {
        let mut spaces = vec![ours.to_str().unwrap().to_owned()];
        spaces.extend(["one", "two"].map(|player| noted(player, "ipc")));
        spaces.sort();
        spaces.dedup();
        assert_eq!(spaces.len(), 3, "{spaces:?}");
    }
}
