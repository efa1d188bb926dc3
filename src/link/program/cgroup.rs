//! A cgroup (version 2) for every program, where the operator provides a directory for them.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Where cgroups are.
const ROOT: &str = "/sys/fs/cgroup";
/// The child of a delegated cgroup that holds this process, as systemd's `DelegateSubgroup=` may have it.
const OURS: &str = "daemon";
/// The beginning of the names of programs' cgroups; the number of the process that made it and a number of its own follow.
const CELL: &str = "drover-";
/// The file of a cgroup's processes.
const PROCESSES: &str = "cgroup.procs";
/// The number that means the process which writes it.
const SELF: &str = "0";
/// How often to retry removing an emptied cgroup: its last process may still be exiting.
const REMOVALS_MAX: u32 = 50;
/// Between two of these.
const REMOVAL_WAIT: Duration = Duration::from_millis(2);

/// A directory under which programs get cgroups of their own.
#[derive(Debug)]
pub struct Cgroup {
    directory: PathBuf,
    made: AtomicU64,
}

impl Cgroup {
    /// The cgroup of this directory.
    ///
    /// # Errors
    /// If it is not a cgroup directory of version 2, or memory limits are not available to its children.
    pub fn at(directory: &Path) -> io::Result<Self> {
        let controllers = fs::read_to_string(directory.join("cgroup.controllers"))?;
        if !controllers.split_whitespace().any(|name| name == "memory") {
            let why = "its cgroup.controllers does not list memory";
            return Err(io::Error::new(ErrorKind::Unsupported, why));
        }
        fs::write(directory.join("cgroup.subtree_control"), "+memory")?;
        // Not handed down everywhere: processes are then limited by other means only.
        let _ = fs::write(directory.join("cgroup.subtree_control"), "+pids");
        remove_left(directory);
        Ok(Self {
            directory: directory.to_owned(),
            made: AtomicU64::new(0),
        })
    }

    /// The cgroup that the system has delegated to this process (systemd: `Delegate=memory pids`). This process moves to
    /// a child of it first: one that hands controllers down holds no processes itself.
    ///
    /// # Errors
    /// If there is none, others are in it, or memory limits are not available to its children.
    pub fn own() -> io::Result<Self> {
        let membership = fs::read_to_string("/proc/self/cgroup")?;
        Self::delegated(Path::new(ROOT), &membership)
    }

    /// The same beneath this folder, where this is what the system says of this process.
    fn delegated(root: &Path, membership: &str) -> io::Result<Self> {
        let path = membership
            .lines()
            .find_map(|line| line.strip_prefix("0::/"));
        let none = || {
            io::Error::new(
                ErrorKind::Unsupported,
                "this process is in no cgroup of version 2",
            )
        };
        let mut folder = root.join(path.ok_or_else(none)?.trim_end());
        if folder.ends_with(OURS) {
            folder.pop();
        } else {
            let ours = folder.join(OURS);
            match fs::create_dir(&ours) {
                Err(why) if why.kind() == ErrorKind::AlreadyExists => {}
                made => made?,
            }
            fs::write(ours.join(PROCESSES), SELF)?;
        }
        Self::at(&folder)
    }

    /// A separate cgroup for a program and everything it starts, which is still empty.
    pub(super) fn cell(&self, memory: Option<u64>, processes: Option<u32>) -> io::Result<Cell> {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let name = format!("{CELL}{}-{number}", std::process::id());
        let cell = Cell(self.directory.join(name));
        fs::create_dir(&cell.0)?;
        if let Some(memory) = memory {
            fs::write(cell.0.join("memory.max"), memory.to_string())?;
            // Not available everywhere: without them it may swap, and dies process by process.
            let _ = fs::write(cell.0.join("memory.swap.max"), "0");
            let _ = fs::write(cell.0.join("memory.oom.group"), "1");
        }
        if let Some(processes) = processes {
            let _ = fs::write(cell.0.join("pids.max"), processes.to_string());
        }
        Ok(cell)
    }
}

/// Moves this process to the cgroup of this folder.
pub(super) fn join(cell: &Path) -> io::Result<()> {
    fs::write(cell.join(PROCESSES), SELF)
}

