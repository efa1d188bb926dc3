//! Nothing that was acknowledged is lost, however often the daemon is killed.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::process::Command;

/// What a bench printed that ended well and left nothing behind.
fn bench(words: &[&str], folder: &Path) -> String {
    let bench = Command::new(env!("CARGO_BIN_EXE_bench"))
        .args(words)
        .arg("--folder")
        .arg(folder)
        .output()
        .unwrap();
    let out = String::from_utf8_lossy(&bench.stdout).into_owned();
    let err = String::from_utf8_lossy(&bench.stderr);
    assert!(bench.status.success(), "{out}\n{err}");
    let left: Vec<_> = folder.read_dir().unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    out
}

fn figure(out: &str, name: &str) -> u64 {
    let line = out.lines().find(|line| line.starts_with(name)).unwrap();
    line.split_whitespace().last().unwrap().parse().unwrap()
}

#[test]
fn matches_survive_kill_9_again_and_again() {
    let folder = tempfile::tempdir().unwrap();
    let words = "crash --kills 10 --matches 6 --life-ms-max 800 --bots tuned,face,guide,evolved";
    let words: Vec<&str> = words.split(' ').collect();
    let out = bench(&words, folder.path());
    assert_eq!(figure(&out, "kills"), 10);
    assert!(figure(&out, "matches finished") >= 6, "{out}");
    assert!(figure(&out, "callbacks acknowledged") > 1_000, "{out}");
    for none in [
        "matches not finished",
        "callbacks unanswered",
        "acknowledged but missing",
        "differences in db verify",
    ] {
        assert_eq!(figure(&out, none), 0, "{out}");
    }
}

#[test]
fn no_game_over_shims_is_lost_to_kill_9() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["shim-crash", "--games", "8", "--concurrency", "2"];
    let out = bench(&words, folder.path());
    assert!(figure(&out, "kills") >= 1, "{out}");
    assert!(figure(&out, "given by a shim alone") >= 1, "{out}");
    let games = (figure(&out, "forfeits"), figure(&out, "sessions stored"));
    assert_eq!(games, (0, 32), "{out}");
}

#[test]
fn matches_of_built_in_bots_go_on_after_kill_9() {
    let folder = tempfile::tempdir().unwrap();
    let words = [
        "resume",
        "--kills",
        "5",
        "--life-ms-max",
        "400",
        "--budget-ms",
        "2",
    ];
    let out = bench(&words, folder.path());
    assert_eq!(figure(&out, "matches ended by the rules"), 10, "{out}");
    assert!(figure(&out, "of them, killed in between") >= 1, "{out}");
    assert_eq!(figure(&out, "differences in db verify"), 0, "{out}");
}
