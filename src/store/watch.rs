//! Wakes those who follow what other replicas write: a server's database is looked at regularly, and after own commits.
//! (`NOTIFY` would do so sooner, but takes a lock that all commits of a server wait for, and poolers do not pass it on.)

use super::commits::{Added, Bells};
use super::server::horizon;
use super::sql::{Connection, Pool, query, query_as};
use super::types::{EntryId, SessionId};
use serde_json::json;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

/// How often the database is looked at while something is followed, and how soon again after own commits.
const LOOK_EVERY: Duration = Duration::from_millis(500);
const LOOK_AGAIN: Duration = Duration::from_millis(100);

/// $1: matches, as JSON; $2: up to which entry. Their sessions, whether these or their matches have ended, and the last entry
/// and number of entries of each.
const HEADS: &str = "
    SELECT s.match_id, s.id, s.ended_us IS NOT NULL AND m.ended_us IS NOT NULL,
           coalesce(e.id, s.last_entry), coalesce(e.seq + 1, s.entries)
    FROM json_each($1) f JOIN matches m ON m.id = f.value JOIN sessions s ON s.match_id = m.id
    LEFT JOIN LATERAL (SELECT id, seq FROM entries WHERE session = s.id AND id <= $2 ORDER BY seq DESC LIMIT 1) e
        ON true";

/// $1, $2: between which numbers. Whether matches or sessions began or ended, and whether there are new bluffs.
const LISTS: &str = "
    SELECT EXISTS (SELECT 1 FROM changes WHERE id > $1 AND id <= $2),
           EXISTS (SELECT 1 FROM bluffs WHERE id > $1 AND id <= $2)";

/// Looks until `stop`.
pub(super) async fn run(bells: Arc<Bells>, readers: Pool, stop: CancellationToken) {
    let mut seen = Seen::default();
    let looking = async {
        loop {
            // Own commits wake it, others do not.
            let stirred = timeout(LOOK_EVERY, bells.stirred()).await;
            if bells.are_followed()
                && let Err(error) = seen.look(&bells, &readers).await
            {
                tracing::debug!(%error, "what other replicas wrote could not be read");
            }
            if stirred.is_ok() {
                sleep(LOOK_AGAIN).await;
            }
        }
    };
    stop.run_until_cancelled(looking).await;
    readers.close().await;
}

/// What was seen last.
#[derive(Default)]
struct Seen {
    horizon: i64,
    /// How many entries the sessions of followed matches had.
    counts: HashMap<i64, u64>,
    ended: HashSet<i64>,
}

/// A row of [`HEADS`].
type Row = (String, i64, bool, Option<i64>, Option<i64>);

impl Seen {
    async fn look(&mut self, bells: &Bells, readers: &Pool) -> Result<(), sqlx::Error> {
        let followed = bells.followed();
        let mut connection = readers.acquire().await?;
        let horizon = horizon(&mut connection).await?;
        let since = self.horizon;
        if since == horizon {
            return Ok(());
        }
        let grown = self.grown(&mut connection, &followed, horizon).await?;
        let (changes, bluffs): (bool, bool) = query_as(LISTS)
            .bind(since)
            .bind(horizon)
            .fetch_one(&mut connection)
            .await?;
        self.horizon = horizon;
        let lists = Added {
            changes,
            bluffs,
            ..Added::default()
        };
        let added = grown.iter().map(Grown::added);
        bells.note(added.chain([lists])).ring();
        Ok(())
    }

    /// The sessions of these matches that have grown or ended.
    async fn grown(
        &mut self,
        connection: &mut Connection,
        followed: &[String],
        horizon: i64,
    ) -> Result<Vec<Grown>, sqlx::Error> {
        if followed.is_empty() {
            (self.counts, self.ended) = Default::default();
            return Ok(Vec::new());
        }
        let rows = query(HEADS)
            .bind(json!(followed).to_string())
            .bind(horizon)
            .fetch_all(connection)
            .await?;
        let (mut counts, mut all) = (HashMap::new(), Vec::new());
        for row in &rows {
            let row: Row = (
                row.try_get(0)?,
                row.try_get(1)?,
                row.try_get(2)?,
                row.try_get(3)?,
                row.try_get(4)?,
            );
            let (match_id, session, has_ended, last, count) = row;
            let count = count.unwrap_or(0) as u64;
            let ends = has_ended && self.ended.insert(session);
            if self.counts.get(&session) != Some(&count) || ends {
                all.push(Grown {
                    match_id,
                    head: last.map(|last| (SessionId(session), EntryId(last), count)),
                    ends,
                });
            }
            counts.insert(session, count);
        }
        self.ended.retain(|session| counts.contains_key(session));
        self.counts = counts;
        Ok(all)
    }
}

/// A session that has grown or ended.
struct Grown {
    match_id: String,
    head: Option<(SessionId, EntryId, u64)>,
    ends: bool,
}

impl Grown {
    fn added(&self) -> Added<'_> {
        Added {
            match_id: &self.match_id,
            head: self.head,
            ends: self.ends,
            ..Added::default()
        }
    }
}
