//! Numbers of new sessions.

use super::sql::{Connection, query_as};
use super::types::SessionId;
use crate::clock::now_us;
use std::sync::atomic::{AtomicI64, Ordering};

/// The moment from which a server's numbers count: 2026-01-01 00:00 UTC, in milliseconds since 1970-01-01 UTC.
const EPOCH_MS: i64 = 1_767_225_600_000;
/// Bits of a writer's own number.
const WRITER_BITS: u32 = 10;
/// Bits that count within a millisecond.
const COUNT_BITS: u32 = 2;

/// Gives numbers to new sessions. A file counts from 1. On a server several writers give them at the same time: a number is
/// made of the time, the writer and a count, so that all rise with time and are exact as 64-bit floating point numbers for
/// 69 years.
#[derive(Debug, Default)]
pub(super) struct SessionNumbers {
    /// On a server: milliseconds and count.
    next: AtomicI64,
    writer: Option<i64>,
}

impl SessionNumbers {
    /// Those after the last one that is stored.
    pub(super) async fn after(connection: &mut Connection, last: i64) -> Result<Self, sqlx::Error> {
        if !connection.is_postgres() {
            return Ok(Self {
                next: AtomicI64::new(last + 1),
                writer: None,
            });
        }
        let writer = query_as("SELECT nextval('writers')");
        let writer: i64 = writer.fetch_one(connection).await?;
        let last = last >> (WRITER_BITS + COUNT_BITS);
        Ok(Self {
            next: AtomicI64::new((last + 1) << COUNT_BITS),
            writer: Some(writer),
        })
    }

    /// The next number.
    pub(super) fn next(&self) -> SessionId {
        let Some(writer) = self.writer else {
            return SessionId(self.next.fetch_add(1, Ordering::Relaxed));
        };
        let now = (now_us() / 1000 - EPOCH_MS).max(0) << COUNT_BITS;
        let later = |next: i64| Some(next.max(now) + 1);
        let taken = self
            .next
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, later);
        let taken = taken.unwrap_or_else(|next| next).max(now);
        let (ms, count) = (taken >> COUNT_BITS, taken & ((1 << COUNT_BITS) - 1));
        SessionId(((ms << WRITER_BITS | writer) << COUNT_BITS) | count)
    }
}

#[cfg(test)]
mod tests {
    use super::SessionNumbers;

    #[test]
    fn two_writers_give_different_numbers_that_rise_with_time() {
        let writer = |writer| SessionNumbers {
            writer: Some(writer),
            ..SessionNumbers::default()
        };
        let (one, other) = (writer(3), writer(1023));
        let mut all = Vec::new();
        for _ in 0..100 {
            all.extend([one.next().0, other.next().0]);
        }
        let ones: Vec<_> = all.iter().step_by(2).collect();
        assert!(ones.is_sorted_by(|one, other| one < other), "{ones:?}");
        assert!(all.iter().all(|number| (1..1 << 53).contains(number)));
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 200);
    }
}
