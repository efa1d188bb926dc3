//! Figures of this process and of its disk, as the system has them.

use super::descriptors;
use crate::clock::now_us;
use crate::metrics as names;
use metrics::gauge;
use rustix::fs::statvfs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// A disk is nearly full below this many free bytes; a small one below this part of it.
const SCARCE: u64 = 256 << 20;
const SCARCE_PART: u64 = 20;

/// The process that is measured.
pub(super) struct Process {
    started_s: f64,
}

impl Process {
    /// This one, from now on.
    pub(super) fn started() -> Self {
        Self {
            started_s: now_us() as f64 / 1e6,
        }
    }

    /// Sets the gauges; what the system does not say is left out.
    pub(super) fn measure(&self) {
        gauge!(names::PROCESS_START).set(self.started_s);
        if let Some(open) = descriptors::open() {
            gauge!(names::FILES_OPEN).set(open as f64);
            gauge!(names::PROCESS_FDS).set(open as f64);
        }
        if let Some(limit) = descriptors::limit() {
            gauge!(names::FILES_MAX).set(limit as f64);
            gauge!(names::PROCESS_FDS_MAX).set(limit as f64);
        }
        if let Some(usage) = Usage::now() {
            gauge!(names::PROCESS_THREADS).set(usage.threads as f64);
            gauge!(names::PROCESS_RESIDENT).set(usage.resident as f64);
            gauge!(names::PROCESS_VIRTUAL).set(usage.virtual_ as f64);
        }
    }
}

/// Bytes of a disk.
#[derive(Clone, Copy)]
struct Room {
    free: u64,
    all: u64,
}

impl Room {
    /// Of the disk where this file is.
    fn from_path(path: &Path) -> Option<Self> {
        let disk = statvfs(path).ok()?;
        let bytes = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
        Some(Self {
            free: bytes(disk.f_bavail),
            all: bytes(disk.f_blocks),
        })
    }

    /// Below this many free bytes the disk is nearly full.
    fn scarce(self) -> u64 {
        SCARCE.min(self.all / SCARCE_PART)
    }
}

/// Which file has this name.
fn file_at(path: &Path) -> Option<(u64, u64)> {
    let file = std::fs::metadata(path).ok()?;
    Some((file.dev(), file.ino()))
}

/// Watches the database's disk.
pub(super) struct Disk {
    database: PathBuf,
    /// The file that has this name, while it has it.
    file: Option<(u64, u64)>,
    scarce: bool,
}

impl Disk {
    pub(super) fn for_database(database: &Path) -> Self {
        Self {
            database: database.to_owned(),
            file: file_at(database),
            scarce: false,
        }
    }

    /// Sets the gauges of the disk and of the database's files, and says once that the disk is nearly full, and
    /// once that it no longer is. A disk that hangs never returns.
    pub(super) fn look(&mut self) {
        if self.file.is_some() && file_at(&self.database) != self.file {
            self.file = None;
            tracing::error!(
                database = %self.database.display(),
                "the database was moved, removed or replaced under a running daemon, which goes on with the old file: \
                 stop it, and put the old file and its log back"
            );
        }
        let length = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
        gauge!(names::STORE_BYTES).set(length(&self.database) as f64);
        let mut log = self.database.clone().into_os_string();
        log.push("-wal");
        gauge!(names::STORE_LOG_BYTES).set(length(Path::new(&log)) as f64);
        let Some(room) = Room::from_path(&self.database) else {
            return;
        };
        gauge!(names::DISK_FREE).set(room.free as f64);
        let (free, limit) = (room.free, room.scarce());
        match self.turned(room) {
            Some(true) => tracing::warn!(
                free,
                limit,
                "the database's disk is nearly full: nothing is stored once it is"
            ),
            Some(false) => tracing::info!(free, limit, "the database's disk has room again"),
            None => {}
        }
    }

    /// Whether it is nearly full now, if that has changed. There is room again at a quarter above the limit,
    /// so that a disk at the limit is no news each time.
    fn turned(&mut self, room: Room) -> Option<bool> {
        let limit = room.scarce();
        let limit = if self.scarce {
            limit + limit / 4
        } else {
            limit
        };
        let scarce = room.free < limit;
        (std::mem::replace(&mut self.scarce, scarce) != scarce).then_some(scarce)
    }
}

/// What the process uses.
pub(super) struct Usage {
    /// Processor time of all its threads, in seconds.
    pub(super) cpu_s: f64,
    threads: u64,
    /// Bytes in memory.
    resident: u64,
    /// Bytes of address space.
    virtual_: u64,
}

impl Usage {
    /// At present; `None` where the system does not say.
    pub(super) fn now() -> Option<Self> {
        Self::read(&std::fs::read_to_string("/proc/self/stat").ok()?)
    }

    /// Reads proc_pid_stat(5): its fields are counted from the third one, after the name in parentheses.
    fn read(stat: &str) -> Option<Self> {
        let (_, fields) = stat.rsplit_once(") ")?;
        let fields: Vec<&str> = fields.split_whitespace().collect();
        let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
        let ticks = field(14)? + field(15)?;
        Some(Self {
            cpu_s: ticks as f64 / rustix::param::clock_ticks_per_second() as f64,
            threads: field(20)?,
            virtual_: field(23)?,
            resident: field(24)?.saturating_mul(rustix::param::page_size() as u64),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Disk, Room, SCARCE, Usage};
    use std::path::Path;

    #[test]
    fn a_disk_that_is_nearly_full_is_reported_once_and_its_end_once() {
        let mut disk = Disk::for_database(Path::new("drover.db"));
        let mut turned = |free, all| disk.turned(Room { free, all });
        let large = 1 << 40;
        assert_eq!(turned(SCARCE, large), None);
        assert_eq!(turned(SCARCE - 1, large), Some(true));
        for free in [0, SCARCE - 1, SCARCE, SCARCE + SCARCE / 4 - 1] {
            assert_eq!(turned(free, large), None, "{free}");
        }
        assert_eq!(turned(SCARCE + SCARCE / 4, large), Some(false));
        assert_eq!(turned(SCARCE, large), None);
        // A twentieth of a small one.
        assert_eq!(turned(100, 2000), None);
        assert_eq!(turned(99, 2000), Some(true));
        assert_eq!(turned(125, 2000), Some(false));
        assert!(Room::from_path(Path::new("/")).unwrap().all > 0);
    }

    #[test]
    fn usage_is_read_whatever_the_programs_name() {
        let numbers: Vec<String> = (4..=52).map(|number| (number * 100).to_string()).collect();
        let usage = Usage::read(&format!("7 (a) b (c) S {}", numbers.join(" "))).unwrap();
        let ticks = rustix::param::clock_ticks_per_second() as f64;
        assert_eq!((usage.cpu_s, usage.threads), (2900.0 / ticks, 2000));
        assert_eq!(usage.virtual_, 2300);
        assert_eq!(usage.resident, 2400 * rustix::param::page_size() as u64);
        assert!(Usage::read("7 (short) S 1 2").is_none());
        assert!(Usage::now().unwrap().resident > 1 << 20);
    }
}
