//! A cgroup (version 2) for every program, where the operator provides a directory for them.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

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
        Ok(Self {
            directory: directory.to_owned(),
            made: AtomicU64::new(0),
        })
    }

    /// A separate cgroup for a process and everything it starts.
    pub(super) fn cell(
        &self,
        process: u32,
        memory: Option<u64>,
        processes: Option<u32>,
    ) -> io::Result<Cell> {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let name = format!("drover-{}-{number}", std::process::id());
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
        fs::write(cell.0.join("cgroup.procs"), process.to_string())?;
        Ok(cell)
    }
}

/// A program's own cgroup. When dropped, it is emptied and removed.
#[derive(Debug)]
pub(super) struct Cell(PathBuf);

impl Cell {
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
        let told = |cell: &Cell, name: &str| fs::read_to_string(cell.0.join(name)).unwrap();
        assert_eq!(
            fs::read_to_string(folder.path().join("cgroup.subtree_control")).unwrap(),
            "+pids",
            "written last"
        );
        let cell = cgroup.cell(77, Some(400), Some(9)).unwrap();
        assert_eq!(told(&cell, "cgroup.procs"), "77");
        assert_eq!(told(&cell, "memory.max"), "400");
        assert_eq!(told(&cell, "pids.max"), "9");
        assert!(!cell.out_of_memory());
        fs::write(cell.0.join("memory.events"), "low 0\noom_kill 2\n").unwrap();
        assert!(cell.out_of_memory());
        assert_ne!(cgroup.cell(78, None, None).unwrap().0, cell.0);
    }
}
