//! Users' own bots: written from a starter, checked, added, listed, removed.

use crate::app::{drover, folder, ok, refused};
use drover::programs::{STARTERS, Starter};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// A verb of `drover bot` in this folder.
pub fn bot(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = drover();
    command.arg("bot").args(arguments).current_dir(folder);
    // As it is for a user.
    command.env_remove("PYTHONUNBUFFERED").output().unwrap()
}

/// Whether a program is there; says so if not.
pub fn is_there(program: &str) -> bool {
    let found = Command::new("sh")
        .args(["-c", &format!("command -v {program}")])
        .output();
    let found = found.unwrap().status.success();
    if !found {
        eprintln!("SKIPPED in part: there is no {program}");
    }
    found
}

/// What a check says of the bot in this folder, as JSON.
fn checked(folder: &Path, name: &str) -> Value {
    let output = bot(folder, &["check", name, "--output", "json"]);
    let told = String::from_utf8(output.stdout).unwrap();
    let whole: Value = serde_json::from_str(&told)
        .unwrap_or_else(|why| panic!("{why}: {told}{}", String::from_utf8_lossy(&output.stderr)));
    assert_eq!(output.status.success(), whole["well"] == true, "{whole:#}");
    whole
}

/// What is to be mended in any weather, but for answers that this machine was too busy for.
fn mends(whole: &Value) -> Vec<String> {
    let games = whole["games"].as_array().unwrap();
    let findings = games
        .iter()
        .flat_map(|game| game["findings"].as_array().unwrap());
    let mends = findings.flat_map(|finding| finding["mend"].as_array().unwrap());
    let mends = mends.map(|what| what.as_str().unwrap().to_owned());
    let of_time = |what: &String| {
        what.starts_with("an answer took") || what.starts_with("no answer to decision")
    };
    mends.filter(|what| !of_time(what)).collect()
}

#[test]
fn every_starter_is_in_order_wherever_its_language_is() {
    let folder = folder();
    for starter in STARTERS {
        let Starter { language, game, .. } = starter;
        let tools = [starter.run[0]]
            .into_iter()
            .chain(starter.build.first().copied());
        let mut tools = tools.filter(|tool| !tool.starts_with("./"));
        if !tools.all(is_there) {
            assert!(!["python", "javascript"].contains(language) || !is_there("python3"));
            continue;
        }
        let name = format!("{language}-{game}");
        ok(bot(
            folder.path(),
            &["new", &name, "--lang", language, "--game", game],
        ));
        let whole = checked(folder.path(), &name);
        assert!(mends(&whole).is_empty(), "{name}: {whole:#}");
        let findings = whole["games"][0]["findings"].as_array().unwrap();
        assert_eq!(findings.len(), 7, "{name}: {whole:#}");
        for finding in findings {
            let count = |key: &str| finding[key].as_u64().unwrap();
            assert_eq!(count("answers"), count("legal"), "{name}: {finding:#}");
            // Whatever else runs on this machine, most of them come in time.
            assert!(count("answers") * 2 > count("asked"), "{name}: {finding:#}");
        }
    }
}

/// Ways to be wrong: what is changed in the starter, and what a check says of it.
const WRONG: &[(&str, &str, &str)] = &[
    (
        "sys.stdout.flush()",
        "pass",
        "it says nothing within 10 s of its start",
    ),
    (
        "\"protocol\": 1",
        "\"protocol\": 2",
        "its first line must be {\"type\":\"ready\",\"protocol\":1}",
    ),
    (
        "def play(bot):",
        "print('welcome')\ndef play(bot):",
        "standard output is for lines of the protocol alone, not \"welcome\"",
    ),
    (
        "told = json.loads(line)",
        "told = json.loads(line) if line[-2] != chr(13) else sys.exit(4)",
        "it stops in the middle of the match: exit status 4",
    ),
    (
        "kind = told[\"type\"]",
        "kind = [\"hello\", \"match\", \"seen\", \"ask\", \"played\", \"refused\", \"end\"].index(told[\"type\"])\n        kind = told[\"type\"]",
        "ValueError",
    ),
    (
        "not told[\"past\"]",
        "(not told[\"past\"] or 1 / 0)",
        "ZeroDivisionError",
    ),
    (
        "\"number\": told[\"number\"]",
        "\"number\": told[\"number\"] + 1",
        "it answers decision 2, which it was not asked; the last one is 1",
    ),
    (
        "for line in sys.stdin:",
        "import signal\n    signal.signal(signal.SIGTERM, signal.SIG_IGN)\n    def lines():\n        yield from sys.stdin\n        while True:\n            signal.pause()\n    for line in lines():",
        "it goes on when its standard input ends",
    ),
    (
        "act = bot.decide(",
        "act = [] and bot.decide(",
        "is not legal: it is no act",
    ),
    (
        "json.dumps(message) + \"\\n\"",
        "json.dumps(message) + (\"\" if message[\"type\"] == \"act\" else \"\\n\")",
        "has no end of line",
    ),
    (
        "json.dumps(message) + \"\\n\"",
        "json.dumps(message) + \"\\n\" * 100",
        "more than 64 lines for one decision",
    ),
    (
        "json.dumps(message) + \"\\n\"",
        "\"x\" * 2000000",
        "it has sent more than 1048576 bytes without an end of line",
    ),
];

