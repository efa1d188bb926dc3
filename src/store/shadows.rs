//! What shadows said in sessions: bots that hear what the playing bot hears, and whose answers are not sent.

use super::bots::meant;
use super::error::StoreError;
use super::handle::Store;
use super::rows;
use super::secrecy::OVER;
use super::types::SessionId;
use super::writer::{Change, Command};
use crate::histogram::Histogram;
use serde_json::{Value, json};
use sqlx::sqlite::SqliteRow;
use sqlx::{AssertSqlSafe, Row as _, SqliteConnection};
use tokio::task::JoinError;

/// What became of a shadow's decisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShadowCounts {
    /// Its answer was what was sent.
    pub agreed: u64,
    /// It was legal, in time, and another one.
    pub differed: u64,
    /// It was not legal.
    pub illegal: u64,
    /// There was none in time.
    pub late: u64,
    /// The shadow crashed, hung or was not running.
    pub failed: u64,
    /// It was not asked, because it was too far behind.
    pub skipped: u64,
}

impl ShadowCounts {
    /// Decisions that the shadow was asked for.
    #[must_use]
    pub fn asked(&self) -> u64 {
        self.agreed + self.differed + self.illegal + self.late + self.failed
    }

    /// Adds others to these.
    pub fn add(&mut self, other: &Self) {
        self.agreed += other.agreed;
        self.differed += other.differed;
        self.illegal += other.illegal;
        self.late += other.late;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

/// What can be summed of a shadow's part in a session.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ShadowTally {
    /// The game.
    pub game: String,
    /// The playing bot, as history has it.
    pub bot: String,
    /// The shadow, named as bots are.
    pub shadow: String,
    /// Whether it heard all of the session.
    pub whole: bool,
    /// What became of its decisions.
    pub counts: ShadowCounts,
    /// How long the playing bot took for them.
    pub bot_times: Histogram,
    /// How long the shadow took.
    pub shadow_times: Histogram,
}

/// A shadow's part in a session, to be stored.
#[derive(Clone, Debug, PartialEq)]
pub struct ShadowRun {
    /// The session.
    pub session: SessionId,
    /// What can be summed.
    pub tally: ShadowTally,
    /// Where it differed, and how it failed.
    pub report: Value,
}

/// The columns of a [`ShadowTally`].
const TALLY: &str = "r.game, r.bot, r.shadow, r.whole, r.agreed, r.differed, r.illegal, r.late, r.failed, r.skipped,
    r.bot_times, r.shadow_times";

impl Store {
    /// The shadows of these sessions that have ended.
    ///
    /// # Errors
    /// [`StoreError::Read`], [`StoreError::Corrupt`].
    pub async fn shadow_runs(&self, sessions: &[SessionId]) -> Result<Vec<ShadowRun>, StoreError> {
        let found = sqlx::query(AssertSqlSafe(format!(
            "SELECT {TALLY}, r.session, r.report FROM shadow_runs r
             WHERE r.session IN (SELECT value FROM json_each(?)) ORDER BY r.session, r.shadow"
        )))
        .bind(json!(sessions).to_string())
        .fetch_all(self.readers())
        .await?;
        let read = |row: &SqliteRow| {
            Ok(ShadowRun {
                session: SessionId(row.try_get(12)?),
                tally: tally(row)?,
                report: rows::json(row.try_get(13)?)?,
            })
        };
        found.iter().map(read).collect()
    }

    /// The newest shadows of a game, of a playing bot and called so, or of all, in matches that were over by then, each
    /// with its match; at most so many.
    ///
    /// # Errors
    /// [`StoreError::Read`], [`StoreError::Corrupt`].
    pub async fn shadow_tallies(
        &self,
        [game, bot, shadow]: [Option<&str>; 3],
        over_by_us: i64,
        limit: u32,
    ) -> Result<Vec<(String, ShadowTally)>, StoreError> {
        let (bot, shadow) = (bot.map(meant), shadow.map(meant));
        let found = sqlx::query(AssertSqlSafe(format!(
            "SELECT {TALLY}, m.id FROM shadow_runs r
             JOIN sessions s ON s.id = r.session JOIN matches m ON m.id = s.match_id
             WHERE (?1 IS NULL OR r.game = ?1) AND ({OVER}) <= ?2
                 AND (?4 IS NULL OR (r.bot >= ?4 AND r.bot < ?5))
                 AND (?6 IS NULL OR (r.shadow >= ?6 AND r.shadow < ?7))
             ORDER BY r.session DESC LIMIT ?3"
        )))
        .bind(game.map(str::to_owned))
        .bind(over_by_us)
        .bind(limit)
        .bind(bot.clone().map(|[from, _]| from))
        .bind(bot.map(|[_, below]| below))
        .bind(shadow.clone().map(|[from, _]| from))
        .bind(shadow.map(|[_, below]| below))
        .fetch_all(self.readers())
        .await?;
        // Many histograms are read: on a thread where nothing waits.
        let reading = tokio::task::spawn_blocking(move || {
            let read = |row: &SqliteRow| Ok((row.try_get(12)?, tally(row)?));
            found.iter().map(read).collect()
        });
        let broken = |error: JoinError| StoreError::Corrupt(error.to_string());
        reading.await.map_err(broken)?
    }

    /// Stores what a shadow said in a session.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn shadow_ran(&self, run: ShadowRun) -> Result<(), StoreError> {
        let change = Change::Shadow(Box::new(run));
        self.ask(|reply| Command::Change(change, reply)).await?;
        Ok(())
    }
}

fn tally(row: &SqliteRow) -> Result<ShadowTally, StoreError> {
    let count = |at: usize| row.try_get::<i64, _>(at).map(|count| count as u64);
    let times = |at: usize| -> Result<Histogram, StoreError> {
        let pairs: Vec<(u32, u64)> = rows::json(row.try_get(at)?)?;
        Ok(Histogram::of_pairs(&pairs))
    };
    Ok(ShadowTally {
        game: row.try_get(0)?,
        bot: row.try_get(1)?,
        shadow: row.try_get(2)?,
        whole: row.try_get(3)?,
        counts: ShadowCounts {
            agreed: count(4)?,
            differed: count(5)?,
            illegal: count(6)?,
            late: count(7)?,
            failed: count(8)?,
            skipped: count(9)?,
        },
        bot_times: times(10)?,
        shadow_times: times(11)?,
    })
}

/// Makes the change.
pub(super) async fn change(
    connection: &mut SqliteConnection,
    run: &ShadowRun,
) -> Result<Option<i64>, sqlx::Error> {
    let ShadowRun {
        session,
        tally,
        report,
    } = run;
    let times = |times: &Histogram| json!(times.pairs()).to_string();
    let counts = &tally.counts;
    let mut insert = sqlx::query(
        "INSERT OR REPLACE INTO shadow_runs (session, shadow, game, bot, whole, bot_times, shadow_times, report,
             agreed, differed, illegal, late, failed, skipped)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(session.0)
    .bind(tally.shadow.clone())
    .bind(tally.game.clone())
    .bind(tally.bot.clone())
    .bind(tally.whole)
    .bind(times(&tally.bot_times))
    .bind(times(&tally.shadow_times))
    .bind(report.to_string());
    for count in [
        counts.agreed,
        counts.differed,
        counts.illegal,
        counts.late,
        counts.failed,
        counts.skipped,
    ] {
        insert = insert.bind(count as i64);
    }
    insert.execute(&mut *connection).await?;
    Ok(Some(session.0))
}
