//! Shims: with a daemon, without one, and with one that comes and goes.

use crate::app::{
    PATIENCE, Piped, TestApp, drover, folder, ok, play, refused, report, run, run_on, run_with,
    shim, shim_command, shim_seat, text, until, verified,
};
use crate::planetwars;
use nix::sys::signal::Signal;
use serde_json::json;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A player of Planowanie.
pub const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/player.sh");

const OPENING: [&str; 4] = [
    "set_deck 23456789TJQKA CDHS",
    "set_players 2 0",
    "set_game 1 2 0",
    "set_cards 2 2C 5D",
];
const DECLARING: [&str; 4] = [
    "time_left 60000",
    "gen_declare",
    "declare 0 1",
    "declare 1 1",
];
const PLAYING: [&str; 5] = [
    "gen_move",
    "play 0 2C",
    "play 1 3D",
    "play 0 5D",
    "play 1 6D",
];

/// A shim of the bot `rules` at this socket.
fn rules_on(socket: &Path) -> Piped {
    shim("planowanie", "rules", socket)
}

/// The same at the socket of the daemon in this folder.
fn rules_of(folder: &Path) -> Piped {
    rules_on(&folder.join("drover.sock"))
}

/// A daemon in a folder of its own, and a shim of it.
fn served() -> (TempDir, TestApp, Piped) {
    let folder = folder();
    let (app, shim) = (TestApp::start(folder.path()), rules_of(folder.path()));
    (folder, app, shim)
}

impl TestApp {
    /// Whether none of its threads runs any more after SIGSTOP.
    pub fn is_stopped(&self) -> bool {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.pid())).unwrap();
        let states =
            threads.map(|thread| std::fs::read_to_string(thread.unwrap().path().join("stat")));
        states
            .map(Result::unwrap)
            .all(|state| state.contains(") T "))
    }
}

impl Piped {
    /// Says a line and gives the reply, whose blank line must follow.
    pub fn ask(&mut self, line: &str) -> String {
        self.say(line);
        let reply = self.line();
        assert_eq!(self.line(), "\n", "{line}");
        reply.trim_end().to_owned()
    }

    fn all(&mut self, lines: &[&str]) -> Vec<String> {
        lines.iter().map(|line| self.ask(line)).collect()
    }
}

/// The answers of a whole game.
fn whole_game(shim: &mut Piped) {
    assert_eq!(shim.all(&OPENING), ["="; 4]);
    rest_of_game(shim);
}

/// Those after its opening.
fn rest_of_game(shim: &mut Piped) {
    let declared = shim.all(&DECLARING);
    assert!(
        ["= 0", "= 1", "= 2"].contains(&declared[1].as_str()),
        "{declared:?}"
    );
    let played = shim.all(&PLAYING);
    assert!(["= 2C", "= 5D"].contains(&played[0].as_str()), "{played:?}");
    assert_eq!(played[1..], ["="; 4]);
}

