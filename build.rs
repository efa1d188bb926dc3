//! Names the commit that is built, for `drover --version`: as the variable DROVER_COMMIT says, else as the package or
//! the archive that the source came in, else the checkout. Only in release builds: others are built from changed files.

use std::env;
use std::fs;
use std::process::Command;

/// How many digits of a commit are shown.
const DIGITS: usize = 9;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=DROVER_COMMIT");
    let version = env::var("CARGO_PKG_VERSION").expect("cargo sets it");
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let commit = stated().or_else(packaged).or_else(archived);
    let commit = commit.or_else(|| is_release.then(checked_out).flatten());
    match commit {
        Some(commit) => println!("cargo::rustc-env=DROVER_VERSION={version} ({commit})"),
        None => println!("cargo::rustc-env=DROVER_VERSION={version}"),
    }
}

fn stated() -> Option<String> {
    env::var("DROVER_COMMIT")
        .ok()
        .filter(|commit| !commit.is_empty())
}

/// What `cargo package` writes.
fn packaged() -> Option<String> {
    let text = fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = text.split_once("\"sha1\": \"")?;
    rest.get(..DIGITS).map(str::to_owned)
}

/// What `git archive` writes.
fn archived() -> Option<String> {
    let text = fs::read_to_string("deploy/commit.txt").ok()?;
    let text = text.trim();
    (!text.starts_with('$')).then(|| text.to_owned())
}

fn checked_out() -> Option<String> {
    // A checkout of something else may be around an unpacked archive.
    let root = fs::canonicalize(git(&["rev-parse", "--show-toplevel"])?).ok()?;
    if root != fs::canonicalize(".").ok()? {
        return None;
    }
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    if fs::exists(&log).unwrap_or(false) {
        println!("cargo::rerun-if-changed={log}");
    }
    git(&[
        "log",
        "-1",
        &format!("--abbrev={DIGITS}"),
        "--format=%h %cs",
    ])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
