//! The verbs that need no daemon.

use crate::app::{
    TestApp, drover, folder, free_address, ok, refused, run, run_on, run_with, set, text, until,
};
use crate::shims::PROGRAM;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::process::Stdio;

#[test]
fn a_wrong_command_line_ends_with_2() {
    for (arguments, named) in [
        (&["fly"][..], "fly"),
        (&["bench", "callbacks"], "bench"),
        (&["serve", "--lissten", "x"], "--lissten"),
        (&["match", "list", "--limit", "0"], "--limit"),
        (&["match", "list", "--cause", "boredom"], "boredom"),
        (&["serve", "--listen", "nowhere"], "nowhere"),
        (&["play", "--from", "x:1", "--watch"], "--watch"),
        (
            &["play", "planowanie", "--interactive", "cmd:x", "--watch"],
            "--watch",
        ),
        (&["play", "koehandel", "--seat", "builtin:nobody"], "nobody"),
    ] {
        let error = refused(run(arguments), 2);
        assert!(error.contains(named), "{error}");
        assert!(error.starts_with("drover: "), "one voice: {error}");
    }
    let tip = |verb| refused(run(&[verb]), 2).contains("tip:");
    assert!(tip("plya") && tip("matches") && !tip("nope"));
    assert_eq!(run(&["--version"]).status.code(), Some(0));
}

#[test]
fn a_file_that_is_not_there_is_reported_alike_by_all_verbs() {
    let folder = folder();
    for line in [
        "--config none config show",
        "config check none",
        "tournament run none",
        "tournament resume none",
        "rate none",
        "map check lighthouses none",
        "bot check none",
        "bot add none",
        "practice planowanie --bot none",
    ] {
        let mut command = drover();
        let output = command.args(line.split(' ')).current_dir(folder.path());
        let error = refused(output.output().unwrap(), 2);
        assert!(error.starts_with("drover: "), "{line}: {error}");
        assert!(
            error.contains("cannot be read: No such file"),
            "{line}: {error}"
        );
    }
}

