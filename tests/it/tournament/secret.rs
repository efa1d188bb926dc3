//! What a run commits itself to, and when it reveals that.

use super::{CUP, tournament};
use crate::app::{TestApp, folder, ok, text, until};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// A field of the newest tournament as the daemon shows it, and whether the setup of its first match is public.
fn revealed(folder: &Path, key: &str) -> (Value, bool) {
    let app = TestApp::start(folder);
    let shown = app.items("/api/v1/tournaments").remove(0);
    let of = format!(
        "/api/v1/matches?tournament={}",
        shown["id"].as_str().unwrap()
    );
    let is_public = !app.items(&of)[0]["setup"].is_null();
    app.stop();
    (shown[key].clone(), is_public)
}

#[test]
fn a_run_commits_itself_and_reveals_its_secret_and_decks_at_its_end_alone() {
    let folder = folder();
    let file = CUP.replace("seed = 5\n", "");
    // Long enough to be killed before its end.
    let file = file.replace("rounds = 8", "rounds = 16");
    fs::write(folder.path().join("cup.toml"), file).unwrap();
    let database = ["--store", "drover.db"];
    let cup = |verb: &str| {
        tournament(
            folder.path(),
            verb,
            &[&["cup.toml"][..], &database].concat(),
        )
    };
    let standings = || {
        text(
            &tournament(folder.path(), "standings", &database)
                .output()
                .unwrap()
                .stdout,
        )
    };
    let line = |message: &str, what: &str| {
        let line = message.lines().find_map(|line| line.strip_prefix(what));
        line.map(str::to_owned)
    };
    let mut run = cup("run");
    let mut run = run
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let has_played = || {
        let lines = [&["--output", "lines"][..], &database].concat();
        let lines = tournament(folder.path(), "export", &lines)
            .output()
            .unwrap();
        lines.status.success() && !lines.stdout.is_empty()
    };
    until(|| has_played() || run.try_wait().unwrap().is_some());
    run.kill().unwrap();
    run.wait().unwrap();
    let before = standings();
    let commitment = line(&before, "commitment: ").unwrap();
    assert_eq!(line(&before, "secret: "), None, "it was over too soon");
    assert_eq!(revealed(folder.path(), "secret"), (Value::Null, false));
    let shown = revealed(folder.path(), "commitment").0;
    assert_eq!(shown, commitment.as_str());
    let ended = ok(cup("resume").output().unwrap());
    assert_eq!(line(&ended, "commitment: ").unwrap(), commitment);
    let secret = line(&ended, "secret: ").unwrap();
    assert_eq!(secret.len(), 32);
    assert_eq!(
        revealed(folder.path(), "secret"),
        (secret.as_str().into(), true)
    );
    // As the guide has it checked.
    let list = ok(tournament(folder.path(), "list", &database)
        .output()
        .unwrap());
    let id = list
        .lines()
        .nth(1)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap();
    let check = format!("printf '%s %s' {id} {secret} | sha256sum");
    let checked = Command::new("sh").args(["-c", &check]).output().unwrap();
    assert!(text(&checked.stdout).starts_with(&commitment));
}

#[test]
fn a_seed_that_is_found_by_trying_is_warned_of() {
    let warned = |seed: u64| {
        let folder = folder();
        let file = CUP.replace("seed = 5\n", &format!("seed = {seed}\n"));
        fs::write(folder.path().join("cup.toml"), file).unwrap();
        let run = tournament(folder.path(), "run", &["cup.toml"])
            .output()
            .unwrap();
        assert!(run.status.success(), "{}", text(&run.stderr));
        text(&run.stderr).contains(&format!("seed = {seed} is found by trying"))
    };
    assert!(warned((1 << 40) - 1));
    assert!(!warned(1 << 40));
}