/// Asks until the daemon has received all that the shim has.
fn caught_up(app: &TestApp, shim: &mut Piped) {
    let begun = Instant::now();
    let mut asked = OPENING.len();
    loop {
        let sessions = app.items("/api/v1/sessions");
        let id = sessions.first().map(|session| &session["match"]);
        // A message and its answer each.
        let caught_up = id.is_some_and(|id| app.entries(id) == 2 * asked);
        // When it has caught up the next one is the daemon's, at the latest.
        assert_eq!(shim.ask("time_left 60000"), "=");
        asked += 1;
        if caught_up {
            return;
        }
        assert!(
            begun.elapsed() < PATIENCE,
            "the shim does not come back: {sessions:?}"
        );
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_daemon_decides_and_keeps() {
    let (_folder, app, mut shim) = served();
    whole_game(&mut shim);
    assert_eq!(shim.ask("quit"), "=");
    assert_eq!(shim.close(), Some(0));
    let played = app.only_match("planowanie");
    assert_eq!(played["cause"], "normal");
    // One trick each by the cards, and the rival declared one.
    assert_eq!(played["scores"][1], 3, "{played}");
    assert_eq!(
        (
            app.facts(&played["id"], "deal"),
            app.facts(&played["id"], "local")
        ),
        (1, 0)
    );
    app.stop_verified();
}

#[test]
fn without_a_daemon_it_plays_alone_and_reports_later() {
    let folder = folder();
    let mut shim = rules_of(folder.path());
    whole_game(&mut shim);
    assert_eq!(shim.close(), Some(0));
    let journals = || {
        let files = folder.path().read_dir().unwrap().flatten();
        files
            .filter(|file| file.path().extension().is_some_and(|end| end == "journal"))
            .count()
    };
    assert_eq!(journals(), 1);
    let app = TestApp::start(folder.path());
    let played = app.only_match("planowanie");
    assert_eq!(played["cause"], "normal");
    assert_eq!(app.facts(&played["id"], "local"), 13);
    app.stop();
    assert_eq!(journals(), 0);
    verified(&folder.path().join("drover.db"));
}

#[test]
fn it_plays_alone_where_nobody_takes_its_notes() {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let full = std::fs::File::options().write(true).open("/dev/full");
    for stderr in [Stdio::from(full.unwrap()), writer.into()] {
        let folder = folder();
        let app = TestApp::start(folder.path());
        let socket = folder.path().join("drover.sock");
        let mut shim = Piped::start(shim_command("planowanie", "rules", &socket), stderr);
        assert_eq!(shim.all(&OPENING), ["="; 4]);
        app.kill();
        rest_of_game(&mut shim);
        assert_eq!(shim.close(), Some(0));
        let app = TestApp::start(folder.path());
        assert_eq!(app.only_match("planowanie")["cause"], "normal");
        app.stop_verified();
    }
}

#[test]
fn a_daemon_that_hangs_costs_no_game() {
    let (folder, app, mut shim) = served();
    shim.all(&OPENING);
    app.signal(Signal::SIGSTOP);
    // A daemon that still runs for a moment would be stopped in the middle of the decision.
    until(|| app.is_stopped());
    let begun = Instant::now();
    shim.all(&DECLARING);
    let took = begun.elapsed();
    // One message is waited for; then it plays alone.
    assert!(took < Duration::from_secs(4), "{took:?}");
    // Another one starts next to it, and does not wait for the daemon for ever.
    let mut other = rules_of(folder.path());
    other.all(&OPENING);
    app.signal(Signal::SIGCONT);
    shim.all(&PLAYING);
    assert_eq!((shim.close(), other.close()), (Some(0), Some(0)));
    let ended = app.ended_matches("planowanie", 2);
    let mut causes: Vec<&str> = ended
        .iter()
        .map(|row| row["cause"].as_str().unwrap())
        .collect();
    causes.sort_unstable();
    assert_eq!(causes, ["disconnect", "normal"]);
    app.stop_verified();
}

#[test]
fn a_bot_that_thinks_is_the_daemons_again_once_it_is_back() {
    let folder = folder();
    let socket = folder.path().join("drover.sock");
    let mut shim = shim("planowanie", "champion", &socket);
    shim.all(&OPENING);
    let app = TestApp::start(folder.path());
    caught_up(&app, &mut shim);
    // Worth seconds, of which the daemon takes as many as it likes.
    shim.all(&DECLARING);
    shim.all(&PLAYING);
    assert_eq!(shim.close(), Some(0));
    let played = app.only_match("planowanie");
    let facts = app.items(&format!(
        "/api/v1/matches/{}/facts",
        played["id"].as_str().unwrap()
    ));
    let overruled = |fact: &serde_json::Value| fact["data"]["overruled"] == true;
    assert!(!facts.iter().any(overruled), "{facts:?}");
    app.stop_verified();
}

const JOURNALS: usize = 20;

#[test]
fn journals_of_killed_shims_are_taken_over() {
    let folder = folder();
    // More than are folded at once.
    for _ in 0..JOURNALS {
        let mut shim = rules_of(folder.path());
        shim.all(&OPENING);
        shim.child.kill().unwrap();
        shim.child.wait().unwrap();
    }
    // A stranger's file of that name is put aside, not taken and not tried again and again.
    std::fs::write(folder.path().join("x.journal"), b"\xff\n\n").unwrap();
    let app = TestApp::start(folder.path());
    for played in app.ended_matches("planowanie", JOURNALS) {
        assert_eq!(
            (&played["cause"], &played["detail"]),
            (&"disconnect".into(), &"the shim has gone".into())
        );
    }
    until(|| folder.path().join("x.refused").exists());
    app.stop_verified();
}

#[test]
fn an_arbiter_that_hangs_up_ends_the_session() {
    let (_folder, app, mut shim) = served();
    shim.all(&OPENING);
    assert_eq!(shim.close(), Some(0));
    let played = app.only_match("planowanie");
    assert_eq!(played["cause"], "disconnect");
    assert_eq!(played["detail"], "the arbiter closed its pipe");
    app.stop_verified();
}

#[test]
fn two_games_in_one_process_are_two_matches() {
    let (_folder, app, mut shim) = served();
    whole_game(&mut shim);
    whole_game(&mut shim);
    assert_eq!(shim.close(), Some(0));
    for row in app.ended_matches("planowanie", 2) {
        assert_eq!(row["cause"], "normal");
    }
    app.stop_verified();
}

#[test]
fn sigterm_is_a_clean_exit() {
    let folder = folder();
    let mut shim = rules_of(folder.path());
    shim.all(&OPENING);
    let pid = nix::unistd::Pid::from_raw(shim.child.id() as i32);
    nix::sys::signal::kill(pid, Signal::SIGTERM).unwrap();
    assert_eq!(shim.child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_link_is_a_shim() {
    let folder = folder();
    let link = folder.path().join("drover-planowanie-greedy");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_drover"), &link).unwrap();
    let mut command = Command::new(link);
    command.arg("--local");
    let mut shim = Piped::start(command, Stdio::null());
    whole_game(&mut shim);
    assert_eq!(shim.close(), Some(0));
}

/// What the tester shows of a program while this is typed.
fn by_hand(fault: &str, script: &str) -> String {
    let mut tester = drover()
        .args([
            "play",
            "planowanie",
            "--interactive",
            &format!("cmd:{PROGRAM} {fault}"),
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut typed = tester.stdin.take().unwrap();
    typed.write_all(script.as_bytes()).unwrap();
    drop(typed);
    text(&tester.wait_with_output().unwrap().stdout)
}

#[test]
fn the_tester_warns_of_what_an_arbiter_would_not_take() {
    let half = by_hand("half", "gen_declare\n:restart\nset_players 2 0\n");
    for expected in [
        "warning: no blank line came after the reply",
        "the program ended: it ran on until it was ended",
        "the program is started again\n> set_players 2 0\n< = ",
        "the program ended: exit status 0",
    ] {
        assert!(half.contains(expected), "{expected:?} in {half}");
    }
    let exits = by_hand("exits", "gen_declare\nset_players 2 0\n:restart\nfly\n");
    for expected in [
        "the program ended: exit status 0\n  no program is running; :restart",
        "the program is started again\n> fly\n< = ",
    ] {
        assert!(exits.contains(expected), "{expected:?} in {exits}");
    }
    let twice = by_hand("twice", "gen_declare\n:players 2\n:set deals=2 0\n:game\n");
    for expected in [
        "warning: it said \"= 0\" after its reply",
        "seat 1: protocol_error: declare: it said \"= 0\" before it was asked",
    ] {
        assert!(twice.contains(expected), "{expected:?} in {twice}");
    }
}

#[test]
fn a_game_at_the_tester_shows_tricks_and_points_and_goes_to_the_log() {
    let folder = folder();
    let log = folder.path().join("tester.log");
    let script = format!(
        "set_players 2 0\n:log {}\n:players 2\n:rivals cmd:{PROGRAM} none\n:set deals=2 0 1 1\n\
         :game\n:log\nset_players 2 1\n",
        log.display()
    );
    let shown = by_hand("none", &script);
    for expected in [
        "> set_players 2 0\n",
        "declared [0,0], taken [0,0], points [0,0]",
        "deal: {",
        "the game ended: normal, scores ",
    ] {
        assert!(shown.contains(expected), "{expected:?} in {shown}");
    }
    // As they fall: there are three tricks.
    let tricks = shown.lines().filter(|line| line.contains(", taken ["));
    assert!(tricks.count() >= 4, "{shown}");
    let log = std::fs::read_to_string(log).unwrap();
    assert!(log.contains("the game ended: normal"), "{log}");
    assert!(log.contains(":rivals cmd:"), "{log}");
    assert!(!log.contains("set_players 2 1"), "{log}");
}

#[test]
fn a_program_by_hand() {
    let script = ":help\nset_deck 789 SH\nfly away\n:set values=789TJQKA\n:set suits=SH\n:players 3\n\
                  :set deals=2 0 1 2\n:rivals random,greedy\n:seat 3\n:show\n:game\n:seat 7\n:game\n:nonsense\n";
    let out = by_hand("none", script);
    for expected in [
        "> set_deck 789 SH\n< = ",
        "> fly away\n< = ",
        "players 3, seat 3, rivals random,greedy, seed 1",
        "> set_players 3 2\n< = ",
        "> set_game 2 2 0 1 2\n< = ",
        "the game ended: normal, scores ",
        "seat 7 does not exist among 3 players",
        "there is no :nonsense",
        "> quit\n< = ",
        "the program ended: exit status 0",
    ] {
        assert!(out.contains(expected), "{expected:?} in {out}");
    }
}

#[test]
fn what_an_arbiter_has_stored_is_verified() {
    let folder = folder();
    let store = folder.path().join("drover.db");
    for (first, cause) in [
        ("none", "normal"),
        ("revoke", "illegal_move"),
        ("twice", "protocol_error"),
        ("half", "time_forfeit"),
    ] {
        let first = format!("cmd:{PROGRAM} {first}");
        let mut played = play("planowanie", &[&first, "builtin:greedy"], &["deals=13 0"]);
        played.args(["--timeout", "5s", "--store"]).arg(&store);
        let played = played.output().unwrap();
        assert!(played.status.success() || cause != "normal", "{played:?}");
        let listed = ok(run_on(&store, &["match", "list"]));
        assert!(listed.contains(cause), "{listed}");
    }
    verified(&folder.path().join("drover.db"));
    assert_eq!(run(&["shim", "koehandel"]).status.code(), Some(2));
}

#[test]
fn a_shim_that_plays_alone_keeps_to_a_clock_of_a_second() {
    let shim = drover();
    let shim = format!(
        "cmd:{} shim planowanie --local",
        shim.get_program().display()
    );
    let seats = [&shim, "builtin:rules", "builtin:rules", "builtin:rules"];
    let mut play = drover();
    play.args(["play", "planowanie", "--no-rotate", "--concurrency", "1"]);
    play.args(["--games", "8", "--timeout", "1s", "--output", "json"]);
    play.args(seats.iter().flat_map(|seat| ["--seat", seat]));
    let report = report(play.output().unwrap());
    assert_eq!(report["games"], 8);
    assert_eq!(report["seats"][0]["faults"], json!({}), "{report}");
}

#[test]
fn a_shim_without_a_journal_says_where_it_would_be_and_what_was_lost() {
    let folder = folder();
    let noted = folder.path().join("stderr");
    // There is no such folder, so that nothing can be written in it.
    let socket = folder.path().join("gone/drover.sock");
    let stderr = std::fs::File::create(&noted).unwrap();
    let mut shim = Piped::start(shim_command("planowanie", "rules", &socket), stderr.into());
    assert_eq!(shim.all(&OPENING), ["="; 4]);
    assert_eq!(shim.close(), Some(0));
    let noted = std::fs::read_to_string(noted).unwrap();
    let journal = format!("{}/gone/shim-planowanie-", folder.path().display());
    let text: Vec<&str> = noted
        .lines()
        .filter(|line| line.contains(&journal) && line.contains(".journal"))
        .collect();
    assert!(
        text[0].contains("cannot be written (No such file"),
        "{noted}"
    );
    assert!(text[0].contains("from message 1 on"), "{noted}");
    assert!(text[1].contains("lost: messages 1 to 4"), "{noted}");
    assert_eq!(text.len(), 2, "each once: {noted}");
}

#[test]
fn a_journal_that_can_be_kept_later_has_what_was_said_before() {
    let folder = folder();
    let socket = folder.path().join("later/drover.sock");
    let mut shim = rules_on(&socket);
    assert_eq!(shim.all(&OPENING[..2]), ["="; 2]);
    std::fs::create_dir(folder.path().join("later")).unwrap();
    assert_eq!(shim.all(&OPENING[2..]), ["="; 2]);
    assert_eq!(shim.close(), Some(0));
    let journal = std::fs::read_dir(folder.path().join("later"))
        .unwrap()
        .map(|file| file.unwrap().path())
        .find(|path| path.extension().is_some_and(|end| end == "journal"))
        .expect("a journal");
    let text = std::fs::read_to_string(journal).unwrap();
    for line in OPENING {
        assert!(text.contains(line), "{line} in {text}");
    }
}

#[test]
fn a_socket_is_whose_the_configuration_says() {
    use std::os::unix::fs::MetadataExt as _;
    let folder = folder();
    let mode = |socket: &Path| std::fs::metadata(socket).unwrap().mode() & 0o777;
    let app = TestApp::with(folder.path(), &[("SHIM__SOCKET_MODE", "0660")]);
    assert_eq!(mode(&folder.path().join("drover.sock")), 0o660);
    app.stop();
    let app = TestApp::start(folder.path());
    assert_eq!(mode(&folder.path().join("drover.sock")), 0o600);
    app.stop();
    let app = TestApp::with(folder.path(), &[("SHIM__SOCKET_GROUP", "nobody-knows")]);
    assert!(!folder.path().join("drover.sock").exists());
    assert!(app.log().contains("there is no group"), "{}", app.log());
    app.stop();
    for wrong in ["0606", "0662", "777", "rw", "0066", "4660"] {
        let checked = run_with("DROVER__SHIM__SOCKET_MODE", wrong, &["config", "check"]);
        assert!(refused(checked, 2).contains("shim.socket_mode"), "{wrong}");
    }
}

/// Games that take four seconds at least, each long enough for its daemon to be killed in.
#[test]
fn a_game_over_a_shim_goes_on_while_the_daemon_is_killed() {
    let slow = format!("cmd:{} slow", planetwars::PROGRAM);
    let map = "map=P 1 0 0 0 1 1\nP 2 190 0 0 2 900\nP 3 5 0 1 0 1\n";
    let delta = ["map=delta", "rounds=800", "pause_us=5000", "hard_ms=20000"];
    let planets = [map, "rounds=120", "turn_ms=20000"];
    for (game, bot, rival, options, entries, state, states) in [
        (
            "lighthouses",
            "triangle",
            "builtin:nearest",
            &delta[..],
            200,
            "\"view\"",
            800,
        ),
        ("planetwars", "frontier", &*slow, &planets, 40, "Y ", 120),
    ] {
        let folder = folder();
        let app = TestApp::start(folder.path());
        let seats = [&*shim_seat(game, bot, folder.path()), rival];
        // A busy machine must not end it.
        let mut judge = play(game, &seats, &[options, &["start_ms=30000"]].concat());
        let judge = judge.stdout(Stdio::piped()).spawn().unwrap();
        let app = app.killed_after(game, entries, folder.path());
        let report = report(judge.wait_with_output().unwrap());
        assert_eq!(report["seats"][0]["faults"], json!({}), "{report}");
        assert_eq!(report["seats"][0]["refused"], 0, "{report}");
        let played = app.only_match(game);
        assert_eq!(played["cause"], "normal");
        let message = app.texts(&played["id"], "in");
        assert_eq!(
            message.iter().filter(|text| text.contains(state)).count(),
            states
        );
        let local = app.facts(&played["id"], "local");
        assert!(local > 0, "the shim has played alone");
        app.stop_verified();
    }
}
