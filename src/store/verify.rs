//! Checking the store against itself: every transcript is folded again and compared with what is stored.

use super::error::StoreError;
use super::handle::Store;
use super::records::{Filter, MatchRow, PageAt, SessionRow};
use super::refold::{Transcript, fold_match};
use serde::Serialize;

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
            let checked = self.check(row.ok_or_else(unknown)?).await?;
            summary.add(&checked);
            each(&checked);
            return Ok(summary);
        }
        summary.integrity = self.integrity().await?;
        let mut at = PageAt {
            after: None,
            limit: MATCHES_AT_A_TIME,
        };
        loop {
            let page = self.matches(&Filter::default(), &at).await?;
            for row in page.items {
                let checked = self.check(row).await?;
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

    async fn check(&self, row: MatchRow) -> Result<Checked, StoreError> {
        let sessions = self.sessions_of(&row.id).await?;
        let opened = self.opened_match(&row.id).await?;
        let facts = self.facts(&row.id).await?;
        let mut transcripts = Vec::with_capacity(sessions.len());
        let mut broken = Vec::new();
        for session in sessions {
            let counted = self.counted(&session).await?;
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

    /// How many entries an ended session has within its range, whatever their links say.
    async fn counted(&self, session: &SessionRow) -> Result<Option<u64>, StoreError> {
        let Some(last) = session.last_entry.filter(|_| session.ended_us.is_some()) else {
            return Ok(None);
        };
        let count: i64 = sqlx::query_scalar(
            "SELECT count(*) FROM entries WHERE session = ? AND id <= ? AND id >=
             (SELECT first_entry FROM sessions WHERE id = ?)",
        )
        .bind(session.id.0)
        .bind(last.0)
        .bind(session.id.0)
        .fetch_one(self.readers())
        .await?;
        Ok(Some(count as u64))
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
