//! The memory that a program's processes hold without mapping it: page tables, memory shared without a file, what pipes
//! and sockets may hold, and the files of its scratch folder.

use super::confinement::SCRATCH;
use rustix::fs::{StatVfs, stat, statvfs};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;

/// What a pipe holds at most: no program may make one larger.
const PIPE: u64 = 64 << 10;
/// What a socket holds at most: its buffer, and as much again by its last message. No program may make one larger.
const SOCKET: u64 = 2 * 212_992;
/// The beginnings of the names of memory that is shared without a file that has another name.
const ANONYMOUS: &[&str] = &["/dev/zero (deleted)", "/memfd:", "/SYSV"];

/// What these processes hold so, in bytes. `program`: one of them that has the scratch folder, if that is its own.
pub(super) fn held(processes: &[i32], program: i32) -> u64 {
    let tables = processes.iter();
    let tables = tables.filter_map(|process| sum_of(*process, "status", &["VmPTE:"]));
    let tables: u64 = tables.sum();
    tables + shared(processes) + queued(processes) + scratch(program).unwrap_or_default()
}

/// The sum of these lines of what the system says of a process, in bytes; `None` if none of them is there.
pub(super) fn sum_of(process: i32, file: &str, names: &[&str]) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{process}/{file}")).ok()?;
    let value = |line: &str| {
        let value = names.iter().find_map(|name| line.strip_prefix(name))?;
        let kib: u64 = value.trim().strip_suffix("kB")?.trim().parse().ok()?;
        Some(kib << 10)
    };
    text.lines()
        .filter_map(value)
        .fold(None, |sum, value| Some(sum.unwrap_or_default() + value))
}

/// Shared memory that has no file of a name: a page of it stays though nobody has it mapped any more.
fn shared(processes: &[i32]) -> u64 {
    let mut sizes: BTreeMap<String, u64> = BTreeMap::new();
    for process in processes {
        let maps = fs::read_to_string(format!("/proc/{process}/maps")).unwrap_or_default();
        for (inode, size) in maps.lines().filter_map(anonymous) {
            let known = sizes.entry(inode.to_owned()).or_default();
            *known = size.max(*known);
        }
    }
    sizes.values().sum()
}

/// Which memory a line of `maps` shows that is shared so, and how much of it.
fn anonymous(line: &str) -> Option<(&str, u64)> {
    let mut parts = line.splitn(6, ' ');
    let (place, rights) = (parts.next()?, parts.next()?);
    let (inode, name) = (parts.nth(2)?, parts.next()?.trim_start());
    let is_shared = rights.ends_with('s') && ANONYMOUS.iter().any(|known| name.starts_with(known));
    let (from, to) = place.split_once('-').filter(|_| is_shared)?;
    let at = |text| u64::from_str_radix(text, 16).ok();
    Some((inode, at(to)?.saturating_sub(at(from)?)))
}

/// What their pipes and sockets may hold.
fn queued(processes: &[i32]) -> u64 {
    let mut seen: BTreeSet<OsString> = BTreeSet::new();
    for process in processes {
        let files = fs::read_dir(format!("/proc/{process}/fd"));
        for file in files.into_iter().flatten().flatten() {
            seen.extend(fs::read_link(file.path()).map(OsString::from));
        }
    }
    let each = seen.iter().map(|name| match name.as_bytes() {
        name if name.starts_with(b"pipe:") => PIPE,
        name if name.starts_with(b"socket:") => SOCKET,
        _ => 0,
    });
    each.sum()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_memory_without_a_file_is_found_in_maps() {
        for (line, expected) in [
            (
                "7f0000000000-7f0000200000 rw-s 00000000 00:01 1027      /dev/zero (deleted)",
                Some(("1027", 2 << 20)),
            ),
            (
                "7f0000000000-7f0000001000 rw-s 00000000 00:01 9    /memfd:x y (deleted)",
                Some(("9", 4_096)),
            ),
            (
                "7f0000000000-7f0000001000 rw-p 00000000 00:01 9  /dev/zero (deleted)",
                None,
            ),
            (
                "7f0000000000-7f0000001000 r--s 00000000 fe:00 77  /usr/lib/locale",
                None,
            ),
            ("7f0000000000-7f0000001000 rw-p 00000000 00:00 0 ", None),
            ("", None),
        ] {
            assert_eq!(anonymous(line), expected, "{line}");
        }
    }
}
