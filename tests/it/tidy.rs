//! The house rules of ARCHITECTURE.md as tests: levels, file sizes, forbidden calls, and counts that may only fall.

mod ceilings;
mod code;
mod planted;
mod shapes;
mod words;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use ceilings::{Ceilings, Finding};

/// Which modules a module may use: only those with a lower number.
const LEVELS: &[(&str, u32)] = &[
    ("simulated", 5),
    ("clock", 10),
    ("plain", 10),
    ("chart", 20),
    ("sheet", 20),
    ("style", 20),
    ("logs", 20),
    ("metrics", 30),
    ("secrets", 30),
    ("seldom", 30),
    ("config", 35),
    ("cluster", 38),
    ("store", 40),
    ("history", 41),
    ("link", 40),
    ("thinking", 40),
    ("programs", 42),
    ("identities", 45),
    ("access", 45),
    ("replay", 45),
    ("session", 50),
    ("shim", 50),
    ("referee", 50),
    ("gateway", 60),
    ("tournament", 60),
    ("api", 70),
    ("daemon", 80),
    ("cli", 90),
    ("fuzzing", 95),
    ("features", 0),
];

/// The same inside the package `drover-game`.
const GAME_LEVELS: &[(&str, u32)] = &[
    ("reasons", 5),
    ("text", 5),
    ("misread", 5),
    ("guard", 5),
    ("rng", 10),
    ("histogram", 10),
    ("game", 10),
    ("stats", 10),
    ("knobs", 10),
    ("maps", 15),
    ("scene", 15),
    ("explain", 15),
    ("by_rule", 15),
    ("models", 20),
    ("wire", 20),
    ("arena", 20),
    ("dialect", 21),
    ("sentence", 21),
    ("sighting", 21),
    ("history", 21),
    ("card", 22),
    ("neutral", 23),
    ("kit", 25),
    ("answer", 25),
    ("search", 25),
    ("options", 26),
    ("counts", 26),
    ("teams", 26),
    ("participation", 26),
    ("match_", 27),
    ("seat", 27),
    ("contest", 28),
];

/// The same inside the package `ratings`.
const RATINGS_LEVELS: &[(&str, u32)] = &[
    ("matrix", 10),
    ("results", 10),
    ("model", 20),
    ("fit", 30),
    ("input", 40),
    ("ladder", 40),
    ("pairing", 40),
    ("ranking", 50),
    ("rungs", 50),
    ("schedule", 50),
    ("sequential", 10),
];

/// Packages without clocks, files and threads.
const PURE: [&str; 3] = ["src/game/", "src/games/", "src/ratings/"];

/// Lines of a source file at most.
const LINES_MAX: usize = 600;

struct Source {
    /// From the root, with slashes.
    path: String,
    text: String,
}

impl Source {
    /// The lines that are compiled outside tests, numbered from 1, without comments.
    fn code(&self) -> Vec<(usize, &str)> {
        let of_tests = self.path.ends_with("/tests.rs")
            || self.path.contains("/tests/")
            || self.path == "src/toy.rs";
        let mut lines = Vec::new();
        let mut numbered = (1..).zip(self.text.lines()).peekable();
        while let Some((number, line)) = numbered.next() {
            // By custom the tests of a file are its end, and `mod tests;` is one line.
            if line.trim() == "#[cfg(test)]" {
                let next = numbered.peek().map_or("", |(_, next)| next.trim());
                if next.ends_with('{') && next.contains("mod ") {
                    break;
                }
                numbered.next();
                continue;
            }
            let code = line.split("//").next().unwrap_or_default();
            if !code.trim().is_empty() {
                lines.push((number, code));
            }
        }
        if of_tests { Vec::new() } else { lines }
    }

