//! Users' bots that speak their game's own protocol: under a foreign arbiter, through the shim, and in checks.

use crate::app::{TestApp, folder, ok, play, report, shim_seat, until};
use crate::bots::{bot, checked, fixes, is_there};
use crate::planetwars;
use crate::seats::conduct;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Stdio;

const PROGRAM: &str = include_str!("../programs/native.py");
/// The games, each with a fallback that is at once ready, and rules of a short match that no busy machine ends.
const GAMES: [(&str, &str, &[&str]); 3] = [
    ("planowanie", "greedy", &["deals=5 0 5 1"]),
    (
        "lighthouses",
        "passer",
        // Nothing waits for a program that is not up yet: the match is not over before it is.
        &[
            "rounds=60",
            "start_ms=30000",
            "hard_ms=20000",
            "pause_us=20000",
        ],
    ),
    (
        "planetwars",
        "idle",
        &["rounds=40", "planets=12", "turn_ms=20000"],
    ),
];

/// Writes a bot whose program plays this game in this manner.
fn written(folder: &Path, (name, game): (&str, &str), fallback: &str, manner: &str) {
    let place = folder.join(name);
    fs::create_dir(&place).unwrap();
    let words: Vec<&str> = ["python3", "bot.py", game]
        .into_iter()
        .chain(manner.split(' '))
        .collect();
    let manifest = format!(
        "name = \"{name}\"\nversion = \"1\"\ngames = [\"{game}\"]\nprotocol = \"native\"\nfallback = \"{fallback}\"\nrun = {words:?}\n"
    );
    fs::write(place.join("bot.toml"), manifest).unwrap();
    fs::write(place.join("bot.py"), PROGRAM).unwrap();
}

/// The same on the shelf of the daemon whose database is in `data`.
fn added(folder: &Path, named: (&str, &str), fallback: &str, manner: &str) {
    written(folder, named, fallback, manner);
    let said = ok(bot(folder, &["add", named.0]));
    assert!(
        said.contains(&format!("it plays as bot:{}", named.0)),
        "{said}"
    );
}

/// A rival that is at once ready.
fn rival(game: &str) -> &'static str {
    match game {
        "planowanie" => "builtin:random",
        "lighthouses" => "builtin:passer",
        _ => "builtin:idle",
    }
}

/// What an arbiter reports of a match of this bot, through the shim, with a built-in bot.
fn played(data: &Path, game: &str, name: &str, (rival, options): (&str, &[&str])) -> Value {
    let own = shim_seat(game, &format!("bot:{name}"), data);
    let report = report(play(game, &[&own, rival], options).output().unwrap());
    let seat = &report["seats"][0];
    assert_eq!(seat["faults"], json!({}), "{name}: {report}");
    assert_eq!(seat["refused"], 0, "{name}: {report}");
    report
}

/// The conduct of this program in its only match, once that is stored.
fn conducted(app: &TestApp, own: &str) -> Value {
    until(|| {
        let ended = app.items(&format!("/api/v1/matches?bot={own}"));
        let id = ended.first().and_then(|one| one["id"].as_str());
        let runs = |id| app.items(&format!("/api/v1/matches/{id}/programs"));
        id.is_some_and(|id| !runs(id).is_empty())
    });
    conduct(app, own)
}

#[test]
fn a_bot_plays_under_a_foreign_arbiter_in_its_games_own_words() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    let data = folder.path().join("data");
    for (game, fallback, _) in GAMES {
        added(folder.path(), (game, game), fallback, "none");
    }
    let app = TestApp::start(&data);
    for (game, _, options) in GAMES {
        let report = played(&data, game, game, (rival(game), options));
        let matched = app.only_match(game);
        assert_eq!(matched["cause"], "normal", "{matched}");
        let own = format!("bot:{game}@1");
        let conduct = conducted(&app, &own);
        // Answers within 70 ms may be late on a busy machine.
        let most = if game == "lighthouses" { 0 } else { 5 };
        assert!(
            conduct["answered"].as_u64() > Some(most),
            "{game}: {conduct}"
        );
        assert_eq!(conduct["refused"], 0, "{game}: {conduct}");
        let said = app.texts(&matched["id"], "out");
        let has = |word: &str| said.iter().any(|text| text.contains(word));
        match game {
            "planowanie" => assert!(has("= 0\n"), "{said:?}"),
            // The name on the wire is Drover's, and the fallback never moves.
            "lighthouses" => assert!(has("{\"name\":\"drover-bot:lighthouses@1\"}"), "{said:?}"),
            _ => {
                // The word that the judge passes round, and one more.
                assert!(has("M 1\n"), "{said:?}");
                assert!(report["seats"][0]["wins"].as_f64() > Some(0.9), "{report}");
            }
        }
        assert!(game != "lighthouses" || has("\"move\""), "{said:?}");
    }
    app.stop_verified();
}

/// Kills the program of this bot, once it runs.
fn killed(mark: &str) {
    let runs = |pid: &i32| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        // Its guard has the same words, but is no Python.
        let first = line.split(' ').next().unwrap_or_default();
        let is_python = first
            .rsplit('/')
            .next()
            .is_some_and(|name| name.starts_with("python"));
        is_python && line.trim_end().ends_with(mark)
    };
    let mut pid = None;
    until(|| {
        let all = fs::read_dir("/proc").unwrap().flatten();
        let mut all = all.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
        pid = all.find(runs);
        pid.is_some()
    });
    kill(Pid::from_raw(pid.unwrap()), Signal::SIGKILL).unwrap();
}

