//! What `play` keeps: the same in every way of playing, and of every match that ended.

use crate::app::{block_on, drover, folder, ok, report, run_on, text, until, verified};
use drover::history;
use drover::store::{MatchResult, MatchRow, NewEntrant, SeatRow, Slot, StoredRound, TournamentRow};
use drover::tournament::{Extent, open_recording};
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
    try_read(store, query).unwrap()
}

fn try_read(store: &Path, query: &'static str) -> Option<Facts> {
    block_on(async {
        let url = format!("sqlite://{}", store.display());
        let mut connection = SqliteConnection::connect(&url).await.ok()?;
        let rows = sqlx::query_as(query).fetch_all(&mut connection).await;
        connection.close().await.ok()?;
        rows.ok()
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
    let message = facts(&wire, "referee");
    assert!(message == facts(&wire, "player"), "as the bots saw it");
    // Bots draw by other seeds there: not the same games, but as much is known of them.
    let kinds = |facts: Facts| {
        let kinds = facts
            .into_iter()
            .map(|(game, seat, kind, _)| (game, seat, kind));
        kinds.collect::<BTreeSet<_>>()
    };
    let (inside_kinds, wire_kinds) = (kinds(facts(&inside, "referee")), kinds(message));
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
    let message = facts(&one, "referee");
    assert!(message.iter().any(|(_, _, kind, _)| kind == "result"));
    assert!(message == facts(&other, "referee"));
    assert_eq!(count(&one, LESSONS), count(&other, LESSONS));
    let decisions = count(&one, LEDGER);
    assert!(decisions > 0);
    assert_eq!(decisions, count(&other, LEDGER));
}

#[test]
fn verification_misses_the_facts_of_a_referee() {
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
        let stopped = playing.wait_with_output().unwrap();
        assert_eq!(stopped.status.code(), Some(130));
        let report: Value = serde_json::from_slice(&stopped.stdout).unwrap();
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
        let message = verified(&store);
        assert!(
            message.contains(&format!("{games} match")),
            "{games}: {message}"
        );
    }
}

#[test]
fn what_a_killed_run_left_open_is_closed_by_the_next() {
    const OPEN: &str = "SELECT (SELECT count(*) FROM matches WHERE ended_us IS NULL),
        (SELECT count(*) FROM sessions WHERE ended_us IS NULL), '', ''";
    const CANCELLED: &str = "SELECT count(*), 0, '', '' FROM matches WHERE cause = 'cancelled'
        AND detail = 'the run was killed before it ended'";
    let folder = folder();
    for (next, name) in [(&["--wire"][..], "wire.db"), (&[], "inside.db")] {
        let store = folder.path().join(name);
        let more = ["--wire", "--games", "1000000", "--budget", "100n"];
        let mut line = play("koehandel", &BOTS, &more, &store);
        let mut playing = line.stdout(Stdio::null()).spawn().unwrap();
        // A moment at which matches are running: the database exists, and has its tables.
        let running = || try_read(&store, OPEN).is_some_and(|rows| rows[0].0 > 0 && rows[0].1 > 4);
        until(running);
        playing.kill().unwrap();
        playing.wait().unwrap();
        let [(matches, sessions, ..)] = read(&store, OPEN)[..] else {
            panic!("one row")
        };
        assert!(matches > 0 && sessions > 4, "{matches}, {sessions}");
        let more = [&["--games", "1", "--budget", "100n"][..], next].concat();
        kept("koehandel", &BOTS, &more, store.clone());
        assert_eq!(read(&store, OPEN)[0], (0, 0, String::new(), String::new()));
        assert_eq!(count(&store, CANCELLED), matches, "{name}");
    }
}

#[test]
fn matches_of_a_tournament_are_listed_by_it_and_show_their_entrants() {
    const ID: &str = "01TOURNAMENT00000000000001";
    const BOTH: &str = "anna & co,ben";
    let folder = folder();
    let path = folder.path().join("play.db");
    kept("koehandel", &BOTS, &["--games", "1"], path.clone());
    let id = block_on(async {
        let recording = open_recording(&path, Extent::Results).await.unwrap();
        let store = recording.store().unwrap();
        let names = BOTH.split(',');
        let entrant = |name: &str| NewEntrant {
            name: name.into(),
            spec: "builtin:idle".into(),
            house: false,
        };
        let new = TournamentRow {
            id: ID.into(),
            name: "spring".into(),
            game: "koehandel".into(),
            started_us: 1,
            entrants: names.clone().map(entrant).collect(),
            ..TournamentRow::default()
        };
        history::create_tournament(store, new).await.unwrap();
        let round = StoredRound {
            round: 1,
            decision: Value::Null,
            decided_us: 1,
        };
        history::add_round(store, ID, round).await.unwrap();
        let slot = Slot {
            tournament: ID.into(),
            round: 1,
            table: 2,
            number: 0,
            seed: 5,
            entrants: names.map(Into::into).collect(),
            claim: None,
        };
        let seat = |seat| SeatRow {
            seat,
            ..SeatRow::default()
        };
        let mut row = MatchRow {
            id: "01MATCH0000000000000000001".into(),
            game: "koehandel".into(),
            referee: "play".into(),
            market: 9,
            ours: true,
            started_us: 1,
            seats: (0..2).map(seat).collect(),
            ..MatchRow::default()
        };
        slot.seat(&mut row);
        let record = recording.open(&row, &[1, 2], &[]).await.unwrap();
        let result = MatchResult {
            slot: Some(Box::new(slot)),
            ..MatchResult::new(2, games::Cause::Normal, vec![3, 1])
        };
        record.close(result).await.unwrap();
        recording.close().await;
        row.id
    });
    let list = |more: &[&str]| {
        let line = [&["match", "list", "--output", "csv"][..], more].concat();
        ok(run_on(&path, &line))
    };
    assert_eq!(list(&[]).lines().count(), 3);
    for filter in [["--tournament", ID], ["--entrant", "ben"]] {
        let listed = list(&filter);
        let rows: Vec<&str> = listed.lines().skip(1).collect();
        let [row] = rows[..] else { panic!("{listed}") };
        assert!(
            row.starts_with(&id) && row.contains("anna & co ben"),
            "{row}"
        );
    }
    let show = |format: &str| {
        let line = ["match", "show", &id, "--output", format];
        ok(run_on(&path, &line))
    };
    let shown = show("table");
    let place = format!("tournament spring ({ID}), round 1, table 2, match 0");
    assert!(shown.lines().any(|line| line == place), "{shown}");
    // For people in the game's words, for programs as a number.
    assert!(shown.contains(" 3 points "), "{shown}");
    assert_eq!(
        show("csv").lines().nth(1),
        Some("0,,,anna & co,3,1.00,,"),
        "{}",
        show("csv")
    );
    let shown: Value = serde_json::from_str(&show("json")).unwrap();
    assert_eq!(shown["match"]["seats"][1]["entrant"], "ben");
    assert_eq!(shown["match"]["tournament"]["number"], 0);
    verified(&path);
}
