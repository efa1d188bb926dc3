//! The guides in `docs/` and the README: every command in them is run, in order, as written.
//!
//! The `sh` blocks of a file are run by one `sh -e` in an empty folder, with `drover` on the path. A comment on the
//! line before a block says what else its reader does:
//!
//! - `<!-- background -->`: leaves it running; the next block begins once it has said where it listens.
//! - `<!-- stop -->`, `<!-- stop, background -->`: first stops what runs in the background by Ctrl-C.
//! - `<!-- fails -->`: sees it end with an error.
//! - `<!-- not run: REASON -->`: needs what a test does not have. Its syntax and the words after `drover` are checked.
//!
//! `<!-- needs PostgreSQL -->` on a line of its own gives the whole file a server on `localhost`, of which its reader is
//! the superuser. Where there is none, its blocks are as those that are not run.
//!
//! A `text` block is what is then seen: each of its lines is in the output, where `…` stands for anything.

use crate::app::{drover, folder, text};
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const OURS: &str = env!("CARGO_BIN_EXE_drover");

/// A network of its own, in which the default ports are free.
const APART: &str = "exec unshare --user --map-root-user --net sh -ec 'ip link set lo up; exec \"$0\" \"$@\"' \"$@\"";

/// The same with a PostgreSQL server at its usual port.
const SERVED: &str = "exec unshare --net sh -ec 'ip link set lo up; export DROVER_TEST_PORT=5432 PGHOST=localhost PGUSER=postgres; \
exec \"$0\" \"$@\"' \"$WITH_POSTGRES\" \"$@\"";

/// The line that asks for it.
const NEEDS_POSTGRES: &str = "<!-- needs PostgreSQL -->";

/// What stands before the blocks. A process group leads each that runs in the background.
const PRELUDE: &str = r#"set -ea
groups=
stop() {
    for group in $groups; do kill -s TERM -- "-$group" || true; done
    for _ in $(seq 600); do
        alive=
        for group in $groups; do if kill -s 0 -- "-$group" 2>/dev/null; then alive=1; fi; done
        [ "$alive" ] || break
        sleep 0.05
    done
    groups=
}
begin() {
    setsid sh -e "$1" >"$2" 2>"$3" &
    groups="$groups $!"
    for _ in $(seq 600); do
        if grep -q '^listening \| on .*:[0-9]' "$2" "$3"; then return 0; fi
        kill -0 "$!" || break
        sleep 0.05
    done
    cat "$3"
    return 1
}
trap 'for group in $groups; do kill -s KILL -- "-$group"; done' EXIT
trap 'exit 1' TERM
"#;

/// What a reader does with a block.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Run,
    Background,
    Fails,
    NotRun,
}

#[derive(Debug)]
struct Block {
    /// Where its first line stands.
    line: usize,
    /// Whether what runs in the background is stopped before it.
    stops: bool,
    way: Way,
    script: String,
    /// The lines that are seen then.
    seen: Vec<String>,
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The README and the guides.
fn files() -> Vec<PathBuf> {
    let guides = fs::read_dir(root().join("docs")).unwrap();
    let mut files: Vec<PathBuf> = guides.map(|entry| entry.unwrap().path()).collect();
    files.push(root().join("README.md"));
    files.sort();
    files
}

/// Whether others are stopped, and what is done, by the line before a block.
fn marked(before: &str) -> (bool, Way) {
    let comment = before.strip_prefix("<!-- ").unwrap_or_default();
    match comment.trim_end_matches(" -->") {
        "" => (false, Way::Run),
        "background" => (false, Way::Background),
        "stop" => (true, Way::Run),
        "stop, background" => (true, Way::Background),
        "fails" => (false, Way::Fails),
        reason if reason.starts_with("not run: ") => (false, Way::NotRun),
        other => panic!("{other:?} before a block means nothing"),
    }
}

fn blocks(file: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let (mut before, mut lines) = ("", (1..).zip(file.lines()));
    while let Some((number, line)) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let inside = lines.by_ref().map(|(_, line)| line);
            let inside: Vec<&str> = inside.take_while(|line| *line != "```").collect();
            match (language, blocks.last_mut()) {
                ("sh", _) => {
                    let (stops, way) = marked(before);
                    blocks.push(Block {
                        line: number + 1,
                        stops,
                        way,
                        script: inside.join("\n") + "\n",
                        seen: Vec::new(),
                    });
                }
                ("text", Some(last)) => last.seen.extend(inside.into_iter().map(str::to_owned)),
                _ => {}
            }
        }
        before = line;
    }
    blocks
}

