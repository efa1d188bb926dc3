//! Results read from text.

use crate::golden::{read, results};
use ratings::{Results, input};

fn good(text: &str) -> Results {
    input::read(text.as_bytes()).unwrap()
}

/// Results as first, second, share and table.
fn told(results: &Results) -> Vec<(&str, &str, f64, usize)> {
    let name = |at: usize| results.names()[at].as_str();
    let all = results.all().iter();
    all.map(|one| {
        (
            name(one.first),
            name(one.second),
            one.score.share(),
            one.table,
        )
    })
    .collect()
}

#[test]
fn all_formats_say_the_same() {
    let set = "s3_perfect_scores_draws_crash";
    let expected = results(set);
    for file in ["games.pgn", "results.tsv"] {
        assert_eq!(told(&good(&read(set, file))), told(&expected), "{file}");
    }
    let lines: String = told(&expected)
        .iter()
        .map(|(first, second, share, _)| {
            format!("{{\"first\": \"{first}\", \"second\": \"{second}\", \"share\": {share}}}\r\n")
        })
        .collect();
    assert_eq!(told(&good(&lines)), told(&expected));
}

#[test]
fn pgn_is_read_as_found_in_the_wild() {
    let text = "\u{feff}[Event \"a\"]\n[White \"x \\\"y\\\"\"]\n[Black \"b\"]\n[Result \"1-0\"]\n[Table \"7\"]\n\n\
        1. e4 {a comment over\n[two lines} e5 ; {not one\n% escaped\n1-0\n\n[White \"b\"]\n[Black \"c\"]\n\
        [Result \"*\"]\n\n*\n[White \"c\"]\n[Black \"b\"]\n[Table \"7\"]\n[Result \"1/2-1/2\"]\n\
        [White \"b\"]\n[Black \"c\"]\n[Result \"0-1\"]";
    let found = good(text);
    let expected = [
        ("x \"y\"", "b", 1.0, 0),
        ("c", "b", 0.5, 0),
        ("b", "c", 0.0, 1),
    ];
    assert_eq!(told(&found), expected);
}

#[test]
fn matches_count_as_their_games_say() {
    let text = r#"{"game": "planowanie", "seats": ["a", "b", "c", "d"], "scores": [0, -1, 0, 0], "cause": "crash", "table": 1}
        {"game": "koehandel", "seats": [{"spec": "builtin:face"}, {"name": "b", "spec": "cmd:x"}, "c"], "scores": [3, 1, 3], "table": 1}
        {"game": "koehandel", "seats": ["a", "late"], "scores": [], "cause": null}
        {"game": "koehandel", "seats": ["a", "b"], "scores": [5, 3], "cause": "cancelled"}
        {"game": "smartdog", "seats": ["a", "b", "c"], "scores": [], "cause": "disconnect", "faults": [1], "table": 2}
        {"game": "smartdog", "seats": ["a", "b"], "scores": [], "cause": "cancelled", "faults": [1]}
        {"game": "planetwars", "seats": ["a", "b", "c", "d"], "scores": [9, 9, 4, 4], "teams": [0, 0, 1, 1], "table": 3}
        {"game": "planowanie", "seats": ["a", "b", "c"], "scores": [9, 3, 3], "cause": "not_played", "faults": [0], "table": 3}
        {"game": "koehandel", "seats": [{"name": "a", "participation": {"how": "silent", "turn": 1, "detail": "", "decisions": 9, "fallback": 9}}, "b"], "scores": [9, 3], "cause": "not_played", "blame": 0, "table": 3}"#;
    let found = good(text);
    let expected = [
        ("a", "b", 1.0, 0),
        ("b", "c", 0.0, 0),
        ("b", "d", 0.0, 0),
        ("builtin:face", "b", 1.0, 0),
        ("builtin:face", "c", 0.5, 0),
        ("b", "c", 0.0, 0),
        ("a", "b", 1.0, 3),
        ("b", "c", 0.0, 3),
        ("a", "c", 1.0, 5),
        ("a", "d", 1.0, 5),
        ("b", "c", 1.0, 5),
        ("b", "d", 1.0, 5),
        ("a", "b", 0.0, 5),
        ("a", "c", 0.0, 5),
        ("b", "c", 0.5, 5),
        ("a", "b", 0.0, 5),
    ];
    assert_eq!(told(&found), expected);
    assert!(found.names().contains(&"late".to_owned()));
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    for (text, expected) in [
        (&b"a\tb\t2\n\nc\td\n"[..], "line 3: there are 2 columns"),
        (b"a\tb\t3", "line 1: \"3\" is not a result; there are 2"),
        (b"a\ta\t1", "line 1: \"a\" plays against itself"),
        (b"a\t\t1", "line 1: a player has no name"),
        (b"a\tb\t1\na\t\xff\t1", "line 2: this is not UTF-8 text"),
        (
            b"[White \"a\"]\n[Result \"1-0\"]\n",
            "line 1: this game has no tag \"Black\"",
        ),
        (
            b"[White \"a\"]\n[Black \"b\"]\n[Result \"2-0\"]\n",
            "\"2-0\" is not a result",
        ),
        (
            b"[White \"a\"\n",
            "line 1: \"[White \\\"a\\\"\" is not a tag",
        ),
        (b"{\"first\": \"a\"}", "line 1: a line needs `first`"),
        (b"{\"first\": 1}", "line 1: invalid type"),
        (
            b"{\"first\": \"a\", \"second\": \"b\", \"share\": 2}",
            "`share` is 2; it must be",
        ),
        (
            b"{\"game\": \"chess\", \"seats\": [\"a\"]}",
            "there is no game \"chess\"; there are: koehandel",
        ),
        (
            b"{\"game\": \"koehandel\", \"seats\": [\"a\", \"b\"], \"scores\": [1]}",
            "1 scores for 2 seats",
        ),
        (
            b"{\"game\": \"koehandel\", \"seats\": [\"a\", {}], \"scores\": [1, 2]}",
            "a player has no name",
        ),
    ] {
        let error = input::read(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let long = format!("{}\tb\t1", "x".repeat(201));
    let error = input::read(long.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("201 characters; at most 200"), "{error}");
    let many: String = (0..1_001).map(|at| format!("a{at}\tb{at}\t1\n")).collect();
    let error = input::read(many.as_bytes()).unwrap_err().to_string();
    assert!(
        error.contains("line 1001: there are more than 2000 players"),
        "{error}"
    );
    assert_eq!(good("").all().len(), 0);
}