    fn within(&self, folder: &str) -> bool {
        self.path.starts_with(folder)
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if ["target", ".git", "data"].contains(&&*name) {
            continue;
        }
        if path.is_dir() {
            walk(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn relative(path: &Path) -> String {
    path.strip_prefix(root())
        .unwrap()
        .to_string_lossy()
        .replace('\\', "/")
}

/// Every file of the project that is text.
static TEXTS: LazyLock<Vec<Source>> = LazyLock::new(|| {
    let mut paths = Vec::new();
    walk(&root(), &mut paths);
    let read = |path: &PathBuf| {
        Some(Source {
            path: relative(path),
            text: fs::read_to_string(path).ok()?,
        })
    };
    paths.iter().filter_map(read).collect()
});

fn sources() -> Vec<&'static Source> {
    let sources: Vec<&Source> = TEXTS
        .iter()
        .filter(|file| file.path.ends_with(".rs"))
        .filter(|file| file.within("src/") || file.within("bench/src/"))
        .collect();
    assert!(
        sources.len() > 50,
        "only {} sources were found",
        sources.len()
    );
    sources
}

fn none(what: &str, found: Vec<String>) {
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

/// The first names of every path into the own crate: `crate::a::b` and `crate::{a, b::c}`.
fn crate_paths(code: &str) -> Vec<String> {
    let mut names = Vec::new();
    for (at, start) in code.match_indices("crate::") {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|letter| letter == ':' || letter == '_' || letter == '$') {
            continue;
        }
        let rest = &code[at + start.len()..];
        match rest.strip_prefix('{') {
            Some(group) => names.extend(group_names(group)),
            None => names.push(first_word(rest)),
        }
    }
    names
}

fn group_names(group: &str) -> Vec<String> {
    let (mut depth, mut names, mut part) = (1, Vec::new(), String::new());
    for letter in group.chars() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 || (depth == 1 && letter == ',') {
            names.push(first_word(part.trim()));
            part.clear();
        } else {
            part.push(letter);
        }
        if depth == 0 {
            break;
        }
    }
    names
}

fn first_word(text: &str) -> String {
    text.chars()
        .take_while(|letter| letter.is_alphanumeric() || *letter == '_')
        .collect()
}

/// What is used that may not be.
fn upward(
    sources: &[&Source],
    folder: &str,
    levels: &[(&str, u32)],
    skipped: &[&str],
) -> Vec<String> {
    let level = |name: &str| {
        levels
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, level)| *level)
    };
    let mut wrong = Vec::new();
    for source in sources {
        let Some(inside) = source.path.strip_prefix(folder) else {
            continue;
        };
        let own = first_word(inside);
        if skipped.contains(&&*own) {
            continue;
        }
        let Some(own_level) = level(&own) else {
            wrong.push(format!("{}: {own} has no level", source.path));
            continue;
        };
        let code: String = source
            .code()
            .iter()
            .map(|(_, line)| format!("{line}\n"))
            .collect();
        for used in crate_paths(&code) {
            if used != own && level(&used).is_some_and(|used| used >= own_level) {
                wrong.push(format!("{} uses {used}", source.path));
            }
        }
    }
    wrong
}

#[test]
fn modules_use_only_lower_levels() {
    let mut rest = sources();
    for (folder, levels) in [("src/game/", GAME_LEVELS), ("src/ratings/", RATINGS_LEVELS)] {
        let (own, others): (Vec<_>, Vec<_>) =
            rest.into_iter().partition(|source| source.within(folder));
        none(
            "a module of a pure package uses its own level or a higher one",
            upward(
                &own,
                folder,
                levels,
                &["lib", "benches", "examples", "tests"],
            ),
        );
        rest = others;
    }
    // What a game may use, its package says.
    rest.retain(|source| !source.within("src/games/") && !source.within("src/laws/"));
    none(
        "a module uses its own level or a higher one",
        upward(&rest, "src/", LEVELS, &["lib", "main", "toy"]),
    );
}

#[test]
fn the_finder_of_uses_finds_them() {
    let found = |code: &str| crate_paths(code).join(" ");
    assert_eq!(found("use crate::store::Store;"), "store");
    assert_eq!(found("use crate::{store::{A, B}, link};"), "store link");
    assert_eq!(
        found("let a = crate::api::router(crate::Seat(1));"),
        "api Seat"
    );
    assert_eq!(found("use super::store; $crate::x!();"), "");
    let up = Source {
        path: "src/store/x.rs".into(),
        text: "use crate::session::Sessions;".into(),
    };
    let test = Source {
        path: "src/store/y.rs".into(),
        text: "#[cfg(test)]\nmod tests {\n    use crate::session::Sessions;\n}".into(),
    };
    assert_eq!(
        upward(&[&up, &test], "src/", LEVELS, &[]),
        ["src/store/x.rs uses session"]
    );
}

