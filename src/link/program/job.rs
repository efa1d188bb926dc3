//! A program without a conversation, such as a compiler: nobody answers it, and what it says goes to a pipe.

use super::becoming::Becoming;
use super::guard::Guard;
use super::start::{Process, ProgramSpec, common_variables};
use std::io::{self, PipeWriter};
use std::process::{Command, ExitStatus, Stdio};

/// A running job. If it is dropped, it ends with everything that it has started; under a guard also if this process ends in
/// any way, and with what has left its process group.
pub struct Job {
    process: Process,
}

impl Job {
    /// Starts it with the rights of this process. Of our environment it gets what programs need. `output`: standard output
    /// and standard error.
    ///
    /// # Errors
    /// The system refuses it; nothing is left running then.
    pub fn start(
        program: &ProgramSpec,
        guard: Option<Guard>,
        output: PipeWriter,
    ) -> io::Result<Self> {
        let streams = [Stdio::null(), output.try_clone()?.into(), output.into()];
        let alone = |mut command: Command| {
            command.env_clear().envs(common_variables());
            command
        };
        let process = match guard {
            Some(guard) => {
                let (command, report) = guard.command(&program.words, &Becoming::default(), 0)?;
                let mut process = Process::start(alone(command), program, streams)?;
                process.under(report, guard)?;
                process
            }
            None => {
                let (name, arguments) = program
                    .words
                    .split_first()
                    .map_or(("", &[][..]), |(name, arguments)| (name, arguments));
                let mut command = Command::new(name);
                command.args(arguments);
                Process::start(alone(command), program, streams)?
            }
        };
        Ok(Self { process })
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
