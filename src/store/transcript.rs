//! Reading a session's transcript, from the log or from where it was packed.

use super::error::StoreError;
use super::log::Part;
use super::packed;
use super::server;
use super::types::{Direction, Entry, EntryId, SessionId};
use crate::store::sql::{Connection, Row, query, query_as};

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
pub(crate) async fn read(
    connection: &mut Connection,
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
            query_as("SELECT packed IS NOT DISTINCT FROM 2 FROM sessions WHERE id = $1")
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

const WALK_PART: &str = "WITH RECURSIVE walk (id, previous) AS (
        SELECT id, previous FROM entries WHERE id = $1 AND session = $2
        UNION ALL
        SELECT e.id, e.previous FROM walk JOIN entries e ON e.id = walk.previous
        WHERE e.session = $2 AND e.id < walk.id AND e.id > $3
    ) SELECT e.id, e.previous, e.at_us, e.direction, e.text, (SELECT count(*) FROM walk)
      FROM (SELECT id FROM walk ORDER BY id LIMIT $4) w JOIN entries e ON e.id = w.id ORDER BY e.id";

/// A part of a transcript, the oldest entry first, of which no more is held if it is in the log.
pub(crate) async fn read_part(
    connection: &mut Connection,
    session: SessionId,
    part: &Part,
) -> Result<Vec<Entry>, StoreError> {
    if connection.is_postgres() {
        return match server::entries(connection, session, part).await? {
            Some(entries) => Ok(entries),
            None => read_packed_part(connection, session, part).await,
        };
    }
    let rows = query(WALK_PART)
        .bind(part.head.0)
        .bind(session.0)
        .bind(part.after)
        .bind(i64::try_from(part.most).unwrap_or(i64::MAX))
        .fetch_all(&mut *connection)
        .await?;
    let Some(oldest) = rows.first() else {
        return read_packed_part(connection, session, part).await;
    };
    let previous: Option<i64> = oldest.try_get(1)?;
    if let Some(previous) = previous.filter(|previous| *previous > part.after) {
        let why = format!("entry {previous} of session {} is missing", session.0);
        return Err(StoreError::Corrupt(why));
    }
    let walked = oldest.try_get::<i64>(5)? as u64;
    let mut entries = Vec::with_capacity(rows.len());
    for (seq, row) in (part.count.saturating_sub(walked)..).zip(&rows) {
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

async fn read_packed_part(
    connection: &mut Connection,
    session: SessionId,
    part: &Part,
) -> Result<Vec<Entry>, StoreError> {
    let mut entries = read(connection, session, part.head).await?;
    entries.retain(|entry| entry.id.0 > part.after);
    entries.truncate(part.most);
    Ok(entries)
}

/// Follows the links back from `head`; returns the oldest first, `None` if `head` is not in the log.
pub(crate) async fn walk(
    connection: &mut Connection,
    session: SessionId,
    head: EntryId,
) -> Result<Option<Vec<Entry>>, StoreError> {
    if connection.is_postgres() {
        let part = Part {
            head,
            count: 0,
            after: 0,
            most: ENTRIES_MAX as usize,
        };
        return server::entries(connection, session, &part).await;
    }
    let rows = query(WALK)
        .bind(head.0)
        .bind(session.0)
        .bind(ENTRIES_MAX)
        .fetch_all(connection)
        .await?;
    let Some(oldest) = rows.last() else {
        return Ok(None);
    };
    if let Some(previous) = oldest.try_get::<Option<i64>>(1)? {
        let why = format!("entry {previous} of session {} is missing", session.0);
        return Err(StoreError::Corrupt(why));
    }
    let entries = (0..)
        .zip(rows.iter().rev())
        .map(|(seq, row)| entry(seq, row));
    entries.collect::<Result<_, _>>().map(Some)
}

fn entry(seq: u64, row: &Row) -> Result<Entry, StoreError> {
    Ok(Entry {
        id: EntryId(row.try_get(0)?),
        seq,
        at_us: row.try_get(2)?,
        direction: Direction::from_number(row.try_get(3)?)?,
        text: row.try_get(4)?,
    })
}
