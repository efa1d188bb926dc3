//! The wall clock.

use jiff::Timestamp;
use jiff::fmt::temporal::Pieces;
use serde::de::Error as _;
use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

/// Microseconds since 1970-01-01 UTC.
#[must_use]
pub fn now_us() -> i64 {
    jiff::Timestamp::now().as_microsecond()
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

/// Stamps that strictly rise, so that a match's lines have one order whatever the system clock does.
#[derive(Debug, Default)]
pub(crate) struct Stamps(AtomicI64);

impl Stamps {
    /// Stamps that rise from `last` on.
    pub(crate) fn after(last: i64) -> Self {
        Self(AtomicI64::new(last))
    }

    /// The next stamp: now, or just above the last one.
    pub(crate) fn next(&self) -> i64 {
        let now = now_us();
        let rise = |last: i64| Some(now.max(last.saturating_add(1)));
        let last = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, rise);
        last.map_or(now, |last| now.max(last.saturating_add(1)))
    }
}
