//! Results belong to those who earned them: what a fallback played counts for nobody.

use super::tournament;
use crate::app::{TestApp, drover, folder, ok};
use crate::bots::{bot, is_there};
use crate::urls::Server;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// A bot of Koehandel with this body of its loop, in which `message` is what it received.
pub(super) fn added(folder: &Path, name: &str, (before, body): (&str, &str), more: &str) {
    let own = folder.join(name);
    fs::create_dir(&own).unwrap();
    let manifest = format!(
        "name = \"{name}\"\nversion = \"1\"\ngames = [\"koehandel\"]\nrun = [\"python3\", \"bot.py\"]\n{more}"
    );
    fs::write(own.join("bot.toml"), manifest).unwrap();
    let program = format!(
        "import json, sys\n{before}\ndef say(**said): print(json.dumps(said), flush=True)\nasked = 0\n\
         for line in sys.stdin:\n    message = json.loads(line)\n    if message[\"type\"] == \"hello\": say(type=\"ready\", protocol=1)\n    \
         if message[\"type\"] == \"end\": break\n    if message[\"type\"] != \"ask\": continue\n    asked += 1\n    {body}\n"
    );
    fs::write(own.join("bot.py"), program).unwrap();
    ok(bot(folder, &["add", name]));
}

const NONSENSE: &str =
    "if not message[\"past\"]: say(type=\"act\", number=message[\"number\"], act=\"nonsense\")";
pub(super) const FIRST_ACT: &str = "if not message[\"past\"]: say(type=\"act\", number=message[\"number\"], act=(message[\"acts\"] or [[]])[0])";

/// The cup of these entrants in one round of one deck without rotations, after `rounds` of it.
pub(super) fn cup(folder: &Path, rounds: u32, entrants: &[(&str, &str)]) {
    let entrants = entrants.iter();
    let entrants = entrants
        .map(|(name, player)| format!("[[entrant]]\nname = \"{name}\"\nplayer = \"{player}\"\n"));
    let file = format!(
        "name = \"cup\"\ngames = [\"koehandel\"]\nrotate = false\nconcurrency = 1\nbudget = \"300n\"\n\
         [schedule]\nformat = \"round-robin\"\nlaps = {rounds}\n{}",
        entrants.collect::<String>()
    );
    fs::write(folder.join("cup.toml"), file).unwrap();
}

fn run(folder: &Path, more: &[&str]) -> String {
    let more = [&["cup.toml"], more].concat();
    ok(tournament(folder, "run", &more).output().unwrap())
}

fn standings(folder: &Path) -> Value {
    let export = tournament(folder, "export", &[]).output().unwrap();
    serde_json::from_str(&ok(export)).unwrap()
}

fn entrant<'a>(standings: &'a Value, name: &str) -> &'a Value {
    let mut all = standings["entrants"].as_array().unwrap().iter();
    all.find(|one| one["name"] == name).unwrap()
}

fn exported(folder: &Path, format: &str) -> String {
    let more = ["--output", format];
    ok(tournament(folder, "export", &more).output().unwrap())
}

fn seat<'a>(found: &'a Value, name: &str) -> &'a Value {
    let mut seats = found["seats"].as_array().unwrap().iter();
    seats.find(|seat| seat["entrant"] == name).unwrap()
}

