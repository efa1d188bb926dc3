//! The progress of `drover play`: a bar on a terminal, plain lines elsewhere.

use super::common::notify;
use super::trouble::Failures;
use crate::tournament::{FinishedMatch, Kept, MatchSink, PlayedMatch};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// The interval between plain lines.
const LINE_EVERY: Duration = Duration::from_secs(5);

/// Hears of each match as it ends.
pub type Heard = Box<dyn FnMut(&FinishedMatch) + Send>;

/// Shows progress on standard error and passes transcripts on.
pub struct Progress {
    games: u64,
    bar: Option<ProgressBar>,
    lined: Instant,
    log: Option<PathBuf>,
    keep: Option<mpsc::Sender<Kept>>,
    failures: Failures,
    /// Who shows the matches instead.
    heard: Option<Heard>,
    /// The first transcript that could not be written.
    failure: Option<std::io::Error>,
}

impl Progress {
    /// Progress over `games` matches; transcripts go to the directory `log`, what went wrong to `failures`.
    #[must_use]
    pub(super) fn new(games: u64, log: Option<PathBuf>, failures: Failures) -> Self {
        let style = "{bar:30} {pos}/{len} matches, {per_sec}, {eta} left";
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(games);
            match ProgressStyle::with_template(style) {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            }
        });
        Self {
            games,
            bar,
            lined: Instant::now(),
            log,
            keep: None,
            failures,
            heard: None,
            failure: None,
        }
    }

    /// Nothing is shown but what `heard` shows.
    #[must_use]
    pub fn heard_by(heard: Heard) -> Self {
        Self {
            games: 0,
            bar: None,
            lined: Instant::now(),
            log: None,
            keep: None,
            failures: Failures::default(),
            heard: Some(heard),
            failure: None,
        }
    }

    /// Transcripts go here too.
    #[must_use]
    pub fn kept(self, keep: Option<mpsc::Sender<Kept>>) -> Self {
        Self { keep, ..self }
    }

    /// Removes the bar.
    ///
    /// # Errors
    /// The first transcript that could not be written.
    pub fn finish(self) -> std::io::Result<()> {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
        self.failure.map_or(Ok(()), Err)
    }
}

impl MatchSink for Progress {
    fn ended(&mut self, finished: &FinishedMatch) {
        self.failures.ended(finished);
        if let Some(heard) = &mut self.heard {
            heard(finished);
        }
    }

    fn done(&mut self, games: u64) {
        if let Some(bar) = &self.bar {
            bar.set_position(games);
        } else if self.heard.is_none() && self.lined.elapsed() >= LINE_EVERY {
            self.lined = Instant::now();
            notify(&format!("{games} of {} matches", self.games));
        }
    }

    fn played(&mut self, played: PlayedMatch) {
        if let Some(log) = &self.log {
            let file = log.join(format!("match-{:06}.txt", played.number + 1));
            if let Err(error) = std::fs::write(file, played.text()) {
                self.failure.get_or_insert(error);
            }
            for (seat, left) in played.left.iter().enumerate() {
                let name = format!("match-{:06}.seat{seat}.stderr", played.number + 1);
                if !left.stderr.is_empty()
                    && let Err(error) = std::fs::write(log.join(name), &left.stderr)
                {
                    self.failure.get_or_insert(error);
                }
            }
        }
        if let Some(keep) = &self.keep {
            // The receiver reports why it stopped.
            let _ = keep.blocking_send(played.into());
        }
    }
}
