//! How soon something is looked for again.

use std::time::Duration;

/// The wait after something was found, and the longest one.
const FIRST: Duration = Duration::from_millis(20);
pub(super) const LONGEST: Duration = Duration::from_secs(1);

/// Waits that become longer while nothing is found.
pub(super) struct Pace(Duration);

impl Pace {
    pub(super) const fn new() -> Self {
        Self(FIRST)
    }

    /// The next wait.
    pub(super) fn wait(&mut self) -> Duration {
        let next = LONGEST.min(2 * self.0);
        std::mem::replace(&mut self.0, next)
    }
}