#[test]
fn a_bot_that_does_not_play_loses_what_its_fallback_won() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    let (path, data) = (folder.path(), folder.path().join("data"));
    added(path, "idle", ("", NONSENSE), "fallback = \"champion\"\n");
    added(path, "dead", ("import no_such_module", "pass"), "");
    let quits = format!("if asked > 5: sys.exit(3)\n    {FIRST_ACT}");
    added(path, "quits", ("", &quits), "");
    cup(
        path,
        1,
        &[
            ("Idle", "bot:idle"),
            ("Dead", "bot:dead"),
            ("Quits", "bot:quits"),
            ("Guide", "builtin:guide"),
        ],
    );
    let message = run(path, &["--broken-lose"]);
    let all = standings(path);
    assert_eq!(all["entrants"][0]["name"], "Guide", "{message}");
    assert_eq!(all["entrants"][0]["won"], 3);
    for (name, how) in [
        ("Idle", "refused"),
        ("Dead", "crashed"),
        ("Quits", "crashed"),
    ] {
        let one = entrant(&all, name);
        assert_eq!(one["faults"], json!({ "not_played": 1 }), "{one}");
        assert_eq!(
            (&one["wins"], &one["lost"], &one["drawn"]),
            (&json!(0), &json!(1), &json!(0))
        );
        assert_eq!(one["participation"], json!({ how: 1 }), "{one}");
        let [decisions, fallback] = ["decisions", "fallback"].map(|of| one[of].as_u64().unwrap());
        assert_eq!(fallback == decisions, name != "Quits", "{one}");
        assert!(fallback > 2 && fallback * 20 > decisions, "{one}");
        let line = format!("not its own: {name}: {fallback} of {decisions} decisions");
        assert!(message.contains(&line), "{message}");
    }
    let csv = exported(path, "csv");
    assert!(csv.contains(",decisions,fallback,participation,"), "{csv}");
    assert!(
        csv.contains(",refused 1,") && csv.contains("not_played 1"),
        "{csv}"
    );
    let pgn = exported(path, "pgn");
    assert_eq!(
        pgn.matches("[Termination \"rules infraction\"]").count(),
        3,
        "{pgn}"
    );
    assert!(
        pgn.contains("Participation \"refused from turn 1\"]"),
        "{pgn}"
    );
    assert!(pgn.contains("Participation \"crashed at turn "), "{pgn}");

    // A later rating does so without what fallbacks won.
    let lines = exported(path, "lines");
    assert!(lines.contains("\"cause\":\"not_played\""), "{lines}");
    fs::write(path.join("cup.jsonl"), &lines).unwrap();
    fs::write(path.join("cup.pgn"), &pgn).unwrap();
    for file in ["cup.jsonl", "cup.pgn"] {
        let mut rate = drover();
        rate.current_dir(path)
            .args(["rate", file, "--output", "json"]);
        let rated: Value = serde_json::from_str(&ok(rate.output().unwrap())).unwrap();
        let results = &rated["players"][0];
        assert_eq!(results["name"], "Guide", "{file}: {rated:#}");
    }

    // The same from REST, in the ledger, on pages and by verification.
    fs::create_dir_all(&data).unwrap();
    fs::copy(path.join("tournament.db"), data.join("drover.db")).unwrap();
    let app = TestApp::start(&data);
    let found = app.items("/api/v1/matches?cause=not_played&participation=refused&entrant=Idle");
    assert_eq!(found.len(), 1);
    assert!(
        app.items("/api/v1/matches?participation=refused&entrant=Dead")
            .is_empty()
    );
    let id = found[0]["id"].as_str().unwrap();
    let idle = seat(&found[0], "Idle");
    assert_eq!(
        (&idle["win_share"], &idle["participation"]["turn"]),
        (&json!(0.0), &json!(1))
    );
    assert_eq!(seat(&found[0], "Guide")["participation"]["how"], "played");
    let blamed = found[0]["blame"].as_u64().unwrap();
    assert_ne!(seat(&found[0], "Guide")["seat"].as_u64(), Some(blamed));
    assert!(
        found[0]["detail"]
            .as_str()
            .unwrap()
            .contains("its fallback took"),
        "{found:?}"
    );
    let programs = app.items(&format!("/api/v1/matches/{id}/programs"));
    assert_eq!(programs.len(), 3);
    for name in ["Idle", "Dead", "Quits"] {
        let part = &seat(&found[0], name)["participation"];
        let own = seat(&found[0], name)["seat"].as_u64();
        let program = programs
            .iter()
            .find(|row| row["seat"].as_u64() == own)
            .unwrap();
        assert_eq!(&program["conduct"]["participation"], part);
        let own = own.unwrap_or_default();
        let rows = app.items(&format!("/api/v1/matches/{id}/ledger?seat={own}&limit=250"));
        let fell = rows.iter().filter(|row| row["fallback"] == true);
        assert_eq!(
            Some(fell.count() as u64),
            part["fallback"].as_u64(),
            "{name}"
        );
    }
    let decisions = app.get(&format!("/matches/{id}?tab=decisions")).body;
    let said = "were answered by the fallback";
    assert!(decisions.contains(said), "{decisions}");
    let page = app.get(&format!("/matches/{id}")).body;
    assert!(
        page.contains("refused from turn 1") && page.contains("not played"),
        "{page}"
    );
    app.stop_verified();
}

#[test]
fn a_url_that_leaves_after_the_first_round_wins_nothing_more() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    let server = Server::start(folder.path(), ("web", &["koehandel"]), "leaves");
    ok(bot(folder.path(), &["add", "web"]));
    let random = |name| (name, "builtin:random");
    let entrants = [("Web", "bot:web"), random("A"), random("B"), random("C")];
    cup(folder.path(), 3, &entrants);
    let message = run(folder.path(), &[]);
    let web = standings(folder.path());
    let web = entrant(&web, "Web");
    assert_eq!(web["games"], 3);
    assert_eq!(web["faults"], json!({ "not_played": 2 }), "{message}");
    assert_eq!(web["participation"], json!({ "crashed": 2 }), "{message}");
    let lines = exported(folder.path(), "lines");
    assert_eq!(lines.lines().count(), 3);
    drop(server);
}

#[test]
fn a_player_that_ends_in_a_match_that_goes_on_is_stored_so() {
    let folder = folder();
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/keeper.sh");
    for fault in ["exit", "silent", "junk", "none"] {
        let seat = format!("cmd:sh {program} {fault}");
        let seats = [seat.as_str(), "builtin:passer"];
        // None is late for the machine's sake.
        let options = [
            "map=plain",
            "rounds=9",
            "start_ms=20000",
            "soft_ms=2000",
            "hard_ms=3000",
        ];
        let mut play = crate::app::play("lighthouses", &seats, &options);
        play.current_dir(folder.path());
        let more = ["--store", "data/drover.db", "--replays-max", "0"];
        ok(play.args(more).output().unwrap());
    }
    let app = TestApp::start(&folder.path().join("data"));
    for (how, turn) in [("crashed", 5), ("silent", 5), ("refused", 5)] {
        let found = app.items(&format!("/api/v1/matches?participation={how}"));
        assert_eq!(found.len(), 1, "{how}");
        assert_eq!(found[0]["cause"], "normal");
        let part = &found[0]["seats"][0]["participation"];
        assert_eq!(
            (&part["how"], &part["turn"]),
            (&json!(how), &json!(turn)),
            "{part}"
        );
        assert_eq!(found[0]["seats"][1]["participation"]["how"], "played");
        let id = found[0]["id"].as_str().unwrap();
        let page = app.get(&format!("/matches/{id}")).body;
        assert!(!page.contains("tag good\">played to its end"), "{page}");
        assert!(page.contains(how), "{page}");
    }
    let mut list = drover();
    list.current_dir(folder.path())
        .env("DROVER__STORE__PATH", "data/drover.db");
    list.args(["match", "list", "--participation", "crashed"]);
    let printed = ok(list.output().unwrap());
    assert!(printed.contains(" (crashed at turn 5)"), "{printed}");
    app.stop();
}
