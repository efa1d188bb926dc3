//! The starters: in every language one for every game.

use crate::app::{folder, ok, refused, text};
use crate::bots::{bot, checked, fixes, is_there};
use drover::programs::{LANGUAGES, Language};
use serde_json::Value;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// The games, as in the manifests of starters.
fn games() -> Vec<&'static str> {
    ::games::ALL.iter().map(|kit| kit.card().name).collect()
}

/// What is checked of each language besides Python, of which all is: each game once.
const CHECKED: &[(&str, &str)] = &[
    ("javascript", "koehandel"),
    ("go", "planetwars"),
    ("java", "lighthouses"),
    ("cpp", "smartdog"),
    ("rust", "planowanie"),
];

/// Whether what its starters are built and run with is there; says so if not.
fn has_tools(language: &Language) -> bool {
    let words = [language.run, language.build].map(<[_]>::first);
    let tools = words.into_iter().flatten();
    let mut tools = tools.filter(|tool| !tool.starts_with("./"));
    tools.all(|tool| is_there(tool))
}

/// Writes a starter in this language for these games.
fn written(folder: &Path, name: &str, language: &Language, games: &[&str]) {
    let games = games.iter().flat_map(|game| ["--game", *game]);
    let words = ["new", name, "--lang", language.name].into_iter();
    ok(bot(folder, &words.chain(games).collect::<Vec<_>>()));
}

/// A starter for all games, built and without anything to build: its folder.
fn built(folder: &Path, language: &Language) -> PathBuf {
    let source = format!("{}-source", language.name);
    written(folder, &source, language, &games());
    ok(bot(folder, &["add", &source]));
    let own = folder.join(language.name);
    fs::create_dir(&own).unwrap();
    let shelf = folder.join("data/bots").join(&source).join("1");
    for file in fs::read_dir(shelf).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), own.join(file.file_name())).unwrap();
    }
    own
}

/// Has the bot in this folder play these games alone, as it is built.
fn narrow(folder: &Path, games: &[&str]) {
    let manifest = folder.join("bot.toml");
    let text = fs::read_to_string(&manifest).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with("build = "));
    let lines = lines.map(|line| match line.starts_with("games = ") {
        true => format!("games = {games:?}\n"),
        false => format!("{line}\n"),
    });
    let text: String = lines.collect();
    fs::remove_file(&manifest).unwrap();
    fs::write(&manifest, text).unwrap();
}

/// What the program in this folder does with this file as its input.
fn fed(folder: &Path, language: &Language, file: &str) -> Output {
    let input = File::open(folder.join(file)).unwrap();
    let (program, words) = language.run.split_first().unwrap();
    let program = match program.strip_prefix("./") {
        Some(own) => folder.join(own),
        None => PathBuf::from(program),
    };
    let mut command = Command::new(program);
    let command = command.args(words).current_dir(folder).stdin(input);
    command.env("LC_ALL", "C.UTF-8").output().unwrap()
}

