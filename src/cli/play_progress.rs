//! The progress of `drover play`: a bar on a terminal, plain lines elsewhere.

use super::progress::Meter;
use super::trouble::Failures;
use crate::tournament::{FinishedMatch, Kept, MatchSink, PlayedMatch};
use futures_util::future::BoxFuture;
use std::path::PathBuf;
use tokio::sync::mpsc;

/// Receives each match as it ends.
pub type OnMatch = Box<dyn FnMut(&FinishedMatch) + Send>;

/// Shows progress on standard error and passes transcripts on.
pub struct Progress {
    /// `None`: `on_match` shows the matches.
    meter: Option<Meter>,
    log: Option<PathBuf>,
    keep: Option<mpsc::Sender<Kept>>,
    failures: Failures,
    on_match: Option<OnMatch>,
    /// The first transcript that could not be written.
    failure: Option<std::io::Error>,
}

impl Progress {
    /// Progress over `games` matches; transcripts go to the directory `log`, what went wrong to `failures`.
    #[must_use]
    pub(super) fn new(games: u64, log: Option<PathBuf>, failures: Failures) -> Self {
        Self {
            meter: Some(Meter::new(games, "match")),
            log,
            keep: None,
            failures,
            on_match: None,
            failure: None,
        }
    }

    /// Nothing is shown but what `on_match` shows.
    #[must_use]
    pub fn shown_by(on_match: OnMatch) -> Self {
        Self {
            meter: None,
            log: None,
            keep: None,
            failures: Failures::default(),
            on_match: Some(on_match),
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
        if let Some(meter) = self.meter {
            meter.finish();
        }
        self.failure.map_or(Ok(()), Err)
    }
}

impl MatchSink for Progress {
    fn ended(&mut self, finished: &FinishedMatch) {
        self.failures.ended(finished);
        if let Some(on_match) = &mut self.on_match {
            on_match(finished);
        }
    }

    fn done(&mut self, games: u64) {
        if let Some(meter) = &mut self.meter {
            meter.show(games);
        }
    }

    fn played(&mut self, played: PlayedMatch) -> BoxFuture<'_, ()> {
        Box::pin(self.pass_on(played))
    }
}

impl Progress {
    async fn pass_on(&mut self, played: PlayedMatch) {
        if let Some(log) = &self.log {
            let file = log.join(format!("match-{:06}.txt", played.number + 1));
            if let Err(error) = tokio::fs::write(file, played.text()).await {
                self.failure.get_or_insert(error);
            }
            for (seat, left) in played.left.iter().enumerate() {
                let name = format!("match-{:06}.seat{seat}.stderr", played.number + 1);
                if !left.stderr.is_empty()
                    && let Err(error) = tokio::fs::write(log.join(name), &left.stderr).await
                {
                    self.failure.get_or_insert(error);
                }
            }
        }
        if let Some(keep) = &self.keep {
            // The receiver reports why it stopped.
            let _ = keep.send(played.into()).await;
        }
    }
}
