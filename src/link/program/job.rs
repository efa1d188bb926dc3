//! A program without a conversation, such as a compiler: nobody answers it, and what it says goes to a pipe.

use super::guard::Guard;
use super::orders::Inherits;
use super::spec::ProgramSpec;
use super::start::{Process, ProgramLimits, becoming};
use super::together::Together;
use std::io::{self, PipeWriter};
use std::process::{ExitStatus, Stdio};

/// A running job. If it is dropped, it ends with everything that it has started; under a guard also if this process ends in
/// any way, and with what has left its process group.
pub struct Job {
    process: Process,
    /// Ends it once its processes have taken too much memory together.
    together: Option<Together>,
}

impl Job {
    /// Starts it, under a guard within these limits but for a cgroup. Of our environment it gets what programs need.
    /// `output`: standard output and standard error.
    ///
    /// # Errors
    /// The system refuses it; nothing is left running then.
    pub fn start(
        program: &ProgramSpec,
        guard: Option<Guard>,
        limits: &ProgramLimits,
        output: PipeWriter,
    ) -> io::Result<Self> {
        let streams = [Stdio::null(), output.try_clone()?.into(), output.into()];
        let process = match guard {
            Some(guard) => {
                let becoming = becoming(guard, limits, None);
                Process::under(
                    guard,
                    program,
                    becoming,
                    limits.nice,
                    Inherits::Common,
                    streams,
                )?
            }
            None => Process::alone(program, Inherits::Common, streams)?,
        };
        let together = match (process.ends(), limits.memory) {
            (Some((root, program)), Some(most)) if limits.together => {
                // One that has ended takes nothing.
                Together::watch(root, program, most).ok()
            }
            _ => None,
        };
        Ok(Self { process, together })
    }

    /// Whether it was ended because its processes took too much memory together.
    #[must_use]
    pub fn is_over_memory(&self) -> bool {
        self.together.as_ref().is_some_and(Together::is_over)
    }

    /// Whether it has ended.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.process.has_ended()
    }

    /// Ends what is left of it. How it had ended, or that it was killed.
    pub fn end(mut self) -> Option<ExitStatus> {
        self.process.reap()
    }
}
