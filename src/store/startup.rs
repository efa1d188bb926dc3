//! What start-up reads: the live sessions, from the stored heads and the entries after them.

use super::error::StoreError;
use super::rows;
use super::types::{EntryId, LiveSession, SessionId};
use sqlx::{Row as _, SqliteConnection};
use std::collections::HashMap;

/// What the writer starts from.
#[derive(Debug)]
pub(super) struct Start {
    pub(super) live: Vec<LiveSession>,
    pub(super) last_session: i64,
    pub(super) last_entry: i64,
    /// The last entry that the stored heads cover.
    pub(super) heads_at: i64,
}

/// A session's last entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) entry: i64,
    pub(super) count: u64,
    pub(super) at_us: i64,
}

/// Bytes of one head in `heads.packed`.
const PACKED_LEN: usize = 32;

/// Packs heads for `heads.packed`.
pub(super) fn pack(heads: impl Iterator<Item = (i64, Head)>) -> Vec<u8> {
    let mut packed = Vec::with_capacity(heads.size_hint().0 * PACKED_LEN);
    for (session, head) in heads {
        packed.extend_from_slice(&session.to_le_bytes());
        packed.extend_from_slice(&head.entry.to_le_bytes());
        packed.extend_from_slice(&head.count.to_le_bytes());
        packed.extend_from_slice(&head.at_us.to_le_bytes());
    }
    packed
}

fn unpack(packed: &[u8]) -> Result<HashMap<i64, Head>, StoreError> {
    let (heads, rest) = packed.as_chunks::<PACKED_LEN>();
    if !rest.is_empty() {
        return Err(StoreError::Corrupt("the stored heads are cut short".into()));
    }
    let mut unpacked = HashMap::with_capacity(heads.len());
    for head in heads {
        let (words, _) = head.as_chunks::<8>();
        if let [session, entry, count, at_us] = words {
            let head = Head {
                entry: i64::from_le_bytes(*entry),
                count: u64::from_le_bytes(*count),
                at_us: i64::from_le_bytes(*at_us),
            };
            unpacked.insert(i64::from_le_bytes(*session), head);
        }
    }
    Ok(unpacked)
}

/// Reads all that the writer and the registry start from.
pub(super) async fn read(connection: &mut SqliteConnection) -> Result<Start, StoreError> {
    // One read transaction: a writer may be at work beside us.
    sqlx::query("BEGIN").execute(&mut *connection).await?;
    let start = read_all(connection).await;
    sqlx::query("COMMIT").execute(&mut *connection).await?;
    start
}

async fn read_all(connection: &mut SqliteConnection) -> Result<Start, StoreError> {
    let counters = sqlx::query(
        "SELECT (SELECT coalesce(max(id), 0) FROM sessions), (SELECT coalesce(max(id), 0) FROM entries)",
    )
    .fetch_one(&mut *connection)
    .await?;
    let (heads_at, packed) = stored_heads(&mut *connection).await?;
    let mut heads = unpack(&packed)?;
    follow(connection, heads_at, &mut heads).await?;
    let rows = sqlx::query(LIVE).fetch_all(connection).await?;
    let mut live = Vec::with_capacity(rows.len());
    for row in &rows {
        let id: i64 = row.try_get(0)?;
        let head = heads.get(&id);
        live.push(LiveSession {
            id: SessionId(id),
            opened: rows::opened(row)?,
            head: head
                .filter(|head| head.count > 0)
                .map(|head| EntryId(head.entry)),
            seq: head.map_or(0, |head| head.count),
            last_us: head.map_or(row.try_get(12)?, |head| head.at_us),
        });
    }
    Ok(Start {
        live,
        last_session: counters.try_get(0)?,
        last_entry: counters.try_get(1)?,
        heads_at,
    })
}

/// The columns of [`rows::opened`] for every session that has not ended, and when it was opened.
const LIVE: &str = "SELECT s.id, s.match_id, s.side, s.game, s.bot, s.referee, s.market, s.player, \
                    s.seat, s.seed, s.setup, s.durability, s.opened_us \
                    FROM sessions s WHERE s.ended_us IS NULL ORDER BY s.id";

/// Adds the entries after the stored heads.
async fn follow(
    connection: &mut SqliteConnection,
    heads_at: i64,
    heads: &mut HashMap<i64, Head>,
) -> Result<(), StoreError> {
    let rows = sqlx::query(
        "SELECT session, max(id), count(*), max(at_us) FROM entries WHERE id > $1 GROUP BY session",
    )
    .bind(heads_at)
    .fetch_all(connection)
    .await?;
    for row in &rows {
        let earlier = heads.get(&row.try_get(0)?);
        let at_us: i64 = row.try_get(3)?;
        let head = Head {
            entry: row.try_get(1)?,
            count: earlier.map_or(0, |head| head.count) + row.try_get::<i64, _>(2)? as u64,
            at_us: earlier.map_or(at_us, |head| head.at_us.max(at_us)),
        };
        heads.insert(row.try_get(0)?, head);
    }
    Ok(())
}

/// The last entry of one live session.
pub(super) async fn head(
    connection: &mut SqliteConnection,
    session: SessionId,
) -> Result<Option<Head>, StoreError> {
    let (heads_at, packed) = stored_heads(&mut *connection).await?;
    let earlier = unpack(&packed)?.get(&session.0).copied();
    let (entry, count, at_us): (Option<i64>, i64, Option<i64>) = sqlx::query_as(
        "SELECT max(id), count(*), max(at_us) FROM entries WHERE id > $1 AND session = $2",
    )
    .bind(heads_at)
    .bind(session.0)
    .fetch_one(connection)
    .await?;
    Ok(match (entry, at_us) {
        (Some(entry), Some(at_us)) => {
            let count = earlier.map_or(0, |head| head.count) + count as u64;
            Some(Head {
                entry,
                count,
                at_us,
            })
        }
        _ => earlier.filter(|head| head.count > 0),
    })
}

async fn stored_heads(connection: &mut SqliteConnection) -> Result<(i64, Vec<u8>), StoreError> {
    let stored: Option<(i64, Vec<u8>)> = sqlx::query_as("SELECT entry, packed FROM heads")
        .fetch_optional(connection)
        .await?;
    Ok(stored.unwrap_or_default())
}

/// Notes which versions of the built-in bots this database has met.
pub(super) async fn register_bots(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    let mut bots = Vec::new();
    for kit in games::ALL {
        for bot in kit.bots() {
            bots.push((kit.game(), bot.name, bot.version, bot.signature as i64));
        }
    }
    let bots =
        serde_json::to_string(&bots).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    sqlx::query(
        "INSERT INTO bots (game, name, version, signature, first_seen_us)
         SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, CAST(unixepoch('subsec') * 1e6 AS INTEGER)
         FROM json_each($1) WHERE true ON CONFLICT DO NOTHING",
    )
    .bind(bots)
    .execute(connection)
    .await?;
    Ok(())
}
