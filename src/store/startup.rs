//! What start-up reads: the live sessions, from the stored heads and the entries after them.

use super::error::StoreError;
use super::log::Head;
use super::rows;
use super::rules::BotVersion;
use super::server;
use super::types::{Durability, EntryId, LiveSession, NewSession, SessionId, Side};
use super::writer::HEADS;
use crate::store::sql::{Connection, query, query_as};
use serde::Deserialize;
use std::borrow::Cow;
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

pub(super) fn unpack(packed: &[u8]) -> Result<HashMap<i64, Head>, StoreError> {
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

/// Reads everything that the writer and the registry start from.
pub(super) async fn read(connection: &mut Connection) -> Result<Start, StoreError> {
    // One read transaction: a writer may be working at the same time.
    connection.begin_reading().await?;
    let start = read_all(connection).await;
    connection.commit().await?;
    start
}

/// The last entry's number, wherever the entry is now; 0 before the first. On a server the last number up to which nothing
/// more is committed.
pub(crate) async fn last_entry(connection: &mut Connection) -> Result<i64, sqlx::Error> {
    match connection.is_postgres() {
        true => server::horizon(connection).await,
        false => query_as(LAST_ENTRY).fetch_one(connection).await,
    }
}

/// The number up to which facts, bluffs and changes can be read: what is committed later has a greater one.
pub(crate) async fn horizon(connection: &mut Connection) -> Result<i64, sqlx::Error> {
    match connection.is_postgres() {
        true => server::horizon(connection).await,
        false => Ok(i64::MAX),
    }
}

const LAST_ENTRY: &str = "
    SELECT max((SELECT coalesce(max(id), 0) FROM entries),
               (SELECT coalesce(max(last_entry), 0) FROM packed),
               (SELECT coalesce(max(entry), 0) FROM heads))";

/// The highest number of an entry that anything else names: the entry may be lost.
const LAST_NAMED: &str = "
    SELECT max((SELECT max(coalesce(max(last_entry), 0), coalesce(max(first_entry), 0)) FROM sessions),
               (SELECT coalesce(max(entry), 0) FROM facts),
               (SELECT coalesce(max(entry), 0) FROM ledger))";

/// Stores the heads of a database that was put together from what was left of another: the numbers of its lost
/// entries are not given again.
pub(super) async fn keep_numbers(connection: &mut Connection) -> Result<(), sqlx::Error> {
    let named: i64 = query_as(LAST_NAMED).fetch_one(&mut *connection).await?;
    let last: i64 = query_as(LAST_ENTRY).fetch_one(&mut *connection).await?;
    let mut heads = HashMap::new();
    follow(connection, 0, &mut heads).await?;
    query(HEADS)
        .bind(last.max(named))
        .bind(pack(heads.into_iter()))
        .execute(connection)
        .await?;
    Ok(())
}

async fn read_all(connection: &mut Connection) -> Result<Start, StoreError> {
    let last_session = query_as("SELECT coalesce(max(id), 0) FROM sessions")
        .fetch_one(&mut *connection)
        .await?;
    if connection.is_postgres() {
        let heads = server::heads(connection).await?;
        return Ok(Start {
            live: read_live(connection, &heads).await?,
            last_session,
            last_entry: 0,
            heads_at: 0,
        });
    }
    let last_entry = last_entry(connection).await?;
    let (heads_at, packed) = stored_heads(&mut *connection).await?;
    let mut heads = unpack(&packed)?;
    follow(connection, heads_at, &mut heads).await?;
    let live = read_live(connection, &heads).await?;
    Ok(Start {
        live,
        last_session,
        last_entry,
        heads_at,
    })
}

/// Every session that has not ended, as chunks of JSON: ten thousand separate rows take longer.
const LIVE: &str = "
    SELECT coalesce(CAST(json_group_array(json_array(id, match_id, side, game, bot, referee, market, player, seat,
                                                     seed, setup, durability, opened_us)) AS TEXT), '[]')
    FROM (SELECT * FROM sessions WHERE ended_us IS NULL AND id > $1 ORDER BY id LIMIT $2) AS live";

/// Sessions of one chunk.
const LIVE_AT_A_TIME: i64 = 4096;

/// A row of [`LIVE`].
#[derive(Deserialize)]
pub(super) struct LiveRow<'a>(
    i64,
    Cow<'a, str>,
    Side,
    Cow<'a, str>,
    Cow<'a, str>,
    Cow<'a, str>,
    i64,
    i64,
    Option<u8>,
    i64,
    Cow<'a, str>,
    Durability,
    i64,
);

/// The rows of a chunk of [`LIVE`].
pub(super) fn live_rows(chunk: &str) -> Result<Vec<LiveRow<'_>>, StoreError> {
    serde_json::from_str(chunk)
        .map_err(|error| StoreError::Corrupt(format!("a live session: {error}")))
}

async fn read_live(
    connection: &mut Connection,
    heads: &HashMap<i64, Head>,
) -> Result<Vec<LiveSession>, StoreError> {
    let mut live = Vec::new();
    let mut after = 0;
    loop {
        let chunk: String = query_as(LIVE)
            .bind(after)
            .bind(LIVE_AT_A_TIME)
            .fetch_one(&mut *connection)
            .await?;
        let rows = live_rows(&chunk)?;
        let Some(last) = rows.last() else {
            return Ok(live);
        };
        after = last.0;
        for row in rows {
            live.push(live_session(row, heads)?);
        }
    }
}

