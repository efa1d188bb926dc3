//! What `play` keeps: the same in every way of playing, and of every match that ended.

use crate::app::{block_on, drover, folder, report, run_on, text, until, verified};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;
use sqlx::{Connection as _, SqliteConnection};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

type Facts = Vec<(i64, i64, String, String)>;

fn read(store: &Path, query: &'static str) -> Facts {
    block_on(async {
        let url = format!("sqlite://{}", store.display());
        let mut connection = SqliteConnection::connect(&url).await.unwrap();
        let rows = sqlx::query_as(query).fetch_all(&mut connection).await;
        connection.close().await.unwrap();
        rows.unwrap()
    })
}

/// Match (in order), seat, kind and data of every fact of one side.
fn facts(store: &Path, side: &'static str) -> Facts {
    let query = match side {
        "player" => {
            "SELECT (SELECT rowid FROM matches m WHERE m.id = s.match_id) - 1, s.seat, f.kind, f.data
             FROM facts f JOIN sessions s ON s.id = f.session
             WHERE s.side = 'player' AND f.kind NOT IN ('fallback', 'refused') ORDER BY 1, 2, f.id"
        }
        _ => {
            "SELECT (SELECT rowid FROM matches m WHERE m.id = s.match_id) - 1, s.seat, f.kind, f.data
             FROM facts f JOIN sessions s ON s.id = f.session
             WHERE s.side = 'referee' AND f.entry IS NOT NULL ORDER BY 1, 2, f.id"
        }
    };
    read(store, query)
}

fn count(store: &Path, query: &'static str) -> i64 {
    read(store, query)[0].0
}

const LESSONS: &str = "SELECT count(*), 0, '', '' FROM lessons";
// Its session's entries may be packed already.
const LEDGER: &str = "SELECT count(*), 0, '', '' FROM ledger l JOIN sessions s ON s.id = l.session
    WHERE l.entry BETWEEN s.first_entry AND s.last_entry";

const BOTS: [&str; 4] = [
    "builtin:guide",
    "builtin:face",
    "builtin:trader",
    "builtin:setbuilder",
];

fn play(game: &str, seats: &[&str], more: &[&str], store: &Path) -> Command {
    let mut line = drover();
    line.args(["play", game, "--output", "json"]);
    line.args(seats.iter().flat_map(|seat| ["--seat", seat]));
    line.args(more).arg("--store").arg(store);
    line
}

fn kept(game: &str, seats: &[&str], more: &[&str], store: PathBuf) -> PathBuf {
    let mut line = play(game, seats, more, &store);
    report(line.output().unwrap());
    verified(&store);
    store
}

#[test]
fn a_match_leaves_the_same_record_in_process_and_over_the_wire() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let line = ["--games", "4", "--concurrency", "1", "--no-models"];
    let inside = kept("koehandel", &BOTS, &line, path("inside.db"));
    let wire = kept(
        "koehandel",
        &BOTS,
        &[&line[..], &["--wire"]].concat(),
        path("wire.db"),
    );
    let told = facts(&wire, "referee");
    assert!(told == facts(&wire, "player"), "as the bots saw it");
    // Bots draw by other seeds there: not the same games, but as much is told of them.
    let kinds = |facts: Facts| {
        let kinds = facts
            .into_iter()
            .map(|(game, seat, kind, _)| (game, seat, kind));
        kinds.collect::<BTreeSet<_>>()
    };
    let (inside_kinds, wire_kinds) = (kinds(facts(&inside, "referee")), kinds(told));
    for (game, seat) in (0..4).flat_map(|game| (0..4).map(move |seat| (game, seat))) {
        for kind in ["auction", "trade", "score"] {
            let kind = (game, seat, kind.to_owned());
            assert!(
                inside_kinds.contains(&kind) && wire_kinds.contains(&kind),
                "{kind:?}"
            );
        }
    }
    for kept in [&inside, &wire] {
        let counts = [LESSONS, LEDGER].map(|query| count(kept, query));
        assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
    }
    assert_eq!(count(&inside, LESSONS), count(&wire, LESSONS));
}

#[test]
fn a_match_with_a_program_leaves_the_record_of_one_without() {
    let folder = folder();
    let program = format!(
        "cmd:{} shim planowanie --local --bot rules",
        drover().get_program().display()
    );
    let line = ["--games", "1", "--option", "deals=13 0 4 1"];
    let mut kept = [&program[..], "builtin:rules"].map(|first| {
        let store = folder.path().join(format!("{}.db", first.len()));
        kept("planowanie", &[first, "builtin:greedy"], &line, store)
    });
    kept.sort();
    let [one, other] = kept;
    let told = facts(&one, "referee");
    assert!(told.iter().any(|(_, _, kind, _)| kind == "result"));
    assert!(told == facts(&other, "referee"));
    assert_eq!(count(&one, LESSONS), count(&other, LESSONS));
    let decisions = count(&one, LEDGER);
    assert!(decisions > 0);
    assert_eq!(decisions, count(&other, LEDGER));
}

#[test]
fn verification_misses_the_facts_of_a_referee_unless_it_never_kept_any() {
    let folder = folder();
    let store = folder.path().join("play.db");
    let line = ["--games", "1", "--no-models"];
    let store = kept("koehandel", &BOTS, &line, store);
    let change = |statement: &'static str| {
        block_on(async {
            let url = format!("sqlite://{}", store.display());
            let mut connection = SqliteConnection::connect(&url).await.unwrap();
            sqlx::raw_sql(statement)
                .execute(&mut connection)
                .await
                .unwrap();
            connection.close().await.unwrap();
        });
    };
    for (damage, sentence) in [
        (
            "UPDATE facts SET entry = entry - 1 WHERE id = 7",
            "is stored by entry",
        ),
        (
            "DELETE FROM facts WHERE kind = 'trade'",
            "facts are stored, folding gives",
        ),
    ] {
        change(damage);
        let found = run_on(&store, &["db", "verify"]);
        let said = text(&found.stdout);
        assert!(!found.status.success() && said.contains(sentence), "{said}");
    }
    // As versions before this one stored it.
    change("DELETE FROM facts; UPDATE sessions SET setup = 'null' WHERE side = 'referee'");
    verified(&store);
}

#[test]
fn a_signal_keeps_every_match_that_has_ended_and_leaves_no_log_behind() {
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let folder = folder();
        let (log, store) = (folder.path().join("log"), folder.path().join("play.db"));
        let more = [
            "--games",
            "1000000",
            "--budget",
            "1ms",
            "--concurrency",
            "1",
        ];
        let mut line = play("koehandel", &["builtin:champion"; 4], &more, &store);
        line.arg("--log").arg(&log);
        let playing = line.stdout(Stdio::piped()).spawn().unwrap();
        let logged = || fs::read_dir(&log).map_or(0, |files| files.count());
        until(|| logged() > 0);
        kill(Pid::from_raw(playing.id() as i32), signal).unwrap();
        let report: Value = report(playing.wait_with_output().unwrap());
        let games = report["games"].as_u64().unwrap();
        assert!(games > 0, "{report}");
        assert_eq!(
            report["games_of_unfinished_rotations"],
            games % 4,
            "{report}"
        );
        assert_eq!(logged() as u64, games);
        let wal = PathBuf::from(format!("{}-wal", store.display()));
        let left = fs::metadata(wal).map_or(0, |wal| wal.len());
        assert_eq!(left, 0, "everything is in the database");
        let told = verified(&store);
        assert!(told.contains(&format!("{games} match")), "{games}: {told}");
    }
}
