//! Reading the deadline ledger.

use super::pages::{cut, number_after};
use super::records::{LedgerLine, Page, PageAt};
use crate::store::sql::{Row, query};
use crate::store::types::{EntryId, LedgerRow, SessionId};
use crate::store::{Reader, StoreError};
use serde_json::json;

/// The ledger of these sessions, oldest first. Its cursor is a row's number.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Unknown`] for a bad cursor.
pub async fn ledger_page(
    reader: &Reader,
    sessions: &[SessionId],
    at: &PageAt,
) -> Result<Page<LedgerLine>, StoreError> {
    let rows = query(
        "SELECT l.*, s.game FROM ledger l JOIN sessions s ON s.id = l.session
         WHERE l.session IN (SELECT CAST(value AS BIGINT) FROM json_each($1)) AND l.id > $2 ORDER BY l.id LIMIT $3",
    )
    .bind(json!(sessions).to_string())
    .bind(number_after(at)?)
    .bind(i64::from(at.limit) + 1)
    .fetch_all(reader.pool())
    .await?;
    let lines = rows.iter().map(line).collect::<Result<Vec<_>, _>>()?;
    Ok(cut(lines, at, |line| line.id.to_string()))
}

/// The ledger's newest rows, newest first. Rows wait up to a second before they are written.
///
/// # Errors
/// [`StoreError::Read`].
pub async fn ledger_newest(reader: &Reader, limit: u32) -> Result<Vec<LedgerLine>, StoreError> {
    let rows = query(
        "SELECT l.*, s.game FROM ledger l JOIN sessions s ON s.id = l.session
         ORDER BY l.id DESC LIMIT $1",
    )
    .bind(i64::from(limit))
    .fetch_all(reader.pool())
    .await?;
    rows.iter().map(line).collect()
}

fn line(found: &Row) -> Result<LedgerLine, StoreError> {
    Ok(LedgerLine {
        id: found.try_get("id")?,
        game: found.try_get("game")?,
        row: LedgerRow {
            session: SessionId(found.try_get("session")?),
            entry: EntryId(found.try_get("entry")?),
            at_us: found.try_get("at_us")?,
            queued_us: found.try_get("queued_us")?,
            thought_us: found.try_get("thought_us")?,
            committed_us: found.try_get("committed_us")?,
            sent_us: found.try_get("sent_us")?,
            limit_us: found.try_get("limit_us")?,
            fallback: found.try_get("fallback")?,
        },
    })
}
