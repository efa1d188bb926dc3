//! The guard of a program: a process between us and it, which ends it when we are gone, and which can give it
//! namespaces of its own, so that it can neither see nor signal the processes of other players.

use super::becoming::Becoming;
use super::becoming::running::close_inherited;
use super::covers::own_shared;
use super::limits::step_behind;
use super::orders::{Execution, Orders, ourselves};
use super::orphans::{self, adopt_orphans};
use super::pipes::ready;
use super::protection::{Held, ISOLATION, Protection};
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use rustix::event::PollFlags;
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::process::{
    Pid, PidfdFlags, Resource, Rlimit, Signal, WaitId, WaitIdOptions, WaitOptions, getgid, getpid,
    getppid, getuid, kill_process, kill_process_group, pidfd_open, setrlimit, setsid, waitid,
    waitpid,
};
use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, clear_ambient_capability_set,
    configure_capability_in_ambient_set, set_capabilities,
};
use std::fs::{self, File, OpenOptions};
use std::io::{self, PipeReader, PipeWriter, Read as _, Write as _};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

/// How long a guard may take to start its program.
const START_WITHIN: Duration = Duration::from_secs(20);
/// How long a guard that reports nothing may take to end.
const END_WITHIN: Duration = Duration::from_secs(1);
/// Bytes of what a guard that failed has said.
const LAST_WORDS_MAX: usize = 600;
/// The longest report of a guard, in bytes.
const REPORT_MAX: usize = 600;
/// How often a namespace's first process reaps others.
const REAP_EVERY: Duration = Duration::from_secs(1);
/// How long a guard may wait at once.
const WATCH: Duration = Duration::from_secs(3_600);

/// How programs are guarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// Whether each gets namespaces of its own.
    pub isolates: bool,
    /// What must hold of a confined program: else it is not started.
    pub must: Held,
}

/// Why programs cannot be isolated from each other on this machine, in a sentence; `None` if they can. The
/// executable must have the [`VERB`](super::orders::VERB).
#[must_use]
pub fn no_isolation() -> Option<String> {
    let orders = Orders {
        isolates: true,
        ..Orders::default()
    };
    let tried = tried(&orders);
    match tried {
        Ok(tried) if tried.status.success() => None,
        Ok(tried) => Some(String::from_utf8_lossy(&tried.stderr).trim().to_owned()),
        Err(why) => Some(why.to_string()),
    }
}

/// How a guard with these orders ends, and what it has said.
pub(super) fn tried(orders: &Orders) -> io::Result<Output> {
    let (mut command, _file) = ordered(orders)?;
    command.stdin(Stdio::null()).output()
}

/// The command that does what these orders say, while this file is there.
fn ordered(orders: &Orders) -> io::Result<(Command, File)> {
    let file = orders.written()?;
    let mut command = ourselves();
    // Opened by its name, it is not inherited by the program.
    command.arg(format!("--orders={}", named(&file)));
    Ok((command, file))
}

/// By what name others open a file of this process.
fn named(file: &impl AsRawFd) -> String {
    format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd())
}

impl Guard {
    /// The guard of confined programs: what holds on this machine must hold at each start.
    #[must_use]
    pub fn from_protections(protections: &[Protection]) -> Self {
        let must = Held::from_protections(protections);
        Self {
            isolates: must.has(ISOLATION),
            must,
        }
    }

    /// The command that runs a program under a guard, and where the guard reports.
    pub(super) fn command(
        self,
        execution: Execution,
        becoming: Becoming,
        nice: u8,
    ) -> io::Result<(Command, Report)> {
        let (reader, writer) = io::pipe()?;
        let (command, orders) = ordered(&Orders {
            isolates: self.isolates,
            parent: Some(getpid().as_raw_nonzero().get()),
            nice,
            report: Some(named(&writer).into()),
            becoming,
            probes: false,
            execution: Some(execution),
        })?;
        let report = Report {
            reader,
            writer,
            _orders: Some(orders),
        };
        Ok((command, report))
    }
}

