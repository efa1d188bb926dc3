//! Giving up what old matches hold besides their results: transcripts, facts, ledger, programs' reports go; rows, seats, results,
//! bluffs, lessons and models stay.

use crate::store::sql::query_as;
use crate::store::{Prune, Reader, Store, StoreError};
use std::time::{Duration, Instant};

/// Sessions pruned in one transaction at most.
const SESSIONS_AT_ONCE: i64 = 128;
/// The pause after each transaction is this many times what it took: others write meanwhile.
const PAUSE: u32 = 1;

/// Sessions with something to prune of matches that were over before a moment.
const DUE: &str = "
    FROM matches m JOIN sessions s ON s.match_id = m.id
    WHERE m.ended_us < $1 AND m.ended_us >= $2 AND s.ended_us IS NOT NULL AND s.packed IS DISTINCT FROM 2
        AND NOT EXISTS (SELECT 1 FROM sessions l WHERE l.match_id = m.id
                        AND (l.ended_us IS NULL OR l.ended_us >= $1))";

/// What was pruned, or would be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Sessions.
    pub sessions: u64,
    /// Their entries.
    pub entries: u64,
    /// Whether there are more: the time was up.
    pub more: bool,
}

/// What [`prune`] would prune of matches that were over before a moment, in microseconds since
/// 1970-01-01 UTC.
///
/// # Errors
/// [`StoreError::Read`].
pub async fn prunable(reader: &Reader, before_us: i64) -> Result<Pruned, StoreError> {
    let query = format!("SELECT count(*), CAST(coalesce(sum(s.entries), 0) AS BIGINT) {DUE}");
    let (sessions, entries): (i64, i64) = query_as(query)
        .bind(before_us)
        .bind(i64::MIN)
        .fetch_one(reader.pool())
        .await?;
    Ok(Pruned {
        sessions: sessions as u64,
        entries: entries as u64,
        more: false,
    })
}

/// Prunes matches that were over before a moment, in microseconds since 1970-01-01 UTC, oldest first and for
/// about this long at most, in short transactions. It may be stopped and begun again at any time.
///
/// # Errors
/// As [`Store::append`].
pub async fn prune(store: &Store, before_us: i64, within: Duration) -> Result<Pruned, StoreError> {
    let begun = Instant::now();
    let mut pruned = Pruned::default();
    let mut from_us = i64::MIN;
    let query = format!(
        "SELECT s.id, coalesce(s.entries, 0), m.ended_us {DUE} ORDER BY m.ended_us LIMIT $3"
    );
    loop {
        let due: Vec<(i64, i64, i64)> = query_as(query.clone())
            .bind(before_us)
            .bind(from_us)
            .bind(SESSIONS_AT_ONCE)
            .fetch_all(store.reader().pool())
            .await?;
        let Some((_, _, last_us)) = due.last() else {
            return Ok(pruned);
        };
        from_us = *last_us;
        let sessions: Vec<i64> = due.iter().map(|(session, ..)| *session).collect();
        let step = Instant::now();
        store.prune(Prune::Transcripts(sessions)).await?;
        pruned.sessions += due.len() as u64;
        pruned.entries += due
            .iter()
            .map(|(_, entries, _)| *entries as u64)
            .sum::<u64>();
        if begun.elapsed() >= within {
            pruned.more = true;
            return Ok(pruned);
        }
        tokio::time::sleep(step.elapsed() * PAUSE).await;
    }
}
