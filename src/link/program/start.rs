//! Starting a program.

use super::cgroup::{Cell, Cgroup};
use super::orphans::{self, Marker};
use super::stderr::Stderr;
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process_group, prlimit};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::Arc;

/// What a program may use.
#[derive(Clone, Debug, Default)]
pub struct ProgramLimits {
    /// Memory in bytes: its data segment by rlimit, and all of its group where there is a cgroup.
    pub memory: Option<u64>,
    /// Processor time in seconds, from 1; for every process of it.
    pub cpu_seconds: Option<u64>,
    /// A cgroup to make one of its own under.
    pub cgroup: Option<Arc<Cgroup>>,
}

/// How a program is started.
#[derive(Clone, Debug)]
pub struct ProgramOptions {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// Longest line that it may say, in bytes.
    pub line_max: usize,
    /// How much of the end of its standard error is kept, in bytes.
    pub stderr_kept: usize,
    /// What it may use.
    pub limits: ProgramLimits,
}

/// Why a program did not start, as a sentence.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// No program is named.
    #[error("no program is named")]
    Nothing,
    /// The system does not start it.
    #[error("{program:?} cannot be started: {why}")]
    Spawn {
        /// Its name.
        program: String,
        /// What the system says.
        why: std::io::Error,
    },
    /// It could not be held to its limits.
    #[error("{program:?} cannot be limited: {why}")]
    Limits {
        /// Its name.
        program: String,
        /// What the system says.
        why: std::io::Error,
    },
}

/// A program that runs.
pub struct Program {
    pub(super) process: Process,
    /// Closed once it need hear no more.
    pub(super) stdin: Option<ChildStdin>,
    pub(super) stdout: ChildStdout,
    /// What it has said and nobody has read.
    pub(super) said: Vec<u8>,
    /// How much of that holds no end of a line.
    pub(super) searched: usize,
    /// Whether it has closed its output.
    pub(super) gone: bool,
    pub(super) line_max: usize,
    pub(super) stderr: Stderr,
    pub(super) marker: Marker,
    pub(super) cell: Option<Cell>,
}

impl Program {
    /// Starts it in a process group of its own.
    ///
    /// # Errors
    /// [`StartError`] says why not; nothing is left running then.
    pub fn start(options: &ProgramOptions) -> Result<Self, StartError> {
        let (name, arguments) = options.words.split_first().ok_or(StartError::Nothing)?;
        let refused = |why| StartError::Spawn {
            program: name.clone(),
            why,
        };
        let marker = orphans::marker();
        let mut child = Command::new(name)
            .args(arguments)
            .env(orphans::MARKER, marker.text())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(refused)?;
        let cell = match limit(&child, &options.limits) {
            Ok(cell) => cell,
            Err(why) => {
                drop(child.kill());
                drop(child.wait());
                let program = name.clone();
                return Err(StartError::Limits { program, why });
            }
        };
        let stdin = child.stdin.take().expect("stdin is piped");
        let stdout = child.stdout.take().expect("stdout is piped");
        let stderr = child.stderr.take().expect("stderr is piped");
        // Only our ends: the program's own stay as it expects them.
        unblocked(&stdin)
            .and_then(|()| unblocked(&stdout))
            .map_err(refused)?;
        Ok(Self {
            stderr: Stderr::drain(stderr, options.stderr_kept).map_err(refused)?,
            process: Process {
                child,
                reaped: false,
            },
            stdin: Some(stdin),
            stdout,
            said: Vec::new(),
            searched: 0,
            gone: false,
            line_max: options.line_max,
            marker,
            cell,
        })
    }

    /// Its process, which leads its group.
    pub(super) fn pid(&self) -> Option<Pid> {
        pid(&self.process.child)
    }
}

/// The program's process. Dropped unreaped, its whole group is killed.
pub(super) struct Process {
    child: Child,
    reaped: bool,
}

impl Process {
    /// Waits for its end.
    pub(super) fn reap(&mut self) -> Option<ExitStatus> {
        let status = self.child.wait().ok();
        self.reaped = true;
        status
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(group) = pid(&self.child).filter(|_| !self.reaped) {
            // Nobody may be left in it.
            let _ = kill_process_group(group, Signal::KILL);
            drop(self.child.wait());
        }
    }
}

fn pid(child: &Child) -> Option<Pid> {
    Pid::from_raw(i32::try_from(child.id()).ok()?)
}

/// Limits a process that has just been started: what it uses until then is not worth a second start.
fn limit(child: &Child, limits: &ProgramLimits) -> std::io::Result<Option<Cell>> {
    let limited = |resource, most| {
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        prlimit(pid(child), resource, limit).map(drop)
    };
    if let Some(memory) = limits.memory {
        // Not the address space: runtimes reserve far more of it than they use.
        limited(Resource::Data, memory)?;
    }
    if let Some(seconds) = limits.cpu_seconds {
        limited(Resource::Cpu, seconds)?;
    }
    match &limits.cgroup {
        Some(cgroup) => cgroup.cell(child.id(), limits.memory).map(Some),
        None => Ok(None),
    }
}

fn unblocked(pipe: impl AsFd) -> std::io::Result<()> {
    let flags = fcntl_getfl(&pipe)?;
    Ok(fcntl_setfl(&pipe, flags | OFlags::NONBLOCK)?)
}
