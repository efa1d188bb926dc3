//! Checking the file itself, and counting its contents without following its links.

use super::records::SessionRow;
use crate::store::damage;
use crate::store::sql::query_as;
use crate::store::startup;
use crate::store::types::EntryId;
use crate::store::{Reader, StoreError};
use sqlx::{AssertSqlSafe, SqliteConnection};
use std::collections::{BTreeSet, HashMap};

/// The maximum number of lines that `PRAGMA integrity_check` reports.
const INTEGRITY_LINES_MAX: usize = 100;

/// How many entries each session has, whatever their links say, and up to which entry they were counted.
#[derive(Debug, Default)]
pub struct EntryCounts {
    upto: Option<EntryId>,
    entries: HashMap<i64, u64>,
}

impl EntryCounts {
    /// `None` if the session may have grown since.
    #[must_use]
    pub fn entries(&self, session: &SessionRow) -> Option<u64> {
        session.ended_us?;
        if session.last_entry? > self.upto? {
            return None;
        }
        Some(self.entries.get(&session.id.0).copied().unwrap_or(0))
    }
}

const STRAYS: &str = "
    SELECT (SELECT count(*) FROM entries e
            WHERE NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = e.session))
         + (SELECT CAST(coalesce(sum(p.entries), 0) AS BIGINT) FROM packed p
            WHERE NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = p.session))";

/// Rows that contradict each other, with what is said of them.
const CONTRADICTIONS: [(&str, &str); 4] = [
    (STRAYS, "entries belong to no session"),
    (
        "SELECT count(*) FROM tournament_matches p LEFT JOIN matches m ON m.id = p.match_id
         LEFT JOIN tournament_rounds r ON r.tournament = p.tournament AND r.round = p.round
         WHERE m.ended_us IS NULL OR r.round IS NULL",
        "matches of tournaments have not ended or belong to no round",
    ),
    (
        "WITH names (tournament, name) AS MATERIALIZED
             (SELECT t.id, e.value ->> 'name' FROM tournaments t, json_each(t.entrants) e)
         SELECT count(*) FROM tournament_matches p JOIN seats s ON s.match_id = p.match_id
         WHERE (p.tournament, coalesce(s.entrant, '')) NOT IN (SELECT tournament, name FROM names)",
        "seats of tournaments' matches have no entrant of theirs",
    ),
    (
        "SELECT count(*) FROM tournaments t LEFT JOIN tournament_sizes z ON z.tournament = t.id
         WHERE coalesce(z.rounds, 0) <> (SELECT count(*) FROM tournament_rounds r WHERE r.tournament = t.id)
            OR coalesce(z.matches, 0) <> (SELECT count(*) FROM tournament_matches p WHERE p.tournament = t.id)",
        "tournaments have other numbers of rounds or matches than they say",
    ),
];

/// What SQLite reports about the file, and rows that contradict each other; empty if all is well.
pub async fn integrity(reader: &Reader) -> Vec<String> {
    let mut lines = match reader.pool().acquire().await {
        Ok(mut connection) => match connection.sqlite() {
            Some(connection) => damage::integrity(connection).await,
            None => Vec::new(),
        },
        Err(error) => vec![error.to_string()],
    };
    for (query, what) in CONTRADICTIONS {
        let found: Result<i64, _> = query_as(query).fetch_one(reader.pool()).await;
        match found {
            Ok(0) => {}
            Ok(found) => lines.push(format!("{found} {what}")),
            Err(error) => lines.push(format!("whether {what} cannot be found out: {error}")),
        }
    }
    lines.truncate(INTEGRITY_LINES_MAX);
    lines
}

/// The ids of all matches, newest first, past damaged pages.
///
/// # Errors
/// [`StoreError::Read`] if there is no reading at all.
pub async fn match_ids(reader: &Reader) -> Result<Vec<String>, StoreError> {
    let mut connection = reader.pool().acquire().await?;
    let Some(connection) = connection.sqlite() else {
        return Ok(query_as("SELECT id FROM matches ORDER BY id DESC")
            .fetch_all(&mut connection)
            .await?);
    };
    let mut ids = BTreeSet::new();
    // Sessions name the matches whose own rows are lost.
    for (table, id) in [("matches", "id"), ("sessions", "match_id")] {
        let take = async |connection: &mut SqliteConnection, from: i64, to: i64| {
            let mut rows = 0;
            for range in damage::RANGE {
                let query = format!("SELECT {id} FROM {table} {range}");
                let found = sqlx::query_scalar(AssertSqlSafe(query)).bind(from).bind(to);
                let found: Vec<String> = found.fetch_all(&mut *connection).await?;
                rows = found.len().max(rows);
                ids.extend(found);
            }
            Ok(rows as u64)
        };
        damage::walk(connection, take).await?;
    }
    Ok(ids.into_iter().rev().collect())
}

/// Counts the entries of all sessions, or of one match's, in one pass over the log and what
/// was packed of it.
///
/// # Errors
/// [`StoreError::Read`].
pub async fn entry_counts(reader: &Reader, only: Option<&str>) -> Result<EntryCounts, StoreError> {
    let upto = startup::last_entry(&mut reader.pool().acquire().await?).await?;
    let counts: Vec<(i64, i64)> = match only {
        None => {
            query_as(
                "SELECT session, CAST(sum(entries) AS BIGINT) FROM (
                     SELECT session, count(*) AS entries FROM entries GROUP BY session
                     UNION ALL SELECT session, entries FROM packed) AS counted GROUP BY session",
            )
            .fetch_all(reader.pool())
            .await?
        }
        Some(id) => {
            query_as(
                "SELECT s.id, (SELECT count(*) FROM entries e WHERE e.session = s.id
                               AND e.id BETWEEN s.first_entry AND s.last_entry)
                        + coalesce((SELECT p.entries FROM packed p WHERE p.session = s.id), 0)
                 FROM sessions s WHERE s.match_id = $1 AND s.ended_us IS NOT NULL",
            )
            .bind(id.to_owned())
            .fetch_all(reader.pool())
            .await?
        }
    };
    let counts = counts.into_iter();
    Ok(EntryCounts {
        upto: Some(EntryId(upto)),
        entries: counts
            .map(|(session, count)| (session, count as u64))
            .collect(),
    })
}
