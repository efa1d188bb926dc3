//! The newest session of a referee's key, where several replicas share a database.

use super::contents::head;
use super::matches::session;
use crate::store::sql::query_as;
use crate::store::types::{LiveSession, Newest, NewestSession, SessionId, SessionKey};
use crate::store::{Reader, StoreError};

/// What a server's database has of a key: its newest session, and the match that is played under its market.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn newest(reader: &Reader, key: &SessionKey) -> Result<Newest, StoreError> {
    let (id, match_id): (Option<i64>, Option<String>) = query_as(NEWEST)
        .bind(key.game)
        .bind(&*key.referee)
        .bind(key.market as i64)
        .bind(key.player as i64)
        .bind(&*key.called)
        .fetch_one(reader.pool())
        .await?;
    let row = match id {
        Some(id) => session(reader, SessionId(id)).await?,
        None => None,
    };
    let session = match row {
        Some(row) if row.ended_us.is_none() => {
            let head = head(reader, &row).await?;
            Some(NewestSession::Live(Box::new(LiveSession {
                id: row.id,
                last_us: row.opened_us,
                opened: row.opened,
                head: head.map(|(entry, _)| entry),
                seq: head.map_or(0, |(_, count)| count),
            })))
        }
        row => row.map(|row| NewestSession::Ended(Box::new(row))),
    };
    Ok(Newest { session, match_id })
}

/// The newest session of a key, and the newest match that has a live session under its market.
const NEWEST: &str = "
    SELECT (SELECT session FROM newest_sessions
            WHERE game = $1 AND referee = $2 AND market = $3 AND player = $4 AND called = $5),
           (SELECT match_id FROM sessions
            WHERE game = $1 AND referee = $2 AND market = $3 AND ended_us IS NULL AND side = 'player'
            ORDER BY match_id DESC LIMIT 1)";
