//! Processes that a program left behind and that left its group: as this process adopts orphans, they
//! become its children, and are known by what they inherited.

use rustix::process::{
    Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper, waitpid,
};
use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};

/// The variable that a program and all that it starts inherit.
pub(super) const MARKER: &str = "DROVER_PROGRAM";
/// How often is looked again: killing one may orphan others.
const ROUNDS_MAX: u32 = 100;

static STARTED: AtomicU64 = AtomicU64::new(0);

/// What one program's processes are known by.
#[derive(Debug)]
pub struct Marker(u64);

impl Marker {
    /// The variable's value.
    pub(super) fn text(&self) -> String {
        format!("{}-{}", std::process::id(), self.0)
    }
}

/// Kills every orphan of these programs, which have ended.
pub fn sweep(markers: &[Marker]) {
    let inherited: Vec<String> = markers
        .iter()
        .map(|marker| format!("{MARKER}={}", marker.text()))
        .collect();
    for _ in 0..ROUNDS_MAX {
        let orphans = orphans(&inherited);
        if orphans.is_empty() {
            return;
        }
        for orphan in orphans {
            // It may have ended by itself meanwhile.
            let _ = kill_process(orphan, Signal::KILL);
            let _ = waitpid(Some(orphan), WaitOptions::empty());
        }
    }
}

/// The next program's marker.
pub(super) fn marker() -> Marker {
    Marker(STARTED.fetch_add(1, Ordering::Relaxed))
}

/// From now on this process adopts what its programs leave behind, so that it can be ended with them.
///
/// # Errors
/// If the system does not have that.
pub fn adopt_orphans() -> std::io::Result<()> {
    Ok(set_child_subreaper(Some(getpid()))?)
}

/// Our children that inherited one of these.
fn orphans(inherited: &[String]) -> Vec<Pid> {
    let own = getpid().as_raw_nonzero().get();
    let Ok(processes) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let pids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| parent(*pid) == Some(own) && inherits(*pid, inherited))
        .filter_map(Pid::from_raw)
        .collect()
}

fn parent(pid: i32) -> Option<i32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in brackets and may hold anything.
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

fn inherits(pid: i32, inherited: &[String]) -> bool {
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment
        .split(|byte| *byte == 0)
        .any(|variable| inherited.iter().any(|one| variable == one.as_bytes()))
}
