//! Reading manifests, good and bad.

use super::*;

const GOOD: &str = r#"name = "mybot"
version = "1.0"
games = ["lighthouses", "koehandel"]
run = ["python3", "bot.py"]
"#;

fn read(text: &str) -> Result<Manifest, ManifestError> {
    Manifest::read(Path::new("bot.toml"), text)
}

#[test]
fn what_is_left_out_has_a_default() {
    let manifest = read(GOOD).unwrap();
    assert_eq!(manifest.games, ["lighthouses", "koehandel"]);
    assert_eq!(manifest.fallback, "champion");
    assert_eq!((manifest.memory_mib, manifest.processes), (512, 64));
    let launch = manifest.launch(Path::new("/shelf/mybot/1.0"), &[], &[], &[]);
    assert_eq!(launch.argv, ["python3", "bot.py"]);
    assert_eq!(launch.limits.memory, Some(512 << 20));
    for kit in games::ALL {
        let known = kit.card().bots.iter().any(|card| card.name == FALLBACK);
        assert!(known, "{} has no {FALLBACK}", kit.card().name);
    }
}

#[test]
fn everything_can_be_set() {
    let more = r#"protocol = "neutral"
build = ["make"]
directory = "src"
fallback = "champion"
[environment]
LEVEL = "3"
[limits]
memory_mib = 64
cpu_seconds = 10
processes = 1
stderr_kib = 0
"#;
    let manifest = read(&format!("{GOOD}{more}")).unwrap();
    assert_eq!(manifest.build, Some(vec!["make".to_owned()]));
    assert_eq!(manifest.environment["LEVEL"], "3");
    let limits = (manifest.memory_mib, manifest.cpu_seconds);
    assert_eq!(limits, (64, 10));
    assert_eq!((manifest.processes, manifest.stderr_kib), (1, 0));
    let launch = manifest.launch(Path::new("/shelf"), &[], &[], &[]);
    assert_eq!(launch.directory, Path::new("/shelf/src"));
}

/// A bot that is called.
const CALLED: &str = r#"name = "mybot"
version = "1.0"
games = ["lighthouses"]
protocol = "http"
url = "http://127.0.0.1:8000/bot?key=1"
"#;

#[test]
fn a_bot_may_be_a_url() {
    let manifest = read(CALLED).unwrap();
    let launch = manifest.launch(Path::new("/shelf"), &[], &[], &[]);
    let url = launch.url.as_ref().map(ToString::to_string);
    assert_eq!(url.unwrap(), "http://127.0.0.1:8000/bot?key=1");
    assert!(launch.argv.is_empty() && !launch.is_native());
    for line in [
        "run = [\"x\"]",
        "build = [\"x\"]",
        "directory = \"x\"",
        "[environment]\nA = \"1\"",
        "[limits]\nprocesses = 3",
    ] {
        let reported = read(&format!("{CALLED}{line}\n")).unwrap_err().to_string();
        let expected = "bot.toml, line 6: `";
        let why = "is about a program, which a bot with protocol = \"http\" is not";
        assert!(
            reported.contains(expected) && reported.contains(why),
            "{reported}"
        );
    }
    for (wrong, expected) in [
        (
            "https://127.0.0.1/",
            "`url` is \"https://127.0.0.1/\", but must be an http URL",
        ),
        ("https://127.0.0.1/", "Drover speaks plain http only"),
        ("ftp://x/", "not an absolute http URL"),
        ("", "the URL is empty"),
    ] {
        let reported = read(&CALLED.replace("http://127.0.0.1:8000/bot?key=1", wrong));
        let reported = reported.unwrap_err().to_string();
        assert!(reported.contains(expected), "{reported}");
    }
    let reported = read(&CALLED.replace("url = ", "# "))
        .unwrap_err()
        .to_string();
    assert!(
        reported.contains("`url` is missing, but must be an http URL"),
        "{reported}"
    );
    let reported = read(&format!("{GOOD}url = \"http://h/\"\n"))
        .unwrap_err()
        .to_string();
    assert!(
        reported.contains("line 5: `url`: it is where a bot with protocol"),
        "{reported}"
    );
}

