//! What a listener does about a connection that could not be accepted.

use std::io::{Error, ErrorKind};
use std::time::{Duration, Instant};

/// Pause after a failed accept, such as for want of file descriptors: it does not pass by itself.
const PAUSE: Duration = Duration::from_millis(50);
/// How often it is logged.
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

    /// Whether this will fail again: not where a connection was given up before it was accepted.
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

    /// Logs a failure, not too often, and waits before the next try, if it lasts.
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