#[test]
fn files_are_short_and_say_what_they_are() {
    let mut wrong = Vec::new();
    let of_rust = |file: &Source| {
        file.path.ends_with(".rs")
            && ["src/", "tests/", "bench/", "benches/"]
                .iter()
                .any(|folder| file.within(folder))
    };
    for source in TEXTS.iter().filter(|file| of_rust(file)) {
        let lines = source.text.lines().count();
        if lines > LINES_MAX {
            wrong.push(format!(
                "{} has {lines} lines; at most {LINES_MAX}",
                source.path
            ));
        }
        if !source.text.starts_with("//!") {
            wrong.push(format!(
                "{} does not begin with what it is (`//!`)",
                source.path
            ));
        }
    }
    none("files", wrong);
}

#[test]
fn folders_are_opened_by_lists() {
    let logic = "fn struct enum trait impl let const static type macro_rules!";
    let listing = |line: &str| {
        let line = line.trim();
        let line = line.strip_prefix("pub(super) ").unwrap_or(line);
        let word = line.strip_prefix("pub ").unwrap_or(line).split(' ').next();
        !logic.split(' ').any(|known| Some(known) == word)
    };
    let mut wrong = Vec::new();
    for source in sources()
        .iter()
        .filter(|source| source.path.ends_with("/mod.rs"))
    {
        for (number, line) in source.code() {
            if !listing(line) {
                wrong.push(format!("{}:{number}: {}", source.path, line.trim()));
            }
        }
    }
    none(
        "mod.rs holds a doc comment, mod and pub use lines only",
        wrong,
    );
}

/// Where these words stand in code, unless the file is excepted.
fn calls(words: &[&str], excepted: &fn(&Source) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources().iter().filter(|source| !excepted(source)) {
        for (number, line) in source.code() {
            if words.iter().any(|word| line.contains(word)) {
                found.push(format!("{}:{number}: {}", source.path, line.trim()));
            }
        }
    }
    found
}

fn is_tool(source: &Source) -> bool {
    source.path.contains("/examples/") || source.path.contains("/benches/")
}

