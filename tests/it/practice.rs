//! `drover practice`: a user's bot against the ladder.

use crate::app::{drover, folder, ok, refused, run_on, text, until, verified, wait};
use crate::bots::{bot, is_there};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Command, Output, Stdio};

const DECIDES: &str = "            act = bot.decide(";

/// Writes the Python starter of a game under this name, with this line before it decides.
fn written(folder: &Path, (name, game): (&str, &str), before: &str) {
    ok(bot(folder, &["new", name, "--game", game]));
    let program = folder.join(name).join("drover_bot.py");
    let code = fs::read_to_string(&program).unwrap();
    assert!(code.contains(DECIDES));
    fs::write(
        program,
        code.replace(DECIDES, &format!("{before}{DECIDES}")),
    )
    .unwrap();
}

fn practise(folder: &Path, game: &str, arguments: &[&str]) -> Output {
    let mut command = drover();
    command
        .current_dir(folder)
        .args(["practice", game, "--budget", "100n"]);
    command.args(arguments).output().unwrap()
}

#[test]
fn a_starter_practises_and_every_match_has_a_line_and_a_page() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    written(folder.path(), ("mine", "planowanie"), "");
    let said = ok(practise(
        folder.path(),
        "planowanie",
        &["--bot", "mine", "--games", "5", "--url", "http://here:1/"],
    ));
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 8, "{said}");
    // The middle rung first, and another seat each time.
    assert!(lines[0].starts_with("  1  rung 4 mcbid-200 "), "{said}");
    assert!(
        lines[0].contains("seat 1 of 2") && lines[1].contains("seat 2 of 2"),
        "{said}"
    );
    assert!(lines[5].starts_with("bot:mine@1: "), "{said}");
    assert!(
        lines[5].contains(" lost of 5 matches of planowanie; its fallback champion took "),
        "{said}"
    );
    assert!(
        lines[6].starts_with("of 7 rungs it holds ") && lines[6].contains("95 %"),
        "{said}"
    );
    assert_eq!(
        lines[7], "all is in practice.db; its pages: http://here:1/matches",
        "{said}"
    );
    // What is stored is what was shown.
    let store = folder.path().join("practice.db");
    let listed = ok(run_on(&store, &["match", "list", "--output", "json"]));
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let mut ids: Vec<&str> = listed["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["id"].as_str().unwrap())
        .collect();
    ids.reverse();
    let page = |id: &str| format!("http://here:1/matches/{id}");
    assert_eq!(ids.len(), 5);
    for (id, line) in ids.iter().zip(&lines) {
        assert!(line.ends_with(&page(id)), "{line} {id}");
    }
    assert!(verified(&store).contains("in order"));
}

#[test]
fn a_practice_that_a_signal_stops_ends_with_130_and_what_was_played() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    written(folder.path(), ("mine", "planowanie"), "");
    let mut command = drover();
    command.args([
        "practice",
        "planowanie",
        "--budget",
        "100n",
        "--bot",
        "mine",
    ]);
    command
        .args(["--games", "10000"])
        .current_dir(folder.path());
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut run = command.spawn().unwrap();
    let mut lines = BufReader::new(run.stdout.take().unwrap());
    let mut said = String::new();
    lines.read_line(&mut said).unwrap();
    kill(Pid::from_raw(run.id() as i32), Signal::SIGTERM).unwrap();
    lines.read_to_string(&mut said).unwrap();
    assert_eq!(wait(run).code(), Some(130), "{said}");
    assert!(said.contains("\nall is in practice.db; "), "{said}");
}

#[test]
fn on_every_wire_the_rung_has_all_other_seats() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    for (game, rungs, seats, options) in [
        ("koehandel", 9, 4, &[][..]),
        ("smartdog", 6, 2, &[]),
        (
            "lighthouses",
            7,
            3,
            &["--players", "3", "--option", "rounds=30"],
        ),
    ] {
        written(folder.path(), (game, game), "");
        ok(bot(folder.path(), &["add", game]));
        let named = format!("bot:{game}");
        let arguments = ["--bot", &named, "--games", "2", "--output", "json"];
        let said = ok(practise(
            folder.path(),
            game,
            &[&arguments, options].concat(),
        ));
        let whole: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(
            (&whole["bot"], &whole["rungs"]),
            (&format!("bot:{game}@1").into(), &rungs.into())
        );
        let matches = whole["matches"].as_array().unwrap();
        assert_eq!(matches.len(), 2, "{whole:#}");
        for (number, row) in matches.iter().enumerate() {
            assert_eq!(row["seat"], number, "{whole:#}");
            assert!(row["taken"].as_u64().unwrap() > 0, "{whole:#}");
            // Nobody said that a daemon serves it.
            assert_eq!(row["page"], Value::Null, "{whole:#}");
            let id = row["match_id"].as_str().unwrap();
            let show = ["match", "show", id, "--output", "json"];
            let shown = ok(run_on(&folder.path().join("practice.db"), &show));
            let shown: Value = serde_json::from_str(&shown).unwrap();
            let specs: Vec<&str> = shown["match"]["seats"]
                .as_array()
                .unwrap()
                .iter()
                .map(|seat| seat["spec"].as_str().unwrap())
                .collect();
            let mut expected = vec![format!("builtin:{}", row["rival"].as_str().unwrap()); seats];
            expected[number] = format!("bot:{game}@1");
            assert_eq!(specs, expected);
        }
        let all = ["won", "drawn", "lost"].map(|what| whole[what].as_u64().unwrap());
        let counting = matches.iter().filter(|row| row["counts"] == true).count();
        assert_eq!(all.iter().sum::<u64>(), counting as u64, "{whole:#}");
    }
}