/// The words after `drover` in each command of a script, quoted as they are there.
fn command_lines(script: &str) -> Vec<String> {
    let joined = script.replace("\\\n", " ");
    let commands = joined.split(['\n', ';', '|', '&', '(']);
    let words = |command: &str| {
        let command = command.split(" #").next()?.split(" >").next()?.trim();
        let inside = command.split_once(" /drover ").map(|(_, words)| words);
        Some(command.strip_prefix("drover ").or(inside)?.to_owned())
    };
    commands.filter_map(words).collect()
}

/// The shell's script that does what a reader of these blocks does.
fn script(blocks: &[Block]) -> String {
    let mut script = PRELUDE.to_owned();
    for (number, block) in blocks.iter().enumerate() {
        let files = format!("../{number}.sh ../{number}.out ../{number}.log");
        if block.stops {
            script.push_str("stop\n");
        }
        if block.way != Way::NotRun {
            writeln!(script, "echo {} >../line", block.line).unwrap();
        }
        match block.way {
            Way::Run => writeln!(
                script,
                "{{\n{}}} >../{number}.out 2>../{number}.log",
                block.script
            ),
            Way::Background => writeln!(script, "begin {files}"),
            Way::Fails => writeln!(
                script,
                "sh -e ../{number}.sh >../{number}.out 2>../{number}.log && exit 1"
            ),
            Way::NotRun => Ok(()),
        }
        .unwrap();
    }
    script.push_str(":\n");
    script
}

/// Whether a line of the output is this one, `…` standing for anything.
fn is_seen(output: &str, wanted: &str) -> bool {
    output.lines().any(|line| {
        let mut rest = Some(line);
        for part in wanted.split('…').map(str::trim) {
            rest = rest.and_then(|rest| Some(rest.split_once(part)?.1));
        }
        rest.is_some()
    })
}

/// What is wrong with the blocks' syntax and with the command lines that are not run; each block is then a file.
fn misspelt(name: &str, blocks: &[Block], folder: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    let sh = |arguments: &[&str]| {
        let output = Command::new("sh").args(arguments).output().unwrap();
        (!output.status.success()).then(|| text(&output.stderr))
    };
    for (number, block) in blocks.iter().enumerate() {
        let path = folder.join(format!("{number}.sh"));
        fs::write(&path, &block.script).unwrap();
        let at = format!("{name}:{}", block.line);
        wrong.extend(sh(&["-n", path.to_str().unwrap()]).map(|why| format!("{at}: {why}")));
        for line in command_lines(&block.script) {
            if block.way == Way::NotRun {
                let asked = format!("{OURS} {line} --help");
                wrong.extend(sh(&["-c", &asked]).map(|why| format!("{at}: {line}: {why}")));
            }
        }
    }
    wrong
}

/// `sh` that runs its arguments somewhere: as they are, [`APART`] or [`SERVED`].
fn sh_where(place: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", place, "sh"]);
    command.env("WITH_POSTGRES", root().join(".ci/postgres"));
    command
}

/// Whether things can run there.
fn is_possible(place: &str) -> bool {
    let output = sh_where(place).arg("true").output();
    output.is_ok_and(|output| output.status.success())
}