/// What a guard reports of its program.
pub(super) struct Report {
    reader: PipeReader,
    /// Open until the guard has opened it too.
    writer: PipeWriter,
    /// There until the guard has read them.
    _orders: Option<File>,
}

impl Report {
    /// Waits for the program's process; an error is that of starting it.
    pub(super) fn program(mut self, guard: &mut Child) -> io::Result<Pid> {
        let exit = pid(guard).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        let exit = exit.as_ref().map(|exit| (exit.as_fd(), PollFlags::IN));
        let report = (self.reader.as_fd(), PollFlags::IN);
        let both: Vec<_> = std::iter::once(report).chain(exit).collect();
        let is_ready = ready(&both, Instant::now() + START_WITHIN).unwrap_or(false);
        drop(self.writer);
        if !is_ready {
            return Err(io::Error::from(io::ErrorKind::TimedOut));
        }
        let mut text = [0; REPORT_MAX];
        let length = self.reader.read(&mut text)?;
        let text = String::from_utf8_lossy(text.get(..length).unwrap_or_default()).into_owned();
        match text.trim().split_once(' ') {
            Some(("started", pid)) => {
                let pid = pid.parse().ok().and_then(Pid::from_raw);
                pid.ok_or_else(|| ended(guard))
            }
            Some(("error", code)) => Err(code
                .parse()
                .map_or_else(|_| ended(guard), io::Error::from_raw_os_error)),
            Some(("refused", why)) => Err(io::Error::other(why.to_owned())),
            _ => Err(ended(guard)),
        }
    }
}

/// Why a guard that has ended, or is about to, started no program: its last words, and how it ended.
fn ended(guard: &mut Child) -> io::Error {
    let exit = pid(guard).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    if let Some(exit) = exit {
        // Its report is closed before it has ended.
        let _ = ready(
            &[(exit.as_fd(), PollFlags::IN)],
            Instant::now() + END_WITHIN,
        );
    }
    let status = match guard.try_wait() {
        Ok(Some(status)) => status.to_string(),
        Ok(None) => "it still runs".to_owned(),
        Err(why) => why.to_string(),
    };
    let mut words = vec![0; LAST_WORDS_MAX];
    let length = guard.stderr.as_mut().map_or(0, |stderr| {
        // What it started may hold the other end open.
        let read = fcntl_setfl(&*stderr, OFlags::NONBLOCK).map_err(io::Error::from);
        read.and_then(|()| stderr.read(&mut words)).unwrap_or(0)
    });
    words.truncate(length);
    let words = String::from_utf8_lossy(&words);
    let words: Vec<&str> = words.split_whitespace().collect();
    let said = match words.is_empty() {
        true => String::new(),
        false => format!(": {}", words.join(" ")),
    };
    io::Error::other(format!(
        "its guard ended before it was started ({status}){said}"
    ))
}

pub(super) fn pid(child: &Child) -> Option<Pid> {
    Pid::from_raw(i32::try_from(child.id()).ok()?)
}

