//! What a verb that plays matches has to show.

use super::common::notify;
use super::output::width;
use super::play_args::Output;
use crate::tournament::Report;
use std::io::Write as _;
use std::process::ExitCode;

/// What `play` found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// The result, as it was asked for.
    pub text: String,
    /// What went wrong with programs, if the text does not say it.
    pub failures: String,
    /// Whether every program took a decision in each match in which it was asked for some.
    pub all_played: bool,
}

impl Played {
    /// A report as `output` says.
    ///
    /// # Errors
    /// Never for a report of finite numbers.
    pub(super) fn new(report: &Report, output: Output) -> anyhow::Result<Self> {
        Ok(Self {
            text: match output {
                Output::Table => report.table(width()),
                Output::Json => report.json()? + "\n",
                Output::Csv => report.csv()?,
            },
            failures: match output {
                Output::Csv => report.failures(),
                Output::Table | Output::Json => String::new(),
            },
            all_played: report.all_played(),
        })
    }

    /// Prints it; the exit code is 1 if not all played.
    pub(super) fn print(&self) -> anyhow::Result<ExitCode> {
        std::io::stdout().write_all(self.text.as_bytes())?;
        if !self.failures.is_empty() {
            notify(self.failures.trim_end());
        }
        Ok(match self.all_played {
            true => ExitCode::SUCCESS,
            false => ExitCode::FAILURE,
        })
    }
}
