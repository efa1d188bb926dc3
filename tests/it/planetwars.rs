//! Planet Wars over pipes: our judge against programs that do what they must not, teams of our shims in one
//! daemon, and what is kept of them.

use crate::app::{self, TestApp, drover, folder, report, shim_seat, verified};
use games::{Budget, DialogueSetup, Next, Progress};
use serde_json::{Value, json};
use std::process::Command;
use std::time::{Duration, Instant};

pub const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/admiral.sh");

/// The command that plays one game.
fn game(seats: &[&str], options: &[&str]) -> Command {
    // A busy machine is slow to start a program, and to say something where it does not matter.
    let mut patient = vec!["start_ms=30000"];
    if !options.iter().any(|option| option.starts_with("turn_ms")) {
        patient.push("turn_ms=20000");
    }
    app::play("planetwars", seats, &[&patient, options].concat())
}

/// Plays one game; the report.
fn play(seats: &[&str], options: &[&str], more: &[&str]) -> Value {
    report(game(seats, options).args(more).output().unwrap())
}

/// The faults of programs with these manners in a game with each other.
fn faults(manners: &[&str], options: &[&str]) -> Vec<Value> {
    let seats: Vec<String> = manners
        .iter()
        .map(|manner| format!("cmd:{PROGRAM} {manner}"))
        .collect();
    let seats: Vec<&str> = seats.iter().map(String::as_str).collect();
    let report = play(&seats, options, &[]);
    let seats = report["seats"].as_array().unwrap().iter();
    seats.map(|seat| seat["faults"].clone()).collect()
}

#[test]
fn a_broken_program_loses_by_the_named_cause_and_the_game_goes_on() {
    for (fault, cause, options) in [
        ("order", "illegal_move", &[][..]),
        ("foreign", "illegal_move", &[]),
        ("many", "illegal_move", &[]),
        ("silent", "time_forfeit", &["turn_ms=500"]),
        ("nodot", "time_forfeit", &["turn_ms=500"]),
        ("crash", "crash", &[]),
        ("garbage", "protocol_error", &[]),
        ("letters", "protocol_error", &[]),
        ("endless", "protocol_error", &[]),
        ("wide", "protocol_error", &["lines=lenient"]),
        ("word", "protocol_error", &[]),
        ("dead", "init_failure", &[]),
    ] {
        let program = format!("cmd:{PROGRAM} {fault}");
        let options = [options, &["rounds=25"]].concat();
        let report = play(&[&program, "builtin:bully", "builtin:idle"], &options, &[]);
        let seats = report["seats"].as_array().unwrap();
        assert_eq!(seats[0]["faults"], json!({ cause: 1 }), "{fault}: {report}");
        assert_eq!(seats[0]["mean_score"], -1.0, "{fault}");
        for other in &seats[1..] {
            assert_eq!(other["faults"], json!({}), "{fault}");
            // It was played to its end: planets grow by 1 a round.
            assert!(other["mean_score"].as_f64().unwrap() >= 20.0, "{report}");
        }
    }
}

/// One of two allies is dropped in round 5 of 25: the fate of its planet and its mate.
#[test]
fn an_option_says_how_a_dropped_player_goes_on() {
    let map = "map=P 1 0 0 1 1 9\nP 2 90 0 1 2 9\nP 3 0 90 1 3 9\nP 4 90 90 1 4 9\n";
    let broken = format!("cmd:{PROGRAM} garbage1of2");
    for (policy, score) in [
        // Both grow on: 2 x (9 + 25).
        ("dropped=idle", 68.0),
        // Its planet is nobody's from round 5 on: it counts for nobody.
        ("dropped=neutral", 34.0),
        ("dropped=team", -1.0),
    ] {
        let options = ["teams=2", "rounds=25", "assignment=in_order", map, policy];
        let report = play(&[&broken, "builtin:idle-team"], &options, &[]);
        let seats = report["seats"].as_array().unwrap();
        assert_eq!(seats[0]["faults"], json!({"protocol_error": 1}), "{report}");
        assert_eq!(seats[0]["mean_score"], score, "{policy}: {report}");
        assert_eq!(seats[1]["faults"], json!({}), "{report}");
    }
}

