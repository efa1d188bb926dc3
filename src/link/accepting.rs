//! How a listener handles a connection that could not be accepted.

use std::io::{Error, ErrorKind};
use std::time::{Duration, Instant};

/// Pause after a failed accept, such as for lack of file descriptors, which does not pass by itself.
const PAUSE: Duration = Duration::from_millis(50);
/// The interval at which it is logged.
const TELL_EVERY: Duration = Duration::from_secs(10);

/// The failures of one listener.
#[derive(Debug)]
pub struct AcceptFaults {
    listener: &'static str,
    told: Option<Instant>,
}

impl AcceptFaults {
    /// None yet. `listener` names it in the log.
    #[must_use]
    pub fn new(listener: &'static str) -> Self {
        Self {
            listener,
            told: None,
        }
    }

    /// Whether this will fail again: not where a connection was aborted before it was accepted.
    #[must_use]
    pub fn lasts(&self, error: &Error) -> bool {
        !matches!(
            error.kind(),
            ErrorKind::ConnectionAborted
                | ErrorKind::ConnectionReset
                | ErrorKind::ConnectionRefused
                | ErrorKind::Interrupted
        )
    }

    /// Logs a failure, but not too often, and if it lasts waits before the next attempt.
    pub async fn pause(&mut self, error: &Error) {
        if !self.lasts(error) {
            return;
        }
        if self.told.is_none_or(|told| told.elapsed() >= TELL_EVERY) {
            self.told = Some(Instant::now());
            tracing::warn!(listener = self.listener, %error, "connections cannot be accepted");
        }
        tokio::time::sleep(PAUSE).await;
    }
}
