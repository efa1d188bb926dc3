//! Results read from text.

use crate::golden::{read, results};
use ratings::{Results, input};
use std::fmt::Write as _;
use std::path::Path;

fn good(text: &str) -> Results {
    input::read(text.as_bytes()).whole().unwrap()
}

/// Each result, mistake and note on a line of its own.
fn all(bytes: &[u8]) -> String {
    let found = input::read(bytes);
    let mut text = String::new();
    for (first, second, share, table) in rows(&found.results) {
        writeln!(text, "{first} - {second}: {share} at {table}").unwrap();
    }
    for error in &found.errors.first {
        writeln!(text, "{error}").unwrap();
    }
    for note in found.notes.sentences() {
        writeln!(text, "note, {note}").unwrap();
    }
    text
}

#[track_caller]
fn case(file: &str, expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/pgn");
    let bytes = std::fs::read(path.join(file)).unwrap();
    assert_eq!(all(&bytes), expected, "{file}");
}

/// Results as first, second, share and table.
fn rows(results: &Results) -> Vec<(&str, &str, f64, usize)> {
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
        assert_eq!(rows(&good(&read(set, file))), rows(&expected), "{file}");
    }
    let lines: String = rows(&expected)
        .iter()
        .map(|(first, second, share, _)| {
            format!("{{\"first\": \"{first}\", \"second\": \"{second}\", \"share\": {share}}}\r\n")
        })
        .collect();
    assert_eq!(rows(&good(&lines)), rows(&expected));
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
    assert_eq!(rows(&found), expected);
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
        ("a", "b", 1.0, 1),
        ("b", "c", 0.0, 1),
        ("a", "c", 1.0, 2),
        ("a", "d", 1.0, 2),
        ("b", "c", 1.0, 2),
        ("b", "d", 1.0, 2),
        ("a", "b", 0.0, 2),
        ("a", "c", 0.0, 2),
        ("b", "c", 0.5, 2),
        ("a", "b", 0.0, 2),
    ];
    assert_eq!(rows(&found), expected);
    assert!(found.names().contains(&"late".to_owned()));
}

#[test]
fn faults_are_reported_with_their_lines() {
    for (text, expected) in [
        (
            &b"a\tb\t2\n\nc\td\n"[..],
            "line 3: a line has three or four columns, not 2",
        ),
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
        (
            b"{\"first\": \"a\"}",
            "line 1: a line needs `first`, `second` and `share`, or `game`, `seats`, `scores` and `cause`",
        ),
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
        let error = input::read(text).whole().unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let long = format!("{}\tb\t1", "x".repeat(201));
    let error = input::read(long.as_bytes())
        .whole()
        .unwrap_err()
        .to_string();
    assert!(error.contains("201 characters; at most 200"), "{error}");
    let many: String = (0..1_001).map(|at| format!("a{at}\tb{at}\t1\n")).collect();
    let error = input::read(many.as_bytes())
        .whole()
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("line 1001: there are more than 2000 players"),
        "{error}"
    );
    assert_eq!(good("").all().len(), 0);
}

#[test]
fn games_whose_comments_or_tags_were_cut_are_noticed() {
    case(
        "02-cut-in-a-tag.pgn",
        "New-abc - Base-def: 1 at 0\nBase-def - New-abc: 1 at 1\nNew-abc - Base-def: 0 at 2\n",
    );
    case(
        "04-cut-in-a-comment.pgn",
        "A - B: 1 at 0\nB - A: 0 at 1\nA - B: 1 at 2\nnote, line 6: this comment is never closed; it was taken to end \
         where the tags of a game begin\n",
    );
    case(
        "13-percent-in-comment.pgn",
        "A - B: 1 at 0\nB - A: 1 at 1\n",
    );
    case("13b-indented-percent.pgn", "A - B: 1 at 0\nB - A: 1 at 1\n");
    let glued = "[White \"a\"][Black \"b\"][Result \"1-0\"] 1. e4 {0.3[White \"b\"][Black \"c\"] 1. d4 {x} 0-1 \
        [White \"c\"][Black \"a\"] 1. d4 {[%clk 1] [White \"off\"]} 1-0 [White \"c\"][Black \"b\"][Result \"0-1\"] {0.3";
    assert_eq!(
        all(glued.as_bytes()),
        "a - b: 1 at 0\nb - c: 0 at 1\nc - a: 1 at 2\nc - b: 0 at 3\nnote, line 1 and 1 more: this comment is never closed; \
         it was taken to end where the tags of a game begin\nnote, line 1: this comment holds tags, which were not read\n"
    );
    let needed = "[White \"A[White \"A\"]\n[Black \"B\"]\n1-0\n[White B]\n[Black \"A\"]\n[Date 2026]\n[Result \"1-0\"]\n";
    assert_eq!(
        all(needed.as_bytes()),
        "A - B: 1 at 0\nline 1: \"[White \\\"A\" is not a tag; one is [Name \"value\"]\n\
         line 4: \"[White B]\" is not a tag; one is [Name \"value\"]\n"
    );
}

