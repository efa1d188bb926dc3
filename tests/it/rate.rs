//! `drover rate`.

use crate::app::{drover, folder, ok, refused, run};
use serde_json::Value;
use std::io::Write as _;
use std::process::Stdio;

const PGN: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/src/ratings/golden/s3_perfect_scores_draws_crash/games.pgn"
);
const TSV: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/src/ratings/golden/s8_planowanie_tables_8_bots/results.tsv"
);

#[test]
fn a_table_has_bayeselos_columns() {
    let table = ok(run(&["rate", TSV]));
    let lines: Vec<Vec<&str>> = table
        .lines()
        .map(|line| line.split_whitespace().collect())
        .collect();
    let headings = "Rank Name Elo + - games score oppo. draws tables LOS";
    assert_eq!(lines[0].join(" "), headings);
    // As BayesElo rates them with `advantage 0`, `mm 0 1` and `covariance`.
    assert_eq!(
        lines[1][..9].join(" "),
        "1 pimc_20 229 41 41 354 77% -40 1%"
    );
    assert_eq!(lines.len(), 9);
    let exact = ok(run(&[
        "rate",
        PGN,
        "--advantage",
        "0",
        "--draw-elo",
        "97.3",
        "--intervals",
        "exact",
    ]));
    assert!(
        exact.lines().nth(1).unwrap().starts_with("1     wins"),
        "{exact}"
    );
}

#[test]
fn json_is_exact_and_csv_says_the_same() {
    let arguments = [
        "rate",
        PGN,
        "--advantage",
        "fit",
        "--draw-elo",
        "97.3",
        "--prior",
        "0.5",
    ];
    let with = |format: &str| ok(run(&[&arguments[..], &["--format", format]].concat()));
    let json: Value = serde_json::from_str(&with("json")).unwrap();
    let players = json["players"].as_array().unwrap();
    assert_eq!(json["draw_elo"], 97.3);
    assert_eq!((players.len(), json["results"].as_u64()), (4, Some(42)));
    let csv = with("csv");
    let mut rows = csv.lines().skip(1);
    for player in players {
        let elo = player["elo"].as_f64().unwrap();
        assert!(player["lower"].as_f64().unwrap() < elo && elo < player["upper"].as_f64().unwrap());
        let row: Vec<&str> = rows.next().unwrap().split(',').collect();
        assert_eq!(
            (row[2], row[3]),
            (player["name"].as_str().unwrap(), &*elo.to_string())
        );
    }
}

#[test]
fn standard_input_is_read() {
    let mut child = drover()
        .args(["rate", "-", "--output", "csv"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let line =
        br#"{"game": "planowanie", "seats": ["a", "b"], "scores": [3, 1], "cause": "normal"}"#;
    child.stdin.take().unwrap().write_all(line).unwrap();
    let printed = ok(child.wait_with_output().unwrap());
    assert_eq!(printed.lines().count(), 3, "{printed}");
}

#[test]
fn faults_are_reported_with_file_and_line() {
    let folder = folder();
    let path = folder.path().join("results.tsv");
    let file = path.to_str().unwrap();
    for (text, expected) in [
        (
            "a\tb\t2\na\tb\t7\n",
            "results.tsv, line 2: \"7\" is not a result",
        ),
        ("", "results.tsv has no results"),
        (
            "a\tb\t2\n",
            "results.tsv: the results do not determine the ratings",
        ),
    ] {
        std::fs::write(&path, text).unwrap();
        let error = refused(run(&["rate", file, "--prior", "0"]), 1);
        assert!(error.contains(expected), "{error}");
    }
    let error = refused(run(&["rate", file, "--prior", "-3"]), 2);
    assert!(
        error.contains("--prior") || error.contains("the prior is -3"),
        "{error}"
    );
    let error = refused(run(&["rate", file, "--draw-elo", "many"]), 2);
    assert!(error.contains("it must be a number or `fit`"), "{error}");
    let error = refused(run(&["rate", "no/such/file"]), 2);
    assert!(error.contains("no/such/file cannot be read"), "{error}");
}

#[test]
fn what_cannot_be_read_is_left_out_if_asked_and_counted() {
    let folder = folder();
    let path = folder.path().join("cut.pgn");
    let file = path.to_str().unwrap();
    let text = "[White \"A\"][Black \"B\"][Result \"1-0\"] 1. e4 {0.3\n[White \"B\"][Black \"A\"] 1. d4 {x} 0-1\n\
        [White \"?\"][Black \"A\"][Result \"1-0\"]\n[White \"A\"][Black \"B\"][Result \"+--\"]\n";
    std::fs::write(&path, text).unwrap();
    let note = "cut.pgn, line 1: this comment is never closed";
    let mistakes = "cut.pgn, 2 mistakes:\n  line 3: White is \"?\"";
    let error = refused(run(&["rate", file]), 1);
    assert!(error.contains(note) && error.contains(mistakes), "{error}");
    assert!(
        error.contains("  line 4: \"+--\" is not a result"),
        "{error}"
    );
    assert!(error.contains("--skip-bad"), "{error}");
    let left = run(&["rate", file, "--skip-bad", "--output", "csv"]);
    let error = refused(left.clone(), 0);
    assert!(error.contains(note) && error.contains(mistakes), "{error}");
    assert!(error.contains("cut.pgn: left out: 2\n"), "{error}");
    let rows = ok(left);
    let row: Vec<&str> = rows.lines().nth(1).unwrap().split(',').collect();
    assert_eq!((row[2], row[8], row[9]), ("A", "2", "1"), "{rows}");
    // A part of the players would be rated as if they were all.
    let many: String = (0..1_001).map(|at| format!("a{at}\tb{at}\t1\n")).collect();
    std::fs::write(&path, many).unwrap();
    let error = refused(run(&["rate", file, "--skip-bad"]), 1);
    assert!(
        error.contains("line 1001: there are more than 2000 players"),
        "{error}"
    );
    assert!(!error.contains("--skip-bad"), "{error}");
}
