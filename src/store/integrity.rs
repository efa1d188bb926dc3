//! Checking the file itself, and counting its contents without following its links.

use super::error::StoreError;
use super::handle::Store;
use super::records::SessionRow;
use super::types::EntryId;
use std::collections::HashMap;

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
    pub fn of(&self, session: &SessionRow) -> Option<u64> {
        session.ended_us?;
        if session.last_entry? > self.upto? {
            return None;
        }
        Some(self.entries.get(&session.id.0).copied().unwrap_or(0))
    }
}

impl Store {
    /// What SQLite reports about the file, and entries that belong to no session; empty if all is well.
    ///
    /// # Errors
    /// [`StoreError::Read`].
    pub async fn integrity(&self) -> Result<Vec<String>, StoreError> {
        let mut lines: Vec<String> = sqlx::query_scalar("PRAGMA integrity_check")
            .fetch_all(self.readers())
            .await?;
        lines.retain(|line| line != "ok");
        let strays: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM entries e WHERE NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = e.session)",
        )
        .fetch_one(self.readers())
        .await?;
        if strays > 0 {
            lines.push(format!("{strays} entries belong to no session"));
        }
        lines.truncate(INTEGRITY_LINES_MAX);
        Ok(lines)
    }

    /// Counts the entries of all sessions, or of one match's, in one pass over the log.
    ///
    /// # Errors
    /// [`StoreError::Read`].
    pub async fn entry_counts(&self, only: Option<&str>) -> Result<EntryCounts, StoreError> {
        let upto: Option<i64> = sqlx::query_scalar("SELECT max(id) FROM entries")
            .fetch_one(self.readers())
            .await?;
        let counts: Vec<(i64, i64)> = match only {
            None => {
                sqlx::query_as("SELECT session, count(*) FROM entries GROUP BY session")
                    .fetch_all(self.readers())
                    .await?
            }
            Some(id) => {
                sqlx::query_as(
                    "SELECT s.id, (SELECT count(*) FROM entries e WHERE e.session = s.id
                                   AND e.id BETWEEN s.first_entry AND s.last_entry)
                     FROM sessions s WHERE s.match_id = ? AND s.ended_us IS NOT NULL",
                )
                .bind(id.to_owned())
                .fetch_all(self.readers())
                .await?
            }
        };
        let counts = counts.into_iter();
        Ok(EntryCounts {
            upto: upto.map(EntryId),
            entries: counts
                .map(|(session, count)| (session, count as u64))
                .collect(),
        })
    }
}
