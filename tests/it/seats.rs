//! Users' bots at our own tables: `bot:NAME` on a seat of a match and in a tournament.

use crate::app::{
    self, TestApp, WITH_REFEREE, block_on, connected, drover, folder, ok, refused, request, run_on,
    text, until,
};
use crate::bots::{bot, is_there};
use drover::history;
use drover::history::GameRules;
use drover::store::Store;
use serde_json::Value;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// A starter that ends instead of deciding.
const CRASHING: (&str, &str) = (
    "            act = bot.decide(",
    "            sys.exit(3)\n            act = bot.decide(",
);

/// A starter that writes to standard error before it answers.
const TALKING: (&str, &str) = (
    "            act = bot.decide(",
    "            print(\"decision\", message[\"number\"], file=sys.stderr)\n            act = bot.decide(",
);

/// Adds the Python starter of a game under this name, with this fallback, changed so.
fn added(folder: &Path, (name, game): (&str, &str), fallback: &str, change: (&str, &str)) {
    ok(bot(folder, &["new", name, "--game", game]));
    let manifest = folder.join(name).join("bot.toml");
    let said = fs::read_to_string(&manifest).unwrap() + &format!("fallback = \"{fallback}\"\n");
    fs::write(manifest, said).unwrap();
    let program = folder.join(name).join("drover_bot.py");
    let code = fs::read_to_string(&program).unwrap();
    assert!(code.contains(change.0));
    fs::write(program, code.replace(change.0, change.1)).unwrap();
    ok(bot(folder, &["add", name]));
}

/// The options of a short match, in games that have any.
fn short(game: &str) -> &'static [&'static str] {
    match game {
        "lighthouses" | "planetwars" => &["rounds=50"],
        "smartdog" => &["turnsLimit=50"],
        _ => &[],
    }
}

/// A short match between these seats: the first one's name, and all scores.
pub fn played(folder: &Path, game: &str, seats: &[&str]) -> (String, Vec<f64>) {
    let mut command = app::play(game, seats, short(game));
    command
        .current_dir(folder)
        .args(["--store", "data/drover.db"]);
    // It ends with 1 if a program took no decision.
    let printed = text(&command.output().unwrap().stdout);
    let whole: Value = serde_json::from_str(&printed).unwrap();
    let seats = whole["seats"].as_array().unwrap().iter();
    let scores = seats.map(|seat| seat["mean_score"].as_f64().unwrap());
    let first = whole["seats"][0]["bot"].as_str().unwrap().to_owned();
    (first, scores.collect())
}

/// Bots that decide alike whenever they are asked: who plays instead of a program shows in the scores.
#[test]
fn every_python_starter_plays_and_the_fallback_of_one_that_crashes() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    for (game, fallback, rivals) in [
        // Another program there, so that all matches go over the same wire: bots have other seeds in process.
        (
            "koehandel",
            "face",
            &["bot:good-koehandel", "builtin:guide", "builtin:guide"][..],
        ),
        ("smartdog", "stand", &["builtin:stand"]),
        ("planowanie", "greedy", &["builtin:rules"; 2]),
        ("lighthouses", "harvester", &["builtin:passer"]),
        ("planetwars", "bully", &["builtin:idle"]),
    ] {
        let (good, bad) = (format!("good-{game}"), format!("bad-{game}"));
        added(folder.path(), (&good, game), fallback, ("", ""));
        added(folder.path(), (&bad, game), fallback, CRASHING);
        let score = |first: &str| {
            let seats = [&[first], rivals].concat();
            played(folder.path(), game, &seats)
        };
        let (_, instead) = score(&format!("builtin:{fallback}"));
        let (named, own) = score(&format!("bot:{good}"));
        assert_eq!(named, format!("bot:{good}@1"));
        assert_ne!(own, instead, "{game}: the starter decides");
        let (named, fallen) = score(&format!("bot:{bad}@1"));
        assert_eq!(named, format!("bot:{bad}@1"));
        assert_eq!(fallen, instead, "{game}: the fallback decides");
    }
    let app = TestApp::with(&folder.path().join("data"), &[]);
    for game in [
        "koehandel",
        "smartdog",
        "planowanie",
        "lighthouses",
        "planetwars",
    ] {
        let good = conduct(&app, &format!("bot:good-{game}@1"));
        assert!(good["answered"].as_u64() > Some(3), "{game}: {good}");
        assert_eq!(good["failed"], 0, "{game}: {good}");
        let bad = conduct(&app, &format!("bot:bad-{game}@1"));
        assert_eq!(bad["answered"], 0, "{game}: {bad}");
        assert!(bad["failed"].as_u64() > Some(1), "{game}: {bad}");
    }
    app.stop_verified();
}

