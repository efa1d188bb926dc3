//! Wall-clock stamps.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Microseconds since 1970-01-01 UTC.
#[must_use]
pub fn now_us() -> i64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX)
}

/// Stamps that strictly rise, so that a match's lines have one order whatever the system clock does.
#[derive(Debug, Default)]
pub(in crate::referee) struct Stamps(AtomicI64);

impl Stamps {
    /// Stamps that rise from `last` on.
    pub(in crate::referee) fn after(last: i64) -> Self {
        Self(AtomicI64::new(last))
    }

    /// The next stamp: now, or just above the last one.
    pub(in crate::referee) fn next(&self) -> i64 {
        let now = now_us();
        let rise = |last: i64| Some(now.max(last.saturating_add(1)));
        let last = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, rise);
        last.map_or(now, |last| now.max(last.saturating_add(1)))
    }
}
