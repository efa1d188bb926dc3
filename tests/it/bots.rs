//! Users' own bots: written from a starter, checked, added, listed, removed.

use crate::app::{drover, folder, ok, play, refused};
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
pub fn checked(folder: &Path, name: &str) -> Value {
    let output = bot(folder, &["check", name, "--output", "json"]);
    let printed = String::from_utf8(output.stdout).unwrap();
    let whole: Value = serde_json::from_str(&printed).unwrap_or_else(|why| {
        panic!(
            "{why}: {printed}{}",
            String::from_utf8_lossy(&output.stderr)
        )
    });
    assert_eq!(output.status.success(), whole["well"] == true, "{whole:#}");
    whole
}

/// What is to be fixed in any weather, but for answers that this machine was too busy for.
pub fn fixes(whole: &Value) -> Vec<String> {
    let games = whole["games"].as_array().unwrap();
    let findings = games
        .iter()
        .flat_map(|game| game["findings"].as_array().unwrap());
    let fixes = findings.flat_map(|finding| finding["fix"].as_array().unwrap());
    let fixes = fixes.map(|what| what.as_str().unwrap().to_owned());
    let of_time = |what: &String| {
        what.starts_with("an answer took") || what.starts_with("no answer to decision")
    };
    fixes.filter(|what| !of_time(what)).collect()
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
        "def play():",
        "print('welcome')\ndef play():",
        "standard output is for lines of the protocol alone, not \"welcome\"",
    ),
    (
        "message = json.loads(line)",
        "message = json.loads(line) if line[-2] != chr(13) else sys.exit(4)",
        "it stops in the middle of the match: exit status 4",
    ),
    (
        "kind = message[\"type\"]",
        "kind = [\"hello\", \"match\", \"seen\", \"ask\", \"played\", \"refused\", \"end\"].index(message[\"type\"])\n        kind = message[\"type\"]",
        "ValueError",
    ),
    (
        "not message[\"past\"]",
        "(not message[\"past\"] or 1 / 0)",
        "ZeroDivisionError",
    ),
    (
        "\"number\": message[\"number\"]",
        "\"number\": message[\"number\"] + 1",
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
fn a_check_says_what_to_fix() {
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
        let printed = fixes(&whole);
        assert!(
            printed.iter().any(|what| what.contains(expected)),
            "{wrong}: {whole:#}"
        );
    }
}

/// The starter of a game, changed.
fn changed(folder: &Path, name: &str, game: &str, (right, wrong): (&str, &str)) {
    ok(bot(folder, &["new", name, "--game", game]));
    let file = folder.join(name).join("drover_bot.py");
    let text = fs::read_to_string(&file).unwrap();
    let changed = text.replace(right, wrong);
    assert_ne!(changed, text, "{right}");
    fs::write(file, changed).unwrap();
}

/// What a check sends a bot is what a match does.
#[test]
fn a_bot_starts_where_the_database_lies_in_the_current_folder() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    let new = ["new", "mine", "--lang", "python", "--game", "planowanie"];
    ok(bot(folder.path(), &new));
    let mut command = drover();
    command.env("DROVER__STORE__PATH", "drover.db");
    command.env("DROVER__SHIM__SOCKET", "drover.sock");
    command.args(["bot", "check", "mine", "--output", "json"]);
    let output = command.current_dir(folder.path()).output().unwrap();
    let whole: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(fixes(&whole), Vec::<String>::new(), "{whole:#}");
}

/// What `drover bot protections` says of memory with this `bots.cgroup`.
fn memory(cgroup: &Path) -> String {
    let mut command = drover();
    command.args(["bot", "protections"]);
    let printed = ok(command
        .env("DROVER__BOTS__CGROUP", cgroup)
        .output()
        .unwrap());
    let line = printed.lines().find(|line| line.starts_with("memory: "));
    line.unwrap().to_owned()
}

/// In a folder that looks like a cgroup.
#[test]
fn a_bot_joins_a_cgroup_of_its_own_before_it_starts() {
    if !is_there("python3") {
        return;
    }
    let (folder, cgroup) = (folder(), folder());
    let without = memory(Path::new(""));
    assert!(
        without.starts_with("memory: missing: without a cgroup"),
        "{without}"
    );
    let none = memory(cgroup.path());
    assert!(
        none.contains("once a second") && none.contains("bots.cgroup: "),
        "{none}"
    );
    let own = memory(Path::new("own"));
    assert!(own.contains("is the daemon's"), "{own}");
    fs::write(cgroup.path().join("cgroup.controllers"), "memory pids\n").unwrap();
    let with = memory(cgroup.path());
    assert_eq!(with, "memory: holds");
    ok(bot(
        folder.path(),
        &["new", "mine", "--game", "lighthouses"],
    ));
    ok(bot(folder.path(), &["add", "mine"]));
    let mut play = play("lighthouses", &["bot:mine", "builtin:passer"], &[]);
    let played = play
        .current_dir(folder.path())
        .env("DROVER__BOTS__CGROUP", cgroup.path());
    ok(played.output().unwrap());
    let cells = fs::read_dir(cgroup.path()).unwrap().flatten();
    let cells: Vec<_> = cells.filter(|entry| entry.path().is_dir()).collect();
    assert_eq!(cells.len(), 1, "{cells:?}");
    let printed = |name: &str| fs::read_to_string(cells[0].path().join(name)).unwrap();
    assert_eq!(printed("memory.max"), (512 << 20).to_string());
    assert_eq!(printed("pids.max"), "64");
    assert_eq!(printed("cgroup.procs"), "0", "by itself");
    assert_eq!(printed("cgroup.kill"), "1");
}