/// The conduct of this program in its only match, or on one of its seats there.
pub fn conduct(app: &TestApp, bot: &str) -> Value {
    let played = app.items(&format!("/api/v1/matches?bot={bot}"));
    let id = played[0]["id"].as_str().unwrap();
    let runs = app.items(&format!("/api/v1/matches/{id}/programs"));
    let run = runs.iter().find(|run| run["bot"] == bot);
    run.unwrap_or_else(|| panic!("{bot}: {runs:?}"))["conduct"].clone()
}

/// A starter that counts its matches in its note.
const COUNTING: (&str, &str) = (
    "        elif kind == \"match\" and hasattr(bot, \"begin\"):",
    "        elif kind == \"match\":\n            note((message[\"note\"] or 0) + 1)\n        elif kind == \"begin\":",
);

/// A starter that notes its priority.
const NICE: (&str, &str) = (
    "        elif kind == \"match\" and hasattr(bot, \"begin\"):",
    "        elif kind == \"match\":\n            note(__import__(\"os\").nice(0))\n        elif kind == \"begin\":",
);

/// What a bot has noted last in this database.
fn noted(database: &Path, name: &str, game: &str) -> Option<Value> {
    block_on(async {
        let store = Store::open_readonly(database, GameRules::all())
            .await
            .unwrap();
        let note = history::note(store.reader(), name, game).await.unwrap();
        store.close().await;
        note
    })
}

/// One match after the other, on every way to play: each begins with the note of the one before.
#[test]
fn a_bot_gets_its_note_back_at_our_own_tables() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    for (game, fallback, rivals) in [
        ("koehandel", "filler", &["builtin:filler"; 3][..]),
        ("smartdog", "stand", &["builtin:stand"]),
        ("lighthouses", "passer", &["builtin:passer"]),
    ] {
        added(folder.path(), (game, game), fallback, COUNTING);
        let database = folder.path().join("data/drover.db");
        let own = format!("bot:{game}");
        let seats = [&[&*own], rivals].concat();
        let play = |games: &str, more: &[&str]| {
            let mut command = drover();
            command.current_dir(folder.path()).args(["play", game]);
            command.args(seats.iter().flat_map(|seat| ["--seat", seat]));
            command.args(short(game).iter().flat_map(|option| ["--option", option]));
            command
                .args(["--games", games, "--concurrency", "1"])
                .args(more);
            ok(command.output().unwrap());
            noted(&database, game, game)
        };
        let store = ["--store", "data/drover.db"];
        assert_eq!(play("2", &store), Some(Value::from(2)), "{game}");
        assert_eq!(play("1", &store), Some(Value::from(3)), "{game}");
        // Nothing is kept where nothing is stored.
        assert_eq!(play("1", &[]), Some(Value::from(3)), "{game}");
    }
    // Each match of a tournament can be repeated alone.
    let cup = "name = \"Alone\"\ngames = [\"lighthouses\"]\n[schedule]\nformat = \"groups\"\nrounds = 2\n\
               [game.lighthouses]\noptions = { rounds = 20 }\n\
               [[entrant]]\nname = \"A\"\nplayer = \"bot:lighthouses\"\n\
               [[entrant]]\nname = \"B\"\nplayer = \"builtin:passer\"\n";
    fs::write(folder.path().join("cup.toml"), cup).unwrap();
    ok(tournament(folder.path(), &["run", "cup.toml"])
        .output()
        .unwrap());
    assert!(!matches(folder.path(), "lighthouses").is_empty());
    let database = folder.path().join("tournament.db");
    assert_eq!(noted(&database, "lighthouses", "lighthouses"), None);
}

