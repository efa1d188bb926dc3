//! Reading a session's transcript.

use super::error::StoreError;
use super::types::{Direction, Entry, EntryId, SessionId};
use sqlx::{Row as _, SqliteConnection};

/// The maximum number of entries read of one session; no wire's match comes near.
const ENTRIES_MAX: i64 = 10_000_000;

const WALK: &str = "WITH RECURSIVE walk (id, previous, at_us, direction, text) AS (
        SELECT id, previous, at_us, direction, text FROM entries WHERE id = $1 AND session = $2
        UNION ALL
        SELECT e.id, e.previous, e.at_us, e.direction, e.text
        FROM walk JOIN entries e ON e.id = walk.previous
        WHERE e.session = $2 AND e.id < walk.id
    ) SELECT id, previous, at_us, direction, text FROM walk LIMIT $3";

/// Follows the links back from `head`; returns the oldest first.
pub(super) async fn walk(
    connection: &mut SqliteConnection,
    session: SessionId,
    head: EntryId,
) -> Result<Vec<Entry>, StoreError> {
    let rows = sqlx::query(WALK)
        .bind(head.0)
        .bind(session.0)
        .bind(ENTRIES_MAX)
        .fetch_all(connection)
        .await?;
    let Some(oldest) = rows.last() else {
        let why = format!("entry {} is not of session {}", head.0, session.0);
        return Err(StoreError::Corrupt(why));
    };
    if let Some(previous) = oldest.try_get::<Option<i64>, _>(1)? {
        let why = format!("entry {previous} of session {} is missing", session.0);
        return Err(StoreError::Corrupt(why));
    }
    let mut entries = Vec::with_capacity(rows.len());
    for (seq, row) in (0..).zip(rows.iter().rev()) {
        entries.push(Entry {
            id: EntryId(row.try_get(0)?),
            seq,
            at_us: row.try_get(2)?,
            direction: Direction::from_number(row.try_get(3)?)?,
            text: row.try_get(4)?,
        });
    }
    Ok(entries)
}