#[test]
fn a_mistake_names_file_line_and_key() {
    for (line, expected) in [
        (
            "nmae = \"x\"",
            "bot.toml, line 5: there is no key `nmae`; did you mean `name`?",
        ),
        (
            "instances = \"match\"",
            "bot.toml, line 5: there is no key `instances`; there are: name, version",
        ),
        ("name", "bot.toml, line 5, column"),
        (
            "protocol = \"xml\"",
            "bot.toml, line 5: `protocol` is \"xml\", but must be \"neutral\", \"http\"",
        ),
        (
            "protocol = \"native\"",
            "must be \"neutral\", \"http\", or \"native\" where its games are all of planowanie, lighthouses, planetwars",
        ),
        (
            "build = \"make\"",
            "bot.toml, line 5: `build` is \"make\", but must be a list of 1 to 64",
        ),
        ("build = []", "`build` is [], but"),
        (
            "build = [\"make\", 3]",
            "`build` is [\"make\", 3], but must be a list of 1 to 64",
        ),
        ("build = [\"\"]", "`build` is [\"\"], but"),
        ("build = [\"a/../../b\"]", "`build` is [\"a/../../b\"], but"),
        (
            "directory = \"../x\"",
            "`directory` is \"../x\", but must be a folder within",
        ),
        ("directory = \"/etc\"", "`directory` is \"/etc\", but"),
        (
            "fallback = \"harvester\"",
            "`fallback` is \"harvester\", but must be a built-in bot of all its games, one of: champion",
        ),
        (
            "limits = 3",
            "`limits` is 3, but must be a section, written [limits]",
        ),
        (
            "[limits]\nmemory = 3",
            "bot.toml, line 6: there is no key `limits.memory`; did you mean `memory_mib`?",
        ),
        (
            "[limits]\nprocesses = 0",
            "`limits.processes` is 0, but must be a whole number of processes and threads from 1 to 4096",
        ),
        ("[limits]\ncpu_seconds = 1e3", "`limits.cpu_seconds` is"),
        (
            "[limits]\nmemory_mib = 99999999999999999999",
            "`limits.memory_mib` is",
        ),
        (
            "[environment]\nDROVER_X = \"1\"",
            "bot.toml, line 6: `environment.DROVER_X` is",
        ),
        (
            "[environment]\nA = 1",
            "`environment.A` is 1, but must be a text",
        ),
    ] {
        let reported = read(&format!("{GOOD}{line}\n")).unwrap_err().to_string();
        assert!(reported.contains(expected), "{line}: {reported}");
    }
    for (key, wrong, expected) in [
        (
            "name",
            "\"My Bot\"",
            "line 1: `name` is \"My Bot\", but must be 1 to 48 lower-case",
        ),
        ("version", "1", "line 2: `version` is 1, but"),
        (
            "games",
            "[\"chess\"]",
            "line 3: `games` is [\"chess\"], but must be a list of games, each once, of: ",
        ),
        (
            "games",
            "[\"koehandel\", \"koehandel\"]",
            "line 3: `games` is",
        ),
        ("games", "[]", "line 3: `games` is [], but"),
        (
            "run",
            "[\"/usr/bin/../../bin/sh\"]",
            "`run` is [\"/usr/bin/../../bin/sh\"], but must be a list of 1 to 64 texts, the program (without ..",
        ),
    ] {
        let line = GOOD.lines().find(|line| line.starts_with(key)).unwrap();
        let reported = read(&GOOD.replace(line, &format!("{key} = {wrong}")));
        let reported = reported.unwrap_err().to_string();
        assert!(reported.contains(expected), "{key} = {wrong}: {reported}");
        let reported = read(&GOOD.replace(line, "")).unwrap_err().to_string();
        let expected = format!("bot.toml: `{key}` is missing, but must be");
        assert!(reported.contains(&expected), "{reported}");
    }
}

#[test]
fn every_mistake_is_found_once_whether_of_type_or_rule() {
    let text = r#"name = 5
version = "1"
games = ["koehandel"]
protocol = "native"
run = []
url = "http://h/"
fallback = "x"
limits = 1
[environment]
DROVER_A = "1"
B = 2
C = 3
"#;
    let reported = read(text).unwrap_err().to_string();
    for expected in [
        "8 mistakes:\n",
        "line 1: `name` is 5, but must be 1 to 48 lower-case",
        "line 4: `protocol` is \"native\", but",
        "line 5: `run` is [], but",
        "line 7: `fallback` is \"x\", but",
        "line 8: `limits` is 1, but",
        "line 10: `environment.DROVER_A` is \"1\", but",
        "line 11: `environment.B` is 2, but",
        "line 12: `environment.C` is 3, but",
    ] {
        assert!(reported.contains(expected), "{expected}: {reported}");
    }
}

#[test]
fn a_list_is_no_section() {
    let text = "name = \"a\"\nversion = \"1\"\ngames = [\"planowanie\"]\nrun = [\"x\"]\nlimits = [1024, 60]\n";
    let reported = read(text).unwrap_err().to_string();
    let expected = "line 5: `limits` is [1024, 60], but must be a section";
    assert!(reported.contains(expected), "{reported}");
}

#[test]
fn a_manifest_of_a_gigabyte_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let missing = Manifest::load(folder.path()).unwrap_err().to_string();
    assert!(missing.contains("bot.toml cannot be read"), "{missing}");
    let file = std::fs::File::create(folder.path().join(MANIFEST)).unwrap();
    file.set_len(1 << 30).unwrap();
    let reported = Manifest::load(folder.path()).unwrap_err().to_string();
    assert!(
        reported.contains("a manifest has at most 65536"),
        "{reported}"
    );
}

#[test]
fn a_manifest_is_no_link_to_anothers_file() {
    let folder = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join(MANIFEST)).unwrap();
    let reported = Manifest::load(folder.path()).unwrap_err().to_string();
    assert!(reported.contains("it is no file of its own"), "{reported}");
}

#[test]
fn a_program_may_speak_its_games_own_protocol_where_all_are_played_over_pipes() {
    let of = |games: &str| {
        format!(
            "name = \"a\"\nversion = \"1\"\ngames = {games}\nprotocol = \"native\"\nrun = [\"./a\"]\n"
        )
    };
    let native = read(&of("[\"lighthouses\", \"planetwars\"]")).unwrap();
    assert_eq!(native.protocol, Protocol::Native);
    assert!(read(&of("[\"lighthouses\", \"smartdog\"]")).is_err());
}
