//! Giving up what old matches hold beside their results: transcripts, facts, ledger, programs' and shadows' reports go; rows, seats, results,
//! bluffs, lessons and models stay.

use super::error::StoreError;
use super::handle::Store;
use super::writer::Command;
use sqlx::SqliteConnection;
use std::time::{Duration, Instant};

/// Sessions pruned in one transaction at most.
const SESSIONS_AT_ONCE: i64 = 128;
/// The pause after each transaction is this many times what it took: others write meanwhile.
const PAUSE: u32 = 1;

/// Sessions with something to prune of matches that were over before a moment.
const DUE: &str = "
    FROM matches m JOIN sessions s ON s.match_id = m.id
    WHERE m.ended_us < ?1 AND m.ended_us >= ?2 AND s.ended_us IS NOT NULL AND s.packed IS NOT 2
        AND NOT EXISTS (SELECT 1 FROM sessions l WHERE l.match_id = m.id
                        AND (l.ended_us IS NULL OR l.ended_us >= ?1))";

/// What goes of a session; its row stays and says so.
const GO: [&str; 8] = [
    "DELETE FROM packed WHERE session = ?",
    "DELETE FROM facts WHERE session = ?",
    "DELETE FROM ledger WHERE session = ?",
    "DELETE FROM program_runs WHERE session = ?",
    "DELETE FROM notes_given WHERE session = ?",
    "DELETE FROM shadow_runs WHERE session = ?",
    // One that was never packed.
    "DELETE FROM entries WHERE session = ?1 AND id BETWEEN (SELECT first_entry FROM sessions WHERE id = ?1)
         AND (SELECT last_entry FROM sessions WHERE id = ?1)",
    "UPDATE sessions SET packed = 2 WHERE id = ?",
];

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

impl Store {
    /// What [`Store::prune`] would prune of matches that were over before a moment, in microseconds since
    /// 1970-01-01 UTC.
    ///
    /// # Errors
    /// [`StoreError::Read`].
    pub async fn prunable(&self, before_us: i64) -> Result<Pruned, StoreError> {
        let query = format!("SELECT count(*), coalesce(sum(s.entries), 0) {DUE}");
        let (sessions, entries): (i64, i64) = sqlx::query_as(sqlx::AssertSqlSafe(query))
            .bind(before_us)
            .bind(i64::MIN)
            .fetch_one(self.readers())
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
    pub async fn prune(&self, before_us: i64, within: Duration) -> Result<Pruned, StoreError> {
        let begun = Instant::now();
        let mut pruned = Pruned::default();
        let mut from_us = i64::MIN;
        let query = format!(
            "SELECT s.id, coalesce(s.entries, 0), m.ended_us {DUE} ORDER BY m.ended_us LIMIT ?3"
        );
        loop {
            let due: Vec<(i64, i64, i64)> = sqlx::query_as(sqlx::AssertSqlSafe(query.clone()))
                .bind(before_us)
                .bind(from_us)
                .bind(SESSIONS_AT_ONCE)
                .fetch_all(self.readers())
                .await?;
            let Some((_, _, last_us)) = due.last() else {
                return Ok(pruned);
            };
            from_us = *last_us;
            let sessions: Vec<i64> = due.iter().map(|(session, ..)| *session).collect();
            let step = Instant::now();
            self.ask(|reply| Command::Prune(sessions, reply)).await?;
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
}

/// Prunes these sessions in one transaction.
pub(super) async fn go(
    connection: &mut SqliteConnection,
    sessions: &[i64],
) -> Result<(), sqlx::Error> {
    sqlx::query("BEGIN IMMEDIATE")
        .execute(&mut *connection)
        .await?;
    for session in sessions {
        for statement in GO {
            let query = sqlx::query(statement).bind(*session);
            query.execute(&mut *connection).await?;
        }
    }
    sqlx::query("COMMIT").execute(connection).await?;
    Ok(())
}