/// Is the guard: starts the program, ends it when the parent has ended, and ends as it does. To be called while
/// this process has a single thread.
///
/// # Errors
/// If there are no orders in this file, or the program cannot be isolated.
pub fn guard(orders: &Path) -> io::Result<ExitStatus> {
    close_inherited(None)?;
    let (orders, file) = Orders::read(orders)?;
    // Starting takes most of a small program's time: that too is its own.
    step_behind(None, orders.nice);
    // Nothing that it starts has a terminal, nor can it get one. A guard that leads a group was not started by us.
    let _ = setsid();
    let parent = getppid().and_then(|parent| pidfd_open(parent, PidfdFlags::empty()).ok());
    if orders.parent.is_some()
        && orders.parent != getppid().map(|parent| parent.as_raw_nonzero().get())
    {
        return Err(io::Error::other("the process that started it is gone"));
    }
    let report = match &orders.report {
        Some(path) => Some(OpenOptions::new().write(true).open(path)?),
        None => None,
    };
    let becoming = &orders.becoming;
    let first = match orders.isolates {
        true => Some(apart(&orders)?),
        // What the program leaves behind comes to this process.
        false => adopt_orphans().map(|()| None)?,
    };
    if orders.probes {
        let status = becoming.spawn(&file)?.wait();
        drop(first);
        return status;
    }
    let Some(execution) = &orders.execution else {
        return Ok(ExitStatus::from_raw(0));
    };
    let spawned = match becoming.is_needed() {
        true => becoming.spawn(&file),
        false => {
            let mut command = execution.command();
            command.current_dir(&execution.folder);
            command.process_group(0).spawn()
        }
    };
    drop(file);
    let spawned = spawned.map(Reaped);
    // What it becomes has none of this.
    clear_ambient_capability_set()?;
    let line = match &spawned {
        Ok(Reaped(child)) => format!("started {}\n", child.id()),
        Err(why) => match why.raw_os_error() {
            Some(code) => format!("error {code}\n"),
            None => format!("refused {why}\n"),
        },
    };
    // A reader that does not receive that is gone.
    let lost = report.is_some_and(|mut report| report.write_all(line.as_bytes()).is_err());
    let mut reaped = spawned?;
    let program = &mut reaped.0;
    // Its pipes are its own.
    let nowhere = OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/null")?;
    dup2_stdin(&nowhere)?;
    dup2_stdout(&nowhere)?;
    dup2_stderr(&nowhere)?;
    let left = lost || is_left(parent.as_ref(), program);
    // Before it is reaped, so that the group's number cannot have been reused.
    if let Some(group) = pid(program) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    if left {
        let _ = program.kill();
    }
    let status = program.wait()?;
    if !orders.isolates {
        orphans::sweep_inherited();
    }
    drop(first);
    Ok(status)
}

/// A process that ends when this is dropped. The first process of a namespace waits for all others there to be
/// reaped, this one among them.
struct Reaped(Child);

