//! Programs that speak their game's own protocol behind a session: good ones, and such that crash, hang, babble or are
//! out of step.

use super::program::{Table, Terms, count, python};
use crate::session::SessionOptions;
use futures_util::future::join_all;
use futures_util::{StreamExt as _, stream};
use games::{Cause, Outcome};
use serde_json::{Value, json};
use std::fs;
use std::time::Duration;

/// The program.
const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/native.py");
/// All three games of such programs.
const GAMES: [&str; 3] = ["planowanie", "lighthouses", "planetwars"];

/// A short match of the game.
fn terms(game: &'static str) -> Terms {
    let (rival, options) = match game {
        "planowanie" => ("random", json!({"deals": "5 0 5 1"})),
        "lighthouses" => ("nearest", json!({"rounds": 40})),
        _ => ("prospector", json!({"rounds": 30, "planets": 10})),
    };
    Terms {
        game,
        seats: 2,
        rival,
        options,
    }
}

/// The fallback of each game: a bot that is at once ready.
fn fallback(game: &str) -> &'static str {
    match game {
        "planowanie" => "greedy",
        "lighthouses" => "nearest",
        _ => "bully",
    }
}

/// A table of this game with a program of this manner.
async fn table(terms: Terms, manner: &str) -> Table {
    let folder = tempfile::tempdir().unwrap();
    let code = format!(
        "import runpy, sys\nsys.argv = ['native.py', '{}'] + '{manner}'.split()\nrunpy.run_path({PROGRAM:?}, run_name='__main__')\n",
        terms.game
    );
    fs::write(folder.path().join("bot.py"), code).unwrap();
    fs::write(folder.path().join("fallback"), fallback(terms.game)).unwrap();
    Table::open(folder, SessionOptions::default(), (terms, "native")).await
}

/// A match of such a program, restarting the daemon after this many of its calls; how the program fared.
async fn played(
    terms: Terms,
    manner: &str,
    restart_at: Option<usize>,
) -> (Table, Outcome, Duration, Value, String) {
    let table = table(terms, manner).await;
    let (table, outcome, longest) = table.play(restart_at).await;
    let (report, stderr) = table.ran(1).await;
    (table, outcome, longest, report, stderr)
}

fn faults(report: &Value) -> String {
    report["faults"].to_string()
}

/// Decisions whose answer must come within 70 ms may be late on a busy machine: less is asked of those.
fn is_hasty(game: &str) -> bool {
    game == "lighthouses"
}

