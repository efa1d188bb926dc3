//! Entrants that are elsewhere, broken or gone.

use super::{CUP, files_of, tournament};
use crate::app::{TestApp, folder, free_address, ok, refused, text};
use serde_json::Value;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};

#[test]
fn urls_are_called_and_a_dead_one_does_not_stall_the_others() {
    let (folder, served) = (folder(), crate::app::folder());
    let app = TestApp::start(served.path());
    let (callbacks, dead) = (app.callbacks, free_address());
    let file = format!(
        r#"
name = "URLs"
games = ["koehandel"]
budget = "50n"
[schedule]
format = "round-robin"
[[entrant]]
name = "face"
player = "url:http://{callbacks}/koehandel/face"
[[entrant]]
name = "same face"
player = "url:http://{callbacks}/koehandel/face"
[[entrant]]
name = "dead"
player = "url:http://{dead}/"
[[entrant]]
name = "here"
player = "builtin:random"
"#
    );
    fs::write(folder.path().join("cup.toml"), file).unwrap();
    let said = ok(tournament(folder.path(), "run", &["cup.toml"])
        .output()
        .unwrap());
    assert!(said.contains("4 matches, tournament"), "{said}");
    let (lines, _) = files_of(folder.path());
    assert_eq!(lines.lines().count(), 4);
    let export = tournament(folder.path(), "export", &[]).output().unwrap();
    let standings: Value = serde_json::from_str(&ok(export)).unwrap();
    let entrants = standings["entrants"].as_array().unwrap();
    assert_eq!(entrants.last().unwrap()["name"], "dead");
    let missed = |name: &str| {
        let entrant = entrants.iter().find(|entrant| entrant["name"] == name);
        entrant.unwrap()["missed"].as_u64().unwrap()
    };
    assert!(missed("dead") > 0);
    assert_eq!(
        (missed("face"), missed("same face"), missed("here")),
        (0, 0, 0)
    );
    app.stop();
}

/// A player that answers every request with these bytes.
fn says(answer: impl Into<String>) -> SocketAddr {
    let (listener, answer) = (TcpListener::bind("127.0.0.1:0").unwrap(), answer.into());
    let address = listener.local_addr().unwrap();
    let serve = |mut stream: TcpStream, answer: String| {
        let mut received = Vec::new();
        let mut chunk = [0; 1024];
        while let Ok(count @ 1..) = stream.read(&mut chunk) {
            received.extend_from_slice(&chunk[..count]);
            if received.ends_with(b"\r\n\r\n") {
                received.clear();
                if stream.write_all(answer.as_bytes()).is_err() {
                    return;
                }
            }
        }
    };
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = answer.clone();
            std::thread::spawn(move || serve(stream, answer));
        }
    });
    address
}

#[test]
fn urls_that_answer_with_nothing_usable_are_reported() {
    let folder = folder();
    let with = |status: &str, body: &str| {
        let length = body.len();
        says(format!(
            "HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n{body}"
        ))
    };
    let failing = with("500 Oops", "?type=auction");
    let babbling = with("200 OK", "hello");
    let endless = with("200 OK", &"x".repeat(5_000_000));
    let file = format!(
        r#"
name = "URLs"
games = ["koehandel"]
rotate = false
[schedule]
format = "round-robin"
[[entrant]]
name = "failing"
player = "url:http://{failing}/"
[[entrant]]
name = "babbling"
player = "url:http://{babbling}/"
[[entrant]]
name = "endless"
player = "url:http://{endless}/"
[[entrant]]
name = "here"
player = "builtin:guide"
"#
    );
    fs::write(folder.path().join("cup.toml"), file).unwrap();
    let said = ok(tournament(folder.path(), "run", &["cup.toml"])
        .output()
        .unwrap());
    let export = tournament(folder.path(), "export", &[]).output().unwrap();
    let standings: Value = serde_json::from_str(&ok(export)).unwrap();
    for one in standings["entrants"].as_array().unwrap() {
        let name = one["name"].as_str().unwrap();
        let counts = ["missed", "refused"].map(|count| one[count].as_u64().unwrap() > 0);
        let expected = match name {
            "babbling" => [false, true],
            "here" => [false, false],
            _ => [true, false],
        };
        assert_eq!(counts, expected, "{one}");
        assert_eq!(
            said.contains(&format!("answers: {name}: ")),
            expected[0],
            "{said}"
        );
    }
    assert!(said.contains("refused by the rules: babbling "), "{said}");
}