#[test]
fn a_program_that_is_killed_and_a_daemon_that_is_cost_no_match() {
    if !is_there("python3") {
        return;
    }
    let slow = format!("cmd:{} slow", planetwars::PROGRAM);
    let map = "map=P 1 0 0 0 1 1\nP 2 190 0 0 2 900\nP 3 5 0 1 0 1\n";
    let planets = [map, "rounds=120", "turn_ms=20000", "start_ms=30000"];
    let delta = [
        "map=delta",
        "rounds=800",
        "pause_us=5000",
        "hard_ms=20000",
        "start_ms=30000",
    ];
    for (game, fallback, rival, options, entries) in [
        ("lighthouses", "passer", "builtin:nearest", &delta[..], 200),
        ("planetwars", "idle", &*slow, &planets, 40),
    ] {
        let folder = folder();
        let data = folder.path().join("data");
        // An argument that distinguishes its process from others.
        let mark = format!("none {}", 1_000_000 + std::process::id());
        added(folder.path(), ("mine", game), fallback, &mark);
        let app = TestApp::start(&data);
        let own = shim_seat(game, "bot:mine", &data);
        let mut judge = play(game, &[&own, rival], options);
        let judge = judge.stdout(Stdio::piped()).spawn().unwrap();
        killed(&mark);
        let app = app.killed_after(game, entries, &data);
        let report = report(judge.wait_with_output().unwrap());
        assert_eq!(report["seats"][0]["faults"], json!({}), "{report}");
        let matched = app.only_match(game);
        assert_eq!(matched["cause"], "normal");
        // What the first daemon's program did went with it.
        let conduct = conducted(&app, "bot:mine@1");
        assert!(conduct["answered"].as_u64() > Some(0), "{conduct}");
        assert_eq!(conduct["refused"], 0, "{conduct}");
        app.stop_verified();
    }
}

#[test]
fn a_check_plays_in_the_games_own_words() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    for (game, fallback, _) in GAMES {
        written(folder.path(), (game, game), fallback, "none");
        let whole = checked(folder.path(), game);
        assert!(fixes(&whole).is_empty(), "{whole:#}");
        let findings = whole["games"][0]["findings"].as_array().unwrap();
        let weathers: Vec<&str> = findings
            .iter()
            .map(|finding| finding["weather"].as_str().unwrap())
            .collect();
        assert_eq!(
            weathers,
            ["fair", "pieces", "hurried", "killed", "daemon_restarted"],
            "{game}"
        );
        for finding in findings {
            assert_eq!(finding["answers"], finding["legal"], "{game}: {finding:#}");
        }
        let fair = &findings[0];
        // Answers within 70 ms may be late on a busy machine.
        let most = if game == "lighthouses" { 0 } else { 5 };
        assert!(fair["legal"].as_u64() > Some(most), "{game}: {fair:#}");
    }
}

/// What a check says of manners of programs.
const WRONG: [(&str, &str, &str); 9] = [
    (
        "planowanie",
        "crash",
        "it stops in the middle of the match: exit status 3",
    ),
    (
        "planowanie",
        "garbage",
        "it is out of step: its reply \"let me see\" begins with neither = nor ?",
    ),
    ("planowanie", "illegal", "names no card of the deck"),
    (
        "planowanie",
        "mute",
        "messages before it without an answer: ",
    ),
    ("planowanie", "long", "it has sent more than 1024 bytes"),
    (
        "lighthouses",
        "garbage 1",
        "it is out of step: its line \"hello\" is no JSON object",
    ),
    ("lighthouses", "illegal 1", "it did not greet with its name"),
    (
        "planetwars",
        "garbage",
        "\"thinking\" is neither F from to ships",
    ),
    ("planetwars", "more", "before it was asked"),
];

#[test]
fn a_check_says_what_to_fix_in_the_games_own_words() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    for (game, manner, expected) in WRONG {
        let name = format!("{game}-{}", manner.replace(' ', "-"));
        written(folder.path(), (&name, game), "champion", manner);
        let whole = checked(folder.path(), &name);
        let findings = whole["games"][0]["findings"].as_array().unwrap();
        let message = findings.iter().map(|finding| finding["fix"].to_string());
        let message = message.collect::<String>().replace("\\\"", "\"");
        assert!(message.contains(expected), "{name}: {whole:#}");
    }
}

/// What takes long and is not part of every gate.
mod long {
    use super::{GAMES, added, conducted, played, rival};
    use crate::app::{TestApp, folder};
    use crate::bots::is_there;
    use std::fs;

    /// Manners of programs, each with what their conduct must report.
    const MANNERS: [(&str, &str); 5] = [
        ("crash 7", "failed"),
        ("hang 7", "late"),
        ("garbage 7", "failed"),
        ("illegal 7", "refused"),
        ("babble 7", "failed"),
    ];

    #[test]
    #[ignore = "takes long: ./test.sh --long"]
    fn whatever_the_program_does_the_arbiter_sees_no_fault() {
        if !is_there("python3") {
            return;
        }
        let folder = folder();
        let data = folder.path().join("data");
        fs::create_dir(&data).unwrap();
        let app = TestApp::start(&data);
        for (game, fallback, options) in GAMES {
            for (manner, expected) in MANNERS {
                let name = format!("{game}-{}", manner.replace(' ', "-"));
                // A daemon that runs finds what is added.
                added(folder.path(), (&name, game), fallback, manner);
                let options: &[&str] = match game {
                    // A program that hangs takes a quarter of it, once.
                    "planowanie" => &[options, &["time_ms=20000"]].concat(),
                    "planetwars" => &[options, &["rounds=20"]].concat(),
                    _ => options,
                };
                played(&data, game, &name, (rival(game), options));
                let own = format!("bot:{name}@1");
                let conduct = conducted(&app, &own);
                assert!(conduct[expected].as_u64() > Some(0), "{name}: {conduct}");
            }
        }
        app.stop_verified();
    }
}
