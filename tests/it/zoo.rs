//! A zoo of programs that misbehave: the outcome for each, and that others are none the worse for it.

use crate::app::{TestApp, drover, folder, ok, play, report, until};
use crate::bots::bot;
use crate::seats::conduct;
use drover::link::program::{Becoming, Confinement, Execution, Orders, no_isolation, protections};
use serde_json::{Value, json};
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};
use tempfile::{NamedTempFile, TempDir};

const PROGRAM: &str = include_str!("../programs/zoo.py");

/// Every way to misbehave, the fault that it is under an arbiter (empty: it plays on, and its match is as any other),
/// and its outcome as a user's bot: its match is as any other, whatever it does.
const ZOO: &[(&str, &str, &str)] = &[
    ("good", "", "plays"),
    ("forks", "time_forfeit", "late"),
    ("daemonises", "", "plays"),
    ("kills_everybody", "", "plays"),
    ("kills_its_parent", "", "plays"),
    ("ends_well_at_once", "init_failure", "fails"),
    ("fails_at_once", "init_failure", "fails"),
    ("kills_itself", "init_failure", "fails"),
    ("crashes_by_signal", "init_failure", "fails"),
    ("floods_stderr", "", "plays"),
    ("closes_stdin", "init_failure", "fails"),
    ("closes_stdout", "init_failure", "fails"),
    ("closes_stderr", "", "plays"),
    ("ignores_term", "", "plays"),
    ("reads_nothing", "time_forfeit", "late"),
    ("reads_secrets", "", "plays"),
    ("reads_our_variables", "", "plays"),
    ("lists_other_folders", "", "plays"),
    ("reads_other_files", "", "plays"),
    ("writes_other_files", "", "plays"),
    ("writes_its_own_folder", "", "plays"),
    ("removes_other_files", "", "plays"),
    ("fills_its_scratch", "", "plays"),
    ("dials", "", "plays"),
    ("sends_packets", "", "plays"),
    ("dials_a_socket", "", "plays"),
    ("changes_modes", "", "plays"),
    ("listens", "", "plays"),
    ("tries_everything", "", "plays"),
    // Unless it is noticed that an answer is left over, the next one is not legal.
    (
        "talks_before_asked",
        "protocol_error or illegal_move",
        "refused",
    ),
    ("answers_twice", "protocol_error", "plays"),
    ("sends_nul", "illegal_move", "refused"),
    ("sends_no_utf8", "illegal_move", "refused"),
    ("sends_a_huge_number", "protocol_error", "refused"),
    ("sends_a_negative_number", "illegal_move", "refused"),
    ("sends_deep_json", "protocol_error", "refused"),
    ("sends_a_float", "illegal_move", "refused"),
    ("sends_html", "protocol_error", "refused"),
    ("sends_controls", "illegal_move", "refused"),
    ("allocates", "crash", "fails"),
    ("floods", "protocol_error", "fails"),
    ("sends_an_endless_line", "protocol_error", "fails"),
    ("spins", "time_forfeit", "late"),
    ("sleeps", "time_forfeit", "late"),
    ("stops_itself", "time_forfeit", "late"),
    ("is_late", "time_forfeit", "late"),
    ("exits_when_asked", "crash", "fails"),
    ("writes_byte_by_byte", "", "late"),
    ("dribbles_for_ever", "time_forfeit", "late"),
    ("writes_crlf", "", "plays"),
    ("closes_stdout_when_asked", "crash", "fails"),
    ("becomes_another", "time_forfeit", "late"),
];

/// Held by the tests that load this machine: a clock runs while a program starts.
static LOAD: Mutex<()> = Mutex::new(());

/// Whether python3 is there and every protection holds; says so if not.
fn is_guarded() -> bool {
    let python = Command::new("python3").arg("--version").output();
    if !python.is_ok_and(|python| python.status.success()) {
        eprintln!("SKIPPED: there is no python3");
        return false;
    }
    let printed = ok(drover().args(["bot", "protections"]).output().unwrap());
    let missing: Vec<&str> = printed
        .lines()
        // Without a cgroup it holds nowhere.
        .filter(|line| line.contains(": missing: ") && !line.starts_with("memory:"))
        .collect();
    if !missing.is_empty() {
        eprintln!("SKIPPED: this machine does not protect from programs: {missing:?}");
    }
    missing.is_empty()
}

fn seat(fault: &str, argument: &str) -> String {
    format!("cmd:python3 zoo.py {fault} {argument}")
}

/// A folder with the program, which reads none but this.
fn den() -> tempfile::TempDir {
    let den = folder();
    fs::write(den.path().join("zoo.py"), PROGRAM).unwrap();
    den
}

