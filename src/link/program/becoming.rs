//! What a process does before it becomes a program.

mod confining;
pub(super) mod running;

use super::confinement::Confinement;
use super::protection::Held;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What a process does before it becomes a program.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Becoming {
    /// Whether it is in user and process namespaces of its own.
    pub isolated: bool,
    /// Processes and threads that it may have at once.
    pub processes: Option<u32>,
    /// Memory of each of its processes in bytes.
    pub memory: Option<u64>,
    /// CPU time of each of its processes in seconds.
    pub cpu_seconds: Option<u64>,
    /// The folder of the cgroup that it joins.
    pub cgroup: Option<PathBuf>,
    /// What it may reach; `None`: everything that its user may.
    pub confinement: Option<Confinement>,
    /// What must hold of a confined program: else it does not become it.
    pub must: Held,
}

impl Becoming {
    /// Whether there is anything to do.
    pub(super) fn is_needed(&self) -> bool {
        self.processes.is_some() || self.confinement.is_some()
    }
}