#[test]
fn a_bot_that_fails_is_reported_in_words_with_its_standard_error() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    let crash = "            print('no idea \\x1b[2J', file=sys.stderr); sys.exit(3)\n";
    written(folder.path(), ("crashing", "planetwars"), crash);
    let output = practise(folder.path(), "planetwars", &["--bot", "crashing"]);
    let said = text(&output.stdout);
    let printed = refused(output, 1);
    assert!(
        printed.contains("bot:crashing@1 took none of its "),
        "{printed}"
    );
    assert!(
        printed.contains(" times: it ended, or closed its output"),
        "{printed}"
    );
    assert!(
        printed.contains("its standard error ended:\n    no idea \u{fffd}[2J"),
        "{printed}"
    );
    // It ends with the first match, which does not count, and has a page none the less.
    assert_eq!(said.lines().count(), 5, "{said}");
    let page = said.lines().nth(3).unwrap();
    let page = page.strip_prefix("the last match as a page: ").unwrap();
    let drover = format!("'{}'", env!("CARGO_BIN_EXE_drover"));
    let page = format!(" {page}").replace(" drover ", &format!(" {drover} "));
    let mut shell = std::process::Command::new("sh");
    ok(shell
        .args(["-c", &page])
        .current_dir(folder.path())
        .output()
        .unwrap());
    let html = page.split(' ').next_back().unwrap();
    let html = fs::read_to_string(folder.path().join(html)).unwrap();
    assert!(html.contains("<title>planetwars: "), "{html:.2000}");
    let serves = "; its pages are at http://127.0.0.1:";
    assert!(said.lines().nth(4).unwrap().contains(serves), "{said}");
    assert!(
        said.contains("  (won)") || said.contains("  (lost)") || said.contains("  (drawn)"),
        "{said}"
    );
    assert!(said.contains("no match counts"), "{said}");

    // Two of three decisions are not legal: its fallback has more of the match than it has.
    let wrong = "            if message['number'] % 3:\n                say({'type': 'act', 'number': message['number'], 'act': {}})\n                continue\n";
    written(folder.path(), ("wrong", "planetwars"), wrong);
    let output = practise(
        folder.path(),
        "planetwars",
        &["--bot", "wrong", "--games", "1", "--option", "rounds=60"],
    );
    let printed = text(&output.stderr);
    let said = ok(output);
    assert!(printed.contains("match 1: champion took "), "{printed}");
    assert!(
        printed.contains(" of its answers were refused; so it does not count"),
        "{printed}"
    );
    assert!(
        printed.contains("its standard error ended:\n    refused: "),
        "{printed}"
    );
    assert!(
        said.contains(" of 0 matches of planetwars (1 more does not count)"),
        "{said}"
    );
}

#[test]
fn what_cannot_be_practised_is_refused() {
    let folder = folder();
    ok(bot(folder.path(), &["new", "mine", "--game", "planowanie"]));
    for (game, arguments, expected) in [
        (
            "koehandel",
            &["--bot", "mine"][..],
            "--bot mine: it does not play koehandel; its games are: planowanie",
        ),
        (
            "planowanie",
            &["--bot", "none"],
            "--bot none: none/bot.toml cannot be read",
        ),
        (
            "planowanie",
            &["--bot", "bot:none"],
            "--bot bot:none: there is no bot none",
        ),
        ("planowanie", &["--bot", "bot:"], "\"\" cannot name a bot"),
        (
            "planowanie",
            &["--bot", "mine", "--players", "7"],
            "--players 7, but a match of planowanie to practise in has 2 to 4 seats",
        ),
        (
            "lighthouses",
            &["--bot", "mine", "--players", "1"],
            "to practise in has 2 to 16 seats",
        ),
        ("chess", &["--bot", "mine"], "there is no game \"chess\""),
    ] {
        let error = refused(practise(folder.path(), game, arguments), 2);
        assert!(error.contains(expected), "{error}");
        assert!(!folder.path().join("practice.db").exists());
    }
}

