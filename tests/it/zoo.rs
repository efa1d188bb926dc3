//! A zoo of programs that misbehave: what becomes of each, and that others are none the worse for it.

use crate::app::{drover, folder, ok, play, report, until};
use drover::link::program::{no_isolation, protections};
use serde_json::{Value, json};
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

const PROGRAM: &str = include_str!("../programs/zoo.py");

/// Every way to misbehave, and the fault that it is; empty: it plays on, and its match is as any other.
const ZOO: &[(&str, &str)] = &[
    ("good", ""),
    ("forks", "time_forfeit"),
    ("daemonises", ""),
    ("kills_everybody", ""),
    ("kills_its_parent", ""),
    ("ends_well_at_once", "init_failure"),
    ("fails_at_once", "init_failure"),
    ("kills_itself", "init_failure"),
    ("crashes_by_signal", "init_failure"),
    ("floods_stderr", ""),
    ("closes_stdin", "init_failure"),
    ("closes_stdout", "init_failure"),
    ("closes_stderr", ""),
    ("ignores_term", ""),
    ("reads_nothing", "time_forfeit"),
    ("reads_secrets", ""),
    ("reads_our_variables", ""),
    ("lists_other_folders", ""),
    ("reads_other_files", ""),
    ("writes_other_files", ""),
    ("writes_its_own_folder", ""),
    ("removes_other_files", ""),
    ("fills_its_scratch", ""),
    ("dials", ""),
    ("sends_packets", ""),
    ("dials_a_socket", ""),
    ("changes_modes", ""),
    ("listens", ""),
    ("talks_before_asked", "protocol_error"),
    ("answers_twice", "protocol_error"),
    ("sends_nul", "illegal_move"),
    ("sends_no_utf8", "illegal_move"),
    ("sends_a_huge_number", "protocol_error"),
    ("sends_a_negative_number", "illegal_move"),
    ("sends_deep_json", "protocol_error"),
    ("sends_a_float", "illegal_move"),
    ("sends_html", "protocol_error"),
    ("sends_controls", "illegal_move"),
    ("allocates", "crash"),
    ("floods", "protocol_error"),
    ("sends_an_endless_line", "protocol_error"),
    ("spins", "time_forfeit"),
    ("sleeps", "time_forfeit"),
    ("stops_itself", "time_forfeit"),
    ("is_late", "time_forfeit"),
    ("exits_when_asked", "crash"),
    ("writes_byte_by_byte", ""),
    ("dribbles_for_ever", "time_forfeit"),
    ("writes_crlf", ""),
    ("closes_stdout_when_asked", "crash"),
    ("becomes_another", "time_forfeit"),
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
    let told = ok(drover().args(["bot", "protections"]).output().unwrap());
    let missing: Vec<&str> = told
        .lines()
        // Without a cgroup it holds nowhere.
        .filter(|line| !line.ends_with("holds") && !line.starts_with("memory:"))
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

#[test]
fn every_way_to_misbehave_hurts_none_but_itself() {
    if !is_guarded() {
        return;
    }
    let _alone = LOAD.lock().unwrap_or_else(PoisonError::into_inner);
    let own = den();
    let elsewhere = folder();
    let secret = elsewhere.path().join("secret");
    fs::write(&secret, "s").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let packets = UdpSocket::bind("127.0.0.1:0").unwrap();
    packets.set_nonblocking(true).unwrap();
    let packets_port = packets.local_addr().unwrap().port().to_string();
    let socket = elsewhere.path().join("socket");
    let sockets = UnixListener::bind(&socket).unwrap();
    sockets.set_nonblocking(true).unwrap();
    let mode = || fs::metadata(&secret).unwrap().permissions().mode();
    let mode_before = mode();
    let waiting = Mutex::new(ZOO.iter());
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((fault, expected)) = { waiting.lock().unwrap().next() } {
                    let argument = match *fault {
                        "dials" => port.as_str(),
                        "dials_a_socket" => socket.to_str().unwrap(),
                        "sends_packets" => packets_port.as_str(),
                        "lists_other_folders" => elsewhere.path().to_str().unwrap(),
                        _ => secret.to_str().unwrap(),
                    };
                    let played = zoo_match(fault, argument, own.path());
                    let expected = match *expected {
                        "" => json!({}),
                        fault => json!({ fault: 1 }),
                    };
                    let seats = &played["seats"];
                    let escaped = log(own.path(), fault).contains("ESCAPED");
                    if seats[0]["faults"] != expected || seats[1]["faults"] != json!({}) || escaped
                    {
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
    assert_eq!(fs::read_to_string(&secret).unwrap(), "s");
    assert!(listener.accept().is_err(), "a program has dialled");
    assert!(
        packets.recv(&mut [0]).is_err(),
        "a program has sent a packet"
    );
    assert!(sockets.accept().is_err(), "a program has dialled a socket");
    assert_eq!(mode(), mode_before, "a program has changed a file's mode");
    assert!(!own.path().join("written").exists());
    // What daemonised has gone with its match.
    until(|| !runs("sleep\x00981\0") && !runs("sleep\x00982\0"));
}

/// Whether a process with this command line runs.
fn runs(line: &str) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let mut lines = processes.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.any(|found| found == line.as_bytes())
}

#[test]
fn other_matches_go_on_beside_the_worst_of_them() {
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
    eprintln!("decisions in ms, p50 and p99: {before:?} before, {during:?} beside the worst");
    // They share the machine, and nothing else.
    assert!(during.1 < 1_000.0, "{before:?} {during:?}");
}

#[test]
fn what_holds_on_this_machine_is_told() {
    let told = ok(drover().args(["bot", "protections"]).output().unwrap());
    for name in [
        "isolation",
        "processes",
        "proc",
        "files",
        "network",
        "scratch",
        "memory",
    ] {
        let line = told.lines().find(|line| line.starts_with(name)).unwrap();
        assert!(
            line.ends_with("holds") || line.contains("missing: "),
            "{line}"
        );
    }
    assert!(!protections(no_isolation()).is_empty());
}

/// The guard of programs, as it is started for each.
fn guard(arguments: &[&str]) -> Output {
    let mut command = drover();
    command.arg("program-guard").args(arguments);
    command.stdin(Stdio::null()).output().unwrap()
}

#[test]
fn a_program_is_not_started_where_a_protection_is_lost() {
    // Without namespaces it sees others' processes on every machine.
    let confined = ["--scratch-mib=1", "--must=proc", "--", "echo", "STARTED"];
    let told = guard(&confined);
    assert!(!told.status.success() && told.stdout.is_empty(), "{told:?}");
    let why = String::from_utf8(told.stderr).unwrap();
    let expected = "the protection `proc` is missing at this start";
    assert!(why.contains(expected), "{why}");
    let told = guard(&["--scratch-mib=1", "--", "echo", "STARTED"]);
    assert_eq!(told.stdout, b"STARTED\n", "{told:?}");
}

#[test]
fn a_confined_program_is_limited_before_it_begins() {
    let shown = "ulimit -d; ulimit -t";
    let limits = ["--scratch-mib=1", "--memory=104857600", "--cpu=77"];
    let told = guard(&[&limits[..], &["--", "sh", "-c", shown]].concat());
    assert_eq!(told.stdout, b"102400\n77\n", "{told:?}");
}

#[test]
fn nothing_outlives_a_program_without_namespaces() {
    let script = "setsid sleep 984 <&- >&- 2>&- & sleep 0.3";
    let told = guard(&["--", "sh", "-c", script]);
    assert!(told.status.success(), "{told:?}");
    until(|| !runs("sleep\x00984\0"));
}

#[test]
fn a_program_that_cannot_be_started_is_told_as_such_though_it_is_confined() {
    let own = folder();
    let script = own.path().join("script");
    for (text, mode, expected) in [
        ("#!/no/such/interpreter\n", 0o755, "No such file"),
        ("#!/bin/sh\n", 0o644, "Permission denied"),
    ] {
        fs::write(&script, text).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(mode)).unwrap();
        let seat = format!("cmd:{}", script.display());
        let mut line = play("planowanie", &[&seat, "builtin:random"], &["deals=2 0"]);
        line.arg("--confine").current_dir(own.path());
        let told = crate::app::refused(line.output().unwrap(), 1);
        assert!(told.contains(expected), "{text:?}: {told}");
    }
}
