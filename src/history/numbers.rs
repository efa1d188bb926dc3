//! Wire numbers of our own referee's matches, and what the database keeps private.

use crate::store::sql::query_as;
use crate::store::{NONCE, Reader, StoreError};
use serde_json::json;

/// Whether a market of a game or any of some players is in use.
const USED: &str = "
    SELECT EXISTS (SELECT 1 FROM matches WHERE ours = 1 AND game = $1 AND market = $2)
        OR EXISTS (SELECT 1 FROM seats WHERE player IN (SELECT CAST(value AS BIGINT) FROM json_each($3)))";

const SEAT_OF_PLAYER: &str = "
    SELECT m.market, s.seat FROM seats s JOIN matches m ON m.id = s.match_id
    WHERE s.player = $1 AND m.ours = 1 AND m.game = $2
    ORDER BY m.id DESC LIMIT 1";

/// The nonce with which our own referee calls our own bots: a secret of this database, created with it.
///
/// # Errors
/// [`StoreError::Read`]; [`StoreError::Unknown`] if it is missing.
pub async fn referee_nonce(reader: &Reader) -> Result<String, StoreError> {
    let kept: Option<String> = query_as("SELECT value FROM secrets WHERE name = $1")
        .bind(NONCE)
        .fetch_optional(reader.pool())
        .await?;
    kept.ok_or_else(|| StoreError::Unknown {
        what: "secret",
        id: NONCE.to_owned(),
    })
}

/// Whether the number of one of our matches of a game, or of one of its players, was used before.
///
/// # Errors
/// [`StoreError::Read`].
pub async fn numbers_used(
    reader: &Reader,
    game: &str,
    market: u64,
    players: &[u64],
) -> Result<bool, StoreError> {
    // Stored as the signed numbers of the same bits.
    let stored: Vec<i64> = players.iter().map(|player| *player as i64).collect();
    Ok(query_as(USED)
        .bind(game.to_owned())
        .bind(market as i64)
        .bind(json!(stored).to_string())
        .fetch_one(reader.pool())
        .await?)
}

/// The market and seat of the player with this number in one of our games.
///
/// # Errors
/// [`StoreError::Read`].
pub async fn seat_of_player(
    reader: &Reader,
    game: &str,
    player: u64,
) -> Result<Option<(u64, u8)>, StoreError> {
    let Ok(player) = i64::try_from(player) else {
        return Ok(None);
    };
    let found: Option<(i64, u8)> = query_as(SEAT_OF_PLAYER)
        .bind(player)
        .bind(game.to_owned())
        .fetch_optional(reader.pool())
        .await?;
    Ok(found.map(|(market, seat)| (market as u64, seat)))
}

/// The numbers of the players of our own referee's match, by seat.
///
/// # Errors
/// [`StoreError::Read`].
pub async fn players_of(reader: &Reader, match_id: &str) -> Result<Vec<u64>, StoreError> {
    let stored: Vec<i64> = query_as("SELECT player FROM seats WHERE match_id = $1 ORDER BY seat")
        .bind(match_id.to_owned())
        .fetch_all(reader.pool())
        .await?;
    Ok(stored.into_iter().map(|player| player as u64).collect())
}
