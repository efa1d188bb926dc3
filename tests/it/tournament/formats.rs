//! What ends a tournament, and which one is gone on with.

use super::{CUP, files_of, listed, run_and_kill, tournament};
use crate::app::{folder, ok, refused};
use serde_json::Value;
use std::fs;

#[test]
fn a_run_that_was_left_is_resumed_though_a_later_one_is_over() {
    let folder = folder();
    fs::write(folder.path().join("cup.toml"), CUP).unwrap();
    run_and_kill(folder.path());
    let first = listed(folder.path()).unwrap();
    let first = first.split_whitespace().next().unwrap();
    let run = || {
        ok(tournament(folder.path(), "run", &["cup.toml", "--again"])
            .output()
            .unwrap())
    };
    let second = run();
    assert!(!second.contains(first), "{second}");
    let resume = |arguments: &[&str]| {
        tournament(folder.path(), "resume", arguments)
            .output()
            .unwrap()
    };
    let whole = ok(resume(&["cup.toml"]));
    assert!(
        whole.contains(&format!("48 matches, tournament {first}")),
        "{whole}"
    );
    let list = ok(tournament(folder.path(), "list", &[]).output().unwrap());
    assert_eq!(list.matches(" finished ").count(), 2, "{list}");
    assert_eq!(list.matches("all rounds are played").count(), 2, "{list}");
    let schedule = ok(tournament(folder.path(), "schedule", &[]).output().unwrap());
    assert!(
        schedule.ends_with("over: all rounds are played\n"),
        "{schedule}"
    );
    let said = refused(resume(&["cup.toml", "--id", "7ZZZ"]), 2);
    assert!(
        said.contains("--id 7ZZZ: no tournament of cup.toml"),
        "{said}"
    );

    // What decides nothing that was played may be changed.
    let file = folder.path().join("cup.toml");
    fs::write(
        &file,
        CUP.replace(
            "seed = 5",
            "seed = 5\nrank_by = [\"points\"]\nprecision = 1.0",
        ),
    )
    .unwrap();
    assert_eq!(ok(resume(&["cup.toml", "--id", first])), "");
    let standings = ok(tournament(folder.path(), "standings", &[first])
        .output()
        .unwrap());
    assert!(
        standings.contains("ranked by points\nover: all rounds are played\n"),
        "{standings}"
    );
}

#[test]
fn a_game_that_is_finished_does_not_keep_the_others_of_its_file_from_being_played() {
    let folder = folder();
    let two = CUP.replace("[\"planowanie\"]", "[\"planowanie\", \"lighthouses\"]");
    let two = ["rules", "greedy", "random"].iter().fold(two, |cup, bot| {
        cup.replace(&format!("builtin:{bot}"), "builtin:champion")
    });
    let two = two.replace("rounds = 8", "rounds = 1");
    fs::write(folder.path().join("two cups.toml"), two).unwrap();
    let run = |more: &[&str]| {
        let line = [&["two cups.toml"], more].concat();
        tournament(folder.path(), "run", &line).output().unwrap()
    };
    ok(run(&["--game", "planowanie"]));
    let others = "; drover tournament resume 'two cups.toml' plays the other games";
    let said = refused(run(&[]), 2);
    assert!(said.contains(others), "{said}");
    let said = refused(run(&["--game", "planowanie"]), 2);
    assert!(!said.contains(others), "{said}");
}

#[test]
fn formats_and_what_ends_them_are_the_same_after_a_kill() {
    for (schedule, more, why, order) in [
        (
            "format = \"gauntlet\"\nlaps = 9",
            "until = \"A > C at 55 %\"",
            "A is better than C at 55 %, shown by",
            "rating",
        ),
        (
            "format = \"swiss\"\nrounds = 9",
            "precision = 1e6",
            "the leaders' ratings are known within",
            "share",
        ),
        (
            "format = \"knock-out\"",
            "minutes_max = 1e-9",
            "it has lasted",
            "progress",
        ),
        (
            "format = \"knock-out\"",
            "decks = 6",
            "all rounds are played",
            "progress",
        ),
        (
            "format = \"swiss\"\nrounds = 3",
            "until = \"A > D at 99.999 %\"\ndecks = 2",
            "all rounds are played; A > D is open after",
            "share",
        ),
    ] {
        let (_, entrants) = CUP.split_once("[[entrant]]").unwrap();
        let cup = format!(
            "name = \"Cup\"\ngames = [\"planowanie\"]\nseed = 1\nbudget = \"40n\"\nseats = 3\nmodels = \"none\"\n{more}\n\
             [schedule]\n{schedule}\n[game.planowanie]\noptions = {{ deals = \"13 0 12 1 11 2\" }}\n[[entrant]]{entrants}"
        );
        let (whole, broken) = (folder(), folder());
        for folder in [&whole, &broken] {
            fs::write(folder.path().join("cup.toml"), &cup).unwrap();
        }
        ok(tournament(whole.path(), "run", &["cup.toml"])
            .output()
            .unwrap());
        run_and_kill(broken.path());
        ok(tournament(broken.path(), "resume", &["cup.toml"])
            .output()
            .unwrap());
        assert_eq!(
            files_of(broken.path()),
            files_of(whole.path()),
            "{schedule}"
        );
        let export = tournament(broken.path(), "export", &[]).output().unwrap();
        let standings: Value = serde_json::from_str(&ok(export)).unwrap();
        let over = standings["over"].as_str().unwrap();
        assert!(over.starts_with(why), "{schedule}: {over}");
        assert_eq!(standings["order"][0], order, "{schedule}");
        let html = ["--output", "html"];
        let html = ok(tournament(broken.path(), "export", &html).output().unwrap());
        assert!(html.contains("over: "), "{schedule}");
    }
}