/// Removes cgroups of programs whose Drover was killed. Those that still hold processes stay.
fn remove_left(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let maker = name.to_str().and_then(|name| name.strip_prefix(CELL));
        let maker = maker.and_then(|rest| rest.split_once('-')?.0.parse::<u32>().ok());
        if maker.is_some_and(|maker| !Path::new(&format!("/proc/{maker}")).exists()) {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// A program's own cgroup. When dropped, it is emptied and removed.
#[derive(Debug)]
pub(super) struct Cell(PathBuf);

impl Cell {
    /// Its folder.
    pub(super) fn folder(&self) -> &Path {
        &self.0
    }

    /// Moves a process there.
    pub(super) fn add(&self, process: u32) -> io::Result<()> {
        fs::write(self.0.join(PROCESSES), process.to_string())
    }

    /// Whether its processes were killed for lack of memory.
    pub(super) fn out_of_memory(&self) -> bool {
        let events = fs::read_to_string(self.0.join("memory.events")).unwrap_or_default();
        events.lines().any(|line| {
            line.strip_prefix("oom_kill ")
                .is_some_and(|count| count != "0")
        })
    }

    /// Kills every process in it.
    pub(super) fn kill(&self) {
        // Kernels before 5.14 have no such file; the process group is killed as well.
        drop(fs::write(self.0.join("cgroup.kill"), "1"));
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        self.kill();
        for _ in 0..REMOVALS_MAX {
            match fs::remove_dir(&self.0) {
                Err(error) if error.kind() == ErrorKind::ResourceBusy => {
                    std::thread::park_timeout(REMOVAL_WAIT);
                }
                _ => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_put_into_a_cgroup_of_its_own() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Cgroup::at(folder.path()).is_err());
        fs::write(
            folder.path().join("cgroup.controllers"),
            "cpu memory pids\n",
        )
        .unwrap();
        let cgroup = Cgroup::at(folder.path()).unwrap();
        let content = |cell: &Cell, name: &str| fs::read_to_string(cell.0.join(name)).unwrap();
        assert_eq!(
            fs::read_to_string(folder.path().join("cgroup.subtree_control")).unwrap(),
            "+pids",
            "written last"
        );
        let cell = cgroup.cell(Some(400), Some(9)).unwrap();
        cell.add(77).unwrap();
        assert_eq!(content(&cell, "cgroup.procs"), "77");
        join(cell.folder()).unwrap();
        assert_eq!(content(&cell, "cgroup.procs"), "0");
        assert_eq!(content(&cell, "memory.max"), "400");
        assert_eq!(content(&cell, "pids.max"), "9");
        assert!(!cell.out_of_memory());
        fs::write(cell.0.join("memory.events"), "low 0\noom_kill 2\n").unwrap();
        assert!(cell.out_of_memory());
        assert_ne!(cgroup.cell(None, None).unwrap().0, cell.0);
    }

    #[test]
    fn what_a_killed_drover_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("cgroup.controllers"), "memory").unwrap();
        // Longer than any number of a process.
        let own = format!("drover-{}-3", std::process::id());
        let names = [
            "drover-4294967295-0",
            "drover-4294967295-17",
            own.as_str(),
            "drover-x",
            "other",
        ];
        for name in names {
            fs::create_dir(path(name)).unwrap();
        }
        // One that is not empty stays.
        fs::create_dir(path("drover-4294967295-17/inner")).unwrap();
        Cgroup::at(folder.path()).unwrap();
        assert!(!path("drover-4294967295-0").exists());
        for name in names.iter().skip(1) {
            assert!(path(name).exists(), "{name}");
        }
    }

    #[test]
    fn a_delegated_cgroup_holds_this_process_in_a_child() {
        let root = tempfile::tempdir().unwrap();
        let service = root.path().join("system.slice/drover.service");
        fs::create_dir_all(&service).unwrap();
        fs::write(service.join("cgroup.controllers"), "memory pids").unwrap();
        let message = "9:name=systemd:/\n0::/system.slice/drover.service\n";
        let cgroup = Cgroup::delegated(root.path(), message).unwrap();
        assert_eq!(cgroup.directory, service);
        let ours = fs::read_to_string(service.join("daemon/cgroup.procs"));
        assert_eq!(ours.unwrap(), "0");
        // One that is there already, by systemd or an earlier start.
        fs::remove_file(service.join("daemon/cgroup.procs")).unwrap();
        let message = "0::/system.slice/drover.service/daemon\n";
        assert_eq!(
            Cgroup::delegated(root.path(), message).unwrap().directory,
            service
        );
        assert!(!service.join("daemon/cgroup.procs").exists());
        for none in ["", "4:memory:/x\n", "0::/other.slice\n"] {
            assert!(Cgroup::delegated(root.path(), none).is_err(), "{none}");
        }
    }
}
