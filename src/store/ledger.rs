//! Reading the deadline ledger.

use super::error::StoreError;
use super::handle::Store;
use super::pages::{cut, number_after};
use super::records::{LedgerLine, Page, PageAt};
use super::types::{EntryId, LedgerRow, SessionId};
use serde_json::json;
use sqlx::Row as _;
use sqlx::sqlite::SqliteRow;

impl Store {
    /// The ledger's rows after the first `skip` ones, oldest first, at most `limit`. Rows wait up to a second
    /// before they are written.
    ///
    /// # Errors
    /// [`StoreError::Read`].
    pub async fn ledger(&self, skip: u64, limit: u32) -> Result<Vec<LedgerRow>, StoreError> {
        let rows = sqlx::query("SELECT * FROM ledger ORDER BY id LIMIT ? OFFSET ?")
            .bind(i64::from(limit))
            .bind(i64::try_from(skip).unwrap_or(i64::MAX))
            .fetch_all(self.readers())
            .await?;
        rows.iter().map(row).collect()
    }

    /// The ledger of these sessions, oldest first. Its cursor is a row's number.
    ///
    /// # Errors
    /// [`StoreError::Read`], [`StoreError::Unknown`] for a bad cursor.
    pub async fn ledger_page(
        &self,
        sessions: &[SessionId],
        at: &PageAt,
    ) -> Result<Page<LedgerLine>, StoreError> {
        let rows = sqlx::query(
            "SELECT l.*, s.game FROM ledger l JOIN sessions s ON s.id = l.session
             WHERE l.session IN (SELECT value FROM json_each(?)) AND l.id > ? ORDER BY l.id LIMIT ?",
        )
        .bind(json!(sessions).to_string())
        .bind(number_after(at)?)
        .bind(i64::from(at.limit) + 1)
        .fetch_all(self.readers())
        .await?;
        let lines = rows.iter().map(line).collect::<Result<Vec<_>, _>>()?;
        Ok(cut(lines, at, |line| line.id.to_string()))
    }

    /// The ledger's newest rows, newest first.
    ///
    /// # Errors
    /// [`StoreError::Read`].
    pub async fn ledger_newest(&self, limit: u32) -> Result<Vec<LedgerLine>, StoreError> {
        let rows = sqlx::query(
            "SELECT l.*, s.game FROM ledger l JOIN sessions s ON s.id = l.session
             ORDER BY l.id DESC LIMIT ?",
        )
        .bind(i64::from(limit))
        .fetch_all(self.readers())
        .await?;
        rows.iter().map(line).collect()
    }
}

fn line(found: &SqliteRow) -> Result<LedgerLine, StoreError> {
    Ok(LedgerLine {
        id: found.try_get("id")?,
        game: found.try_get("game")?,
        row: row(found)?,
    })
}

fn row(row: &SqliteRow) -> Result<LedgerRow, StoreError> {
    Ok(LedgerRow {
        session: SessionId(row.try_get("session")?),
        entry: EntryId(row.try_get("entry")?),
        at_us: row.try_get("at_us")?,
        queued_us: row.try_get("queued_us")?,
        thought_us: row.try_get("thought_us")?,
        committed_us: row.try_get("committed_us")?,
        sent_us: row.try_get("sent_us")?,
        limit_us: row.try_get("limit_us")?,
        fallback: row.try_get("fallback")?,
    })
}
