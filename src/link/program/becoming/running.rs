//! Becoming a program.

use super::super::cgroup::join;
use super::super::confinement::SCRATCH;
use super::super::limits::limit_each;
use super::super::orders::{Orders, ourselves};
use super::super::orphans;
use super::super::protection::MEMORY;
use super::Becoming;
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::process::{Signal, set_parent_process_death_signal};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsRawFd as _, RawFd};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::Child;

/// The longest report of an error, in bytes.
const REPORT_MAX: u64 = 512;

impl Becoming {
    /// Starts a process that becomes the program of these orders; an error is that of starting the program.
    pub(in super::super) fn spawn(&self, orders: &File) -> io::Result<Child> {
        let (mut reader, writer) = io::pipe()?;
        let mut command = ourselves();
        // What it leaves behind if it never becomes the program is found by this.
        command.envs(orphans::inherited()).arg("--become");
        // It closes this once it has become the program, and says before that why it cannot.
        command.arg(format!("--report={}", writer.as_raw_fd()));
        command.arg(format!("--orders=/proc/self/fd/{}", orders.as_raw_fd()));
        fcntl_setfd(&writer, FdFlags::empty())?;
        fcntl_setfd(orders, FdFlags::empty())?;
        let mut child = command.process_group(0).spawn()?;
        drop(writer);
        let mut failure = String::new();
        let received = reader
            .by_ref()
            .take(REPORT_MAX)
            .read_to_string(&mut failure);
        if received.is_ok() && failure.is_empty() {
            return Ok(child);
        }
        child.kill()?;
        child.wait()?;
        received?;
        Err(match failure.trim().parse() {
            Ok(code) => io::Error::from_raw_os_error(code),
            Err(_) => io::Error::other(failure.trim().to_owned()),
        })
    }
}

/// Closes everything that this process has inherited besides its standard streams and `report_fd`, which is closed
/// once it has become the program.
pub(in super::super) fn close_inherited(report_fd: Option<RawFd>) -> io::Result<Option<File>> {
    let report = match report_fd {
        Some(report_fd) => Some(
            OpenOptions::new()
                .write(true)
                .open(format!("/proc/self/fd/{report_fd}"))?,
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
pub fn become_program(orders: &Path, report_fd: Option<RawFd>) -> io::Result<()> {
    let (orders, _) = Orders::read(orders)?;
    let mut report = close_inherited(report_fd)?;
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
