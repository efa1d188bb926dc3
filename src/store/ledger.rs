//! Reading the deadline ledger.

use super::error::StoreError;
use super::handle::Store;
use super::types::{EntryId, LedgerRow, SessionId};
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
