//! Progress on standard error: a bar on a terminal, elsewhere a line now and then.

use super::common::notify;
use games::text::counted;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

/// The interval between plain lines.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// How many are done in a second, as people read it: `29/s`, or `0.4/s` of what takes long.
fn rate(state: &ProgressState, to: &mut dyn Write) {
    // A text in memory takes everything.
    let _ = to.write_str(&per_second(state.per_sec()));
}

fn per_second(rate: f64) -> String {
    match rate < 9.95 {
        true => format!("{rate:.1}/s"),
        false => format!("{rate:.0}/s"),
    }
}

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
    /// Counts `of` things, one of which `what` names.
    pub(super) fn new(of: u64, what: &'static str) -> Self {
        let all = counted(of, what);
        let style = format!("{{bar:30}} {{pos}}/{all}, {{rate}}, {{eta}} left");
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(of);
            match ProgressStyle::with_template(&style) {
                Ok(style) => bar.with_style(style.with_key("rate", rate)),
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
                lines.show(|| format!("{done} of {}", counted(*of, what)));
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

#[cfg(test)]
mod tests {
    use super::per_second;

    #[test]
    fn a_rate_has_as_many_figures_as_are_read() {
        for (rate, shown) in [
            (0.04, "0.0/s"),
            (0.42, "0.4/s"),
            (9.96, "10/s"),
            (29.4154, "29/s"),
            (12345.6, "12346/s"),
        ] {
            assert_eq!(per_second(rate), shown);
        }
    }
}