fn live_session(row: LiveRow<'_>, heads: &HashMap<i64, Head>) -> Result<LiveSession, StoreError> {
    let head = heads.get(&row.0);
    Ok(LiveSession {
        id: SessionId(row.0),
        opened: NewSession {
            match_id: row.1.into_owned(),
            side: row.2,
            game: row.3.into_owned(),
            bot: row.4.into_owned(),
            referee: row.5.into_owned(),
            market: row.6 as u64,
            player: row.7 as u64,
            seat: row.8,
            seed: row.9 as u64,
            setup: rows::json(&row.10)?,
            durability: row.11,
        },
        head: head
            .filter(|head| head.count > 0)
            .map(|head| EntryId(head.entry)),
        seq: head.map_or(0, |head| head.count),
        last_us: head.map_or(row.12, |head| head.at_us),
    })
}

/// Adds the entries after the stored heads.
async fn follow(
    connection: &mut Connection,
    heads_at: i64,
    heads: &mut HashMap<i64, Head>,
) -> Result<(), sqlx::Error> {
    let rows = query(
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
            count: earlier.map_or(0, |head| head.count) + row.try_get::<i64>(2)? as u64,
            at_us: earlier.map_or(at_us, |head| head.at_us.max(at_us)),
        };
        heads.insert(row.try_get(0)?, head);
    }
    Ok(())
}

/// The last entry of one live session.
pub(crate) async fn head(
    connection: &mut Connection,
    session: SessionId,
) -> Result<Option<Head>, StoreError> {
    if connection.is_postgres() {
        return Ok(server::head(connection, session).await?);
    }
    let (heads_at, packed) = stored_heads(&mut *connection).await?;
    let earlier = unpack(&packed)?.get(&session.0).copied();
    let (entry, count, at_us): (Option<i64>, i64, Option<i64>) = query_as(
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

async fn stored_heads(connection: &mut Connection) -> Result<(i64, Vec<u8>), StoreError> {
    let stored: Option<(i64, Vec<u8>)> = query_as("SELECT entry, packed FROM heads")
        .fetch_optional(connection)
        .await?;
    Ok(stored.unwrap_or_default())
}

/// Logs that a bot does not play as it did when this database first saw its version: what is stored of it is of both.
pub(super) fn warn_of(bot: &BotVersion) {
    tracing::warn!(
        game = bot.game,
        bot = bot.name,
        version = bot.version,
        "this build of the bot plays otherwise than the one this database first saw under the same version: its \
         results and ratings are those of both; to keep them apart, raise the bot's version where it is built"
    );
}

/// Records which versions of the built-in bots this database has seen. Gives those that do not play as they did when it
/// first saw them.
pub(super) async fn register_bots(
    connection: &mut Connection,
    bots: &[BotVersion],
) -> Result<Vec<BotVersion>, StoreError> {
    let stored = query_as("SELECT game, name, version, signature FROM bots");
    let stored: Vec<(String, String, i64, i64)> = stored.fetch_all(&mut *connection).await?;
    let (mut otherwise, mut new) = (Vec::new(), Vec::new());
    for bot in bots {
        let version = i64::from(bot.version);
        let mut stored = stored.iter();
        let same = stored
            .find(|(game, name, seen, _)| game == bot.game && name == bot.name && *seen == version);
        match same {
            // Signatures are stored as the same bits with a sign.
            Some((.., signature)) if *signature == bot.signature as i64 => {}
            Some(_) => otherwise.push(bot.clone()),
            None => new.push(bot),
        }
    }
    if !new.is_empty() {
        connection.begin().await?;
        for bot in new {
            query(
                "INSERT INTO bots (game, name, version, signature) VALUES ($1, $2, $3, $4)
                 ON CONFLICT DO NOTHING",
            )
            .bind(bot.game)
            .bind(bot.name)
            .bind(bot.version)
            .bind(bot.signature as i64)
            .execute(&mut *connection)
            .await?;
        }
        connection.commit().await?;
    }
    Ok(otherwise)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::open::MIGRATIONS;
    use sqlx::{Connection as _, SqliteConnection};

    fn bots() -> Vec<BotVersion> {
        let champion = |game, version| BotVersion {
            game,
            name: "champion",
            version,
            signature: u64::MAX - 3,
        };
        vec![champion("lighthouses", 3), champion("planetwars", 2)]
    }

    #[tokio::test]
    async fn a_version_that_plays_otherwise_than_when_it_was_first_seen_is_found() {
        let mut database = SqliteConnection::connect("sqlite::memory:").await.unwrap();
        MIGRATIONS.run(&mut database).await.unwrap();
        let mut database = Connection::Sqlite(database);
        assert_eq!(register_bots(&mut database, &bots()).await.unwrap(), []);
        assert_eq!(
            register_bots(&mut database, &bots()).await.unwrap(),
            [],
            "all as they were"
        );
        // As if this build's champion had had another signature then; another version of it is no concern.
        for change in [
            "INSERT INTO bots SELECT game, name, 9999, 5 FROM bots
             WHERE game = 'planetwars' AND name = 'champion'",
            "UPDATE bots SET signature = signature + 1 WHERE game = 'lighthouses' AND name = 'champion'",
        ] {
            query(change).execute(&mut database).await.unwrap();
        }
        let found = bots().remove(0);
        // At every start: what is stored stays mixed.
        for _ in 0..2 {
            assert_eq!(
                register_bots(&mut database, &bots()).await.unwrap(),
                std::slice::from_ref(&found)
            );
        }
    }
}