#[test]
fn a_bot_that_cannot_sit_there_is_reported_with_its_shelf() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    added(folder.path(), ("mine", "planetwars"), "idle", ("", ""));
    for (game, seat, expected) in [
        (
            "koehandel",
            "bot:none",
            "there is no bot none; there are: mine",
        ),
        (
            "koehandel",
            "bot:mine",
            "it does not play koehandel; its games are: planetwars",
        ),
        (
            "planetwars",
            "bot:mine@7",
            "there is no bot mine@7; its versions are: 1",
        ),
        ("planetwars", "bot:", "\"\" cannot name a bot"),
    ] {
        let mut command = app::play(game, &[seat], &[]);
        let error = refused(command.current_dir(folder.path()).output().unwrap(), 2);
        assert!(error.contains(expected), "{error}");
        assert!(seat == "bot:" || error.contains("data/bots)"), "{error}");
    }
}

/// At a daemon's referee, which is killed in the middle of the match and started again.
#[test]
fn the_referee_of_a_daemon_seats_a_users_bot_and_goes_on_with_it() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    added(folder.path(), ("mine", "koehandel"), "face", NICE);
    let data = folder.path().join("data");
    let daemon = || {
        TestApp::with(
            &data,
            &[WITH_REFEREE, ("THINKING__BUDGET_MS_KOEHANDEL", "20")],
        )
    };
    let app = daemon();
    let referee = app.referee.unwrap();
    let unknown = request(referee, "GET", "/?connect&url1=bot:none", &[], "");
    assert_eq!(unknown.status, 400, "{unknown:?}");
    assert!(
        unknown
            .body
            .contains("seat bot:none: no such bot that plays koehandel")
    );
    let rivals = "&url2=builtin:guide&url3=builtin:guide&url4=builtin:guide";
    connected(referee, &format!("/?connect&url1=bot:mine{rivals}"));
    until(|| {
        let running = app.items("/api/v1/matches?game=koehandel");
        let mut ids = running.iter().map(|row| &row["id"]);
        ids.any(|id| app.entries(id) > 40)
    });
    app.kill();
    let app = daemon();
    let ended = app.ended_matches("koehandel", 1);
    assert_eq!(ended[0]["cause"], "normal", "{ended:?}");
    assert_eq!(ended[0]["seats"][0]["spec"], "bot:mine@1", "{ended:?}");
    app.stop_verified();
    // Programs make room for the daemon that hosts their matches.
    let nice = noted(&data.join("drover.db"), "mine", "koehandel");
    assert!(
        nice.as_ref().and_then(Value::as_i64) >= Some(10),
        "{nice:?}"
    );
}

const CUP: &str = r#"
name = "Mixed"
games = ["planetwars", "koehandel", "smartdog"]

[schedule]
format = "groups"
rounds = 2

[game.planetwars]
options = { rounds = 20 }

[game.koehandel]
seats = 4

[game.smartdog]
options = { turnsLimit = 20 }

[[entrant]]
name = "Mine"
player = { planetwars = "bot:planetwars", koehandel = "bot:koehandel", smartdog = "bot:smartdog" }
[[entrant]]
name = "B"
player = { planetwars = "builtin:idle", koehandel = "builtin:random", smartdog = "builtin:stand" }
[[entrant]]
name = "C"
player = { koehandel = "builtin:random" }
[[entrant]]
name = "D"
player = { koehandel = "builtin:random" }
"#;

fn tournament(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = drover();
    command.current_dir(folder).arg("tournament");
    command.args(arguments);
    command
}