/// A team of three and one of two, in both rotations: each entrant has what its players did.
#[test]
fn scores_and_faults_go_to_whom_they_belong_in_every_rotation() {
    let folder = folder();
    let broken = format!("cmd:{PROGRAM} garbage");
    let options = [
        "teams=3,2",
        "rounds=9",
        "map=google",
        "start_ms=30000",
        "turn_ms=20000",
    ];
    let output = drover()
        .args([
            "play",
            "planetwars",
            "--games",
            "2",
            "--output",
            "json",
            "--log",
        ])
        .arg(folder.path())
        .args(["--seat", &broken, "--seat", "builtin:idle-team"])
        .args(options.iter().flat_map(|option| ["--option", option]))
        .output()
        .unwrap();
    let report = report(output);
    let seats = report["seats"].as_array().unwrap();
    // Three of them in one match and two in the other.
    assert_eq!(seats[0]["faults"], json!({"protocol_error": 5}), "{report}");
    assert_eq!(
        (&seats[0]["games"], &seats[0]["wins"]),
        (&json!(2), &json!(0))
    );
    assert_eq!(seats[0]["mean_score"], -1.0, "{report}");
    // Everybody drops in round 5: 4 rounds of growth for 2 and for 3 homes of 100 ships.
    assert_eq!(seats[1]["mean_score"], 2.5 * 120.0, "{report}");
    assert_eq!(
        (&seats[1]["wins"], &seats[1]["faults"]),
        (&json!(2), &json!({}))
    );
}

/// A seat for each player of two teams: every member has what its team won, and results against the others alone.
#[test]
fn mates_of_a_mixed_team_win_together_and_not_against_each_other() {
    let [winner, loser] = ["builtin:surplus", "builtin:idle"];
    let table = [winner, winner, loser, loser];
    let report = play(&table, &["teams=2,2", "map=google"], &[]);
    for (seat, won) in report["seats"].as_array().unwrap().iter().zip([1, 1, 0, 0]) {
        assert_eq!(
            (&seat["wins"], &seat["shared_wins"]),
            (&json!(won), &json!(0)),
            "{report}"
        );
        for share in ["win_share", "pair_score"] {
            assert_eq!(seat[share], f64::from(won), "{share}: {report}");
        }
    }
}

/// A program that does not read what it is sent keeps nobody else waiting.
#[test]
fn a_deaf_program_costs_nobody_else_time() {
    let begun = Instant::now();
    let options = ["rounds=60", "planets=100", "turn_ms=2000"];
    let late = json!({"time_forfeit": 1});
    // Replies that were given in advance count; when there are no more, both are late at once.
    assert_eq!(
        faults(&["deaf", "deaf", "blind", "none"], &options),
        [late.clone(), late, json!({}), json!({})]
    );
    assert!(
        begun.elapsed() < Duration::from_secs(12),
        "{:?}",
        begun.elapsed()
    );
}

#[test]
fn a_program_plays_its_whole_team() {
    let program = format!("cmd:{PROGRAM} none");
    let report = play(
        &[&program, "builtin:rage-team"],
        &["teams=[3,2]", "rounds=20"],
        &["--seed", "4"],
    );
    let seats = report["seats"].as_array().unwrap();
    assert_eq!(seats.len(), 2, "{report}");
    assert_eq!(seats[0]["faults"], json!({}), "{report}");
    // A member of the team fails, and all of it with that one: each is a fault of the entrant.
    let broken = format!("cmd:{PROGRAM} garbage");
    let report = play(
        &[&broken, "builtin:rage-team"],
        &["teams=2", "rounds=20"],
        &[],
    );
    let seats = report["seats"].as_array().unwrap();
    assert_eq!(seats[0]["faults"], json!({"protocol_error": 2}), "{report}");
    assert_eq!(
        seats[1]["win_share"]["mean"]
            .as_f64()
            .or(seats[1]["win_share"].as_f64()),
        Some(1.0),
        "{report}"
    );
}

/// Twelve players who think for 0.3 s each think at the same time.
#[test]
fn players_are_asked_at_once_each_with_a_clock_of_its_own() {
    let begun = Instant::now();
    assert_eq!(
        faults(&["drowsy"; 12], &["rounds=6"]),
        [const { Value::Null }; 12].map(|_| json!({}))
    );
    let took = begun.elapsed();
    let one_by_one = 12 * 6 * Duration::from_millis(300);
    assert!(took < one_by_one * 2 / 3, "{took:?}");
}

/// One does not end on request: the others, who have half a second, lose nothing by it.
#[test]
fn a_stubborn_program_costs_nobody_else_time() {
    let hello = json!({"protocol_error": 1});
    assert_eq!(
        faults(
            &["stubborn", "stubborn", "none", "none"],
            &["rounds=30", "turn_ms=500"]
        ),
        [hello.clone(), hello, json!({}), json!({})]
    );
}

