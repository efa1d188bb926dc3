//! Checking the store against itself: every transcript is folded again and compared with what is stored.

use super::error::StoreError;
use super::handle::Store;
use super::records::{Filter, MatchRow, PageAt, SessionRow};
use super::refold::{Transcript, fold_match};
use super::types::EntryId;
use serde::Serialize;
use std::collections::HashMap;

/// Matches read at a time.
const MATCHES_AT_A_TIME: u32 = 50;
/// What `PRAGMA integrity_check` reports at most.
const INTEGRITY_LINES_MAX: usize = 100;

/// Something that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The session, where it is about one.
    pub session: Option<i64>,
    /// What differs, as a sentence.
    pub what: String,
}

/// One match, checked.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    /// Which.
    pub match_id: String,
    /// Its sessions.
    pub sessions: u64,
    /// Their entries.
    pub entries: u64,
    /// What is wrong with it.
    pub differences: Vec<Difference>,
}

/// The whole store, checked.
#[derive(Clone, Debug, Default, Serialize)]
pub struct VerifySummary {
    /// Matches checked.
    pub matches: u64,
    /// Their sessions.
    pub sessions: u64,
    /// Their entries.
    pub entries: u64,
    /// Differences found in them.
    pub differences: u64,
    /// What SQLite says about the file, and rows that belong to nothing; empty if all is well.
    pub integrity: Vec<String>,
}

impl VerifySummary {
    /// Whether nothing is wrong.
    #[must_use]
    pub fn clean(&self) -> bool {
        self.differences == 0 && self.integrity.is_empty()
    }
}

/// How many entries each session has, whatever their links say, and up to which entry they were
/// counted.
#[derive(Default)]
struct Counted {
    upto: Option<EntryId>,
    entries: HashMap<i64, u64>,
}

impl Counted {
    /// `None` if the session may have grown since.
    fn of(&self, session: &SessionRow) -> Option<u64> {
        session.ended_us?;
        if session.last_entry? > self.upto? {
            return None;
        }
        Some(self.entries.get(&session.id.0).copied().unwrap_or(0))
    }
}

impl Store {
    /// Checks one match or all of them, telling each as it goes; of all, also the file itself.
    ///
    /// # Errors
    /// [`StoreError::Read`] if the file cannot be read at all; [`StoreError::Unknown`] if there is
    /// no such match.
    pub async fn verify(
        &self,
        only: Option<&str>,
        mut each: impl FnMut(&Checked),
    ) -> Result<VerifySummary, StoreError> {
        let mut summary = VerifySummary::default();
        if let Some(id) = only {
            let row = self.match_row(id).await?;
            let unknown = || StoreError::Unknown {
                what: "match",
                id: id.to_owned(),
            };
            let row = row.ok_or_else(unknown)?;
            let counted = self.count(Some(id)).await?;
            let checked = self.check(row, &counted).await?;
            summary.add(&checked);
            each(&checked);
            return Ok(summary);
        }
        summary.integrity = self.integrity().await?;
        let counted = self.count(None).await?;
        let mut at = PageAt {
            after: None,
            limit: MATCHES_AT_A_TIME,
        };
        loop {
            let page = self.matches(&Filter::default(), &at).await?;
            for row in page.items {
                let checked = self.check(row, &counted).await?;
                summary.add(&checked);
                each(&checked);
            }
            match page.next {
                Some(next) => at.after = Some(next),
                None => return Ok(summary),
            }
        }
    }

    async fn integrity(&self) -> Result<Vec<String>, StoreError> {
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

    async fn check(&self, row: MatchRow, count: &Counted) -> Result<Checked, StoreError> {
        let sessions = self.sessions_of(&row.id).await?;
        let opened = self.opened_match(&row.id).await?;
        let facts = self.facts(&row.id).await?;
        let mut transcripts = Vec::with_capacity(sessions.len());
        let mut broken = Vec::new();
        for session in sessions {
            let counted = count.of(&session);
            match self.entries(std::slice::from_ref(&session)).await {
                Ok(entries) => transcripts.push(Transcript {
                    session,
                    entries,
                    counted,
                }),
                Err(StoreError::Corrupt(what)) => {
                    broken.push(Difference {
                        session: Some(session.id.0),
                        what,
                    });
                }
                Err(error) => return Err(error),
            }
        }
        let kit = self.kit_of();
        let folding = tokio::task::spawn_blocking(move || {
            let mut checked = fold_match(&row, opened.as_ref(), &transcripts, &facts, kit);
            checked.differences.append(&mut broken);
            checked
        });
        folding
            .await
            .map_err(|error| StoreError::Corrupt(format!("folding failed: {error}")))
    }

    /// Counts the entries of all sessions, or of one match's, in one reading of the log.
    async fn count(&self, only: Option<&str>) -> Result<Counted, StoreError> {
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
        Ok(Counted {
            upto: upto.map(EntryId),
            entries: counts
                .map(|(session, count)| (session, count as u64))
                .collect(),
        })
    }
}

impl VerifySummary {
    fn add(&mut self, checked: &Checked) {
        self.matches += 1;
        self.sessions += checked.sessions;
        self.entries += checked.entries;
        self.differences += checked.differences.len() as u64;
    }
}
