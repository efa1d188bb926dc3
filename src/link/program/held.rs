//! The memory that a program's processes hold without mapping it: page tables, what pipes and sockets may hold, and the
//! files of its scratch folder.

use super::confinement::SCRATCH;
use super::limits::FILES_MAX;
use rustix::fs::{StatVfs, stat, statvfs};
use rustix::param::page_size;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

/// Pages that a pipe holds at most: no program may make one larger.
const PIPE_PAGES: u64 = 16;
/// What a socket's buffer has at least; no program may make it larger than the system does.
const BUFFER_MIN: u64 = 212_992;

/// What these processes hold so, in bytes. `program`: one of them that has the scratch folder, if that is its own.
pub(super) fn held(processes: &[i32], program: i32) -> u64 {
    let tables = processes.iter();
    let tables = tables.filter_map(|process| sum_of(*process, "status", &["VmPTE:"]));
    let tables: u64 = tables.sum();
    tables + queued(processes) + scratch(program).unwrap_or_default()
}

/// The sum of these lines of what the system says of a process, in bytes; `None` if none of them is there. Where its first
/// thread has ended, another one's file has them.
pub(super) fn sum_of(process: i32, file: &str, names: &[&str]) -> Option<u64> {
    let value = |line: &str| {
        let value = names.iter().find_map(|name| line.strip_prefix(name))?;
        let kib: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kib << 10)
    };
    let of_thread = |thread: PathBuf| {
        let text = fs::read_to_string(thread.join(file)).ok()?;
        let values = text.lines().filter_map(value);
        values.fold(None, |sum, value| Some(sum.unwrap_or_default() + value))
    };
    threads(process).find_map(of_thread)
}

/// What the system shows of each of a process's threads.
fn threads(process: i32) -> impl Iterator<Item = PathBuf> {
    let threads = fs::read_dir(format!("/proc/{process}/task"));
    let threads = threads.into_iter().flatten().flatten();
    threads.map(|thread| thread.path())
}

/// What their pipes and sockets may hold.
fn queued(processes: &[i32]) -> u64 {
    let (pipe, socket) = (PIPE_PAGES * page_size() as u64, socket());
    let (mut seen, mut unseen) = (BTreeSet::new(), 0);
    // Each thread may have files of its own.
    for thread in processes.iter().flat_map(|process| threads(*process)) {
        match fs::read_dir(thread.join("fd")) {
            Ok(files) => {
                let links = files.flatten().map(|file| fs::read_link(file.path()));
                seen.extend(links.flatten().map(OsString::from));
            }
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                unseen += FILES_MAX * socket;
            }
            // It has ended.
            Err(_) => {}
        }
    }
    let each = seen.iter().map(|name| match name.as_bytes() {
        name if name.starts_with(b"pipe:") => pipe,
        name if name.starts_with(b"socket:") => socket,
        _ => 0,
    });
    unseen + each.sum::<u64>()
}

/// What a socket holds at most: its buffer, and as much again by its last message.
fn socket() -> u64 {
    let buffers = ["wmem_default", "rmem_default"].map(|name| {
        let text = fs::read_to_string(format!("/proc/sys/net/core/{name}"));
        text.ok().and_then(|text| text.trim().parse().ok())
    });
    2 * buffers.into_iter().flatten().fold(BUFFER_MIN, u64::max)
}

/// What is in this program's scratch folder, if that is not the one of everybody.
fn scratch(program: i32) -> Option<u64> {
    let own = format!("/proc/{program}/root{SCRATCH}");
    if stat(&own).ok()?.st_dev == stat(SCRATCH).ok()?.st_dev {
        return None;
    }
    let StatVfs {
        f_blocks,
        f_bfree,
        f_frsize,
        ..
    } = statvfs(&own).ok()?;
    Some(f_blocks.saturating_sub(f_bfree) * f_frsize)
}
