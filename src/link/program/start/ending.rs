//! Ending a program: a message, then signals, until nothing is left of it.

use super::Program;
use crate::link::program::orphans::Marker;
use crate::link::program::pipes::ready;
use crate::link::program::stderr::StderrMark;
use rustix::event::PollFlags;
use rustix::process::{Signal, kill_process_group};
use std::os::fd::AsFd as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

/// How long a program may take to end after its last message.
const QUIT_WITHIN: Duration = Duration::from_secs(1);
/// How long it may take to end after SIGTERM.
const TERM_WITHIN: Duration = Duration::from_millis(500);
/// How long to wait for the exit of a program that has closed its pipe, to say how it ended. A busy system may
/// take a while to report it.
const EXIT_WITHIN: Duration = Duration::from_millis(500);

/// A program that has ended.
#[must_use = "what it left behind is swept up by its marker"]
#[derive(Debug)]
pub struct Ended {
    /// Identifies processes that may have left its group.
    pub marker: Option<Marker>,
    /// How, if the system reported it; also `None` if it had to be killed.
    pub status: Option<ExitStatus>,
    /// Whether it ended before any signal from us.
    pub by_itself: bool,
    /// Whether it was killed for lack of memory.
    pub out_of_memory: bool,
    /// The end of its standard error.
    pub stderr: Vec<u8>,
    /// The total length of its standard error, in bytes.
    pub stderr_total: u64,
    /// How much of that it had written at the end of each decision.
    pub stderr_marks: Vec<StderrMark>,
}

impl Ended {
    /// How it ended, as text: `exit status 1`, `signal 9`, `it ran on until it was ended`.
    #[must_use]
    pub fn manner(&self) -> String {
        let how = match self.status.map(|status| (status.code(), status.signal())) {
            _ if !self.by_itself && self.status.is_some() => {
                "it ran on until it was ended".to_owned()
            }
            Some((Some(code), _)) => format!("exit status {code}"),
            Some((None, Some(signal))) => format!("signal {signal}"),
            _ => "it ran on until it was killed".to_owned(),
        };
        if self.out_of_memory {
            how + ", out of memory"
        } else {
            how
        }
    }
}

impl Program {
    /// Notifies it, by this message, if there is one, and a closed pipe, that it is no longer needed.
    pub fn dismiss(&mut self, word: Option<&str>) {
        if let Some(word) = word {
            // It may already be gone.
            drop(self.say(word, Instant::now()));
        }
        self.stdin = None;
    }

    /// Ends it and its process group: if dismissed, first by giving it time to exit, then by SIGTERM, then by
    /// SIGKILL.
    pub fn end(mut self) -> Ended {
        let exit = self.exit.take();
        let gone = |within| {
            exit.as_ref().is_some_and(|exit| {
                let until = Instant::now() + within;
                ready(&[(exit.as_fd(), PollFlags::IN)], until).unwrap_or(true)
            })
        };
        let by_itself = gone(match self.stdin {
            Some(_) => EXIT_WITHIN,
            None => QUIT_WITHIN,
        });
        let mut ended = by_itself;
        if !ended {
            self.signal(Signal::TERM);
            ended = gone(TERM_WITHIN);
        }
        if let Some(cell) = &self.cell {
            cell.kill();
        }
        // Processes that it started may remain even if it is gone itself: they are killed before it is
        // reaped, so that its process id cannot have been reused.
        let status = self.process.reap().filter(|_| ended);
        let out_of_memory = self.is_over_memory();
        let (stderr, stderr_total, stderr_marks) = self.stderr.end();
        Ended {
            marker: self.process.marker.take(),
            status,
            by_itself,
            out_of_memory,
            stderr,
            stderr_total,
            stderr_marks,
        }
    }

    fn signal(&self, signal: Signal) {
        // The number of one that has ended may be another's.
        if let Some(group) = self.pid().filter(|_| !self.has_ended()) {
            // The group may be empty.
            let _ = kill_process_group(group, signal);
        }
    }

    /// Stops it until [`Program::resume`], so that it does not think on others' time.
    pub fn pause(&self) {
        self.signal(Signal::STOP);
    }

    /// Lets it continue.
    pub fn resume(&self) {
        self.signal(Signal::CONT);
    }
}
