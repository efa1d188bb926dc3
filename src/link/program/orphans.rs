//! Processes that a program left behind and that left its group: as this process adopts orphans, they become
//! its children, and are recognised by what they inherited.

use parking_lot::{Mutex, MutexGuard};
use rustix::process::{
    Pid, Signal, WaitOptions, getpid, kill_process, kill_process_group, set_child_subreaper,
    waitpid,
};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::process::Child;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use std::{fs, io};

/// The variable that a program and everything it starts inherit.
const MARKER: &str = "DROVER_PROGRAM";
/// How often to look again: killing one may orphan others.
const ROUNDS_MAX: u32 = 100;
/// Between two rounds: a killed process takes a moment to disappear.
const ROUND_WAIT: Duration = Duration::from_millis(1);

static STARTED: AtomicU64 = AtomicU64::new(0);
static ADOPTS: AtomicBool = AtomicBool::new(false);
/// The running programs, by process.
static LIVE: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Identifies one program's processes.
#[derive(Debug)]
pub struct Marker(u64);

impl Marker {
    /// The variable's value.
    fn text(&self) -> String {
        format!("{}-{}", std::process::id(), self.0)
    }

    /// The variable that its processes inherit.
    pub(super) fn variable(&self) -> (OsString, OsString) {
        (MARKER.into(), self.text().into())
    }
}

/// Kills every orphan of these programs, which have ended; where this process adopts orphans, also those that
/// cannot be attributed.
pub fn sweep(markers: &[Marker]) {
    let markers = markers.iter().map(Marker::text);
    sweep_texts(&markers.collect::<Vec<_>>());
}

/// The variable of the program that this process guards.
pub(super) fn inherited() -> Option<(&'static str, String)> {
    std::env::var(MARKER).ok().map(|text| (MARKER, text))
}

/// The same for the program that this process guards.
pub(super) fn sweep_inherited() {
    let marker = inherited().map(|(_, text)| text);
    sweep_texts(marker.as_slice());
}

fn sweep_texts(markers: &[String]) {
    let inherited = markers.iter().map(|marker| format!("{MARKER}={marker}"));
    let inherited: Vec<String> = inherited.collect();
    for _ in 0..ROUNDS_MAX {
        // Held, so that no program is started without being known.
        let orphans = {
            let live = live();
            orphans(&inherited, &live)
        };
        if orphans.is_empty() {
            return;
        }
        for orphan in orphans {
            // It may have ended by itself meanwhile, or still be ending: then it goes in the next round.
            let _ = kill_process(orphan, Signal::KILL);
            let _ = waitpid(Some(orphan), WaitOptions::NOHANG);
        }
        std::thread::park_timeout(ROUND_WAIT);
    }
}

/// Kills every running program with its group, and lets none start any more: before this process ends in a
/// hurry.
pub fn kill_all() {
    let live = live();
    for program in live.iter().copied().filter_map(Pid::from_raw) {
        let _ = kill_process_group(program, Signal::KILL);
    }
    // Locked for good.
    std::mem::forget(live);
}

fn live() -> MutexGuard<'static, BTreeSet<i32>> {
    LIVE.lock()
}

/// Starts a program, which is known from then on.
pub(super) fn start(spawn: impl FnOnce() -> io::Result<Child>) -> io::Result<Child> {
    let mut live = live();
    let child = spawn()?;
    live.extend(i32::try_from(child.id()));
    Ok(child)
}

/// A program has been started under its guard.
pub(super) fn guarded(program: Pid) {
    live().insert(program.as_raw_nonzero().get());
}

/// A program has been reaped, and its guard.
pub(super) fn ended(child: &Child, program: Option<Pid>) {
    let mut live = live();
    let program = program.map(|program| program.as_raw_nonzero().get());
    for pid in i32::try_from(child.id()).ok().into_iter().chain(program) {
        live.remove(&pid);
    }
}

/// The next program's marker.
pub(super) fn marker() -> Marker {
    Marker(STARTED.fetch_add(1, Ordering::Relaxed))
}

/// From now on this process adopts what its programs leave behind, so that it can be ended with them. For
/// processes that start nothing but programs.
///
/// # Errors
/// If the system does not support that.
pub fn adopt_orphans() -> std::io::Result<()> {
    set_child_subreaper(Some(getpid()))?;
    ADOPTS.store(true, Ordering::Relaxed);
    Ok(())
}

/// Our children that are no live programs and carry one of these markers, or none at all if we adopt.
fn orphans(inherited: &[String], live: &BTreeSet<i32>) -> Vec<Pid> {
    let adopts = ADOPTS.load(Ordering::Relaxed);
    let own = getpid().as_raw_nonzero().get();
    let Ok(processes) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let pids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| !live.contains(pid) && parent(*pid) == Some(own))
        .filter(|pid| match marker_of(*pid) {
            Some(marker) => inherited.contains(&marker),
            // It waits to be reaped, or has wiped its environment: then it may belong to a running program.
            None => adopts && (live.is_empty() || is_zombie(*pid)),
        })
        .filter_map(Pid::from_raw)
        .collect()
}

/// A field of a process's `stat` file; 0 is its state, 1 its parent.
fn stat(pid: i32, field: usize) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name is in parentheses and may contain anything.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(field).map(str::to_owned)
}

fn parent(pid: i32) -> Option<i32> {
    stat(pid, 1)?.parse().ok()
}

fn is_zombie(pid: i32) -> bool {
    stat(pid, 0).is_some_and(|state| state == "Z")
}

fn marker_of(pid: i32) -> Option<String> {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    let name = format!("{MARKER}=");
    environment
        .split(|byte| *byte == 0)
        .find(|variable| variable.starts_with(name.as_bytes()))
        .map(|variable| String::from_utf8_lossy(variable).into_owned())
}
