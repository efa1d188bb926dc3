//! What tests of programs wait for.

use std::time::{Duration, Instant};

/// More than anything takes that a test waits for.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until something is so.
#[track_caller]
pub(super) fn until(mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "it is not so");
        std::thread::park_timeout(Duration::from_millis(2));
    }
}
