//! Giving up what old matches hold beside their results: transcripts, facts, ledger, programs' reports go; rows, seats, results,
//! bluffs, lessons and models stay.

use super::error::StoreError;
use super::handle::Store;
use super::writer::Command;
use serde_json::Value;
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

/// What goes of the sessions in a JSON list; their rows stay and say so.
const GO: [&str; 7] = [
    "DELETE FROM packed WHERE session IN (SELECT value FROM json_each(?1))",
    "DELETE FROM facts WHERE session IN (SELECT value FROM json_each(?1))",
    "DELETE FROM ledger WHERE session IN (SELECT value FROM json_each(?1))",
    "DELETE FROM program_runs WHERE session IN (SELECT value FROM json_each(?1))",
    "DELETE FROM notes_given WHERE session IN (SELECT value FROM json_each(?1))",
    // Of those that were never packed.
    "DELETE FROM entries WHERE id IN (SELECT e.id FROM json_each(?1) w CROSS JOIN sessions s ON s.id = w.value
         CROSS JOIN entries e ON e.id BETWEEN s.first_entry AND s.last_entry AND e.session = s.id)",
    "UPDATE sessions SET packed = 2 WHERE id IN (SELECT value FROM json_each(?1))",
];

/// Of these sessions' matches those of which only first messages were received, and all their sessions.
const VOID: &str = "
    WITH void AS (SELECT DISTINCT m.id FROM json_each(?1) w CROSS JOIN sessions x ON x.id = w.value
            CROSS JOIN matches m ON m.id = x.match_id
        WHERE NOT m.ours AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.match_id = m.id
            AND (s.ended_us IS NULL OR s.cause <> 'unterminated' OR s.entries > 2)))
    SELECT (SELECT json_group_array(s.id) FROM void CROSS JOIN sessions s ON s.match_id = void.id),
        (SELECT json_group_array(id) FROM void), (SELECT count(*) FROM void)";

/// What else goes of these sessions and matches, both JSON lists: all of it.
const FORGET: [&str; 7] = [
    "DELETE FROM bluffs WHERE session IN (SELECT value FROM json_each(?1))",
    "DELETE FROM lessons WHERE match_id IN (SELECT value FROM json_each(?2))",
    "DELETE FROM participations WHERE match_id IN (SELECT value FROM json_each(?2))",
    "DELETE FROM results WHERE match_id IN (SELECT value FROM json_each(?2))",
    "DELETE FROM seats WHERE match_id IN (SELECT value FROM json_each(?2))",
    "DELETE FROM sessions WHERE id IN (SELECT value FROM json_each(?1))",
    "DELETE FROM matches WHERE id IN (SELECT value FROM json_each(?2))",
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

    /// Removes the matches of these ended sessions, if only first messages were received in them; how many these
    /// were.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub async fn discard(&self, sessions: Vec<i64>) -> Result<u64, StoreError> {
        let mut gone = 0;
        for some in sessions.chunks(SESSIONS_AT_ONCE as usize) {
            let step = Instant::now();
            let void = Prune::Void(some.to_vec());
            gone += self.ask(|reply| Command::Prune(void, reply)).await?;
            tokio::time::sleep(step.elapsed() * PAUSE).await;
        }
        Ok(gone)
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
            self.ask(|reply| Command::Prune(Prune::Transcripts(sessions), reply))
                .await?;
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

/// What is given up of sessions.
#[derive(Debug)]
pub(super) enum Prune {
    /// What they hold beside their rows.
    Transcripts(Vec<i64>),
    /// Everything, if only first messages were received in their matches.
    Void(Vec<i64>),
}

/// Prunes these sessions in one transaction; gives how many matches are gone.
pub(super) async fn go(
    connection: &mut SqliteConnection,
    prune: &Prune,
) -> Result<u64, sqlx::Error> {
    sqlx::query("BEGIN IMMEDIATE")
        .execute(&mut *connection)
        .await?;
    let (sessions, matches, gone) = match prune {
        Prune::Transcripts(sessions) => (
            Value::from_iter(sessions.iter().copied()).to_string(),
            None,
            0,
        ),
        Prune::Void(sessions) => {
            let sessions = Value::from_iter(sessions.iter().copied()).to_string();
            let void: (String, String, i64) = sqlx::query_as(VOID)
                .bind(sessions)
                .fetch_one(&mut *connection)
                .await?;
            (void.0, Some(void.1), void.2)
        }
    };
    let forgotten = match &matches {
        Some(_) => FORGET.as_slice(),
        None => &[],
    };
    for statement in GO.iter().chain(forgotten) {
        let query = sqlx::query(*statement).bind(sessions.clone());
        let query = match matches.clone().filter(|_| statement.contains("?2")) {
            Some(matches) => query.bind(matches),
            None => query,
        };
        query.execute(&mut *connection).await?;
    }
    sqlx::query("COMMIT").execute(connection).await?;
    Ok(gone as u64)
}
