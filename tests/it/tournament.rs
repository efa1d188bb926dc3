//! Tournaments: the same results however they were interrupted, and mistakes reported before the first match.

mod earned;
mod entrants;
mod formats;
mod secret;
mod watched;
mod workers;

use crate::app::{TestApp, drover, folder, ok, refused, run, text, until};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const CUP: &str = include_str!("cup.toml");

fn tournament(folder: &Path, verb: &str, more: &[&str]) -> Command {
    let mut command = drover();
    command.current_dir(folder).args(["tournament", verb]);
    command.args(more);
    command
}

/// What two runs of a file have in common: the matches and the rounds.
fn files_of(folder: &Path) -> (String, String) {
    let lines = ["--output", "lines"];
    let lines = ok(tournament(folder, "export", &lines).output().unwrap());
    let rounds = ok(tournament(folder, "schedule", &[]).output().unwrap());
    (lines, rounds)
}

fn started(folder: &Path, verb: &str) -> Child {
    let mut command = tournament(folder, verb, &["cup.toml"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// The newest tournament's line of the list, if one has begun.
fn listed(folder: &Path) -> Option<String> {
    let list = tournament(folder, "list", &[]).output().unwrap();
    text(&list.stdout).lines().nth(1).map(str::to_owned)
}

/// Whether a match of the newest tournament has ended.
fn has_played(folder: &Path) -> bool {
    let lines = ["--output", "lines"];
    let lines = tournament(folder, "export", &lines).output().unwrap();
    lines.status.success() && !lines.stdout.is_empty()
}

/// Begins the tournament and kills it after a match.
fn run_and_kill(folder: &Path) {
    let mut run = started(folder, "run");
    until(|| has_played(folder) || run.try_wait().unwrap().is_some());
    run.kill().unwrap();
    run.wait().unwrap();
}

/// Runs the tournament to its end, killed ever later and resumed.
fn run_with_kills(folder: &Path) {
    let (mut kills, mut resumed) = (0, 0);
    let mut run = started(folder, "run");
    loop {
        let begun = Instant::now();
        let ended = loop {
            if let Some(status) = run.try_wait().unwrap() {
                break Some(status);
            }
            if begun.elapsed() > Duration::from_millis(200 * (1 + kills)) {
                break None;
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        match ended {
            Some(status) => {
                assert!(status.success(), "{status}");
                break;
            }
            None => {
                kills += 1;
                assert!(kills < 60, "it never comes to its end");
                run.kill().unwrap();
                run.wait().unwrap();
            }
        }
        // It may have been killed before it began.
        let list = tournament(folder, "list", &[]).output().unwrap();
        let has_begun = text(&list.stdout).lines().count() > 1;
        resumed += usize::from(has_begun);
        run = started(folder, if has_begun { "resume" } else { "run" });
    }
    assert!(resumed > 0, "{kills} kills");
}

#[test]
fn a_tournament_that_is_killed_and_resumed_has_the_results_of_one_that_is_not() {
    let (whole, broken) = (folder(), folder());
    for folder in [&whole, &broken] {
        fs::write(folder.path().join("cup.toml"), CUP).unwrap();
    }
    let alone = ["cup.toml", "--concurrency", "1"];
    let said = ok(tournament(whole.path(), "run", &alone).output().unwrap());
    assert!(said.contains("over: all rounds are played"), "{said}");
    let expected = files_of(whole.path());
    // Five entrants and one of the house: two tables of three a round, all rotations.
    assert_eq!(expected.0.lines().count(), 8 * 2 * 3);

    run_with_kills(broken.path());
    assert_eq!(files_of(broken.path()), expected);
    let database = broken.path().join("tournament.db");
    assert!(crate::app::verified(&database).contains("in order"));
    let again = ok(tournament(broken.path(), "resume", &["cup.toml"])
        .output()
        .unwrap());
    assert_eq!(again, "", "nothing is left to play");
    let elsewhere = ["cup.toml", "--store", "other.db"];
    let said = refused(
        tournament(broken.path(), "resume", &elsewhere)
            .output()
            .unwrap(),
        2,
    );
    assert!(said.contains("there is nothing to resume"), "{said}");
    let changed = CUP.replace("40n", "41n");
    fs::write(broken.path().join("cup.toml"), changed).unwrap();
    let said = refused(
        tournament(broken.path(), "resume", &["cup.toml"])
            .output()
            .unwrap(),
        1,
    );
    assert!(said.contains("was begun with another budget"), "{said}");
}

const LEARNERS: &str = r#"
name = "Learners"
games = ["koehandel"]
seed = 3
budget = "30n"
models = "learn"
[schedule]
format = "round-robin"
laps = 2
[[entrant]]
name = "A"
player = "builtin:champion"
[[entrant]]
name = "B"
player = "builtin:champion"
[[entrant]]
name = "C"
player = "builtin:face"
[[entrant]]
name = "D"
player = "builtin:guide"
"#;

/// The matches of a run of this file, a line each.
fn played(file: &str, run: impl FnOnce(&Path)) -> Vec<String> {
    let folder = folder();
    fs::write(folder.path().join("cup.toml"), file).unwrap();
    run(folder.path());
    files_of(folder.path())
        .0
        .lines()
        .map(str::to_owned)
        .collect()
}

#[test]
fn bots_that_learn_come_to_know_the_same_however_a_tournament_is_played() {
    let at_once = |count: &'static str| {
        move |folder: &Path| {
            let more = ["cup.toml", "--concurrency", count];
            ok(tournament(folder, "run", &more).output().unwrap());
        }
    };
    let learnt = played(LEARNERS, at_once("1"));
    assert_eq!(learnt.len(), 2 * 4);
    assert_eq!(played(LEARNERS, at_once("4")), learnt);
    assert_eq!(played(LEARNERS, run_with_kills), learnt);
    let frozen = LEARNERS.replace("learn", "frozen");
    let frozen = played(&frozen, at_once("4"));
    // Nothing is learnt within the first round, and later it decides otherwise.
    assert_eq!(frozen[..4], learnt[..4]);
    assert_ne!(frozen, learnt);
}

#[test]
fn bots_do_not_learn_from_what_is_not_stored() {
    let folder = folder();
    fs::write(folder.path().join("cup.toml"), LEARNERS).unwrap();
    let results = ["cup.toml", "--keep", "results"];
    let said = refused(
        tournament(folder.path(), "run", &results).output().unwrap(),
        2,
    );
    assert!(
        said.contains("models: bots can \"learn\" only from what was said"),
        "{said}"
    );
}

#[test]
fn a_finished_tournament_is_run_again_only_if_that_is_wanted() {
    let folder = folder();
    let cup = CUP.replace("rounds = 8", "rounds = 1");
    fs::write(folder.path().join("cup.toml"), &cup).unwrap();
    let run = |more: &[&str]| {
        let line = [&["cup.toml", "--keep", "results"], more].concat();
        tournament(folder.path(), "run", &line).output().unwrap()
    };
    let list = || {
        let mut list = tournament(folder.path(), "list", &[]);
        ok(list.env("COLUMNS", "80").output().unwrap())
    };
    ok(run(&[]));
    let once = list();
    let (_, line) = once.split_once('\n').unwrap();
    let id = line.split(' ').next().unwrap();
    let said = refused(run(&[]), 2);
    let expected = format!(
        "planowanie: it is finished: drover tournament standings {id}; --again plays it once more"
    );
    assert!(said.contains(&expected), "{said}");
    assert_eq!(list(), once, "nothing was begun");
    // Another file is another tournament.
    let other = cup.replacen("seed = 5", "seed = 6", 1);
    fs::write(folder.path().join("cup.toml"), other).unwrap();
    ok(run(&[]));
    ok(run(&["--again"]));
    let all = list();
    assert_eq!(all.matches("finished").count(), 3, "{all}");
    let wide = all.lines().map(|line| line.chars().count()).max();
    assert!(wide <= Some(80), "{all}");
}

#[test]
fn a_resumed_run_has_the_same_programs_in_the_same_folders() {
    let folder = folder();
    let cup = CUP
        .replacen(
            "player = \"builtin:rules\"",
            "run = [\"cat\"]\nfolder = \"bots\"\nenv = { KEY = \"1\" }",
            1,
        )
        .replace("rounds = 8", "rounds = 1")
        + "\n[game.planowanie]\noptions = { time_ms = 200 }\n";
    let (file, moved) = (folder.path().join("cup.toml"), folder.path().join("moved"));
    for bots in ["bots", "moved/bots"] {
        fs::create_dir_all(folder.path().join(bots)).unwrap();
    }
    fs::write(&file, &cup).unwrap();
    ok(tournament(folder.path(), "run", &["cup.toml"])
        .output()
        .unwrap());
    let resumed = || {
        tournament(folder.path(), "resume", &["cup.toml"])
            .output()
            .unwrap()
    };
    assert_eq!(ok(resumed()), "");
    for (from, to, what) in [
        ("folder = \"bots\"", "folder = \".\"", "folder"),
        ("KEY = \"1\"", "KEY = \"2\"", "env"),
        ("env =", "memory_mib = 99\nenv =", "memory_mib"),
        ("env =", "cpu_seconds = 9\nenv =", "cpu_seconds"),
        ("[\"cat\"]", "[\"cat\", \"-u\"]", "run"),
    ] {
        fs::write(&file, cup.replacen(from, to, 1)).unwrap();
        let said = refused(resumed(), 1);
        let what = format!("was begun with another {what} of entrant \"A\"");
        assert!(said.contains(&what), "{said}");
    }
    // The same file elsewhere runs other programs.
    fs::write(moved.join("cup.toml"), &cup).unwrap();
    let elsewhere = ["moved/cup.toml"];
    let said = tournament(folder.path(), "resume", &elsewhere)
        .output()
        .unwrap();
    let said = refused(said, 1);
    assert!(
        said.contains("was begun with another folder of entrant \"A\""),
        "{said}"
    );
}

#[test]
fn a_signal_stops_a_tournament_after_storing_what_has_ended() {
    let folder = folder();
    let long = CUP.replace("rounds = 8", "rounds = 5000");
    fs::write(folder.path().join("cup.toml"), long).unwrap();
    let mut command = tournament(folder.path(), "run", &["cup.toml", "--keep", "results"]);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let run = command.spawn().unwrap();
    until(|| has_played(folder.path()));
    kill(Pid::from_raw(run.id() as i32), Signal::SIGTERM).unwrap();
    let output = run.wait_with_output().unwrap();
    let said = text(&output.stdout);
    assert!(
        output.status.code() == Some(130) && said.contains("tournament resume cup.toml"),
        "{said}"
    );
    let again = refused(command.stderr(Stdio::piped()).output().unwrap(), 2);
    assert!(again.contains("resume cup.toml goes on with it; --again"));
    let export = tournament(folder.path(), "export", &[]).output().unwrap();
    let standings: Value = serde_json::from_str(&ok(export)).unwrap();
    let (lines, _) = files_of(folder.path());
    assert!(lines.lines().count() > 0);
    assert_eq!(standings["games"], lines.lines().count());
    assert!(
        said.contains(&format!("{} matches, tournament", lines.lines().count())),
        "{said}"
    );
}

#[test]
fn what_is_exported_is_rated_alike() {
    rated_as_exported(CUP);
    // Mates of mixed teams have no results against each other.
    let teams = CUP
        .replace("planowanie", "planetwars")
        .replace("seats = 3", "seats = 4\nrotate = false")
        + "\n[game.planetwars]\noptions = { teams = [2, 2], rounds = 20 }\n";
    // One who only fills up would have no seat.
    let teams = teams.replace("house = true", "house = false");
    let bots = [("rules", "surplus"), ("greedy", "bully")];
    let teams = bots.iter().fold(teams, |cup, (from, to)| {
        cup.replace(&format!("builtin:{from}"), &format!("builtin:{to}"))
    });
    rated_as_exported(&teams);
}

/// Plays a tournament, and rates what is exported of it.
fn rated_as_exported(cup: &str) {
    let folder = folder();
    fs::write(folder.path().join("cup.toml"), cup).unwrap();
    ok(tournament(folder.path(), "run", &["cup.toml"])
        .output()
        .unwrap());
    let (lines, _) = files_of(folder.path());
    let file = folder.path().join("cup.jsonl");
    fs::write(&file, lines).unwrap();
    let rated = run(&["rate", file.to_str().unwrap(), "--output", "json"]);
    let rated: Value = serde_json::from_str(&ok(rated)).unwrap();
    let export = tournament(folder.path(), "export", &[]).output().unwrap();
    let standings: Value = serde_json::from_str(&ok(export)).unwrap();
    let mut compared = 0;
    for entrant in standings["entrants"].as_array().unwrap() {
        let rating = &entrant["rating"];
        let players = rated["players"].as_array().unwrap();
        let same = players
            .iter()
            .find(|player| player["name"] == entrant["name"])
            .unwrap();
        let apart = rating["elo"].as_f64().unwrap() - same["elo"].as_f64().unwrap();
        assert!(apart.abs() < 1e-6, "{entrant} {same}");
        compared += 1;
    }
    assert_eq!(compared, 6);
}

#[test]
fn mistakes_in_a_file_are_reported_before_the_first_match() {
    let folder = folder();
    let file = folder.path().join("cup.toml");
    for (from, to, files_of) in [
        (
            "name = \"B\"",
            "name = \"A\"",
            "entrant \"A\": it is there twice",
        ),
        (
            "builtin:greedy",
            "builtin:greddy",
            "no built-in bot \"greddy\"",
        ),
        ("\"planowanie\"", "\"whist\"", "there is no game \"whist\""),
        ("rounds = 8", "rounds = 0", "rounds is 0"),
        (
            "seats = 3\n\n[schedule]\nformat = \"groups\"\nrounds = 8",
            "seats = 3\ndecks = 10000\n\n[schedule]\nformat = \"groups\"\nrounds = 80",
            "are 4800000 matches; a tournament has at most 1000000",
        ),
        ("seats = 3", "seats = 40", "fill no table of 40"),
        (
            "seed = 5",
            "sed = 5",
            "there is no key `sed`; did you mean `seed`?",
        ),
        (
            "player = \"builtin:random\"",
            "run = [\"./nothing-here\"]",
            "./nothing-here",
        ),
        (
            "player = \"builtin:random\"",
            "player = \"remote\"",
            "a token is for player = \"remote\"",
        ),
        ("budget = \"40n\"", "budget = \"soon\"", "budget"),
        (
            "seed = 5",
            "concurrency = 1001",
            "concurrency: 1001 is more than 1000",
        ),
        (
            "seed = 5",
            "until = \"A > Z at 95 %\"",
            "until: there is no entrant \"Z\"",
        ),
        (
            "name = \"B\"",
            "name = \"B\"\ngames = []",
            "entrant \"B\": it plays none of the games",
        ),
        (
            "house = true",
            "house = true\n[game.planowanie]\noptions = { deals = 6 }",
            "game.planowanie.options: ",
        ),
        (
            "player = \"builtin:random\"",
            "run = [\"sh\", \"nothing-here\"]",
            "its program cannot play: exit status",
        ),
        (
            "seed = 5",
            "within = \"2h\"",
            "within: \"2h\" is no time from 1s to 1h, such as 30s",
        ),
    ] {
        let wrong = CUP.replacen(from, to, 1);
        assert_ne!(wrong, CUP, "{from}");
        fs::write(&file, wrong).unwrap();
        let said = refused(
            tournament(folder.path(), "run", &["cup.toml"])
                .output()
                .unwrap(),
            2,
        );
        assert!(
            said.contains(files_of) && said.contains("cup.toml"),
            "{from}: {said}"
        );
        assert!(!folder.path().join("tournament.db").exists(), "{from}");
    }
}

#[test]
fn the_daemon_shows_what_is_stored() {
    let folder = folder();
    fs::write(folder.path().join("cup.toml"), CUP).unwrap();
    let run = ["cup.toml", "--store", "drover.db"];
    ok(tournament(folder.path(), "run", &run).output().unwrap());
    let export = tournament(folder.path(), "export", &run[1..]).output();
    let mut exported: Value = serde_json::from_str(&ok(export.unwrap())).unwrap();
    // The file holds the matches, too.
    let parts = exported.as_object_mut().unwrap();
    let matches = parts.remove("matches").unwrap();
    assert_eq!(matches.as_array().unwrap().len(), 48);
    let exported_row = parts.remove("tournament").unwrap();

    let app = TestApp::start(folder.path());
    let all = app.items("/api/v1/tournaments");
    assert_eq!(all.len(), 1);
    let id = all[0]["id"].as_str().unwrap();
    assert_eq!(
        (&all[0]["name"], &all[0]["rounds"], &all[0]["matches"]),
        (&"Cup".into(), &8.into(), &48.into())
    );
    assert_eq!(all[0]["why"], "all rounds are played");
    assert_eq!(app.items("/api/v1/tournaments?game=koehandel").len(), 0);
    let get = |what: &str| app.get(&format!("/api/v1/tournaments/{id}{what}")).json();
    assert_eq!(get(""), all[0]);
    for known in ["commitment", "secret"] {
        assert!(all[0][known].is_string() && exported_row[known] == all[0][known]);
    }
    assert_eq!(get("/standings"), exported);
    let crosstable = get("/crosstable");
    assert_eq!(crosstable["items"].as_array().unwrap().len(), 6);
    let opponents = &exported["entrants"][0]["opponents"];
    assert_eq!(&crosstable["items"][0]["opponents"], opponents);
    let page = app.get(&format!("/tournaments/{id}")).body;
    let count = |part: &str| page.matches(part).count();
    assert_eq!(count("<th scope=\"col\"><svg"), 6, "{page}");
    assert_eq!(count("</svg><a href=\"/matches?tourn"), 12, "{page}");
    let ratings = get("/ratings");
    assert_eq!(ratings["players"][0], exported["entrants"][0]["rating"]);
    let schedule = get("/schedule");
    let rounds = schedule["items"].as_array().unwrap();
    assert_eq!((rounds.len(), &schedule["next"]), (8, &Value::Null));
    let matches = rounds
        .iter()
        .flat_map(|round| round["matches"].as_array().unwrap());
    let matches: Vec<&Value> = matches.collect();
    assert_eq!(matches.len(), 48);
    let first = get("/schedule?limit=3");
    assert_eq!(first["items"].as_array().unwrap(), &rounds[..3]);
    assert_eq!(first["next"], "2");
    let rest = get("/schedule?cursor=2");
    assert_eq!(rest["items"].as_array().unwrap(), &rounds[3..]);
    // Asked again, standings are the same.
    assert_eq!(get("/standings"), exported);
    let of_one = format!("/api/v1/matches?tournament={id}&entrant=A&limit=100");
    let seated = matches
        .iter()
        .filter(|played| played["entrants"].as_array().unwrap().contains(&"A".into()));
    assert_eq!(app.items(&of_one).len(), seated.count());
    let none = app.get("/api/v1/tournaments/01AAAAAAAAAAAAAAAAAAAAAAAA/standings");
    assert_eq!(none.status, 404);
    app.stop();
}

/// Two workers on the host's slots, so often that the end of one match meets the start of the next.
#[test]
fn many_short_matches_over_the_host_are_all_played() {
    let folder = folder();
    let file = CUP
        .replace("planowanie", "koehandel")
        .replace("seats = 3", "seats = 4")
        .replace("builtin:rules", "builtin:face")
        .replace("builtin:greedy", "builtin:face")
        .replace("rounds = 8", "rounds = 60")
        .replace("random_rounds = 3", "mode = \"random\"\nrandom_rounds = 0");
    fs::write(folder.path().join("cup.toml"), file).unwrap();
    let more = ["cup.toml", "--concurrency", "2", "--keep", "results"];
    let said = ok(tournament(folder.path(), "run", &more).output().unwrap());
    assert!(said.contains("over: all rounds are played"), "{said}");
    assert_eq!(files_of(folder.path()).0.lines().count(), 60 * 4);
}

#[test]
fn a_league_counts_games_that_were_over_before_a_resume() {
    let (whole, broken) = (folder(), folder());
    let cup = CUP
        .replace("[\"planowanie\"]", "[\"planowanie\", \"lighthouses\"]")
        .replace(
            "player = \"builtin:rules\"",
            "player = { planowanie = \"builtin:rules\", lighthouses = \"builtin:ring\" }",
        )
        .replace(
            "player = \"builtin:greedy\"",
            "player = { planowanie = \"builtin:greedy\", lighthouses = \"builtin:drifter\" }",
        )
        .replace(
            "player = \"builtin:random\"",
            "player = { planowanie = \"builtin:random\", lighthouses = \"builtin:passer\" }",
        )
        .replace("rounds = 8", "rounds = 2")
        // One of the two plays one of the games.
        .replace("seed = 5", "seed = 5\nuntil = \"A > E at 99.999 %\"")
        .replace("name = \"E\"", "name = \"E\"\ngames = [\"planowanie\"]")
        + "\n[game.lighthouses]\noptions = { rounds = 20 }\n";
    for folder in [&whole, &broken] {
        fs::write(folder.path().join("cup.toml"), &cup).unwrap();
    }
    let league = |said: String| said.split_once("League\n").unwrap().1.to_owned();
    let expected = league(ok(tournament(whole.path(), "run", &["cup.toml"])
        .output()
        .unwrap()));
    let first = ["cup.toml", "--game", "planowanie"];
    ok(tournament(broken.path(), "run", &first).output().unwrap());
    let resumed = ok(tournament(broken.path(), "resume", &["cup.toml"])
        .output()
        .unwrap());
    assert_eq!(league(resumed), expected);
    let later = ok(tournament(broken.path(), "league", &[]).output().unwrap());
    assert_eq!(later, expected);
}

#[test]
fn numbers_and_folders_that_make_no_sense_are_refused_at_the_door() {
    let folder = folder();
    fs::write(folder.path().join("cup.toml"), CUP).unwrap();
    for (flag, value, why) in [
        (
            "--concurrency",
            "18446744073709551615",
            "a number from 1 to 1000",
        ),
        ("--concurrency", "0", "a number from 1 to 1000"),
        ("--store", "nowhere/x.db", "there is no folder nowhere"),
        ("--store", "results", "--keep results"),
    ] {
        let arguments = ["cup.toml", flag, value];
        let said = refused(
            tournament(folder.path(), "run", &arguments)
                .output()
                .unwrap(),
            2,
        );
        assert!(said.contains(why), "{said}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