#[test]
fn a_check_says_what_to_mend() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    ok(bot(folder.path(), &["new", "good", "--game", "planowanie"]));
    let good = folder.path().join("good");
    let text = fs::read_to_string(good.join("drover_bot.py")).unwrap();
    for (number, (right, wrong, expected)) in WRONG.iter().enumerate() {
        let name = format!("wrong-{number}");
        ok(bot(folder.path(), &["new", &name, "--game", "planowanie"]));
        let changed = text.replace(right, wrong);
        assert_ne!(changed, text, "{right}");
        fs::write(folder.path().join(&name).join("drover_bot.py"), changed).unwrap();
        let whole = checked(folder.path(), &name);
        let told = mends(&whole);
        assert!(
            told.iter().any(|what| what.contains(expected)),
            "{wrong}: {whole:#}"
        );
    }
}

#[test]
fn a_bot_that_cannot_be_added_is_told_where() {
    let folder = folder();
    let told = refused(bot(folder.path(), &["add", "none"]), 1);
    assert!(
        told.contains("none/bot.toml cannot be read: No such file"),
        "{told}"
    );
    ok(bot(folder.path(), &["new", "mine", "--game", "planetwars"]));
    let told = refused(
        bot(folder.path(), &["new", "mine", "--game", "planetwars"]),
        1,
    );
    assert!(
        told.contains("cannot make the folder mine: File exists"),
        "{told}"
    );
    let told = refused(bot(folder.path(), &["new", "x", "--game", "chess"]), 2);
    assert!(told.contains("there is no game \"chess\""), "{told}");
    let told = refused(
        bot(
            folder.path(),
            &["new", "x", "--lang", "go", "--game", "koehandel"],
        ),
        2,
    );
    assert!(
        told.contains("no starter in go plays \"koehandel\"; there are: planetwars"),
        "{told}"
    );
    let told = refused(
        bot(folder.path(), &["new", "../x", "--game", "koehandel"]),
        2,
    );
    assert!(
        told.contains("it must be 1 to 48 lower-case letters"),
        "{told}"
    );
    let manifest = folder.path().join("mine/bot.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, format!("{text}fast = true\n")).unwrap();
    let told = refused(bot(folder.path(), &["add", "mine"]), 1);
    assert!(
        told.contains("mine/bot.toml, line 5: there is no key `fast`"),
        "{told}"
    );
    assert!(!folder.path().join("data/bots").exists());
}

#[test]
fn what_is_on_the_shelf_is_listed() {
    let folder = folder();
    ok(bot(folder.path(), &["new", "mine", "--game", "planetwars"]));
    if !is_there("python3") {
        return;
    }
    ok(bot(folder.path(), &["add", "mine"]));
    let list: Value = serde_json::from_str(&ok(bot(folder.path(), &["list", "--json"]))).unwrap();
    let item = &list["items"][0];
    assert_eq!(item["bot"], "mine", "{list}");
    assert_eq!(
        (&item["last"], &item["games"][0]),
        (&true.into(), &"planetwars".into())
    );
    let told = refused(bot(folder.path(), &["remove", "mine@7"]), 1);
    assert!(
        told.contains("there is no bot mine@7; its versions are: 1"),
        "{told}"
    );
    ok(bot(folder.path(), &["remove", "mine"]));
    let list: Value = serde_json::from_str(&ok(bot(folder.path(), &["list", "--json"]))).unwrap();
    assert_eq!(list["items"], Value::Array(Vec::new()));
    let schema = ok(bot(folder.path(), &["schema", "planetwars"]));
    let schema: Value = serde_json::from_str(&schema).unwrap();
    assert!(schema["to_program"].is_object() && schema["from_program"].is_object());
}
