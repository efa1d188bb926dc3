//! The time for one answer, and when it is over.

use std::time::Duration;

/// Whether an answer that took so long, of the time that it was given, is late. The only place that says so.
#[must_use]
pub fn is_late(took: Duration, within: Duration) -> bool {
    took > within
}

/// A time span in whole microseconds.
pub(super) fn micros(span: Duration) -> i64 {
    i64::try_from(span.as_micros()).unwrap_or(i64::MAX)
}

/// The time from one moment to another one, both in microseconds; none if it is the earlier one.
pub(super) fn between(since_us: i64, until_us: i64) -> Duration {
    Duration::from_micros(u64::try_from(until_us.saturating_sub(since_us)).unwrap_or_default())
}

/// The clock of a message that asks for an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// When the message went out.
    pub(super) since_us: i64,
    /// How long the seat has.
    pub(super) within: Duration,
    /// Whether the answer is a decision.
    pub(super) decides: bool,
    /// How much of the time since then the table has received, in whole microseconds.
    pub(super) charged: Duration,
}

impl Clock {
    pub(super) fn took(&self, at_us: i64) -> Duration {
        between(self.since_us, at_us)
    }

    /// From when on no answer comes in time that is not there yet.
    pub(super) fn deadline_us(&self) -> i64 {
        self.since_us.saturating_add(micros(self.within))
    }

    /// Whether a line that was read then came too late.
    pub(super) fn is_late(&self, at_us: i64) -> bool {
        is_late(self.took(at_us), self.within)
    }

    /// The time that the table has yet to receive.
    pub(super) fn charge(&mut self, at_us: i64) -> Duration {
        let fresh = self.took(at_us).saturating_sub(self.charged);
        self.charged += fresh;
        fresh
    }
}
