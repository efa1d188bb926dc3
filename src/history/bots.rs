//! How our bots did.

use super::narrow::{OWN, SESSION_SHARE, meant};
use super::records::Filter;
use super::secrecy::OVER;
use super::versus::newest;
use crate::store::sql::{Row, query, query_as};
use crate::store::{Reader, StoreError};
use games::stats::Moments;
use serde_json::json;
use std::collections::HashMap;

/// A bot's results.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BotRecord {
    /// Matches won outright.
    pub won: u64,
    /// Matches won together with others.
    pub tied: u64,
    /// Matches that somebody else won.
    pub lost: u64,
    /// Shares of wins: 1/k for one of k winners.
    pub share: Moments,
}

/// A bot's results in matches that were over for everyone by then (microseconds since 1970-01-01 UTC), among
/// its newest 4096 of the newest 20,480 of the game; one a seat, where it played several.
///
/// # Errors
/// [`StoreError::Read`].
pub async fn bot_record(
    reader: &Reader,
    game: &str,
    bot: &str,
    over_by_us: i64,
) -> Result<BotRecord, StoreError> {
    let mut records = bot_records(reader, game, Some(bot), over_by_us).await?;
    Ok(records.remove(bot).unwrap_or_default())
}

/// The same of each bot by its name, among the newest 4096 matches of the game; or of one alone, as [`bot_record`] has it.
///
/// # Errors
/// [`StoreError::Read`].
pub async fn bot_records(
    reader: &Reader,
    game: &str,
    bot: Option<&str>,
    over_by_us: i64,
) -> Result<HashMap<String, BotRecord>, StoreError> {
    let filter = Filter {
        game: Some(game.to_owned()),
        bot: bot.map(str::to_owned),
        ..Filter::default()
    };
    let found = newest(reader, &filter).await?;
    let [from, below] = bot.map_or([None, None], |bot| meant(bot).map(Some));
    let rows = query(format!(
        "SELECT bot, count(*), total(w), total(w * w),
             count(*) FILTER (WHERE w = 1), count(*) FILTER (WHERE w > 0 AND w < 1) FROM (
            SELECT coalesce($5, o.bot) AS bot, coalesce(
                (SELECT r.win_share FROM results r WHERE r.match_id = o.match_id AND r.seat = o.place),
                (SELECT {SESSION_SHARE} FROM sessions x
                 WHERE x.match_id = o.match_id AND coalesce(x.seat, -x.id) = o.place LIMIT 1)) AS w
            FROM ({OWN}) o CROSS JOIN matches m ON m.id = o.match_id
            WHERE ($2 IS NULL OR (o.bot >= $2 AND o.bot < $3)) AND ({OVER}) <= $4) AS shares
         WHERE w IS NOT NULL GROUP BY bot"
    ))
    .bind(found.json())
    .bind(from)
    .bind(below)
    .bind(over_by_us)
    .bind(bot.map(str::to_owned))
    .fetch_all(reader.pool())
    .await?;
    let record = |row: &Row| {
        let count = row.try_get::<i64>(1)? as u64;
        let won = row.try_get::<i64>(4)? as u64;
        let tied = row.try_get::<i64>(5)? as u64;
        let record = BotRecord {
            won,
            tied,
            lost: count.saturating_sub(won + tied),
            share: Moments {
                count: count as f64,
                sum: row.try_get(2)?,
                squares: row.try_get(3)?,
            },
        };
        Ok((row.try_get(0)?, record))
    };
    rows.iter().map(record).collect()
}

/// Users' programs that have played, as history has them, each with its game; of all games or of one.
///
/// # Errors
/// [`StoreError::Read`].
pub async fn programs_played(
    reader: &Reader,
    game: Option<&str>,
) -> Result<Vec<(String, String)>, StoreError> {
    let played =
        "SELECT game, bot FROM programs_played WHERE $1 IS NULL OR game = $1 ORDER BY game, bot";
    let played = query_as(played).bind(game.map(str::to_owned));
    Ok(played.fetch_all(reader.pool()).await?)
}

/// The bots on the seats of these matches that are known to be ours: a built-in bot's name, or a user's program with its
/// version.
///
/// # Errors
/// [`StoreError::Read`].
pub async fn bots_by_seat(
    reader: &Reader,
    matches: &[&str],
) -> Result<HashMap<(String, u8), String>, StoreError> {
    let found: Vec<(String, i64, String)> = query_as(format!(
        "SELECT own.match_id, own.place, own.bot FROM ({OWN}) AS own"
    ))
    .bind(json!(matches).to_string())
    .fetch_all(reader.pool())
    .await?;
    let seated = found
        .into_iter()
        .filter_map(|(id, place, bot)| Some(((id, u8::try_from(place).ok()?), bot)));
    Ok(seated.collect())
}

/// Whether a player or an entrant of some match has this name.
///
/// # Errors
/// [`StoreError::Read`].
pub async fn is_player(reader: &Reader, name: &str) -> Result<bool, StoreError> {
    let named = "SELECT match_id FROM seats WHERE name = $1 UNION ALL SELECT match_id FROM seats WHERE entrant = $1 LIMIT 1";
    let named = query(named).bind(name.to_owned());
    Ok(named.fetch_optional(reader.pool()).await?.is_some())
}

/// The version of each built-in bot of which this database has seen no other: by game and name.
///
/// # Errors
/// [`StoreError::Read`].
pub async fn only_versions(reader: &Reader) -> Result<HashMap<(String, String), u32>, StoreError> {
    let found: Vec<(String, String, u32)> = query_as(
        "SELECT game, name, max(version) FROM bots GROUP BY game, name HAVING count(*) = 1",
    )
    .fetch_all(reader.pool())
    .await?;
    let found = found.into_iter();
    Ok(found
        .map(|(game, name, version)| ((game, name), version))
        .collect())
}
