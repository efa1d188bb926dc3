//! How our bots did.

use super::error::StoreError;
use super::handle::Store;
use super::narrow::SESSION_SHARE;
use super::secrecy;
use games::stats::Moments;
use sqlx::{QueryBuilder, Row as _, Sqlite};

/// How many of the newest sessions are looked at.
const NEWEST: i64 = 50_000;

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

impl Store {
    /// A bot's results in matches that were over for everyone by then (microseconds since 1970-01-01 UTC), among
    /// the newest 50,000 sessions.
    ///
    /// # Errors
    /// [`StoreError::Read`].
    pub async fn bot_record(
        &self,
        game: &str,
        bot: &str,
        over_by_us: i64,
    ) -> Result<BotRecord, StoreError> {
        let mut query = QueryBuilder::<Sqlite>::new(
            "SELECT count(*), total(w), total(w * w), total(w = 1), total(w > 0 AND w < 1) FROM (SELECT ",
        );
        query.push(SESSION_SHARE).push(
            " AS w FROM sessions x JOIN matches m ON m.id = x.match_id WHERE x.side = 'player' AND x.game = ",
        );
        query.push_bind(game.to_owned()).push(" AND x.bot IN (");
        query.push_bind(bot.to_owned()).push(", ");
        query.push_bind(format!("builtin:{bot}"));
        query.push(") AND x.id > (SELECT max(id) FROM sessions) - ");
        query.push_bind(NEWEST).push(" AND (");
        query.push(secrecy::OVER).push(") <= ");
        query.push_bind(over_by_us).push(") WHERE w IS NOT NULL");
        let row = query.build().fetch_one(self.readers()).await?;
        let count = row.try_get::<i64, _>(0)? as u64;
        let won = row.try_get::<f64, _>(3)? as u64;
        let tied = row.try_get::<f64, _>(4)? as u64;
        Ok(BotRecord {
            won,
            tied,
            lost: count.saturating_sub(won + tied),
            share: Moments {
                count: count as f64,
                sum: row.try_get(1)?,
                squares: row.try_get(2)?,
            },
        })
    }
}