/// What it says to the example of a game, line by line.
fn said(folder: &Path, language: &Language, game: &str) -> Vec<Value> {
    let lines = ok(fed(folder, language, &format!("{game}.jsonl")));
    let lines = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

const HELLO: &str =
    r#"{"type":"hello","protocol":1,"game":"planetwars","line_max":1048576,"note_max":65536}"#;
/// Lines that hold all that JSON may, the last one a text that is shown.
const STRANGE: &str = r#" { "game" : [ ] , "type" : "other\\" , "x" : [ -1.5e3 , true , {} , { "\u0041" : null } ] }
{"type":"refused","number":null,"why":"\u00e9\ud83d\ude00 é😀\u2028 \"\\\/\t\""}
"#;
const SHOWN: &str = "refused: é😀 é😀\u{2028} \"\\/\t\"\n";

/// Whether it reads all that JSON may hold, and ends by itself at what is none.
fn reads_json(folder: &Path, language: &Language) {
    fs::write(folder.join("lines"), format!("{HELLO}\r\n{STRANGE}")).unwrap();
    let output = fed(folder, language, "lines");
    assert_eq!(text(&output.stderr), SHOWN, "{}", language.name);
    assert!(output.status.success(), "{}", language.name);
    let deep = "[".repeat(100_000);
    for wrong in [deep.as_str(), "{\"type\"", "{\"type\":\"ask", "{} {}"] {
        fs::write(folder.join("lines"), format!("{HELLO}\n{wrong}\n")).unwrap();
        let status = fed(folder, language, "lines").status;
        let by_itself = status.code().is_some_and(|code| code > 0);
        assert!(by_itself, "{} {status}", language.name);
    }
    fs::remove_file(folder.join("lines")).unwrap();
}

/// Whether one that is built of its games says which it has not.
fn says_what_it_has_not(folder: &Path, language: &Language) {
    let hello = HELLO.replace("planetwars", "chess");
    fs::write(folder.join("lines"), format!("{hello}\n")).unwrap();
    let output = fed(folder, language, "lines");
    let printed = text(&output.stderr);
    let lacks = "there is no bot for chess here";
    assert!(printed.contains(lacks), "{} {printed}", language.name);
    assert!(!output.status.success(), "{}", language.name);
    fs::remove_file(folder.join("lines")).unwrap();
}

/// Whatever is built, all of it is; each language plays at least one game by the protocol; and the six decide alike.
#[test]
fn starters_of_every_language_are_in_order_and_decide_alike() {
    let folder = folder();
    let mut first: Option<Vec<Vec<Value>>> = None;
    for language in LANGUAGES {
        if !has_tools(language) {
            continue;
        }
        let own = built(folder.path(), language);
        let all: Vec<Vec<Value>> = games()
            .into_iter()
            .map(|game| said(&own, language, game))
            .collect();
        for (game, lines) in games().into_iter().zip(&all) {
            assert_eq!(lines[0]["type"], "ready", "{} {game}", language.name);
            let acts = &lines[1..];
            assert!(acts.len() > 1, "{} {game}: {lines:?}", language.name);
            let are_acts = acts.iter().all(|line| line["type"] == "act");
            assert!(are_acts, "{} {game}: {lines:?}", language.name);
        }
        reads_json(&own, language);
        if !language.build.is_empty() {
            says_what_it_has_not(&own, language);
        }
        match &first {
            None => first = Some(all),
            Some(first) => assert_eq!(first, &all, "{}", language.name),
        }
        let mine = CHECKED
            .iter()
            .find(|(name, _)| *name == language.name)
            .map_or_else(games, |(_, game)| vec![*game]);
        narrow(&own, &mine);
        in_order(&checked(folder.path(), language.name), language.name);
    }
}

/// Whether a check found nothing to fix and every answer legal, but for what this machine was too busy for.
fn in_order(whole: &Value, name: &str) {
    assert!(fixes(whole).is_empty(), "{name}: {whole:#}");
    for game in whole["games"].as_array().unwrap() {
        let findings = game["findings"].as_array().unwrap();
        assert_eq!(findings.len(), 7, "{name}: {whole:#}");
        for finding in findings {
            let count = |key: &str| finding[key].as_u64().unwrap();
            assert_eq!(count("answers"), count("legal"), "{name}: {finding:#}");
            let ms = |key: &str| finding[key].as_f64().unwrap();
            assert!(
                0.0 < ms("p50_ms") && ms("p50_ms") <= ms("p99_ms"),
                "{name}: {finding:#}"
            );
            assert!(
                ms("slowest_ms") <= ms("p99_ms") + 1e-6,
                "{name}: {finding:#}"
            );
        }
        // Whatever else runs on this machine, nearly all of them come in time.
        let all = |key: &str| {
            let counts = findings
                .iter()
                .map(|finding| finding[key].as_u64().unwrap());
            counts.sum::<u64>()
        };
        assert!(all("answers") * 10 >= all("asked") * 9, "{name}: {whole:#}");
    }
}

/// Those that warm up with the example do so for half a second, however slow their decisions are.
#[test]
fn a_slow_bot_is_ready_nevertheless() {
    // Each decision takes 400 ms.
    let wait = "const from = Date.now(); while (Date.now() - from < 400);";
    let spin = "for (long from = System.nanoTime(); System.nanoTime() - from < 400_000_000L; ) {}";
    for (language, file, head, slow) in [
        (
            "javascript",
            "planowanie.js",
            "  decide(ask, view, acts) {\n",
            format!("console.error(\"decides\"); {wait}\n"),
        ),
        (
            "java",
            "Planowanie.java",
            "    String decide(Json ask, Json view, Json acts) {\n",
            format!("System.err.println(\"decides\"); {spin}\n"),
        ),
    ] {
        let language = Language::find(language).unwrap();
        if !has_tools(language) {
            continue;
        }
        let folder = folder();
        written(folder.path(), "slow", language, &["planowanie"]);
        let file = folder.path().join("slow").join(file);
        let code = fs::read_to_string(&file).unwrap();
        assert!(code.contains(head));
        fs::write(&file, code.replace(head, &format!("{head}{slow}"))).unwrap();
        ok(bot(folder.path(), &["add", "slow"]));
        let lines = folder.path().join("lines");
        let hello = HELLO.replace("planetwars", "planowanie");
        fs::write(&lines, format!("{hello}\n")).unwrap();
        let own = folder.path().join("data/bots/slow/1");
        let output = fed(&own, language, lines.to_str().unwrap());
        let decided = text(&output.stderr).matches("decides").count();
        let warm = (1..=2).contains(&decided);
        assert!(warm, "{} {decided}", language.name);
        assert!(ok(output).contains("\"ready\""), "{}", language.name);
    }
}

#[test]
fn a_starter_for_one_game_has_the_files_of_that() {
    let folder = folder();
    let rust = Language::find("rust").unwrap();
    written(folder.path(), "mine", rust, &["lighthouses", "lighthouses"]);
    let mut files: Vec<String> = fs::read_dir(folder.path().join("mine"))
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    files.sort();
    let expected = [
        "bot.toml",
        "drover_bot.rs",
        "lighthouses.jsonl",
        "lighthouses.rs",
    ];
    assert_eq!(files, expected);
    let printed = refused(
        bot(
            folder.path(),
            &["new", "x", "--lang", "cobol", "--game", "koehandel"],
        ),
        2,
    );
    let expected = "there are: python, javascript, go, java, cpp, rust";
    assert!(printed.contains(expected), "{printed}");
}

/// A process that takes a core until it is dropped.
struct Busy(Child);

impl Busy {
    /// One for each core.
    fn cores() -> Vec<Self> {
        let cores = std::thread::available_parallelism().unwrap().get();
        let start = |_| {
            let mut command = Command::new("sh");
            let command = command.args(["-c", "while :; do :; done"]);
            Self(command.stdin(Stdio::null()).spawn().unwrap())
        };
        (0..cores).map(start).collect()
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The most of a figure in all weathers of the only game.
fn most(whole: &Value, key: &str) -> f64 {
    let findings = whole["games"][0]["findings"].as_array().unwrap();
    let figures = findings.iter().filter_map(|finding| finding[key].as_f64());
    figures.fold(0.0, f64::max)
}

/// The figures of a check in a line of the table; what there is to fix follows.
fn row(whole: &Value) -> String {
    let findings = whole["games"][0]["findings"].as_array().unwrap();
    let shares = findings.iter().filter_map(|finding| {
        Some(finding["slowest_ms"].as_f64()? / finding["allowed_ms"].as_f64()? * 100.0)
    });
    let count = |key: &str| {
        let counts = findings.iter().filter_map(|finding| finding[key].as_u64());
        counts.sum::<u64>()
    };
    format!(
        "{:<5} {:>4}/{:<4} {:>8.0} {:>8.1} {:>6.1} % {:>5}",
        if whole["well"] == true {
            "pass"
        } else {
            "FAIL"
        },
        count("answers"),
        count("asked"),
        most(whole, "ready_ms"),
        most(whole, "p99_ms"),
        shares.fold(0.0, f64::max),
        count("disturbed"),
    )
}

/// Prints a table. Run it alone: `cargo test -p drover --test it all_starters -- --ignored --nocapture`.
#[test]
#[ignore = "minutes: all of them, on an idle machine and on one whose cores are all busy"]
fn all_starters_pass_on_an_idle_and_on_a_loaded_machine() {
    let folder = folder();
    println!("language   game        machine check answers   ready_ms   p99_ms     used disturbed");
    let mut failed = Vec::new();
    for language in LANGUAGES.iter().filter(|language| has_tools(language)) {
        for game in games() {
            let name = format!("{}-{game}", language.name);
            written(folder.path(), &name, language, &[game]);
            for machine in ["idle", "loaded"] {
                let busy = match machine {
                    "loaded" => Busy::cores(),
                    _ => Vec::new(),
                };
                let output = bot(folder.path(), &["check", &name, "--output", "json"]);
                drop(busy);
                let whole: Value = serde_json::from_slice(&output.stdout)
                    .unwrap_or_else(|why| panic!("{why}: {}", text(&output.stderr)));
                println!(
                    "{:<10} {game:<11} {machine:<7} {}",
                    language.name,
                    row(&whole)
                );
                if whole["well"] != true {
                    failed.push(format!("{name} {machine}: {whole:#}"));
                }
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
