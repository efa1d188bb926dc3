//! Confining the process that becomes a program.

use super::super::calls;
use super::super::confinement::{SCRATCH, restrict};
use super::super::covers::{cover, read_only, writable};
use super::super::protection::Unprotected;
use super::Becoming;
use crate::link::program::limits::FILES_MAX;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use rustix::process::{Resource, Rlimit, getrlimit, getuid, setrlimit};
use rustix::thread::{
    CapabilitySet, CapabilitySets, clear_ambient_capability_set, set_capabilities, set_no_new_privs,
};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The oldest kernel that counts a user's processes by user namespace.
const COUNTS_SINCE: (u32, u32) = (5, 14);
/// The guard's processes in the program's namespace, besides the program's own.
const OF_GUARD: u64 = 2;
/// Numbers of processes that the kernel does not give again (`RESERVED_PIDS`).
const RESERVED: u64 = 301;
/// Where the system and its users keep sockets. No rule of Landlock keeps a program from a socket there, nor from
/// changing a file's mode.
const OF_SOCKETS: &[&str] = &["/run", "/var/run", "/tmp", "/var/tmp"];
/// What is in their places.
const EMPTY: &str = "size=1m,nr_inodes=1k,mode=755";

/// What each of its processes may have. A core is neither written nor handed to a program of the system's, which 0 would
/// allow.
const LIMITS: &[(Resource, u64)] = &[(Resource::Nofile, FILES_MAX), (Resource::Core, 1)];

/// Limits this process, and what it starts, unless it is limited more already.
fn limit_to(resource: Resource, most: u64) -> io::Result<()> {
    let most = getrlimit(resource)
        .maximum
        .map_or(most, |own| own.min(most));
    let limit = Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    Ok(setrlimit(resource, limit)?)
}

/// Limits the processes of this user in this user namespace.
fn limit_processes(most: u64) -> Result<(), Unprotected> {
    let release = rustix::system::uname()
        .release()
        .to_string_lossy()
        .into_owned();
    let mut numbers = release.split(|letter: char| !letter.is_ascii_digit());
    let mut next = || {
        numbers
            .next()
            .and_then(|text| text.parse().ok())
            .unwrap_or(0)
    };
    if (next(), next()) < COUNTS_SINCE {
        let why = "this kernel counts a user's processes all together";
        return Err(Unprotected::new(why));
    }
    let limit = Rlimit {
        current: Some(most + OF_GUARD),
        maximum: Some(most + OF_GUARD),
    };
    setrlimit(Resource::Nproc, limit).map_err(Unprotected::new)?;
    // That does not hold for root; the numbers of a namespace's processes do, where the kernel lets them be
    // limited.
    let numbered = fs::write("/proc/sys/kernel/pid_max", (RESERVED + most).to_string());
    match (getuid().is_root(), numbered) {
        (true, Err(why)) => {
            let why = format!("it does not hold for root, and pid_max: {why}");
            Err(Unprotected::new(why))
        }
        _ => Ok(()),
    }
}

/// Gives this process an empty folder of its own to write to.
fn scratch(mib: u32) -> Result<(), Unprotected> {
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    let options = format!("size={mib}m,nr_inodes=16k,mode=1777");
    mount(
        Some("tmpfs"),
        SCRATCH,
        Some("tmpfs"),
        flags,
        Some(&*options),
    )
    .map_err(|why| Unprotected::at(Path::new(SCRATCH), why))
}

fn drop_rights() -> Result<(), Unprotected> {
    let none = CapabilitySet::empty();
    let sets = CapabilitySets {
        effective: none,
        permitted: none,
        inheritable: none,
    };
    set_no_new_privs(true)
        .and_then(|()| clear_ambient_capability_set())
        .and_then(|()| set_capabilities(None, sets))
        .map_err(Unprotected::new)
}

impl Becoming {
    /// Confines this process, which has a single thread: what does not hold, each as a name and a reason.
    pub(super) fn confine(&self) -> Vec<(&'static str, String)> {
        let mut missing = Vec::new();
        let spaces = CloneFlags::CLONE_NEWNS;
        let apart = match self.isolated {
            true => unshare(spaces).map_err(Unprotected::new),
            false => Err(Unprotected::new("it has no user namespace of its own")),
        };
        if apart.is_ok() {
            // It sees its own processes only, where the system allows that.
            let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
            let shown = mount(Some("proc"), "/proc", Some("proc"), flags, None::<&str>);
            if let Err(why) = shown {
                missing.push((
                    "proc",
                    format!("it sees the names of other processes: {why}"),
                ));
            }
        } else {
            missing.push(("proc", "it sees the processes of its user".to_owned()));
        }
        if let Some(most) = self.processes
            && let Err(why) = apart
                .clone()
                .and_then(|()| limit_processes(u64::from(most)))
        {
            missing.push(("processes", why.to_string()));
        }
        let Some(confinement) = &self.confinement else {
            // From here on it can gain no rights.
            let _ = drop_rights();
            return missing;
        };
        let offline = apart
            .clone()
            .and_then(|()| unshare(CloneFlags::CLONE_NEWNET).map_err(Unprotected::new));
        let hidden = confinement.hidden.iter().map(PathBuf::as_path);
        let hidden = OF_SOCKETS.iter().map(Path::new).chain(hidden);
        let covered = || cover(hidden, &confinement.read, EMPTY);
        if let Err(why) = apart.clone().and_then(|()| covered()) {
            let reach = "it reaches its user's and the system's sockets, and changes modes of its user's files";
            missing.push(("sockets", format!("{reach}: {why}")));
        }
        let frozen = || read_only().and_then(|()| writable(&confinement.write));
        if let Err(why) = apart.clone().and_then(|()| frozen()) {
            let why = format!("it changes modes, times and attributes of its user's files: {why}");
            missing.push(("files", why));
        }
        let ipc = apart
            .clone()
            .and_then(|()| unshare(CloneFlags::CLONE_NEWIPC).map_err(Unprotected::new));
        if let Err(why) = ipc {
            let why = format!("it shares memory, queues and semaphores with others: {why}");
            missing.push(("ipc", why));
        }
        let scratch = apart.and_then(|()| scratch(confinement.scratch_mib));
        if let Err(why) = drop_rights() {
            missing.push(("rights", why.to_string()));
        }
        let restricted = restrict(confinement, scratch.is_ok());
        if !restricted.files {
            let why = "the kernel has no Landlock, or it is switched off";
            missing.push(("files", why.to_owned()));
        }
        if let Err(why) = offline {
            let rest = match restricted.network {
                true => "TCP is held back, UDP is not",
                false => "neither TCP nor UDP is held back",
            };
            missing.push((
                "network",
                format!("it has no network namespace ({why}): {rest}"),
            ));
        }
        if let Err(why) = scratch {
            missing.push(("scratch", why.to_string()));
        }
        for (resource, most) in LIMITS {
            if let Err(why) = limit_to(*resource, *most) {
                missing.push(("calls", why.to_string()));
            }
        }
        // Last: what was done before is refused from here on.
        if let Err(why) = calls::refuse() {
            let why = format!("the kernel filters no system calls: {why}");
            missing.push(("calls", why));
        }
        missing
    }
}