/// Runs a script as a reader would, in a folder next to the blocks.
fn run(script: &str, folder: &Path, place: &str) -> Output {
    let (bin, here) = (folder.join("bin"), folder.join("here"));
    fs::create_dir(&bin).unwrap();
    symlink(OURS, bin.join("drover")).unwrap();
    // What the README builds is what is tested here.
    let cargo = bin.join("cargo");
    let built = "[ \"$1 $2 $3\" = 'run --release --' ] && shift 3 && exec drover \"$@\"";
    fs::write(&cargo, format!("#!/bin/sh\n{built}\n")).unwrap();
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();
    let strict = "fail-with-body\nsilent\nshow-error\n";
    fs::write(folder.join(".curlrc"), strict).unwrap();
    fs::create_dir(&here).unwrap();
    symlink(root().join("config"), here.join("config")).unwrap();
    fs::write(folder.join("all.sh"), script).unwrap();

    let paths = std::env::var("PATH").unwrap_or_default();
    let mut command = sh_where(place);
    command.args(["timeout", "120", "sh", "../all.sh"]);
    for (name, _) in drover().get_envs() {
        command.env_remove(name);
    }
    command
        .current_dir(&here)
        .env("PATH", format!("{}:{paths}", bin.display()))
        .env("CURL_HOME", folder)
        .env("DROVER__DRAIN__LIMIT_S", "1")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// Does what a file says in this folder; what goes wrong.
fn wrong(file: &Path, folder: &Path, apart: bool) -> Vec<String> {
    let name = file.strip_prefix(root()).unwrap().display().to_string();
    let guide = fs::read_to_string(file).unwrap();
    let mut blocks = blocks(&guide);
    let mut place = if apart { APART } else { "exec \"$@\"" };
    if guide.lines().any(|line| line == NEEDS_POSTGRES) {
        place = SERVED;
        if !is_possible(SERVED) {
            eprintln!("SKIPPED: {name} needs PostgreSQL, and root for a network of its own");
            blocks.iter_mut().for_each(|block| block.way = Way::NotRun);
            return misspelt(&name, &blocks, folder);
        }
    }
    let mut wrong = misspelt(&name, &blocks, folder);
    let output = run(&script(&blocks), folder, place);
    let read = |name: String| fs::read_to_string(folder.join(name)).unwrap_or_default();
    let reached = read("line".to_owned());
    for (number, block) in blocks.iter().enumerate() {
        let message = read(format!("{number}.out")) + "\n" + &read(format!("{number}.log"));
        let at = format!("{name}:{}", block.line);
        if !output.status.success() && reached.trim() == block.line.to_string() {
            let shell = text(&output.stderr);
            wrong.push(format!("{at}: {}: {message}{shell}", output.status));
            break;
        }
        let unseen = |line: &&String| block.way != Way::NotRun && !is_seen(&message, line);
        let unseen = block.seen.iter().filter(unseen);
        wrong.extend(unseen.map(|line| format!("{at} does not print {line:?} but {message}")));
    }
    wrong
}

#[test]
fn every_command_runs_as_written() {
    let tools = [
        "-c",
        "command -v curl && command -v setsid && command -v timeout",
    ];
    let tools = Command::new("sh").args(tools).output();
    if !tools.is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: the guides need curl, setsid and timeout");
        return;
    }
    let apart = is_possible(APART);
    if !apart {
        eprintln!("no network namespaces here: the guides run one by one, on this machine's ports");
    }
    let read = |file: PathBuf| {
        let folder = folder();
        wrong(&file, folder.path(), apart)
    };
    let found: Vec<String> = if apart {
        std::thread::scope(|scope| {
            let files = files().into_iter();
            let threads: Vec<_> = files.map(|file| scope.spawn(|| read(file))).collect();
            let found = threads
                .into_iter()
                .flat_map(|thread| thread.join().unwrap());
            found.collect()
        })
    } else {
        files().into_iter().flat_map(read).collect()
    };
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_guide_is_listed_and_every_link_leads_somewhere() {
    let index = fs::read_to_string(root().join("docs/README.md")).unwrap();
    let guides = files();
    for file in &guides {
        let name = file.file_name().unwrap().to_str().unwrap();
        assert!(
            name == "README.md" || index.contains(&format!("({name})")),
            "{name}"
        );
    }
    let others = [
        "ARCHITECTURE.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
    ];
    let others = others.map(|name| root().join(name));
    for file in guides.into_iter().chain(others) {
        let file_text = fs::read_to_string(&file).unwrap();
        for link in file_text
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            let path = link.split('#').next().unwrap_or_default();
            let there =
                link.starts_with("http") || file.with_file_name(path).exists() || path.is_empty();
            assert!(there, "{}: {link}", file.display());
        }
    }
}

#[test]
fn the_finder_of_blocks_finds_them() {
    let file = "# A\n<!-- stop, background -->\n```sh\ndrover serve --demo &&\n  x /drover health; drover db \\\n  verify >f # why\n```\n```text\nlistening …=1\n```\n<!-- not run: root -->\n```sh\nls\n```\n";
    let found = blocks(file);
    assert_eq!(
        (found[0].line, found[0].stops, found[0].way),
        (4, true, Way::Background)
    );
    assert_eq!((found[1].stops, found[1].way), (false, Way::NotRun));
    assert_eq!(
        command_lines(&found[0].script),
        ["serve --demo", "health", "db    verify"]
    );
    assert!(is_seen("a\nlistening api=1 b", &found[0].seen[0]));
    assert!(!is_seen("listening\napi=1", &found[0].seen[0]));
}