/// What a session's bot says when it is all alone with what the session received.
fn alone(bot: &str, message: &[String]) -> Vec<String> {
    let kit = games::find("planetwars").unwrap();
    let setup = DialogueSetup {
        bot: bot.to_owned(),
        ..DialogueSetup::default()
    };
    let mut dialogue = kit.dialogue(&setup).unwrap();
    let mut said = Vec::new();
    for frame in message {
        let Ok(Next::Think { fallback, .. }) = dialogue.receive(frame.as_bytes()) else {
            panic!("no answer is wanted to {frame}");
        };
        let mut best = fallback;
        while dialogue.think(Budget::nodes(u64::MAX), &mut best) == Progress::More {}
        dialogue.said(&best);
        said.push(best);
    }
    said
}

/// Two teams of three in one daemon. Each session answers exactly as its bot does that has nothing but its
/// own pipe, so that allies share the ring and nothing else; sessions of one team are linked.
#[test]
fn a_team_in_one_daemon_shares_its_ring_and_nothing_else() {
    let folder = folder();
    let app = TestApp::start(folder.path());
    let bots = ["frontier-team", "surplus-team"];
    let seats = bots.map(|bot| shim_seat("planetwars", bot, folder.path()));
    // The same game twice, which only its time distinguishes.
    for _ in 0..2 {
        let report = play(
            &[&seats[0], &seats[1]],
            &["teams=3", "rounds=40", "planets=24"],
            &["--seed", "11"],
        );
        for seat in report["seats"].as_array().unwrap() {
            assert_eq!(seat["faults"], json!({}), "{report}");
        }
    }
    let mut teams: Vec<(String, Vec<u64>)> = Vec::new();
    let (mut launches, mut compared) = (0, 0);
    for played in app.ended_matches("planetwars", 12) {
        assert_eq!(played["cause"], "normal");
        let id = played["id"].as_str().unwrap();
        let [message, said] = ["in", "out"].map(|direction| app.texts(&played["id"], direction));
        assert!(message.len() >= 10, "{} states", message.len());
        let whole = app.get(&format!("/api/v1/matches/{id}")).json();
        let own = &whole["sessions"][0];
        let bot = own["bot"]
            .as_str()
            .unwrap()
            .trim_start_matches("builtin:")
            .to_owned();
        // On a busy machine a shim may have answered in its daemon's place: from there on the game is another one.
        let alone = alone(&bot, &message);
        let alike = said
            .iter()
            .zip(&alone)
            .take_while(|(one, other)| one == other);
        compared += alike.clone().count();
        let whole = said.len() == alone.len() && alike.count() == said.len();
        assert!(
            whole || app.facts(&played["id"], "local") > 0,
            "{said:?}\n{alone:?}"
        );
        launches += said.iter().filter(|reply| reply.contains('F')).count();
        let session = app.get(&format!("/api/v1/sessions/{}", own["id"])).json();
        let mut team: Vec<u64> = session["team"]
            .as_array()
            .unwrap()
            .iter()
            .map(|mate| mate["session"].as_u64().unwrap())
            .chain(own["id"].as_u64())
            .collect();
        team.sort_unstable();
        assert_eq!(team.len(), 3, "{session}");
        teams.push((bot, team));
    }
    assert!(launches > 30, "{launches} replies with orders");
    assert!(compared > 100, "{compared} answers are the daemon's");
    // Two teams a game, of one bot each.
    teams.sort();
    teams.dedup();
    assert_eq!(teams.len(), 4, "{teams:?}");
    let first = teams.iter().filter(|(bot, _)| *bot == bots[0]);
    assert_eq!(first.count(), 2, "{teams:?}");
    app.stop_verified();
}

#[test]
fn matches_of_our_own_judge_are_stored_and_verified() {
    let folder = folder();
    let store = folder.path().join("drover.db");
    let store = store.to_str().unwrap();
    let [good, broken] = ["none", "many"].map(|fault| format!("cmd:{PROGRAM} {fault}"));
    for (seats, options) in [
        (
            vec!["builtin:rage-team", "builtin:dual-team"],
            vec!["teams=3", "map=google"],
        ),
        (vec![good.as_str(), "builtin:random"], vec!["teams=[2,1]"]),
        (
            vec![&broken, "builtin:bully", "builtin:rage"],
            vec!["dropped=neutral"],
        ),
        (
            vec!["builtin:prospector", "builtin:rage"],
            vec!["rules=mz2015"],
        ),
        (
            vec!["builtin:prospector", "builtin:rage"],
            vec!["rules=google2010", "map=google"],
        ),
        (
            vec!["builtin:prospector", "builtin:rage"],
            vec!["rules=google2010", "wire=google2010", "map=google"],
        ),
    ] {
        let options = [&options[..], &["rounds=30"]].concat();
        play(&seats, &options, &["--store", store]);
    }
    verified(&folder.path().join("drover.db"));
}
