//! A process that confines itself and then becomes a program: what the guard starts in the program's stead where
//! processes are limited or files are.

use super::calls;
use super::cgroup::join;
use super::confinement::{Confinement, SCRATCH, restrict};
use super::covers::{cover, read_only};
use super::orders::{Orders, ourselves};
use super::orphans;
use super::protections::{Held, MEMORY};
use super::start::limit_each;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{
    Resource, Rlimit, Signal, getrlimit, getuid, set_parent_process_death_signal, setrlimit,
};
use rustix::thread::{
    CapabilitySet, CapabilitySets, clear_ambient_capability_set, set_capabilities, set_no_new_privs,
};
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsRawFd as _, RawFd};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Child;

/// The oldest kernel that counts a user's processes by user namespace.
const COUNTS_SINCE: (u32, u32) = (5, 14);
/// The guard's processes in the program's namespace, beside the program's own.
const OF_GUARD: u64 = 2;
/// Numbers of processes that the kernel does not give again (`RESERVED_PIDS`).
const RESERVED: u64 = 301;
/// Where the system and its users keep sockets. No rule of Landlock keeps a program from a socket there, nor from
/// changing a file's mode.
const OF_SOCKETS: &[&str] = &["/run", "/var/run", "/tmp", "/var/tmp"];
/// What is in their places.
const EMPTY: &str = "size=1m,nr_inodes=1k,mode=755";
/// Open files of each of its processes: those that hold memory are counted by what they may hold, and those that are on
/// their way from one process to another not at all.
pub(super) const FILES_MAX: u64 = 256;
/// What each of its processes may have. A core is neither written nor handed to a program of the system's, which 0 would
/// allow.
const LIMITS: &[(Resource, u64)] = &[(Resource::Nofile, FILES_MAX), (Resource::Core, 1)];
/// The longest report of an error, in bytes.
const TOLD_MAX: u64 = 512;

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

    /// Starts a process that becomes the program of these orders; an error is that of starting the program.
    pub(super) fn spawn(&self, orders: &File) -> io::Result<Child> {
        let (mut reader, writer) = io::pipe()?;
        let mut command = ourselves();
        // What it leaves behind if it never becomes the program is found by this.
        command.envs(orphans::inherited()).arg("--become");
        // It closes this once it has become the program, and says before that why it cannot.
        command.arg(format!("--told={}", writer.as_raw_fd()));
        command.arg(format!("--orders=/proc/self/fd/{}", orders.as_raw_fd()));
        fcntl_setfd(&writer, FdFlags::empty())?;
        fcntl_setfd(orders, FdFlags::empty())?;
        let mut child = command.process_group(0).spawn()?;
        drop(writer);
        let mut told = String::new();
        let heard = reader.by_ref().take(TOLD_MAX).read_to_string(&mut told);
        if heard.is_ok() && told.is_empty() {
            return Ok(child);
        }
        child.kill()?;
        child.wait()?;
        heard?;
        Err(match told.trim().parse() {
            Ok(code) => io::Error::from_raw_os_error(code),
            Err(_) => io::Error::other(told.trim().to_owned()),
        })
    }

    /// Confines this process, which has a single thread: what does not hold, each as a name and a reason.
    fn confine(&self) -> Vec<(&'static str, String)> {
        let mut missing = Vec::new();
        let spaces = CloneFlags::CLONE_NEWNS;
        let apart = match self.isolated {
            true => unshare(spaces).map_err(|why| why.to_string()),
            false => Err("it has no user namespace of its own".to_owned()),
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
            missing.push(("processes", why));
        }
        let Some(confinement) = &self.confinement else {
            // From here on it can gain no rights.
            let _ = drop_rights();
            return missing;
        };
        let offline = apart
            .clone()
            .and_then(|()| unshare(CloneFlags::CLONE_NEWNET).map_err(|why| why.to_string()));
        let hidden = confinement.hidden.iter().map(PathBuf::as_path);
        let hidden = OF_SOCKETS.iter().map(Path::new).chain(hidden);
        let covered = || cover(hidden, &confinement.read, EMPTY);
        if let Err(why) = apart.clone().and_then(|()| covered()) {
            let reach = "it reaches its user's and the system's sockets, and changes modes of its user's files";
            missing.push(("sockets", format!("{reach}: {why}")));
        }
        if let Err(why) = apart.clone().and_then(|()| read_only()) {
            let why = format!("it changes modes, times and attributes of its user's files: {why}");
            missing.push(("files", why));
        }
        let ipc = apart
            .clone()
            .and_then(|()| unshare(CloneFlags::CLONE_NEWIPC).map_err(|why| why.to_string()));
        if let Err(why) = ipc {
            let why = format!("it shares memory, queues and semaphores with others: {why}");
            missing.push(("ipc", why));
        }
        let scratch = apart.and_then(|()| scratch(confinement.scratch_mib));
        if let Err(why) = drop_rights() {
            missing.push(("rights", why));
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
            missing.push(("scratch", why));
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
fn limit_processes(most: u64) -> Result<(), String> {
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
        return Err("this kernel counts a user's processes all together".to_owned());
    }
    let limit = Rlimit {
        current: Some(most + OF_GUARD),
        maximum: Some(most + OF_GUARD),
    };
    setrlimit(Resource::Nproc, limit).map_err(|why| why.to_string())?;
    // That does not hold for root; the numbers of a namespace's processes do, where the kernel lets them be
    // limited.
    let numbered = fs::write("/proc/sys/kernel/pid_max", (RESERVED + most).to_string());
    match (getuid().is_root(), numbered) {
        (true, Err(why)) => Err(format!("it does not hold for root, and pid_max: {why}")),
        _ => Ok(()),
    }
}

/// Gives this process an empty folder of its own to write to.
fn scratch(mib: u32) -> Result<(), String> {
    let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    let options = format!("size={mib}m,nr_inodes=16k,mode=1777");
    mount(
        Some("tmpfs"),
        SCRATCH,
        Some("tmpfs"),
        flags,
        Some(&*options),
    )
    .map_err(|why| format!("{SCRATCH}: {why}"))
}

fn drop_rights() -> Result<(), String> {
    let none = CapabilitySet::empty();
    let sets = CapabilitySets {
        effective: none,
        permitted: none,
        inheritable: none,
    };
    set_no_new_privs(true)
        .and_then(|()| clear_ambient_capability_set())
        .and_then(|()| set_capabilities(None, sets))
        .map_err(|why| why.to_string())
}

/// Closes everything that this process has inherited beside its standard streams and `told`, which is closed
/// once it has become the program.
pub(super) fn close_inherited(told: Option<RawFd>) -> io::Result<Option<File>> {
    let report = match told {
        Some(told) => Some(
            OpenOptions::new()
                .write(true)
                .open(format!("/proc/self/fd/{told}"))?,
        ),
        None => None,
    };
    let kept = report.as_ref().map(File::as_raw_fd);
    let open: Vec<RawFd> = fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    for number in open
        .into_iter()
        .filter(|number| *number > 2 && Some(*number) != kept)
    {
        // The list's own is closed already.
        let _ = nix::unistd::close(number);
    }
    Ok(report)
}

/// Confines this process and becomes the program of the orders in this file, if all holds that must. Without one, it
/// prints what does not hold here.
///
/// # Errors
/// If it cannot become the program.
pub fn become_program(orders: &Path, told: Option<RawFd>) -> io::Result<()> {
    let (orders, _) = Orders::read(orders)?;
    let mut report = close_inherited(told)?;
    let why = match became(&orders) {
        Ok(()) => return Ok(()),
        Err(why) => why,
    };
    if let Some(report) = &mut report {
        match why.raw_os_error() {
            Some(code) => write!(report, "{code}")?,
            None => write!(report, "{why}")?,
        }
    }
    Err(why)
}

fn became(orders: &Orders) -> io::Result<()> {
    let becoming = &orders.becoming;
    // First: nothing that it takes or starts may count elsewhere.
    let joined = becoming.cgroup.as_deref().map_or(Ok(()), join);
    let folder = orders.execution.as_ref().map(|it| Path::new(&it.folder));
    let is_there = folder.map_or(Ok(()), |folder| fs::metadata(folder.join(".")).map(drop));
    let mut missing = becoming.confine();
    if let Err(why) = joined {
        missing.push((MEMORY, format!("it has no cgroup: {why}")));
    }
    // What it starts inherits them.
    if let Err(why) = limit_each(None, becoming.memory, becoming.cpu_seconds) {
        missing.push((MEMORY, why.to_string()));
    }
    let Some(execution) = &orders.execution else {
        let mut out = io::stdout();
        for (name, why) in missing {
            writeln!(out, "{name}\t{why}")?;
        }
        return out.flush();
    };
    let lost = |(name, _): &&(&str, String)| *name == MEMORY || becoming.must.has(name);
    if let Some((name, why)) = missing.iter().find(lost) {
        let why = format!("the protection `{name}` is missing at this start: {why}");
        return Err(io::Error::other(why));
    }
    is_there?;
    let mut command = execution.command();
    let is_confined = becoming.confinement.is_some();
    if is_confined && Path::new(SCRATCH).is_dir() {
        command.env("TMPDIR", SCRATCH).env("HOME", SCRATCH);
    }
    // Its folder may be covered, and then it is where this process is.
    let moved = std::env::set_current_dir(&execution.folder);
    moved.or_else(|why| if is_confined { Ok(()) } else { Err(why) })?;
    // Its guard has one thread.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    Err(command.exec())
}