#[test]
fn pgn_is_read_by_tokens() {
    case(
        "03-quotes-in-event.pgn",
        "Player, One - Player, Two: 1 at 0\n",
    );
    case("07-one-line.pgn", "A - B: 1 at 0\n");
    case("07d-table-own-line.pgn", "A - B: 1 at 0\nB - A: 1 at 0\n");
    case("09-percent-first.pgn", "A - B: 1 at 0\n");
    case("09b-semicolon-first.pgn", "A - B: 1 at 0\n");
    case("11-mac-cr.pgn", "A - B: 1 at 0\n");
    case(
        "17-no-blank-lines.pgn",
        "Foo - Bla: 1 at 0\nBla - Foo: 1 at 1\n",
    );
    case("23-case.pgn", "A - B: 1 at 0\n");
    let table = "[White \"A\"][Black \"B\"][Result \"1-0\"] [Table \"7\"] 1-0\r\n[White\n\t\"B\\\\\\\"\" ]\n[ Black\"A\"]\n\
        [Table \"7\"]\n\n{{ [} 1. e4 (1. d4 1/2-1/2) ; 1-0\n% 1-0\n $1 0-1";
    assert_eq!(all(table.as_bytes()), "A - B: 1 at 0\nB\\\" - A: 0 at 0\n");
}

#[test]
fn games_of_tags_only_are_distinguished_by_any_tag() {
    let (grey, brain) = ("Grey, Anna", "Iron Brain (Computer)");
    let six = [
        (grey, brain, 1.0),
        (brain, grey, 1.0),
        (grey, brain, 0.5),
        (brain, grey, 0.5),
        (grey, brain, 0.5),
        (brain, grey, 1.0),
    ];
    let six: String = (0..)
        .zip(six)
        .map(|(table, (white, black, share))| format!("{white} - {black}: {share} at {table}\n"))
        .collect();
    case("01-full.pgn", &six);
    case("01-headers-only-result-first.pgn", &six);
    case(
        "18-alphabetical-headers-only.pgn",
        "A - B: 1 at 0\nA - C: 1 at 1\nA - D: 0 at 2\n",
    );
}

#[test]
fn pgn_in_other_encodings_is_read() {
    case(
        "05-latin1.pgn",
        "Helbích, Ján - Müller, K.: 1 at 0\nnote, line 1 and 1 more: this is not UTF-8 and was read as ISO 8859-1\n",
    );
    case("12-utf16.pgn", "A - B: 1 at 0\n");
    case(
        "16-lichess-crlf-bom.pgn",
        "a - b: 0.5 at 0\nnote, line 9: this game has no result yet (*)\n",
    );
    for (mark, bytes) in [
        (true, u16::to_be_bytes as fn(u16) -> [u8; 2]),
        (false, u16::to_be_bytes),
        (false, u16::to_le_bytes),
    ] {
        let text = ["", "\u{feff}"][usize::from(mark)].to_owned() + "Jörg\tb\t2";
        let text: Vec<u8> = text.encode_utf16().flat_map(bytes).collect();
        assert_eq!(all(&text), "Jörg - b: 1 at 0\n");
    }
    let two = "\u{feff}a\tb\t2\r\u{feff}a\tb\t0\n";
    assert_eq!(all(two.as_bytes()), "a - b: 1 at 0\na - b: 0 at 1\n");
}

#[test]
fn results_of_pgn_are_read_as_others_write_them_or_refused() {
    case("06-half.pgn", "A - B: 0.5 at 0\n");
    case(
        "08-no-result-tag.pgn",
        "C, M - S, W: 1 at 0\nC, M - S, W: 0 at 1\n",
    );
    case("19-old-results.pgn", "A - B: 0.5 at 0\n");
    let none = "is not a result; there are 1-0, 0-1, 1/2-1/2 and *, and a forfeit counts if it is written as one of them";
    case("20-forfeit.pgn", &format!("line 1: \"+--\" {none}\n"));
    case(
        "21-empty-result.pgn",
        "line 1: this game has no result: neither a tag \"Result\" nor one that ends its moves\n",
    );
    case(
        "14-self.pgn",
        "A - B: 1 at 0\nline 1: White is \"?\", which means that nobody knows who played\n",
    );
    case(
        "22-long-name.pgn",
        "line 1: a player's name has 223 characters; at most 200\n",
    );
    let more = b"[White \"a\"][Black \"b\"][Result \"0-1\"] 1-0 1-0\n\n1. d4 \xBD\n";
    assert_eq!(
        all(more),
        "a - b: 0 at 0\nline 3: this game has no tag \"White\"\nnote, line 1: the moves end with another result than the tag, which counts\n"
    );
}

#[test]
fn mistakes_are_all_reported_up_to_a_number_and_count_wholly() {
    let text = "a\tb\t2\nc\td\n".repeat(30);
    let found = input::read(text.as_bytes());
    assert_eq!((found.results.all().len(), found.errors.count), (30, 30));
    let errors = found.errors.to_string();
    assert!(
        errors.starts_with("30 mistakes:\n  line 2: a line has three or four columns, not 2: "),
        "{errors}"
    );
    assert!(errors.ends_with("\n  and 10 more"), "{errors}");
    // Nothing of a wrong line counts.
    let twice = r#"{"game": "planowanie", "seats": ["a", "b", "a"], "scores": [1, 2, 3]}"#;
    assert_eq!(
        all(twice.as_bytes()),
        "line 1: \"a\" plays against itself\n"
    );
    // A limit of all results ends the reading: what could be rated would be a part of the file.
    let many: String = (0..1_100)
        .map(|at| format!("[White \"a{at}\"][Black \"b{at}\"] 1-0\n"))
        .collect();
    let found = input::read(many.as_bytes());
    assert!(found.errors.full && found.errors.count == 1);
    let lots = "{[A \"x\"]".repeat(200_000);
    assert!(input::read(lots.as_bytes()).results.all().is_empty());
}
