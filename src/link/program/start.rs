//! Starting a program.

pub(super) mod ending;
mod lines;

use super::becoming::Becoming;
use super::cgroup::{Cell, Cgroup};
use super::confinement::Confinement;
use super::guard::{self, Guard, Report};
use super::interpreter;
use super::orders::{Execution, Inherits};
use super::orphans::{self, Marker};
use super::pipes::ready;
use super::stderr::Stderr;
use super::together::Together;
use crate::link::program::limits::{limit_each, step_behind};
use crate::link::program::{ProgramSpec, StartError, find};
use rustix::event::PollFlags;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, kill_process_group, pidfd_open, waitid,
};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What a program may use.
#[derive(Clone, Debug, Default)]
pub struct ProgramLimits {
    /// Memory in bytes: its data segment by rlimit, and its whole group's where there is a cgroup.
    pub memory: Option<u64>,
    /// CPU time in seconds, from 1; for each of its processes.
    pub cpu_seconds: Option<u64>,
    /// The parent of the program's own cgroup.
    pub cgroup: Option<Arc<Cgroup>>,
    /// Processes and threads at once: all of them together, where it has a user namespace or a cgroup of its own.
    pub processes: Option<u32>,
    /// What it may reach, where it has a guard; `None`: everything that its user may.
    pub confinement: Option<Confinement>,
    /// Whether the memory is that of all its processes together also where there is no cgroup: they are looked at every
    /// second, and it is ended when they have taken more.
    pub together: bool,
    /// How much lower than ours the priority of its processes is, up to 19; 0: as ours.
    pub nice: u8,
}

/// How a program is started.
#[derive(Clone, Debug)]
pub struct ProgramOptions {
    /// The program. Its own limits are for the caller to put into `limits`.
    pub program: ProgramSpec,
    /// The longest line that it may send, in bytes.
    pub line_max: usize,
    /// How much of the end of its standard error is kept, in bytes.
    pub stderr_kept: usize,
    /// What it may use.
    pub limits: ProgramLimits,
    /// How it is guarded; `None`: not at all, for executables that are no Drover.
    pub guard: Option<Guard>,
}

/// A running program.
pub struct Program {
    pub(super) process: Process,
    /// Closed once it needs no more input.
    pub(super) stdin: Option<ChildStdin>,
    pub(super) stdout: ChildStdout,
    /// Its output that has not been read yet.
    pub(super) said: Vec<u8>,
    /// How much of that contains no end of a line.
    pub(super) searched: usize,
    /// Whether it has closed its output.
    pub(super) gone: bool,
    pub(super) line_max: usize,
    pub(super) stderr: Stderr,
    /// Ready once it has ended.
    pub(super) exit: Option<OwnedFd>,
    pub(super) cell: Option<Cell>,
    pub(super) together: Option<Together>,
}