/// The ids of a game's matches that have ended; none while there is no database.
fn matches(folder: &Path, game: &str) -> Vec<String> {
    let list = [
        "match", "list", "--game", game, "--limit", "250", "--output", "csv",
    ];
    let list = run_on(&folder.join("tournament.db"), &list);
    let list = text(&list.stdout);
    let ended = list.lines().filter(|line| line.contains(",normal,"));
    let id = |line: &str| line.split(',').next().unwrap().to_owned();
    ended.map(id).collect()
}

#[test]
fn a_tournament_that_is_resumed_goes_on_with_the_version_that_it_was_begun_with() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    for (game, fallback) in [
        ("planetwars", "idle"),
        ("koehandel", "filler"),
        ("smartdog", "stand"),
    ] {
        added(folder.path(), (game, game), fallback, ("", ""));
    }
    fs::write(folder.path().join("cup.toml"), CUP).unwrap();
    let mut run = tournament(folder.path(), &["run", "cup.toml", "--concurrency", "2"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    until(|| {
        let ended = matches(folder.path(), "planetwars").len();
        ended > 0 || run.try_wait().unwrap().is_some()
    });
    run.kill().unwrap();
    run.wait().unwrap();
    let manifest = folder.path().join("planetwars/bot.toml");
    let said = fs::read_to_string(&manifest).unwrap();
    fs::write(
        &manifest,
        said.replace("version = \"1\"", "version = \"2\""),
    )
    .unwrap();
    ok(bot(folder.path(), &["add", "planetwars"]));

    let resumed = tournament(folder.path(), &["resume", "cup.toml"]);
    let resumed = { resumed }.output().unwrap();
    let said = text(&resumed.stdout);
    assert!(resumed.status.success(), "{said}{}", text(&resumed.stderr));
    for (game, expected) in [("planetwars", 4), ("koehandel", 8), ("smartdog", 4)] {
        let ids = matches(folder.path(), game);
        // Those that were complete but not stored as ended when the run was killed fill no place.
        let played = expected..=expected + 2;
        assert!(played.contains(&ids.len()), "{game} {ids:?} {said}");
        let own = format!("bot:{game}@1");
        for id in [&ids[0], &ids[expected / 2], &ids[expected - 1]] {
            let show = ["match", "show", id, "--output", "json"];
            let shown = ok(run_on(&folder.path().join("tournament.db"), &show));
            assert!(shown.contains(&own), "{shown}");
        }
    }
    // One that is begun now plays with the version that was added last.
    let mut again = tournament(folder.path(), &["run", "cup.toml", "--game", "planetwars"]);
    let said = ok(again.output().unwrap());
    assert!(said.contains("Mine"), "{said}");
    let newest = matches(folder.path(), "planetwars");
    let show = ["match", "show", &newest[0], "--output", "json"];
    let shown = ok(run_on(&folder.path().join("tournament.db"), &show));
    assert!(shown.contains("bot:planetwars@2"), "{shown}");
    let cup = CUP.replace("bot:planetwars", "bot:planetwars@7");
    fs::write(folder.path().join("cup.toml"), cup).unwrap();
    let said = tournament(folder.path(), &["run", "cup.toml"])
        .output()
        .unwrap();
    let said = refused(said, 2);
    assert!(
        said.contains("its versions are: 1, 2 (the shelf is "),
        "{said}"
    );
}

#[test]
fn a_users_bot_is_talked_to_by_hand_and_plays_there() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    added(folder.path(), ("mine", "lighthouses"), "passer", ("", ""));
    let by_hand = |spec: &str, typed: &str| {
        let mut command = drover();
        command.current_dir(folder.path());
        command.args(["play", "lighthouses", "--interactive", spec]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut tester = command.stderr(Stdio::piped()).spawn().unwrap();
        // One that is refused reads nothing.
        let _ = tester.stdin.take().unwrap().write_all(typed.as_bytes());
        tester.wait_with_output().unwrap()
    };
    let typed = "{\"type\":\"seen\",\"event\":{}}\n:players 2\n:rivals passer,bot:mine\n:set rounds=5\n:game\nnonsense\n";
    let said = ok(by_hand("bot:mine", typed));
    for expected in [
        "> {\"type\":\"hello\"",
        "< {\"type\": \"ready\", \"protocol\": 1}",
        "> {\"type\":\"seen\",\"event\":{}}\n",
        "the game ended: normal, scores ",
        // It reads JSON alone.
        "JSONDecodeError",
    ] {
        assert!(said.contains(expected), "{expected:?} in {said}");
    }
    // It decided for itself: the fallback passes.
    assert!(
        said.contains("\"command\":\"move\"") || said.contains("\"command\": \"move\""),
        "{said}"
    );
    let error = refused(by_hand("bot:none", ""), 1);
    assert!(
        error.contains("no such bot that plays lighthouses"),
        "{error}"
    );
}

#[test]
fn a_users_bot_that_cannot_play_is_reported_before_a_tournament_begins() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    let broken = ("import json\n", "import json, nothing_of_that_name\n");
    for game in ["planetwars", "koehandel", "smartdog"] {
        let change = if game == "smartdog" { ("", "") } else { broken };
        added(folder.path(), (game, game), "random", change);
    }
    fs::write(folder.path().join("cup.toml"), CUP).unwrap();
    let error = refused(
        tournament(folder.path(), &["run", "cup.toml"])
            .output()
            .unwrap(),
        2,
    );
    let why = "entrant \"Mine\": its program cannot play: it ended, or closed its output: ModuleNotFoundError";
    assert_eq!(error.matches(why).count(), 2, "{error}");
    assert!(!folder.path().join("tournament.db").exists());
}

