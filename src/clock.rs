//! The wall clock.

use crate::simulated;
use jiff::Timestamp;
use jiff::fmt::temporal::Pieces;
use serde::de::Error as _;
use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};
use std::time::Duration;
use tokio::time::Instant;

/// Microseconds since 1970-01-01 UTC.
#[must_use]
pub fn now_us() -> i64 {
    simulated::now_us().unwrap_or_else(|| Timestamp::now().as_microsecond())
}

/// Microseconds since 1970-01-01 UTC as a time. What no calendar has becomes its first or last moment.
#[must_use]
pub fn time(at_us: i64) -> Timestamp {
    let (first, last) = (Timestamp::MIN, Timestamp::MAX);
    let at_us = at_us.clamp(first.as_microsecond(), last.as_microsecond());
    Timestamp::from_microsecond(at_us).unwrap_or(last)
}

/// Microseconds since 1970-01-01 UTC as RFC 3339, for serde.
pub(crate) fn shown<S: Serializer>(at_us: &i64, to: S) -> Result<S::Ok, S::Error> {
    time(*at_us).serialize(to)
}

/// The same where there may be none.
pub(crate) fn shown_if_any<S: Serializer>(at_us: &Option<i64>, to: S) -> Result<S::Ok, S::Error> {
    at_us.map(time).serialize(to)
}

/// A time as RFC 3339 in microseconds since 1970-01-01 UTC. The first and the last hours of the calendar, which the
/// crate does not have in every zone, are its first and its last moment.
pub(crate) fn moment(text: &str) -> Option<i64> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time.as_microsecond());
    }
    let pieces = Pieces::parse(text).ok()?;
    pieces.to_numeric_offset()?;
    pieces.time()?;
    let moment = match pieces.date().year() {
        9999 => Timestamp::MAX,
        -9999 => Timestamp::MIN,
        _ => return None,
    };
    Some(moment.as_microsecond())
}

/// The same for serde, where a time may be given.
pub(crate) fn read<'de, D: Deserializer<'de>>(from: D) -> Result<Option<i64>, D::Error> {
    let text = String::deserialize(from)?;
    let moment = moment(&text).ok_or_else(|| D::Error::custom(format!("{text:?} is no time")));
    moment.map(Some)
}

/// A time span in whole microseconds, as the ledger keeps it.
#[must_use]
pub(crate) fn micros(span: Duration) -> u32 {
    u32::try_from(span.as_micros()).unwrap_or(u32::MAX)
}

/// The wall clock of one match: set once, it never goes back, whatever the system clock does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Steady {
    began_us: i64,
    began: Instant,
}

impl Steady {
    /// A clock that is right now.
    pub(crate) fn new() -> Self {
        Self {
            began_us: now_us(),
            began: Instant::now(),
        }
    }

    /// Microseconds since 1970-01-01 UTC.
    pub(crate) fn now_us(&self) -> i64 {
        self.at_us(Instant::now())
    }

    /// The same of another moment.
    pub(crate) fn at_us(&self, at: Instant) -> i64 {
        let span = |span: Duration| i64::try_from(span.as_micros()).unwrap_or(i64::MAX);
        match at.checked_duration_since(self.began) {
            Some(since) => self.began_us.saturating_add(span(since)),
            None => self.began_us.saturating_sub(span(self.began - at)),
        }
    }

    /// The moment of such a time; none before the clock was set.
    pub(crate) fn instant(&self, at_us: i64) -> Instant {
        let since = u64::try_from(at_us.saturating_sub(self.began_us)).unwrap_or_default();
        self.began
            .checked_add(Duration::from_micros(since))
            .unwrap_or(self.began)
    }
}