impl Program {
    /// Starts it in its own process group.
    ///
    /// # Errors
    /// [`StartError`] says why not; nothing is left running then.
    pub fn start(options: &ProgramOptions) -> Result<Self, StartError> {
        let name = options.program.words.first().ok_or(StartError::Nothing)?;
        let refused = |why| StartError::Spawn {
            program: name.clone(),
            why: match find(&options.program) {
                Ok(path) => interpreter::missing(&path, why),
                Err(_) => why,
            },
        };
        let limited = |why| StartError::Limits {
            program: name.clone(),
            why,
        };
        let limits = &options.limits;
        let cell = limits.cgroup.as_ref();
        let cell = cell.map(|cgroup| cgroup.cell(limits.memory, limits.processes));
        let cell = cell.transpose().map_err(limited)?;
        let mut process = match options.guard {
            Some(guard) => Process::guarded(guard, &options.program, limits, cell.as_ref()),
            None => Process::alone(&options.program, Inherits::Most, piped()),
        }
        .map_err(refused)?;
        limit(process.group, limits).map_err(limited)?;
        if let (Some(cell), Some(program), false) = (&cell, process.group, process.joined) {
            let program = program.as_raw_nonzero().get().unsigned_abs();
            match cell.add(program) {
                // It has ended already.
                Err(why) if why.raw_os_error() == Some(Errno::SRCH.raw_os_error()) => {}
                added => added.map_err(limited)?,
            }
        }
        let together = match (&cell, process.ends(), options.limits.memory) {
            // One that has ended takes nothing.
            (None, Some((root, program)), Some(most)) if options.limits.together => {
                match Together::watch(root, program, most) {
                    Err(why) if why.raw_os_error() == Some(Errno::SRCH.raw_os_error()) => None,
                    watched => Some(watched.map_err(limited)?),
                }
            }
            _ => None,
        };
        let stdin = process.child.stdin.take().expect("stdin is piped");
        let stdout = process.child.stdout.take().expect("stdout is piped");
        let stderr = process.child.stderr.take().expect("stderr is piped");
        // Only our ends: the program's own remain as it expects them.
        unblocked(&stdin)
            .and_then(|()| unblocked(&stdout))
            .map_err(refused)?;
        Ok(Self {
            stderr: Stderr::drain(stderr, options.stderr_kept).map_err(refused)?,
            exit: guard::pid(&process.child)
                .and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok()),
            process,
            stdin: Some(stdin),
            stdout,
            said: Vec::new(),
            searched: 0,
            gone: false,
            line_max: options.line_max,
            cell,
            together,
        })
    }

    /// Whether it was ended because its processes took too much memory together.
    #[must_use]
    pub fn is_over_memory(&self) -> bool {
        let over = self.together.as_ref().is_some_and(Together::is_over);
        over || self.cell.as_ref().is_some_and(Cell::out_of_memory)
    }

    /// The decision with this number is over: what it writes to standard error from now on belongs to a later one.
    pub fn mark_stderr(&self, number: u64) {
        self.stderr.mark(number);
    }

    /// Its process, which leads its group.
    pub(super) fn pid(&self) -> Option<Pid> {
        self.process.group
    }
}

/// What a program's process does before it becomes the program.
pub(super) fn becoming(guard: Guard, limits: &ProgramLimits, cell: Option<&Cell>) -> Becoming {
    Becoming {
        isolated: guard.isolates,
        processes: limits.processes,
        memory: limits.memory,
        cpu_seconds: limits.cpu_seconds,
        cgroup: cell.map(|cell| cell.folder().to_owned()),
        confinement: limits.confinement.clone(),
        must: guard.must,
    }
}

/// Standard input, output and error of a process.
pub(super) type Streams = [Stdio; 3];

fn piped() -> Streams {
    [Stdio::piped(), Stdio::piped(), Stdio::piped()]
}

/// The program's process, registered as ours. If dropped unreaped, its whole group is killed.
pub(super) struct Process {
    /// The program or its guard.
    child: Child,
    /// The program, which leads its group.
    group: Option<Pid>,
    pub(super) marker: Option<Marker>,
    reaped: bool,
    /// Whether its guard ends what left its group, which no namespace ends.
    sweeps: bool,
    /// Whether it has joined its cgroup by itself, before it became the program.
    joined: bool,
}

/// How long a guard may take to end what its program has left behind.
const SWEEP_WITHIN: Duration = Duration::from_secs(1);

impl Process {
    /// Starts a program without a guard.
    pub(super) fn alone(
        program: &ProgramSpec,
        inherits: Inherits,
        streams: Streams,
    ) -> std::io::Result<Self> {
        let marker = orphans::marker();
        let (name, value) = marker.variable();
        let execution = Execution::for_program(program, inherits, name, value)?;
        let mut command = execution.command();
        command.current_dir(&execution.folder).process_group(0);
        Self::start(command, marker, streams)
    }