/// A bot that speaks the arbiter's dialect of Lighthouses, with this for a turn's answer.
fn native(folder: &Path, name: &str, turn: &str) {
    let place = folder.join(name);
    fs::create_dir(&place).unwrap();
    let manifest = format!(
        "name = \"{name}\"\nversion = \"1\"\ngames = [\"lighthouses\"]\nprotocol = \"native\"\nrun = [\"python3\", \"bot.py\"]\n"
    );
    fs::write(place.join("bot.toml"), manifest).unwrap();
    let code = format!(
        "import json, sys\nfor line in sys.stdin:\n    message = json.loads(line)\n    if 'player_num' in message:\n        print(json.dumps({{'name': 'old'}}), flush=True)\n    elif 'position' in message:\n        {turn}\n"
    );
    fs::write(place.join("bot.py"), code).unwrap();
}

#[test]
fn a_bot_with_its_games_own_protocol_plays_at_our_tables() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    native(
        folder.path(),
        "old",
        "print(json.dumps({'command': 'pass'}), flush=True)",
    );
    ok(bot(folder.path(), &["add", "old"]));
    let short = ["--option", "rounds=20", "--games", "2"];
    let said = ok(practise(
        folder.path(),
        "lighthouses",
        &[&["--bot", "bot:old"][..], &short].concat(),
    ));
    assert!(
        said.contains("lost of 2 matches of lighthouses\n"),
        "{said}"
    );
    // What it said itself, not a fallback.
    let store = folder.path().join("practice.db");
    let listed = ok(run_on(&store, &["match", "list", "--output", "json"]));
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let first = &listed["items"][1];
    assert_eq!(first["seats"][0]["spec"], "bot:old@1", "{first:#}");
    let replay = ok(run_on(
        &store,
        &["match", "replay", first["id"].as_str().unwrap()],
    ));
    assert!(
        replay.contains("{\"name\": \"old\"}") && replay.contains("{\"command\": \"pass\"}"),
        "{replay}"
    );
    assert!(verified(&store).contains("in order"));

    native(folder.path(), "bad", "sys.exit('no idea')");
    let output = practise(
        folder.path(),
        "lighthouses",
        &[&["--bot", "bad"][..], &short].concat(),
    );
    // One that takes no decision is not rated.
    let refusal = refused(output, 1);
    assert!(refusal.contains("it failed once: "), "{refusal}");
    assert!(
        refusal.contains("its standard error ended:\n    no idea"),
        "{refusal}"
    );
}

/// Whether a process goes on, as the file that its number was written to says.
fn goes_on(process: &Path) -> bool {
    let number = fs::read_to_string(process).unwrap();
    let stat = fs::read_to_string(format!("/proc/{}/stat", number.trim()));
    stat.is_ok_and(|stat| !stat.contains(" Z "))
}

#[test]
fn whatever_ends_a_verb_that_builds_ends_the_build_with_what_has_left_its_group() {
    let folder = folder();
    let place = folder.path().join("slow");
    fs::create_dir(&place).unwrap();
    // A child in its group, and one that has left it.
    let script = format!(
        "sleep 974 & echo $! >'{0}/child'; setsid sleep 973 & echo $! >'{0}/left'; mv '{0}/left' '{0}/gone'; wait",
        folder.path().display()
    );
    let manifest = format!(
        "name = \"slow\"\nversion = \"1\"\ngames = [\"planowanie\"]\nrun = [\"sh\"]\nbuild = [\"sh\", \"-c\", {script:?}]\n"
    );
    fs::write(place.join("bot.toml"), manifest).unwrap();
    let practice = &["practice", "planowanie", "--bot", "slow"][..];
    let (add, check) = (&["bot", "add", "slow"][..], &["bot", "check", "slow"][..]);
    for (verb, signal) in [
        (practice, Signal::SIGINT),
        (practice, Signal::SIGKILL),
        (add, Signal::SIGINT),
        (check, Signal::SIGTERM),
    ] {
        let scratch = tempfile::tempdir().unwrap();
        // A shell that runs tests in the background has them ignore SIGINT, which is inherited.
        let (own, mut command) = (drover(), Command::new("env"));
        for (name, _) in own.get_envs() {
            command.env_remove(name);
        }
        command.arg("--default-signal=INT").arg(own.get_program());
        command.args(verb).stdin(Stdio::null());
        command.current_dir(folder.path());
        command.env("TMPDIR", scratch.path()).stderr(Stdio::null());
        let child = command.spawn().unwrap();
        let [inside, outside] = ["child", "gone"].map(|name| folder.path().join(name));
        until(|| inside.exists() && outside.exists());
        assert!(goes_on(&inside) && goes_on(&outside), "{verb:?}");
        kill(Pid::from_raw(child.id() as i32), signal).unwrap();
        assert!(!wait(child).success());
        until(|| !goes_on(&inside) && !goes_on(&outside));
        if verb == check || (verb == practice && signal == Signal::SIGINT) {
            let left = fs::read_dir(scratch.path()).unwrap().count();
            assert_eq!(left, 0, "{verb:?} leaves a folder behind");
        }
        fs::remove_file(inside).unwrap();
        fs::remove_file(outside).unwrap();
    }
    assert!(!folder.path().join("practice.db").exists());
}