#[test]
fn every_mistake_of_a_file_is_reported_at_once_with_its_line() {
    let folder = folder();
    let cup = "\
name = \"cup\"
games = [\"planowanie\", \"chess\"]
sed = 5
schedule = { format = \"swiss\", rounds = 0 }
[[entrant]]
name = \"Ann\"
player = \"builtin:greddy\"
[[entrant]]
name = \"Ann\"
player = \"builtin:rules\"
";
    let bot = "\
name = \"My bot\"
games = [\"planowanie\", \"chess\"]
colour = \"red\"
run = [\"python3\", \"bot.py\"]
[limits]
memory_mib = 1
";
    fs::create_dir(folder.path().join("mybot")).unwrap();
    for (file, text, line, expected) in [
        (
            "cup.toml",
            cup,
            "tournament run cup.toml",
            &[
                "cup.toml, line 3: there is no key `sed`; did you mean `seed`?",
                "cup.toml: entrant \"Ann\": it is there twice",
            ][..],
        ),
        (
            "cup.toml",
            &cup.replace("sed = 5\n", "")
                .replacen("\"Ann\"", "\"Bob\"", 1),
            "tournament run cup.toml",
            &[
                "cup.toml: entrant \"Bob\": planowanie has no built-in bot \"greddy\"",
                "cup.toml: games: there is no game \"chess\"; there are: ",
            ],
        ),
        (
            "cup.toml",
            "name = \"cup\"\ngames = \"planowanie\"\ndecks = \"two\"\nkeep = \"all\"\n",
            "tournament run cup.toml",
            &[
                "cup.toml, line 2: `games` is \"planowanie\", but must be a list",
                "cup.toml, line 3: `decks` is \"two\", but must be a whole number",
                "cup.toml, line 4: `keep` is \"all\", but must be one of: full, results",
            ],
        ),
        (
            "mybot/bot.toml",
            bot,
            "bot check mybot",
            &[
                "mybot/bot.toml, line 1: `name` is \"My bot\", but must be ",
                "mybot/bot.toml, line 2: `games` is ",
                "mybot/bot.toml, line 3: there is no key `colour`; there are: ",
                "mybot/bot.toml: `version` is missing",
                "mybot/bot.toml, line 6: `limits.memory_mib` is 1, but must be ",
            ],
        ),
    ] {
        fs::write(folder.path().join(file), text).unwrap();
        let mut command = drover();
        let output = command.args(line.split(' ')).current_dir(folder.path());
        let error = refused(output.output().unwrap(), 2);
        for mistake in expected {
            assert!(error.contains(mistake), "{mistake}: {error}");
        }
        let count = format!("drover: {} mistakes:\n", expected.len());
        assert!(error.starts_with(&count), "{error}");
        assert!(!error.contains("unknown "), "{error}");
    }
}

/// The help of a verb.
fn help(verb: &str) -> String {
    let words: Vec<&str> = verb.split(' ').chain(["--help"]).collect();
    ok(run(&words))
}

#[test]
fn help_names_the_games_that_fit() {
    let all = "koehandel smartdog planowanie lighthouses planetwars";
    for (verb, games) in [
        ("play", all),
        ("practice", all),
        ("bot schema", all),
        ("bot new", all),
        ("bot compare", all),
        ("referee", "koehandel smartdog"),
        ("shim", "planowanie lighthouses planetwars"),
    ] {
        let help: Vec<String> = help(verb).split_whitespace().map(str::to_owned).collect();
        let help = help.join(" ");
        let listed = help.split("[possible values: ").skip(1);
        let listed: Vec<Vec<&str>> = listed
            .filter_map(|rest| Some(rest.split_once(']')?.0.split([',', ' ', '\n'])))
            .map(|names| names.filter(|name| !name.is_empty()).collect())
            .collect();
        let expected: Vec<&str> = games.split(' ').collect();
        assert!(listed.contains(&expected), "{verb}: {listed:?}");
    }
    assert!(ok(run(&["completions", "bash"])).contains(all));
    let error = refused(run(&["play", "chess", "--seat", "filler"]), 2);
    assert!(
        error.starts_with("drover: there is no game \"chess\"; there are: koehandel,"),
        "{error}"
    );
}

#[test]
fn the_database_has_one_name_for_every_verb_that_opens_one() {
    for verb in [
        "serve",
        "play",
        "practice",
        "referee",
        "worker",
        "bot compare",
        "db backup",
        "db verify",
        "match list",
        "match name",
        "tournament run",
        "tournament resume",
        "tournament list",
        "tournament export",
    ] {
        let help = help(verb);
        assert!(help.contains("--store <PATH|URL>"), "{verb}: {help}");
        assert!(!help.contains("--database"), "{verb}: {help}");
    }
    let folder = folder();
    let missing = folder.path().join("no.db");
    let missing = missing.to_str().unwrap();
    for line in [
        &["match", "list", "--store", missing][..],
        &["match", "--store", missing, "list"],
        &["db", "verify", "--store", missing],
        &["db", "migrate", "--store", missing],
        &["bot", "compare", "builtin:random", "--store", missing],
        &["play", "--from", "x:1", "--store", missing],
        &["tournament", "list", "--store", missing],
        // As it was called before.
        &["tournament", "list", "--database", missing],
    ] {
        let output = run(line);
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{line:?}");
        let named = format!("there is no database at {missing}: name ");
        assert!(error.contains(&named), "{line:?}: {error}");
        assert!(error.contains("--store"), "{line:?}: {error}");
    }
    let both = ["--url", "http://127.0.0.1:1", "--store", missing];
    let prune = ["db", "prune", "--older-than", "1d"];
    let error = refused(run(&[&prune[..], &both].concat()), 2);
    assert!(error.contains("give one of them"), "{error}");
}

#[test]
fn an_address_that_is_no_databases_is_refused_and_not_repeated() {
    let folder = folder();
    for line in [
        "match list",
        "play planowanie --seat builtin:random --seat builtin:random --games 1",
        "practice planowanie --bot mine",
        "referee koehandel",
        "tournament run cup.toml",
    ] {
        let unread = ["--store", "mysql://drover:hush@db/arena"];
        let mut command = drover();
        let command = command.args(line.split(' ')).args(unread);
        let error = refused(command.current_dir(folder.path()).output().unwrap(), 2);
        let begins = error.starts_with("drover: --store names neither a file nor postgres://");
        assert!(begins && !error.contains("hush"), "{line}: {error}");
    }
    let made = fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(made, 0, "no file has its name");
}

#[test]
fn the_daemons_own_database_is_reached_through_the_daemon_by_whatever_path() {
    let folder = folder();
    let app = TestApp::start(folder.path());
    let (own, link) = (folder.path().join("drover.db"), folder.path().join("link"));
    symlink(&own, &link).unwrap();
    let api = app.api.to_string();
    let pruned = |configured: &str| {
        let path = folder.path().join(configured);
        let settings = [
            ("STORE__PATH", path.to_str().unwrap()),
            ("API__LISTEN", api.as_str()),
        ];
        let mut command = set(drover(), &settings);
        command.args(["db", "prune", "--older-than", "1d", "--store"]);
        command.arg(&link).output().unwrap()
    };
    let said = ok(pruned("drover.db"));
    assert_eq!(said, "0 sessions with 0 entries were pruned\n");
    // The daemon of another configuration has another one.
    let error = refused(pruned("other.db"), 1);
    assert!(error.contains("in use"), "{error}");
    app.stop();
}

#[test]
fn a_run_that_a_signal_stops_ends_with_130_and_what_was_played() {
    let folder = folder();
    let line = "play planowanie --seat builtin:random --seat builtin:random --games 100000000 --output json --log logs";
    let mut command = drover();
    command.args(line.split(' ')).current_dir(folder.path());
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let run = command.spawn().unwrap();
    let logs = folder.path().join("logs");
    until(|| fs::read_dir(&logs).is_ok_and(|mut files| files.next().is_some()));
    kill(Pid::from_raw(run.id() as i32), Signal::SIGTERM).unwrap();
    let output = run.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let games = report["games"].as_u64().unwrap();
    assert!((1..100_000_000).contains(&games), "{report}");
}

#[test]
fn a_bad_configuration_ends_with_2_and_says_where() {
    let folder = folder();
    let file = folder.path().join("d.toml");
    fs::write(&file, "[store]\npaht = \"x\"\n").unwrap();
    let path = file.to_str().unwrap();
    let error = refused(run(&["config", "check", path]), 2);
    assert!(
        error.contains("d.toml, line 2: there is no key `store.paht`; did you mean `store.path`?"),
        "{error}"
    );
    let error = refused(run(&["--config", path, "serve"]), 2);
    assert!(error.contains("store.paht"), "{error}");
    let error = refused(run_with("DROVER_CONFIG", path, &["config", "show"]), 2);
    assert!(error.contains("store.paht"), "{error}");
    let error = refused(run(&["--config", "no/such/file.toml", "config", "show"]), 2);
    assert!(
        error.contains("no/such/file.toml cannot be read"),
        "{error}"
    );
    for (name, value, named) in [
        ("DROVER__LOG__LEVEL", "chatty=loud", "log.level"),
        ("DROVER__API__LISTEN", "0.0.0.0:0", "api.token"),
    ] {
        let error = refused(run_with(name, value, &["serve"]), 2);
        assert!(error.contains(named), "{error}");
    }
}

#[test]
fn the_file_that_init_writes_is_in_order() {
    let folder = folder();
    let file = folder.path().join("new.toml");
    let path = file.to_str().unwrap();
    ok(run(&["config", "init", path]));
    assert!(ok(run(&["config", "check", path])).contains("in order"));
    assert_eq!(
        fs::read_to_string(&file).unwrap(),
        ok(run(&["config", "init"]))
    );
    let error = refused(run(&["config", "init", path]), 1);
    assert!(
        error.contains("cannot make"),
        "an existing file is not touched: {error}"
    );
}

#[test]
fn completions_and_units_are_printed() {
    assert!(ok(run(&["completions", "bash"])).contains("_drover"));
    let both = ok(run(&["systemd"]));
    assert!(
        both.contains(env!("CARGO_BIN_EXE_drover")) && both.contains("ListenStream"),
        "{both}"
    );
    assert_eq!(
        ok(run(&["systemd", "socket"])),
        include_str!("../../deploy/drover.socket")
    );
    assert_eq!(
        ok(run(&["systemd", "bots"])),
        include_str!("../../deploy/bots.conf")
    );
}

#[test]
fn a_reader_that_is_gone_is_no_failure_and_a_full_disk_is_one() {
    let tester = format!("play planowanie --interactive cmd:{PROGRAM}");
    for words in [
        "config show",
        "map list lighthouses",
        "map generate lighthouses --seed 1",
        "train planowanie --games 1",
        "play planowanie --seat builtin:greedy --seat builtin:greedy --games 1",
        &tester,
    ] {
        let printed = |stdout: Stdio| {
            let words = words.split(' ');
            let mut command = drover();
            let output = command.args(words).stdin(Stdio::null()).stdout(stdout);
            let output = output.output().unwrap();
            (output.status.code(), text(&output.stderr))
        };
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        assert_eq!(printed(writer.into()), (Some(0), String::new()), "{words}");
        let full = File::options().write(true).open("/dev/full").unwrap();
        let (code, why) = printed(full.into());
        let expected = if words == tester { 0 } else { 1 };
        assert_eq!(code, Some(expected), "{words}: {why}");
        assert_eq!(why.contains("No space left"), expected == 1, "{words}");
    }
}

#[test]
fn health_of_nobody_is_1() {
    let folder = folder();
    let gone = format!("http://{}", free_address());
    let error = refused(run(&["health", "--url", &gone]), 1);
    assert!(error.contains("no answer from"), "{error}");
    let error = refused(run(&["health", "--url", "ftp://x"]), 2);
    assert!(
        error.contains("--url: ftp://x is not an absolute http URL"),
        "{error}"
    );
    let missing = folder.path().join("no.db");
    let error = refused(run_on(&missing, &["match", "list"]), 2);
    assert!(error.contains("there is no database at"), "{error}");
}

#[test]
fn a_stored_match_is_listed_shown_exported_replayed_and_verified() {
    let folder = folder();
    let path = folder.path().join("played.db");
    let database = path.to_str().unwrap();
    let mut play =
        "play koehandel --games 2 --budget 1n --option trade_payment=exchange --seat builtin:filler --seat builtin:random \
                    --seat builtin:setbuilder --seat builtin:trader --store"
            .split_whitespace()
            .collect::<Vec<_>>();
    play.push(database);
    ok(run(&play));
    let verb = |arguments: &[&str]| run_on(&path, arguments);
    let listed: serde_json::Value =
        serde_json::from_str(&ok(verb(&["match", "list", "--output", "json"]))).unwrap();
    assert_eq!(listed["items"].as_array().unwrap().len(), 2, "{listed}");
    let id = listed["items"][0]["id"].as_str().unwrap();
    let csv = ok(verb(&[
        "match", "list", "--output", "csv", "--cause", "normal",
    ]));
    assert!(
        csv.starts_with("id,game,") && csv.lines().count() == 3,
        "{csv}"
    );
    let none = verb(&["match", "list", "--live"]);
    assert!(
        text(&none.stderr).contains("there is no match to list in "),
        "{none:?}"
    );
    assert_eq!(ok(none).lines().count(), 1);
    let list = ["match", "list", "--store", database];
    let piped = ok(run(&list));
    assert_eq!(piped.lines().count(), 3, "a line a match: {piped}");
    let narrow = ok(run_with("COLUMNS", "80", &list));
    for shown in [&piped, &narrow] {
        assert!(
            shown.contains(id) && shown.contains("setbuilder") && shown.contains('*'),
            "{shown}"
        );
    }
    for line in narrow.lines() {
        assert!(line.chars().count() <= 80, "{narrow}");
    }
    let shown = ok(verb(&["match", "show", id]));
    let fourth = shown.lines().last().unwrap();
    assert!(
        fourth.starts_with("4 ") && shown.contains("builtin:setbuilder"),
        "{shown}"
    );

    let lines = ok(verb(&["match", "export", id]));
    let entries: Vec<serde_json::Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(entries.len() > 100, "{} entries", entries.len());
    let whole: serde_json::Value =
        serde_json::from_str(&ok(verb(&["match", "export", id, "--format", "json"]))).unwrap();
    assert_eq!(whole["entries"].as_array().unwrap(), &entries);

    let replay = ok(verb(&["match", "replay", id]));
    assert_eq!(
        replay.lines().count(),
        entries.len() + 2,
        "a head, every entry, the end"
    );
    assert!(
        replay.lines().last().unwrap().starts_with("ended: normal"),
        "{replay}"
    );
    let of_one = ok(verb(&["match", "replay", id, "--seat", "2"]));
    assert!(
        of_one
            .lines()
            .skip(1)
            .take(5)
            .all(|line| line.contains("seat 2")),
        "{of_one}"
    );
    assert!(ok(verb(&["match", "verify", id])).contains("1 match, 4 sessions"));
    assert!(ok(verb(&["db", "verify"])).contains("all in order"));
    ok(verb(&["match", "name", id, "1", "alice"]));
    let shown = ok(verb(&["match", "show", id]));
    let first = shown.lines().find(|line| line.starts_with("1 ")).unwrap();
    assert!(first.contains("alice"), "{shown}");
    let message = refused(verb(&["match", "name", id, "5", "bob"]), 2);
    assert!(
        message.contains("seat 5: the seats of match") && message.contains("are 1 to 4"),
        "{message}"
    );

    ok(verb(&["db", "migrate"]));
    let again = ok(verb(&["db", "migrate"]));
    assert!(again.ends_with("is up to date\n") && again.lines().count() == 1);
    assert_eq!(ok(verb(&["match", "export", id])), lines, "packed");
    assert!(ok(verb(&["db", "verify"])).contains("all in order"));

    let saved = folder.path().join("saved.db");
    let message = ok(verb(&["db", "salvage", saved.to_str().unwrap()]));
    assert!(message.contains("matches: 2 rows saved\n"), "{message}");
    assert_eq!(ok(run_on(&saved, &["match", "export", id])), lines);

    let copy = folder.path().join("copy.db");
    ok(verb(&["db", "backup", copy.to_str().unwrap()]));
    let message = refused(verb(&["db", "backup", copy.to_str().unwrap()]), 1);
    assert!(message.contains("exists already"), "{message}");
    let message = refused(verb(&["match", "show", "nonsense"]), 1);
    assert!(message.contains("there is no match nonsense"), "{message}");

    let shown = ok(verb(&["match", "show", id]));
    let message = ok(verb(&["db", "prune", "--older-than", "30d"]));
    assert_eq!(message, "0 sessions with 0 entries were pruned\n");
    let due = ok(verb(&["db", "prune", "--older-than", "0s", "--dry-run"]));
    assert!(due.starts_with("8 sessions with "), "{due}");
    let message = ok(verb(&["db", "prune", "--older-than", "0s"]));
    assert_eq!(message, due.replace("would be", "were"));
    ok(verb(&["db", "pack"]));
    let message = ok(verb(&["db", "verify"]));
    assert!(
        message.contains("8 sessions (8 of them pruned), 0 entries: all in order"),
        "{message}"
    );
    assert_eq!(ok(verb(&["match", "show", id])), shown, "its result stays");
    let message = ok(verb(&["match", "replay", id]));
    assert_eq!(message.lines().count(), 2, "a head and the end: {message}");
}