/// What may be called only where it belongs: what it is, by which words it is known, where it belongs.
type Rule = (&'static str, &'static [&'static str], fn(&Source) -> bool);
const RULES: &[Rule] = &[
    (
        "standard error that takes nothing is no panic: `cli::notify` writes there",
        &["eprintln!", "eprint!("],
        |_| false,
    ),
    (
        "what panics where nobody reads prints nothing: `writeln!` does",
        &["println!", "print!("],
        |source| source.within("bench/") || is_tool(source),
    ),
    (
        "nothing is unwrapped or left undone",
        &[".unwrap()", "todo!", "unimplemented!", "dbg!("],
        is_tool,
    ),
    ("nobody sleeps on a thread", &["thread::sleep"], |_| false),
    (
        "only the store and history know SQL",
        &[
            "\"SELECT ",
            "\"INSERT ",
            "\"UPDATE ",
            "\"DELETE ",
            "\"PRAGMA ",
            "sqlx::query",
        ],
        |source| {
            let benches = ["bench/src/fill.rs"];
            let rows = source.within("src/store/") || source.within("src/history/");
            rows || benches.contains(&source.path.as_str())
        },
    ),
    (
        "there is one wall clock",
        &["SystemTime", "Timestamp::now"],
        |source| source.path == "src/clock.rs" || is_tool(source),
    ),
    (
        "games and ratings know no clock, file, socket or thread",
        &[
            "SystemTime",
            "Instant",
            "tokio",
            "std::net",
            "std::fs",
            "std::env",
            "std::process",
            "std::thread",
            "std::io",
            "thread_rng",
            "hyper",
            "sqlx",
        ],
        |source| !PURE.iter().any(|folder| source.within(folder)) || is_tool(source),
    ),
];

#[test]
fn calls_stand_only_where_they_belong() {
    for (what, words, belongs) in RULES {
        none(what, calls(words, belongs));
    }
}

#[test]
fn nothing_is_left_undone() {
    let marks = [
        "TO".to_owned() + "DO",
        "FIX".to_owned() + "ME",
        "XX".to_owned() + "X:",
    ];
    let marked = |file: &&Source| marks.iter().any(|mark| file.text.contains(mark));
    let marked: Vec<String> = sources()
        .into_iter()
        .filter(marked)
        .map(|file| file.path.clone())
        .collect();
    none("marks of things undone", marked);
}

#[test]
fn nothing_names_the_machine_it_was_written_on() {
    let places = [
        "wo rk/".replace(' ', ""),
        "ro ot/".replace(' ', ""),
        "tmp/ cg".replace(' ', ""),
        "tmp/ brief".replace(' ', ""),
    ];
    let mut found = Vec::new();
    for file in TEXTS.iter() {
        for (number, line) in (1..).zip(file.text.lines()) {
            if places
                .iter()
                .any(|place| line.contains(&format!("/{place}")))
            {
                found.push(format!("{}:{number}: {line}", file.path));
            }
        }
    }
    none("paths of one machine", found);
}

/// A file that is no module stays unnoticed: nothing compiles it.
#[test]
fn every_file_is_a_module() {
    let all = sources();
    let text = |path: &str| {
        let found = all.iter().find(|source| source.path == path);
        found.map(|source| source.text.as_str())
    };
    let is_declared = |source: &&&Source| {
        let path = source.path.trim_end_matches(".rs").trim_end_matches("/mod");
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let above = [
            format!("{folder}.rs"),
            format!("{folder}/mod.rs"),
            format!("{folder}/lib.rs"),
            format!("{folder}/main.rs"),
        ];
        let declares = |text: &str| {
            let mut lines = text.lines().map(str::trim);
            lines.any(|line| line.ends_with(&format!("mod {name};")))
        };
        above.iter().filter_map(|path| text(path)).any(declares)
    };
    let is_root = |source: &&&Source| {
        let (folder, name) = source.path.rsplit_once('/').unwrap_or_default();
        matches!(name, "lib.rs" | "main.rs" | "build.rs")
            || folder.ends_with("/examples")
            || folder.ends_with("/benches")
            || name == "mod.rs" && root().join(folder).join("Cargo.toml").exists()
    };
    let lost = all.iter().filter(|it| !is_root(it) && !is_declared(it));
    none(
        "files that no module declares",
        lost.map(|source| source.path.clone()).collect(),
    );
}

#[test]
fn the_root_of_every_package_is_read() {
    let packages = code::packages(&TEXTS);
    let manifest: toml::Table = fs::read_to_string(root().join("Cargo.toml"))
        .unwrap()
        .parse()
        .unwrap();
    let members = manifest["workspace"]["members"].as_array().unwrap();
    let unread = members
        .iter()
        .filter_map(|member| member.as_str())
        .filter(|member| {
            let folder = member.trim_start_matches('.');
            let source = format!("{folder}/src").trim_start_matches('/').to_owned();
            !packages.iter().any(|package| {
                let (own, _) = package.modules[0].file.rsplit_once('/').unwrap();
                own == *member || own == source
            })
        });
    none(
        "packages of which no root is read",
        unread.map(str::to_owned).collect(),
    );
}

/// What the rules with ceilings find in these sources.
fn counted(sources: &[Source]) -> Vec<Finding> {
    let mut found = Vec::new();
    for package in code::packages(sources) {
        found.extend(shapes::circles(&package));
        found.extend(shapes::impls(&package));
        found.extend(shapes::functions(&package));
    }
    found.extend(sources.iter().flat_map(words::words));
    found
}

/// Prints the counts: `cargo test --workspace --test it counts_stand_at -- --nocapture`.
#[test]
fn counts_stand_at_their_ceilings() {
    let found = counted(&TEXTS);
    #[allow(clippy::print_stdout)]
    {
        print!("{}", ceilings::table(&found));
    }
    let mut ceilings = Ceilings::read();
    ceilings.lower_if_asked(&found);
    none(
        "counts that do not stand at their ceilings",
        ceilings.compare(&found),
    );
}