impl Drop for Reaped {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits until the program has ended or the parent; whether it was the parent.
fn is_left(parent: Option<&OwnedFd>, program: &Child) -> bool {
    let exit = pid(program).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
    let (Some(parent), Some(exit)) = (parent, exit) else {
        // A kernel before 5.3: nobody watches for the parent.
        if let Some(program) = pid(program) {
            let _ = waitid(
                WaitId::Pid(program),
                WaitIdOptions::EXITED | WaitIdOptions::NOWAIT,
            );
        }
        return false;
    };
    let is_over = |process: &OwnedFd, until| {
        let process = (process.as_fd(), PollFlags::IN);
        ready(&[process], until).unwrap_or(true)
    };
    loop {
        let both = [
            (parent.as_fd(), PollFlags::IN),
            (exit.as_fd(), PollFlags::IN),
        ];
        let _ = ready(&both, Instant::now() + WATCH);
        if is_over(&exit, Instant::now()) {
            return false;
        }
        if is_over(parent, Instant::now()) {
            return true;
        }
    }
}

/// Ends this process as the program ended, so that its parent sees the same.
pub fn end_like(status: ExitStatus) -> ! {
    if let Some(signal) = status.signal() {
        let none = Rlimit {
            current: Some(0),
            maximum: Some(0),
        };
        // Its core is not ours to write.
        let _ = setrlimit(Resource::Core, none);
        if let Some(signal) = Signal::from_named_raw(signal) {
            let _ = kill_process(getpid(), signal);
        }
    }
    std::process::exit(status.code().unwrap_or(1))
}

/// Moves what this process starts from now on to namespaces of their own. A confined program's own process does the
/// rest; for another one, what is keyed by the numbers of processes is its own from here on, and so is its IPC where the
/// system allows it.
fn apart(orders: &Orders) -> io::Result<Reaped> {
    let own = getpid();
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    let spaces = CloneFlags::CLONE_NEWUSER | CloneFlags::CLONE_NEWPID | CloneFlags::CLONE_NEWNS;
    unshare(spaces)?;
    // It stays who it is.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    let becoming = &orders.becoming;
    if becoming.confinement.is_some() {
        return start_first(true, None);
    }
    let nothing = Execution::default();
    own_shared(orders.execution.as_ref().unwrap_or(&nothing)).map_err(io::Error::other)?;
    // The rest is worth having where a system allows all but this; that `ipc` is missing then, the protections say.
    let _ = unshare(CloneFlags::CLONE_NEWIPC);
    start_first(becoming.is_needed(), Some(own))
}

/// Starts the first process of this process's namespaces, with which all others there end. If `becomes`, the program's own
/// process may mount. `number`: after which number those of processes there begin.
fn start_first(becomes: bool, number: Option<Pid>) -> io::Result<Reaped> {
    // The first process may mount, the program not.
    let sets = capabilities(None)?;
    let inheritable = sets.inheritable | CapabilitySet::SYS_ADMIN;
    let raised = CapabilitySets {
        inheritable,
        ..sets
    };
    set_capabilities(None, raised)?;
    configure_capability_in_ambient_set(CapabilitySet::SYS_ADMIN, true)?;
    let mut command = ourselves();
    command.arg(if becomes { "--bare-first" } else { "--first" });
    command.args(number.map(|number| format!("--number={}", number.as_raw_nonzero())));
    let mut first = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    if !becomes {
        clear_ambient_capability_set()?;
        set_capabilities(None, sets)?;
    }
    let stdout = first.stdout.take();
    let first = Reaped(first);
    stdout.expect("stdout is piped").read_exact(&mut [0])?;
    Ok(first)
}

/// Is the first process of a namespace: shows its processes in `/proc` if it `mounts`, where the system allows that, has
/// the numbers of others begin after this one, so that programs do not all have the same, and stays until the guard is
/// gone.
///
/// # Errors
/// If the guard does not receive it.
pub fn first(mounts: bool, number: Option<i32>) -> io::Result<()> {
    if mounts {
        let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
        // Without it, the program sees the numbers of other processes, but none of them is its own.
        let _ = mount(Some("proc"), "/proc", Some("proc"), flags, None::<&str>);
    }
    if let Some(number) = number {
        // A kernel that cannot do that begins with 2.
        let _ = fs::write("/proc/sys/kernel/ns_last_pid", number.to_string());
    }
    io::stdout().write_all(b"\n")?;
    io::stdout().flush()?;
    let stdin = io::stdin();
    loop {
        // Orphans come to it.
        while matches!(waitpid(None, WaitOptions::NOHANG), Ok(Some(_))) {}
        let guard = (stdin.as_fd(), PollFlags::IN);
        if ready(&[guard], Instant::now() + REAP_EVERY).unwrap_or(true) {
            return Ok(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Why a guard that does this starts no program.
    fn failed(script: &str, report: &str) -> String {
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(report.as_bytes()).unwrap();
        let mut guard = Command::new("sh")
            .args(["-c", script])
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let why = Report {
            reader,
            writer,
            _orders: None,
        }
        .program(&mut guard)
        .unwrap_err();
        let _ = guard.kill();
        guard.wait().unwrap();
        why.to_string()
    }

    #[test]
    fn a_guard_that_fails_says_why() {
        let begins = "its guard ended before it was started";
        assert_eq!(
            failed("echo 'no user namespaces:' >&2; echo EPERM >&2; exit 3", ""),
            format!("{begins} (exit status: 3): no user namespaces: EPERM")
        );
        assert_eq!(
            failed("kill -9 $$", ""),
            format!("{begins} (signal: 9 (SIGKILL))")
        );
        // What it leaves behind holds its pipes open.
        let held = failed("sleep 60 & echo held >&2; exit 1", "");
        assert_eq!(held, format!("{begins} (exit status: 1): held"));
        let long = failed("head -c 10000 /dev/zero | tr '\\0' x >&2; exit 1", "");
        assert!(long.len() < 2 * LAST_WORDS_MAX, "{} bytes", long.len());
        assert_eq!(failed("exit 0", "refused it is Monday\n"), "it is Monday");
        // A report that is none.
        assert!(failed("exit 4", "started x\n").ends_with("(exit status: 4)"));
    }
}