/// This many, or at least one where a busy machine may make all others late.
fn at_least(many: u64, game: &str) -> u64 {
    match is_hasty(game) {
        true => 1,
        false => many,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_good_program_plays_in_its_games_own_words() {
    if !python() {
        return;
    }
    for game in GAMES {
        let (_, outcome, _, report, _) = played(terms(game), "none", None).await;
        assert_eq!(outcome.cause, Cause::Normal, "{game}");
        assert_eq!(count(&report, "refused"), 0, "{game}: {report}");
        let answered = count(&report, "answered");
        assert!(answered >= at_least(6, game), "{game}: {report}");
        if !is_hasty(game) {
            for none in ["late", "stale", "failed"] {
                assert_eq!(count(&report, none), 0, "{game} {none}: {report}");
            }
            assert_eq!(count(&report, "starts"), 1, "{game}: {report}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_speaks_the_wire_of_2010_too() {
    if !python() {
        return;
    }
    let mut terms = terms("planetwars");
    terms.options["wire"] = json!("google2010");
    let (_, outcome, _, report, _) = played(terms, "none", None).await;
    assert_eq!(outcome.cause, Cause::Normal);
    assert!(count(&report, "answered") > 5, "{report}");
    for none in ["late", "refused", "failed"] {
        assert_eq!(count(&report, none), 0, "{none}: {report}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_crashes_once_goes_on_where_it_was() {
    if !python() {
        return;
    }
    for game in GAMES {
        let (table, outcome, _, report, stderr) = played(terms(game), "once", None).await;
        assert_eq!(outcome.cause, Cause::Normal, "{game}");
        assert!(table.folder.path().join("crashed").exists(), "{game}");
        assert!(count(&report, "failed") >= 1, "{game}: {report}");
        assert!(count(&report, "starts") >= 2, "{game}: {report}");
        // It was asked for that decision before it ended, and when it received all once more.
        assert!(
            stderr.matches("decision 5").count() >= 2,
            "{game}: {stderr}"
        );
        if !is_hasty(game) {
            assert_eq!(count(&report, "starts"), 2, "{game}: {report}");
            assert_eq!(count(&report, "late"), 0, "{game}: {report}");
            assert_eq!(table.fallbacks(1, "program_gone").await, 0, "{game}");
        }
        let answered = count(&report, "answered");
        assert!(answered >= at_least(6, game), "{game}: {report}");
    }
}

/// How many matches with programs run at once: more would make good answers late.
const AT_ONCE_MAX: usize = 4;

/// Manners of which a program does not recover: what is said of them.
const BROKEN: [(&str, &str); 5] = [
    ("crash", "it ended, or closed its output"),
    ("garbage", ""),
    ("babble", ""),
    ("long", "it sent a line longer than"),
    ("more", "before it was asked"),
];

#[tokio::test(flavor = "multi_thread")]
async fn what_breaks_in_mid_game_is_answered_for() {
    if !python() {
        return;
    }
    // Each is made when its turn comes: all at once are more than a stack holds.
    let all = GAMES.iter().flat_map(|game| {
        let ways = BROKEN.into_iter();
        ways.map(move |(manner, why)| breaks(game, manner, why))
    });
    stream::iter(all)
        .buffer_unordered(AT_ONCE_MAX)
        .collect::<()>()
        .await;
}

async fn breaks(game: &'static str, manner: &str, why: &str) {
    let (table, outcome, longest, report, _) = played(terms(game), manner, None).await;
    let what = format!("{game} {manner}: {report}");
    assert_eq!(outcome.cause, Cause::Normal, "{what}");
    assert!(longest < Duration::from_secs(6), "{longest:?} {what}");
    let why = match (game, manner) {
        ("planowanie", "garbage" | "babble") => "begins with neither = nor ?",
        ("lighthouses", "garbage" | "babble") => "is no JSON object",
        // Each is a line of a reply, until there are too many, or its end comes.
        ("planetwars", "babble") => "more than 10000 lines for one answer",
        ("planetwars", "garbage") => "before it was asked",
        _ => why,
    };
    assert!(faults(&report).contains(why), "{what}");
    assert!((2..=8).contains(&count(&report, "starts")), "{what}");
    let causes = ["program_gone", "program_late", "program_illegal"];
    let mut instead = 0;
    for cause in causes {
        instead += table.fallbacks(1, cause).await;
    }
    assert!(instead > 2, "{what}");
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_the_rules_forbid_are_refused() {
    if !python() {
        return;
    }
    for game in GAMES {
        let (table, outcome, _, report, _) = played(terms(game), "illegal", None).await;
        assert_eq!(outcome.cause, Cause::Normal, "{game}");
        let refused = count(&report, "refused");
        assert!(refused >= at_least(4, game), "{game}: {report}");
        let illegal = table.fallbacks(1, "program_illegal").await as u64;
        assert_eq!(illegal, refused, "{game}: {report}");
        if !is_hasty(game) {
            // It stays in step: nothing is to be started again.
            assert_eq!(count(&report, "starts"), 1, "{game}: {report}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_hangs_costs_no_more_than_its_time() {
    if !python() {
        return;
    }
    let most = [
        ("planowanie", 3_000),
        ("lighthouses", 3_000),
        ("planetwars", 2_000),
    ];
    join_all(most.map(|(game, most)| hangs(game, Duration::from_millis(most)))).await;
}

async fn hangs(game: &'static str, most: Duration) {
    let mut terms = terms(game);
    match game {
        // A clock of which a quarter is soon over.
        "planowanie" => terms.options["time_ms"] = json!(8_000),
        "planetwars" => terms.options["rounds"] = json!(12),
        _ => {}
    }
    let (table, outcome, longest, report, _) = played(terms, "hang", None).await;
    assert_eq!(outcome.cause, Cause::Normal, "{game}: {report}");
    assert!(longest < most, "{game}: {longest:?} {report}");
    let (late, starts) = (count(&report, "late"), count(&report, "starts"));
    assert!(late >= 3 && starts >= 2, "{game}: {report}");
    let late = table.fallbacks(1, "program_late").await;
    assert!(late >= 3, "{game}");
    assert!(faults(&report).contains("none of 3 decisions"), "{report}");
}

/// One that is late once has the answer of that decision read and dropped, and is in step for the next one.
#[tokio::test(flavor = "multi_thread")]
async fn a_late_answer_is_not_taken_for_the_next() {
    if !python() {
        return;
    }
    let (table, outcome, _, report, _) = played(terms("planetwars"), "slow", None).await;
    assert_eq!(outcome.cause, Cause::Normal);
    let late = count(&report, "late");
    assert!(late >= 1, "{report}");
    assert!(count(&report, "stale") >= 1, "{report}");
    assert_eq!(count(&report, "refused"), 0, "{report}");
    assert!(count(&report, "answered") > 10, "{report}");
    assert_eq!(table.fallbacks(1, "program_late").await as u64, late);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_that_leaves_a_message_out_is_late_and_not_misread() {
    if !python() {
        return;
    }
    let mut terms = terms("planowanie");
    terms.options["time_ms"] = json!(8_000);
    let (_, outcome, _, report, _) = played(terms, "mute", None).await;
    assert_eq!(outcome.cause, Cause::Normal);
    // What it says to gen_declare counts as its answer to time_left.
    assert!(count(&report, "late") > 0, "{report}");
    assert_eq!(count(&report, "refused"), 0, "{report}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_goes_on_after_a_restart_of_the_daemon() {
    if !python() {
        return;
    }
    for (game, at) in [("planowanie", 20), ("lighthouses", 30), ("planetwars", 12)] {
        let (_, outcome, _, report, stderr) = played(terms(game), "none", Some(at)).await;
        assert_eq!(outcome.cause, Cause::Normal, "{game}");
        assert_eq!(count(&report, "refused"), 0, "{game}: {report}");
        let answered = count(&report, "answered");
        assert!(answered >= at_least(4, game), "{game}: {report}");
        // The one of the second daemon has decided again what was decided before.
        assert!(stderr.contains("decision 5"), "{game}: {stderr}");
        if !is_hasty(game) {
            assert_eq!(count(&report, "starts"), 1, "{game}: {report}");
            // The decision that may have been asked before has a tenth of the time, and the program is started again.
            assert!(count(&report, "late") <= 1, "{game}: {report}");
        }
    }
}