    /// Starts a program under a guard, which does what `becoming` says before.
    pub(super) fn under(
        guard: Guard,
        program: &ProgramSpec,
        becoming: Becoming,
        nice: u8,
        inherits: Inherits,
        streams: Streams,
    ) -> std::io::Result<Self> {
        let marker = orphans::marker();
        let (name, value) = marker.variable();
        let execution = Execution::for_program(program, inherits, name, value)?;
        let (mut command, report) = guard.command(execution, becoming, nice)?;
        let (name, value) = marker.variable();
        command.env(name, value);
        let mut process = Self::start(command, marker, streams)?;
        process.await_program(report)?;
        process.sweeps = !guard.isolates;
        Ok(process)
    }

    fn start(
        mut command: Command,
        marker: Marker,
        [stdin, stdout, stderr]: Streams,
    ) -> std::io::Result<Self> {
        command.stdin(stdin).stdout(stdout).stderr(stderr);
        let child = orphans::start(|| command.spawn())?;
        Ok(Self {
            group: guard::pid(&child),
            child,
            marker: Some(marker),
            reaped: false,
            sweeps: false,
            joined: false,
        })
    }

    fn guarded(
        guard: Guard,
        program: &ProgramSpec,
        limits: &ProgramLimits,
        cell: Option<&Cell>,
    ) -> std::io::Result<Self> {
        let becoming = becoming(guard, limits, cell);
        let inherits = match limits.confinement {
            Some(_) => Inherits::Common,
            None => Inherits::Most,
        };
        let joined = becoming.is_needed();
        let mut process = Self::under(guard, program, becoming, limits.nice, inherits, piped())?;
        process.joined = joined;
        Ok(process)
    }

    /// It is a guard: waits until that has started its program.
    fn await_program(&mut self, report: Report) -> std::io::Result<()> {
        let program = report.program(&mut self.child)?;
        orphans::guarded(program);
        self.group = Some(program);
        Ok(())
    }

    /// What was started, and the program: the same without a guard.
    pub(super) fn ends(&self) -> Option<(Pid, Pid)> {
        Some((guard::pid(&self.child)?, self.group?))
    }

    /// Whether it has ended; it may not be reaped yet.
    pub(super) fn has_ended(&self) -> bool {
        self.reaped || guard::pid(&self.child).is_none_or(has_ended)
    }

    /// Kills it and its group, and waits for its end.
    pub(super) fn reap(&mut self) -> Option<ExitStatus> {
        if self.reaped {
            return None;
        }
        let guard = guard::pid(&self.child);
        // A guard that has ended by itself has killed what was left of the group, whose number may be another's.
        let over = guard != self.group && guard.is_some_and(has_ended);
        // A group may be empty, or the program itself may have left it.
        if let Some(group) = self.group.filter(|_| !over) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        if self.sweeps && !over {
            self.await_guard();
        }
        if let Some(guard) = guard {
            let _ = kill_process_group(guard, Signal::KILL);
        }
        let _ = self.child.kill();
        let status = self.child.wait().ok();
        self.reaped = true;
        orphans::ended(&self.child, self.group);
        status
    }

    /// Gives the guard time to end what its program has left behind.
    fn await_guard(&self) {
        let exit =
            guard::pid(&self.child).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok());
        if let Some(exit) = exit {
            let _ = ready(
                &[(exit.as_fd(), PollFlags::IN)],
                Instant::now() + SWEEP_WITHIN,
            );
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.reap();
    }
}

/// Whether a child that is not reaped yet has ended.
fn has_ended(child: Pid) -> bool {
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    matches!(waitid(WaitId::Pid(child), options), Ok(Some(_)))
}

/// Limits a process that has just been started. A confined one has limited itself, before it became the program.
fn limit(program: Option<Pid>, limits: &ProgramLimits) -> std::io::Result<()> {
    limit_each(program, limits.memory, limits.cpu_seconds)?;
    if limits.nice > 0 && program.is_some() {
        // A guard has done that first of all.
        step_behind(program, limits.nice);
    }
    Ok(())
}

fn unblocked(pipe: impl AsFd) -> std::io::Result<()> {
    let flags = fcntl_getfl(&pipe)?;
    Ok(fcntl_setfl(&pipe, flags | OFlags::NONBLOCK)?)
}
