//! Limits of processes, set from outside.

use rustix::io::Errno;
use rustix::process::{
    Pid, Resource, Rlimit, getpriority_process, getrlimit, prlimit, setpriority_process,
};

/// Open files of each of its processes: those that hold memory are counted by what they may hold, and those that are on
/// their way from one process to another not at all.
pub(super) const FILES_MAX: u64 = 256;

/// The lowest priority that there is.
const NICEST: u8 = 19;

/// Limits the memory and the CPU time of a process, and of each that it starts from now on; `None`: of this one.
pub(super) fn limit_each(
    process: Option<Pid>,
    memory: Option<u64>,
    cpu_seconds: Option<u64>,
) -> std::io::Result<()> {
    // Not the address space: runtimes reserve far more of it than they use.
    for (resource, most) in [(Resource::Data, memory), (Resource::Cpu, cpu_seconds)] {
        let Some(most) = most else { continue };
        // Ours may already be lower, and cannot be raised.
        let most = getrlimit(resource)
            .maximum
            .map_or(most, |own| own.min(most));
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        match prlimit(process, resource, limit) {
            // It has ended already.
            Err(Errno::SRCH) => {}
            set => drop(set?),
        }
    }
    Ok(())
}

/// Gives a process, and what it starts from now on, a priority that is at least so much lower than the usual one;
/// `None`: this one. One that is lower already stays.
pub(super) fn step_behind(process: Option<Pid>, nice: u8) {
    let nice = i32::from(nice.min(NICEST));
    let lower = getpriority_process(process).is_ok_and(|now| now >= nice);
    if !lower {
        // It may have ended already.
        let _ = setpriority_process(process, nice);
    }
}