#[test]
fn an_entrant_that_removes_its_own_program_loses_and_stalls_nobody() {
    let folder = folder();
    let script = "#!/bin/sh\nrm -f -- \"$0\"\nexec cat >/dev/null\n";
    let program = folder.path().join("evil.sh");
    fs::write(&program, script).unwrap();
    fs::set_permissions(
        &program,
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let cup = CUP
        .replacen(
            "player = \"builtin:rules\"",
            "run = [\"./evil.sh\"]\nenv = { KEY = \"secret-4\" }",
            1,
        )
        .replace("rounds = 8", "rounds = 2")
        + "\n[game.planowanie]\noptions = { time_ms = 400 }\n";
    fs::write(folder.path().join("cup.toml"), &cup).unwrap();
    let said = ok(tournament(folder.path(), "run", &["cup.toml"])
        .output()
        .unwrap());
    assert!(
        said.contains("over: all rounds are played") && said.contains("init_failure"),
        "{said}"
    );
    let export = ok(tournament(folder.path(), "export", &["--output", "csv"])
        .output()
        .unwrap());
    assert!(
        export.contains(",cmd,") && !export.contains("evil"),
        "{export}"
    );
    let stored = fs::read(folder.path().join("tournament.db")).unwrap();
    assert!(!text(&stored).contains("secret-4"));
}

/// A program goes missing while its tournament is played.
#[test]
fn a_program_that_is_gone_stops_a_tournament_and_loses_only_if_set_so() {
    let folder = folder();
    let script = folder.path().join("bot.sh");
    let ours = env!("CARGO_BIN_EXE_drover");
    let whole = format!("exec '{ours}' shim planowanie --bot random --local\n");
    // It plays once more after it was tried, and is gone.
    let going = format!("test -e tried && rm bot.sh\ntouch tried\n{whole}");
    let cup = CUP
        .replacen(
            "player = \"builtin:rules\"",
            "run = [\"sh\", \"bot.sh\"]",
            1,
        )
        .replace("rounds = 8", "rounds = 3");
    let cup = cup.replacen(
        "[[entrant]]\nname = \"D\"",
        "[[entrant]]\nhouse = true\nname = \"D\"",
        1,
    );
    let cup = cup.replacen(
        "[[entrant]]\nname = \"E\"",
        "[[entrant]]\nhouse = true\nname = \"E\"",
        1,
    );
    let cup = cup + "\n[game.planowanie]\noptions = { deals = \"2 0\" }\n";
    fs::write(folder.path().join("cup.toml"), cup).unwrap();
    fs::write(&script, going).unwrap();
    let play = |verb, more: &[&str]| {
        let arguments = [&["cup.toml", "--concurrency", "1"], more].concat();
        tournament(folder.path(), verb, &arguments)
            .output()
            .unwrap()
    };
    let said = refused(play("run", &[]), 1);
    assert!(
        said.contains("round 2: in every match a program could not be started, of \"A\""),
        "{said}"
    );
    let said = refused(play("resume", &[]), 2);
    assert!(
        said.contains("entrant \"A\": its program cannot play: exit status "),
        "{said}"
    );
    fs::write(&script, whole).unwrap();
    let said = ok(play("resume", &[]));
    assert!(said.contains("over: all rounds are played"), "{said}");
    assert!(
        said.contains("faults: A: init_failure 5 (5 of 5 such matches lost)\n"),
        "{said}"
    );
    fs::remove_file(&script).unwrap();
    let said = ok(play("run", &["--again", "--broken-lose"]));
    assert!(
        said.contains("faults: A: init_failure 9 (9 of 9 such matches lost)\n"),
        "{said}"
    );
}