#[test]
fn a_check_plays_by_the_protocol_and_the_contests_clock() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    // A bot that acts only once it has learnt of its rivals, and goes by what the contest gives.
    let limits = (
        "            bot.begin(message)",
        "            bot.begin(message)
        elif kind == \"match\":
            assert (message[\"answer_ms\"], message[\"open_ms\"]) == (900000, 900000), message",
    );
    changed(folder.path(), "asks", "planowanie", limits);
    let file = folder.path().join("asks/drover_bot.py");
    let text = fs::read_to_string(&file).unwrap();
    let asks = text
        .replace(
            "    for line in sys.stdin:",
            "    kept, known = [], False
    for line in iter(lambda: kept.pop(0) if kept else sys.stdin.readline(), \"\"):",
        )
        .replace(
            "            act = bot.decide(",
            "            if not known:
                known = True
                say({\"type\": \"models\"})
                while True:
                    other = sys.stdin.readline()
                    if json.loads(other)[\"type\"] == \"models\":
                        break
                    kept.append(other)
            act = bot.decide(",
        );
    assert!(asks.contains("kept.pop(0)") && asks.contains("kept.append"));
    fs::write(file, asks).unwrap();
    let whole = checked(folder.path(), "asks");
    assert!(fixes(&whole).is_empty(), "{whole:#}");
    let fair = &whole["games"][0]["findings"][0];
    assert!(fair["legal"].as_u64().unwrap() > 5, "{whole:#}");
    // A share of the clock of the whole match, not all of it.
    let allowed = fair["allowed_ms"].as_f64().unwrap();
    assert!((100.0..30_000.0).contains(&allowed), "{whole:#}");
    // How near it came to that is reported, also where there is little room.
    let mut check = drover();
    check.current_dir(folder.path()).env("COLUMNS", "80");
    let said = ok(check.args(["bot", "check", "asks"]).output().unwrap());
    assert!(said.starts_with("planowanie, times in ms\n"), "{said}");
    let usual = said.lines().find(|line| line.starts_with("as usual"));
    assert!(usual.is_some_and(|line| line.contains(" of ")), "{said}");
    assert!(
        said.lines().all(|line| line.chars().count() <= 80),
        "{said}"
    );
    // A bot that ends when it is notified that something was refused.
    let say = (
        "act = bot.decide(message[\"ask\"], message[\"view\"], message[\"acts\"])",
        "act = {\"play\": -1}",
    );
    changed(folder.path(), "illegal", "planowanie", say);
    let file = folder.path().join("illegal/drover_bot.py");
    let text = fs::read_to_string(&file).unwrap();
    let ends = text.replace(
        "print(\"refused:\", message[\"why\"], file=sys.stderr)",
        "sys.exit(9)",
    );
    assert_ne!(ends, text);
    fs::write(file, ends).unwrap();
    let printed = fixes(&checked(folder.path(), "illegal"));
    let ended = |what: &String| what.contains("exit status 9");
    assert!(printed.iter().any(ended), "{printed:?}");
}

/// A bot that hangs at a decision costs a check seconds, not a match's whole time.
#[test]
fn a_check_of_a_bot_that_hangs_ends_soon() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    let hangs = (
        "act = bot.decide(",
        "__import__(\"time\").sleep(999)\n            act = bot.decide(",
    );
    changed(folder.path(), "hangs", "smartdog", hangs);
    let whole = checked(folder.path(), "hangs");
    let findings = whole["games"][0]["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "no weather after the first: {whole:#}");
    assert_eq!(
        (&findings[0]["asked"], &findings[0]["answers"]),
        (&2.into(), &0.into())
    );
    let fix = findings[0]["fix"].to_string();
    assert!(
        fix.contains("no answer to decision 1 within 10000 ms"),
        "{fix}"
    );
}

#[test]
fn a_bot_that_cannot_be_added_is_reported_with_its_place() {
    let folder = folder();
    let printed = refused(bot(folder.path(), &["add", "none"]), 2);
    assert!(
        printed.contains("none/bot.toml cannot be read: No such file"),
        "{printed}"
    );
    ok(bot(folder.path(), &["new", "mine", "--game", "planetwars"]));
    let printed = refused(
        bot(folder.path(), &["new", "mine", "--game", "planetwars"]),
        1,
    );
    assert!(
        printed.contains("there is already a mine here; give the bot another name"),
        "{printed}"
    );
    let printed = refused(bot(folder.path(), &["new", "x", "--game", "chess"]), 2);
    assert!(printed.contains("there is no game \"chess\""), "{printed}");
    let printed = refused(
        bot(folder.path(), &["new", "../x", "--game", "koehandel"]),
        2,
    );
    assert!(
        printed.contains("it must be 1 to 48 lower-case letters"),
        "{printed}"
    );
    let manifest = folder.path().join("mine/bot.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, format!("{text}fast = true\n")).unwrap();
    let printed = refused(bot(folder.path(), &["add", "mine"]), 2);
    assert!(
        printed.contains("mine/bot.toml, line 5: there is no key `fast`"),
        "{printed}"
    );
    assert!(!folder.path().join("data/bots").exists());
    // What cannot be run is reported once, with what is wrong as it seems.
    fs::write(folder.path().join("mine/none.py"), "").unwrap();
    let right = text.lines().find(|line| line.starts_with("run")).unwrap();
    for (run, expected) in [
        (r#"["python9", "bot.py"]"#, "looked for on the PATH"),
        (
            r#"["python3 bot.py"]"#,
            "each argument is a text of its own",
        ),
        (r#"["./bot"]"#, "is it there, or does `build` make it?"),
        (r#"["./none.py"]"#, "make it executable (chmod +x)"),
    ] {
        fs::write(&manifest, text.replace(right, &format!("run = {run}"))).unwrap();
        let printed = refused(bot(folder.path(), &["add", "mine"]), 1);
        assert!(printed.contains(expected), "{printed}");
        assert_eq!(printed.matches("cannot be started").count(), 1, "{printed}");
    }
    fs::write(&manifest, text.replace("version = \"1\"", "version = 1")).unwrap();
    let printed = refused(bot(folder.path(), &["add", "mine"]), 2);
    assert!(
        printed.contains("`version` is 1, but must be a text of 1 to 48"),
        "{printed}"
    );
    for wrong in ["none", "mine/planetwars.py"] {
        let printed = refused(bot(folder.path(), &["check", wrong]), 2);
        assert!(
            printed.contains("; a bot is a folder with a bot.toml"),
            "{printed}"
        );
    }
}

/// What is said of a program alike in all weathers is said once.
#[test]
fn a_check_says_each_thing_once_and_how_to_fix_it() {
    if !is_there("python3") {
        return;
    }
    let folder = folder();
    let stops = (
        "act = bot.decide(",
        "sys.exit(0)\n            act = bot.decide(",
    );
    changed(folder.path(), "once", "planowanie", stops);
    let output = bot(folder.path(), &["check", "once"]);
    let said = String::from_utf8(output.stdout).unwrap();
    let fixes: Vec<&str> = said
        .lines()
        .filter(|line| line.starts_with("fix"))
        .collect();
    let [fix] = &fixes[..] else {
        panic!("{said}");
    };
    assert!(
        fix.ends_with("exit status 0; it must read on until its standard input ends"),
        "{said}"
    );
    let prints = (
        "kind = message[\"type\"]",
        "kind = message[\"type\"]\n        print(kind)",
    );
    changed(folder.path(), "prints", "planowanie", prints);
    let output = bot(folder.path(), &["check", "prints"]);
    let said = String::from_utf8(output.stdout).unwrap();
    let of_ask = said.lines().filter(|line| line.contains("not \"ask\":"));
    let of_ask: Vec<&str> = of_ask.collect();
    let [of_ask] = &of_ask[..] else {
        panic!("{said}");
    };
    assert!(of_ask.starts_with("fix (always): "), "{said}");
    assert!(
        of_ask.ends_with("; what is for you goes to standard error"),
        "{said}"
    );
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
    let printed = refused(bot(folder.path(), &["remove", "mine@7"]), 1);
    assert!(
        printed.contains("there is no bot mine@7; its versions are: 1"),
        "{printed}"
    );
    ok(bot(folder.path(), &["remove", "mine"]));
    let list: Value = serde_json::from_str(&ok(bot(folder.path(), &["list", "--json"]))).unwrap();
    assert_eq!(list["items"], Value::Array(Vec::new()));
    let schema = ok(bot(folder.path(), &["schema", "planetwars"]));
    let schema: Value = serde_json::from_str(&schema).unwrap();
    assert!(schema["to_program"].is_object() && schema["from_program"].is_object());
}