#[test]
fn a_users_bot_at_our_table_gives_no_reasons_and_that_is_said() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    added(folder.path(), ("mine", "planetwars"), "idle", TALKING);
    played(folder.path(), "planetwars", &["bot:mine", "builtin:idle"]);
    let store = folder.path().join("data/drover.db");
    let listed = ok(run_on(&store, &["match", "list", "--output", "json"]));
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let id = listed["items"][0]["id"].as_str().unwrap();
    let error = refused(run_on(&store, &["match", "explain", id, "--seat", "1"]), 1);
    assert!(
        error.contains("was played by a user bot, which gives no reasons"),
        "{error}"
    );
    ok(run_on(&store, &["match", "explain", id, "--seat", "2"]));
    what_it_wrote_stands_next_to_its_steps(folder.path(), id);
}

/// Its standard error is parted by decisions, which are found in the replay and on the page to which that leads.
fn what_it_wrote_stands_next_to_its_steps(folder: &Path, id: &str) {
    let app = TestApp::with(&folder.join("data"), &[]);
    let steps = app.items(&format!(
        "/api/v1/matches/{id}/replay?states=false&stderr=true"
    ));
    let parts = |step: &Value| step["stderr"].as_array().cloned().unwrap_or_default();
    let first = steps[0]["turn"].as_u64().unwrap();
    let mut written: Vec<Value> = Vec::new();
    for step in &steps {
        for one in parts(step) {
            let number = one["number"].as_u64().unwrap();
            // Each turn asks it once, and after the n-th answer the match is n turns on.
            assert_eq!(step["turn"], first + number, "{step}");
            let own = format!("decision {number}");
            assert!(one["text"].as_str().unwrap().ends_with(&own), "{one}");
            assert_eq!(one["seat"], 0, "{one}");
            written.push(one);
        }
    }
    assert!(written.len() > 3, "{steps:?}");
    let numbers = written.iter().map(|one| one["number"].as_u64());
    assert!(numbers.is_sorted_by(|one, next| one < next), "{written:?}");
    let (session, number) = (&written[0]["session"], &written[0]["number"]);
    let page = format!("/matches/{id}?tab=decisions&session={session}");
    let page = request(app.api, "GET", &page, &[], "").body;
    let heading = format!("<h3 id=\"stderr-{session}-{number}\">Decision {number}</h3>");
    assert!(page.contains(&heading), "{page}");
    assert!(page.contains("<details open>"), "{page}");
}
