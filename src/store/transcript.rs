//! Reading a session's transcript, from the log or from where it was packed.

use super::error::StoreError;
use super::packed;
use super::types::{Direction, Entry, EntryId, SessionId};
use sqlx::sqlite::SqliteRow;
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

/// The transcript up to `head`, the oldest first: by the links back from there, or from its packed row.
pub(super) async fn read(
    connection: &mut SqliteConnection,
    session: SessionId,
    head: EntryId,
) -> Result<Vec<Entry>, StoreError> {
    if let Some(entries) = walk(&mut *connection, session, head).await? {
        return Ok(entries);
    }
    // Packing moves all of it at once, and only in this direction: what is not in the log was packed before.
    let mut entries = packed::read(&mut *connection, session)
        .await?
        .unwrap_or_default();
    let end = entries.iter().position(|entry| entry.id == head);
    let Some(end) = end else {
        let pruned: Option<bool> =
            sqlx::query_scalar("SELECT packed IS 2 FROM sessions WHERE id = ?")
                .bind(session.0)
                .fetch_optional(connection)
                .await?;
        if pruned == Some(true) {
            return Err(StoreError::Pruned { session: session.0 });
        }
        let why = format!("entry {} is not of session {}", head.0, session.0);
        return Err(StoreError::Corrupt(why));
    };
    entries.truncate(end + 1);
    Ok(entries)
}

const TAIL: &str = "WITH RECURSIVE walk (id, previous, at_us, direction, text) AS (
        SELECT id, previous, at_us, direction, text FROM entries WHERE id = $1 AND session = $2 AND id > $3
        UNION ALL
        SELECT e.id, e.previous, e.at_us, e.direction, e.text
        FROM walk JOIN entries e ON e.id = walk.previous
        WHERE e.session = $2 AND e.id < walk.id AND e.id > $3
    ) SELECT id, previous, at_us, direction, text FROM walk LIMIT $4";

/// The entries after `after` up to `last`, which is the `count`th, the oldest first.
pub(super) async fn tail(
    connection: &mut SqliteConnection,
    session: SessionId,
    after: EntryId,
    (last, count): (EntryId, u64),
) -> Result<Vec<Entry>, StoreError> {
    if last <= after {
        return Ok(Vec::new());
    }
    let rows = sqlx::query(TAIL)
        .bind(last.0)
        .bind(session.0)
        .bind(after.0)
        .bind(ENTRIES_MAX)
        .fetch_all(&mut *connection)
        .await?;
    if rows.is_empty() {
        // It has ended and been packed meanwhile.
        let mut entries = read(connection, session, last).await?;
        entries.retain(|entry| entry.id > after);
        return Ok(entries);
    }
    let first = count.saturating_sub(rows.len() as u64);
    (first..)
        .zip(rows.iter().rev())
        .map(|(seq, row)| entry(seq, row))
        .collect()
}

/// Follows the links back from `head`; returns the oldest first, `None` if `head` is not in the log.
pub(super) async fn walk(
    connection: &mut SqliteConnection,
    session: SessionId,
    head: EntryId,
) -> Result<Option<Vec<Entry>>, StoreError> {
    let rows = sqlx::query(WALK)
        .bind(head.0)
        .bind(session.0)
        .bind(ENTRIES_MAX)
        .fetch_all(connection)
        .await?;
    let Some(oldest) = rows.last() else {
        return Ok(None);
    };
    if let Some(previous) = oldest.try_get::<Option<i64>, _>(1)? {
        let why = format!("entry {previous} of session {} is missing", session.0);
        return Err(StoreError::Corrupt(why));
    }
    let entries = (0..)
        .zip(rows.iter().rev())
        .map(|(seq, row)| entry(seq, row));
    entries.collect::<Result<_, _>>().map(Some)
}

fn entry(seq: u64, row: &SqliteRow) -> Result<Entry, StoreError> {
    Ok(Entry {
        id: EntryId(row.try_get(0)?),
        seq,
        at_us: row.try_get(2)?,
        direction: Direction::from_number(row.try_get(3)?)?,
        text: row.try_get(4)?,
    })
}