/// A match of this program against a good one, both confined.
fn zoo_match(fault: &str, argument: &str, folder: &Path) -> Value {
    let mut line = play(
        "planowanie",
        &[&seat(fault, argument), &seat("good", "")],
        &["deals=2 0"],
    );
    line.args(["--timeout", "8s", "--confine", "--processes", "32"]);
    line.args(["--memory-mib", "256", "--log"])
        .arg(folder.join(fault));
    line.env("ZOO_SECRET", "s").current_dir(folder);
    report(line.output().unwrap())
}

/// What was logged of a match, standard error included.
fn log(folder: &Path, fault: &str) -> String {
    let files = fs::read_dir(folder.join(fault)).unwrap();
    let read = |entry: std::io::Result<fs::DirEntry>| fs::read_to_string(entry.unwrap().path());
    files.map(|entry| read(entry).unwrap()).collect()
}

/// The one that tries everything.
const TRIES: &str = "tries_everything";

/// Whether a program that tries everything did so, and nothing failed by itself.
fn has_tried(fault: &str, log: &str) -> bool {
    fault != TRIES || (log.contains("tried ") && !log.contains("MISTAKEN"))
}

#[test]
fn every_way_to_misbehave_hurts_none_but_itself() {
    if !is_guarded() {
        return;
    }
    let _alone = LOAD.lock().unwrap_or_else(PoisonError::into_inner);
    let own = den();
    let bait = Bait::new();
    let waiting = Mutex::new(ZOO.iter());
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((fault, expected, _)) = { waiting.lock().unwrap().next() } {
                    let played = zoo_match(fault, &bait.argument_for(fault), own.path());
                    let seats = &played["seats"];
                    let is_expected = expected.split(" or ").any(|expected| {
                        let expected = match expected {
                            "" => json!({}),
                            fault => json!({ fault: 1 }),
                        };
                        seats[0]["faults"] == expected
                    });
                    let log = log(own.path(), fault);
                    let escaped = log.contains("ESCAPED") || !has_tried(fault, &log);
                    if !is_expected || seats[1]["faults"] != json!({}) || escaped {
                        wrong
                            .lock()
                            .unwrap()
                            .push(format!("{fault}: escaped {escaped}, {seats}"));
                    }
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{wrong:#?}");
    bait.is_untouched();
    assert!(!own.path().join("written").exists());
    // What daemonised has gone with its match.
    until(|| !runs("sleep\x00981\0") && !runs("sleep\x00982\0"));
}

/// What programs must not touch.
struct Bait {
    folder: TempDir,
    mode: u32,
    listener: TcpListener,
    packets: UdpSocket,
    sockets: UnixListener,
    /// One with a name outside of the file system.
    _named: UnixListener,
}

impl Bait {
    fn new() -> Self {
        let folder = folder();
        let secret = folder.path().join("secret");
        fs::write(&secret, "s").unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let packets = UdpSocket::bind("127.0.0.1:0").unwrap();
        packets.set_nonblocking(true).unwrap();
        let sockets = UnixListener::bind(folder.path().join("socket")).unwrap();
        sockets.set_nonblocking(true).unwrap();
        let named = SocketAddr::from_abstract_name("zoo").unwrap();
        Self {
            _named: UnixListener::bind_addr(&named).unwrap(),
            mode: mode(&secret),
            folder,
            listener,
            packets,
            sockets,
        }
    }

    /// The argument of a program with this fault.
    fn argument_for(&self, fault: &str) -> String {
        let path = |name: &str| self.folder.path().join(name).to_str().unwrap().to_owned();
        match fault {
            "dials" => self.listener.local_addr().unwrap().port().to_string(),
            "sends_packets" => self.packets.local_addr().unwrap().port().to_string(),
            "dials_a_socket" => path("socket"),
            "lists_other_folders" => path(""),
            _ => path("secret"),
        }
    }

    fn is_untouched(&self) {
        let secret = self.folder.path().join("secret");
        assert_eq!(fs::read_to_string(&secret).unwrap(), "s");
        assert_eq!(
            mode(&secret),
            self.mode,
            "a program has changed a file's mode"
        );
        assert!(self.listener.accept().is_err(), "a program has dialled");
        let packet = self.packets.recv(&mut [0]);
        assert!(packet.is_err(), "a program has sent a packet");
        let dialled = self.sockets.accept();
        assert!(dialled.is_err(), "a program has dialled a socket");
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode()
}

/// Writes the program that misbehaves so as a user's bot.
fn write(folder: &Path, (fault, argument): (&str, &str)) {
    let own = folder.join(fault);
    fs::create_dir(&own).unwrap();
    fs::write(own.join("zoo.py"), PROGRAM).unwrap();
    let manifest = json!({
        "name": fault,
        "version": "1",
        "games": ["planowanie"],
        "run": ["python3", "zoo.py", fault, argument],
        "fallback": "greedy",
        "limits": { "memory_mib": 256, "processes": 32 },
    });
    fs::write(own.join("bot.toml"), toml::to_string(&manifest).unwrap()).unwrap();
}

#[test]
fn memory_that_no_process_maps_counts() {
    if !is_guarded() {
        return;
    }
    let own = folder();
    std::thread::scope(|scope| {
        for fault in ["holds_sockets", "holds_files"] {
            write(own.path(), (fault, ""));
            let folder = own.path();
            scope.spawn(move || {
                // It says nothing: only for its memory it is ended before its time is over.
                let checked = bot(folder, &["check", fault, "--output", "json"]);
                let printed = String::from_utf8(checked.stdout).unwrap();
                assert!(printed.contains("out of memory"), "{fault}: {printed}");
            });
        }
    });
}

/// How a user's bot behaved, in a word.
fn manner(conduct: &Value) -> &'static str {
    let counts = |key: &str| conduct[key].as_u64().unwrap() > 0;
    match () {
        () if counts("failed") => "fails",
        () if counts("refused") => "refused",
        () if counts("late") => "late",
        () => "plays",
    }
}

#[test]
fn every_way_to_misbehave_as_a_users_bot_costs_its_match_nothing() {
    if !is_guarded() {
        return;
    }
    let _alone = LOAD.lock().unwrap_or_else(PoisonError::into_inner);
    let own = folder();
    let bait = Bait::new();
    let mut trying = String::new();
    for (fault, ..) in ZOO {
        write(own.path(), (fault, &bait.argument_for(fault)));
        ok(bot(own.path(), &["add", fault]));
    }
    for (number, together) in ZOO.chunks(4).enumerate() {
        let seats: Vec<String> = together
            .iter()
            .map(|(fault, ..)| format!("bot:{fault}"))
            .collect();
        let seats: Vec<&str> = seats.iter().map(String::as_str).collect();
        let mut line = play("planowanie", &seats, &["deals=2 0"]);
        line.args(["--budget", "500ms", "--store", "data/drover.db", "--log"]);
        line.arg(own.path().join(number.to_string()));
        line.env("ZOO_SECRET", "s").current_dir(own.path());
        let played = report(line.output().unwrap());
        for seat in played["seats"].as_array().unwrap() {
            assert_eq!(seat["faults"], json!({}), "{played}");
        }
        let log = log(own.path(), &number.to_string());
        assert!(!log.contains("ESCAPED"), "{seats:?}: {log}");
        if together.iter().any(|(fault, ..)| *fault == TRIES) {
            trying = log;
        }
    }
    let app = TestApp::with(&own.path().join("data"), &[]);
    for (fault, _, expected) in ZOO {
        let conduct = conduct(&app, &format!("bot:{fault}@1"));
        let found = manner(&conduct);
        // Where all cores are busy, any program may be late.
        let slow = *expected == "plays" && found == "late";
        assert!(found == *expected || slow, "{fault}: {conduct}");
        // One that is late may not have come to its end, but nothing that it tried failed by itself.
        let is_whole = slow || trying.contains("tried ");
        assert!(*fault != TRIES || is_whole, "{fault}: {trying}");
    }
    assert!(!trying.contains("MISTAKEN"), "{trying}");
    bait.is_untouched();
    until(|| !runs("sleep\x00981\0") && !runs("sleep\x00982\0"));
    app.stop_verified();
}

/// Whether a process with this command line runs.
fn runs(line: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.any(|found| found == line.as_bytes())
}

#[test]
fn what_holds_on_this_machine_is_reported() {
    let printed = ok(drover().args(["bot", "protections"]).output().unwrap());
    for name in [
        "isolation",
        "processes",
        "proc",
        "files",
        "network",
        "scratch",
        "memory",
    ] {
        let line = printed.lines().find(|line| line.starts_with(name)).unwrap();
        assert!(
            line.ends_with("holds") || line.contains("missing: "),
            "{line}"
        );
    }
    assert!(!protections(no_isolation()).is_empty());
}

/// What the guard of this program is to do.
fn orders(becoming: Becoming, words: &[&str]) -> Orders {
    let words = words.iter().map(Into::into).collect();
    let path = std::env::var_os("PATH").unwrap();
    Orders {
        isolates: becoming.isolated,
        becoming,
        execution: Some(Execution {
            words,
            folder: "/".into(),
            environment: vec![("PATH".into(), path)],
        }),
        ..Orders::default()
    }
}

/// The guard that does this, as it is started for each program, and the file with its orders.
fn guard(orders: &Orders) -> (Command, NamedTempFile) {
    let mut file = NamedTempFile::new().unwrap();
    serde_json::to_writer(&mut file, orders).unwrap();
    let mut command = drover();
    command.arg("program-guard").arg("--orders");
    command.arg(file.path()).stdin(Stdio::null());
    (command, file)
}

fn guarded(becoming: Becoming, words: &[&str]) -> Output {
    let (mut command, _orders) = guard(&orders(becoming, words));
    command.output().unwrap()
}

/// Confined, if without namespaces.
fn confined() -> Becoming {
    Becoming {
        confinement: Some(Confinement {
            scratch_mib: 1,
            ..Confinement::default()
        }),
        ..Becoming::default()
    }
}

#[test]
fn a_program_is_not_started_where_a_protection_is_lost() {
    // Without namespaces it sees others' processes on every machine.
    let must = Becoming {
        must: "proc".parse().unwrap(),
        ..confined()
    };
    let message = guarded(must, &["echo", "STARTED"]);
    assert!(
        !message.status.success() && message.stdout.is_empty(),
        "{message:?}"
    );
    let why = String::from_utf8(message.stderr).unwrap();
    let expected = "the protection `proc` is missing at this start";
    assert!(why.contains(expected), "{why}");
    let message = guarded(confined(), &["echo", "STARTED"]);
    assert_eq!(message.stdout, b"STARTED\n", "{message:?}");
}

#[test]
fn a_confined_program_is_limited_before_it_begins() {
    let limits = Becoming {
        memory: Some(104_857_600),
        cpu_seconds: Some(77),
        ..confined()
    };
    let message = guarded(limits, &["sh", "-c", "ulimit -d; ulimit -t"]);
    assert_eq!(message.stdout, b"102400\n77\n", "{message:?}");
}

#[test]
fn nothing_outlives_a_program_without_namespaces() {
    let script = "setsid sleep 984 <&- >&- 2>&- & sleep 0.3";
    let message = guarded(Becoming::default(), &["sh", "-c", script]);
    assert!(message.status.success(), "{message:?}");
    until(|| !runs("sleep\x00984\0"));
}

#[test]
fn a_guard_ends_with_its_program_though_nobody_notices() {
    let isolated = Becoming {
        isolated: true,
        ..confined()
    };
    let (mut command, _orders) = guard(&Orders {
        report: Some("/dev/full".into()),
        ..orders(isolated, &["sleep", "985"])
    });
    let mut guard = command.stderr(Stdio::null()).spawn().unwrap();
    until(|| guard.try_wait().unwrap().is_some());
    assert!(!runs("sleep\x00985\0"));
}

#[test]
fn a_program_that_cannot_be_started_is_reported_as_such_though_it_is_confined() {
    let own = folder();
    let script = own.path().join("script");
    for (text, mode, code, expected) in [
        (
            "#!/no/such/interpreter\n",
            0o755,
            1,
            "not the interpreter \"/no/such/interpreter\"",
        ),
        ("#!/bin/sh\n", 0o644, 2, "Permission denied"),
    ] {
        fs::write(&script, text).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(mode)).unwrap();
        let seat = format!("cmd:{}", script.display());
        let mut line = play("planowanie", &[&seat, "builtin:random"], &["deals=2 0"]);
        line.arg("--confine").current_dir(own.path());
        let error = crate::app::refused(line.output().unwrap(), code);
        assert!(error.contains(expected), "{text:?}: {error}");
    }
}

/// What takes long and is not part of every gate.
mod long {
    use super::{LOAD, den, is_guarded, seat, zoo_match};
    use crate::app::{play, report};
    use serde_json::json;
    use std::sync::PoisonError;

    #[test]
    #[ignore = "takes long: ./test.sh --long"]
    fn other_matches_go_on_next_to_the_worst_of_them() {
        if !is_guarded() {
            return;
        }
        let _alone = LOAD.lock().unwrap_or_else(PoisonError::into_inner);
        let own = den();
        let good = || {
            let mut line = play(
                "planowanie",
                &[&seat("good", ""), &seat("good", "")],
                &["deals=8 0 8 1 8 0 8 1 8 0 8 1"],
            );
            line.args(["--timeout", "60s", "--confine", "--processes", "32"]);
            let played = report(line.current_dir(own.path()).output().unwrap());
            assert_eq!(played["seats"][0]["faults"], json!({}), "{played}");
            assert_eq!(played["seats"][1]["faults"], json!({}), "{played}");
            let ms = |key: &str| played["seats"][0][key].as_f64().unwrap();
            (ms("decision_ms_p50"), ms("decision_ms_p99"))
        };
        let before = good();
        let during = std::thread::scope(|scope| {
            let worst = [
                "forks",
                "allocates",
                "floods",
                "spins",
                "sends_an_endless_line",
            ];
            let own = own.path();
            for fault in worst {
                scope.spawn(move || zoo_match(fault, "", own));
            }
            good()
        });
        eprintln!("decisions in ms, p50 and p99: {before:?} before, {during:?} next to the worst");
        // They share the machine, and nothing else.
        assert!(during.1 < 1_000.0, "{before:?} {during:?}");
    }
}
