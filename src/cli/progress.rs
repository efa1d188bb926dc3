//! Progress on standard error: a bar on a terminal, elsewhere a line now and then.

use super::common::notify;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

/// The interval between plain lines.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Plain lines, of which those that come too soon are left out.
pub(super) struct Lines(Instant);

impl Default for Lines {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Lines {
    /// Shows a line if it is time for one.
    pub(super) fn show(&mut self, line: impl FnOnce() -> String) {
        if self.0.elapsed() >= LINE_EVERY {
            self.0 = Instant::now();
            notify(&line());
        }
    }
}

/// How many of a known number are done.
pub(super) struct Meter {
    of: u64,
    what: &'static str,
    bar: Option<ProgressBar>,
    lines: Lines,
}

impl Meter {
    /// Counts `of` things, which `what` names.
    pub(super) fn new(of: u64, what: &'static str) -> Self {
        let style = format!("{{bar:30}} {{pos}}/{{len}} {what}, {{per_sec}}, {{eta}} left");
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(of);
            match ProgressStyle::with_template(&style) {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            }
        });
        Self {
            of,
            what,
            bar,
            lines: Lines::default(),
        }
    }

    /// Shows how many are done.
    pub(super) fn show(&mut self, done: u64) {
        match &self.bar {
            Some(bar) => bar.set_position(done),
            None => {
                let Self {
                    of, what, lines, ..
                } = self;
                lines.show(|| format!("{done} of {of} {what}"));
            }
        }
    }

    /// Removes the bar.
    pub(super) fn finish(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}
