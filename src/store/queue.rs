//! [`Queue`]: planned matches of tournaments, which workers claim. Each method is one statement, and the database's clock
//! alone says whether a claim has lapsed. A match leaves the queue by the transaction that stores its result
//! (`writer::ending`), which is refused if the claim that it names is not the last one.

use super::error::StoreError;
use super::handle::Store;
use super::sql::{Query, Row, query};
use super::writer::Command;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::ops::Range;
use std::time::Duration;

/// Matches that are put into the queue at once.
const PLANNED_AT_ONCE: usize = 500;
/// Rounds that are offered at once.
const OFFERS_MAX: i64 = 64;

/// The database's clock, in microseconds: read once a statement, so that an index serves.
pub(super) const NOW: &str = "(SELECT CAST(unixepoch('now', 'subsec') * 1000000 AS BIGINT))";

/// Planned matches of tournaments. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Queue {
    store: Store,
}

/// A match to be put into the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedMatch {
    /// Its number in its tournament.
    pub number: u64,
    /// All that a worker needs besides the tournament's row, as JSON.
    pub task: Value,
    /// Whether only workers that run others' commands may play it.
    pub needs_cmd: bool,
}

/// A round of which matches may be claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Offer {
    /// The tournament's id.
    pub tournament: String,
    /// The round.
    pub round: u32,
    /// The task of one of its matches.
    pub task: Value,
}

/// Which matches are to be claimed.
#[derive(Clone, Debug)]
pub struct Wanted<'a> {
    /// The tournament's id.
    pub tournament: &'a str,
    /// The round.
    pub round: u32,
    /// Who claims them, for people.
    pub worker: &'a str,
    /// Whether the worker runs others' commands.
    pub cmd: bool,
    /// How often they may have been tried before.
    pub attempts: Range<u32>,
    /// How many at most.
    pub most: usize,
    /// When the claim lapses unless it is extended.
    pub lease: Duration,
}

/// A match that was claimed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// Which one, by which claim.
    pub held: Held,
    /// How often it was tried before.
    pub attempts: u32,
    /// All that a worker needs besides the tournament's row, as JSON.
    pub task: Value,
    /// How the attempt before failed, where its worker said so.
    pub failure: Option<String>,
}

/// A claim of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// The match's number in its tournament.
    pub number: u64,
    /// The claim's number: a later claim of the same match has a greater one.
    pub claim: i64,
}

/// A match in the queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// Its number in its tournament.
    pub number: u64,
    /// Whether a worker has it now.
    pub is_claimed: bool,
    /// Claims that led to no result so far.
    pub attempts: u32,
    /// Whether only workers that run others' commands may play it.
    pub needs_cmd: bool,
}

impl Queue {
    /// That of this database.
    #[must_use]
    pub const fn new(store: Store) -> Self {
        Self { store }
    }

    /// Puts a round's matches into the queue, in this order; those that are there already stay as they are, and those that
    /// have a result stay out.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub async fn plan(
        &self,
        tournament: &str,
        round: u32,
        matches: &[QueuedMatch],
    ) -> Result<(), StoreError> {
        let placed: Vec<(usize, &QueuedMatch)> = matches.iter().enumerate().collect();
        for some in placed.chunks(PLANNED_AT_ONCE) {
            let rows = some.iter().map(|(place, planned)| {
                let (task, needs_cmd) = (planned.task.to_string(), i64::from(planned.needs_cmd));
                json!([planned.number, task, needs_cmd, place])
            });
            let rows = json!(rows.collect::<Vec<_>>()).to_string();
            let plan = format!(
                "INSERT INTO planned_matches (tournament, number, round, task, needs_cmd, free_us, claim, attempts)
                 SELECT $1, CAST(m.value ->> 0 AS BIGINT), $2, m.value ->> 1, CAST(m.value ->> 2 AS BIGINT),
                     CAST(m.value ->> 3 AS BIGINT), {NOW}, 0
                 FROM json_each($3) AS m
                 WHERE NOT EXISTS (SELECT 1 FROM tournament_matches t
                     WHERE t.tournament = $1 AND t.number = CAST(m.value ->> 0 AS BIGINT))
                 ON CONFLICT DO NOTHING"
            );
            let plan = query(plan).bind(tournament).bind(round).bind(rows);
            self.run(plan).await?;
        }
        // One that was ended while it was put in again.
        let ended = query(
            "DELETE FROM planned_matches WHERE tournament = $1 AND EXISTS (SELECT 1 FROM tournament_matches t
                 WHERE t.tournament = planned_matches.tournament AND t.number = planned_matches.number)",
        );
        self.run(ended.bind(tournament)).await.map(drop)
    }

    /// The rounds of which a worker may claim matches that were tried less often than this, those that wait longest
    /// first. `cmd`: whether it runs others' commands.
    ///
    /// # Errors
    /// [`StoreError::Read`], [`StoreError::Corrupt`].
    pub async fn offers(&self, cmd: bool, attempts_max: u32) -> Result<Vec<Offer>, StoreError> {
        let offers = query(format!(
            "SELECT tournament, round, (SELECT task FROM planned_matches one
                 WHERE one.tournament = waiting.tournament AND one.round = waiting.round LIMIT 1)
             FROM planned_matches waiting WHERE free_us <= {NOW} AND needs_cmd <= $1 AND attempts < $2
             GROUP BY tournament, round ORDER BY min(free_us), tournament LIMIT {OFFERS_MAX}"
        ));
        let offers = offers.bind(cmd).bind(attempts_max);
        let rows = offers.fetch_all(self.store.reader().pool()).await?;
        let offer = |row: &Row| {
            Ok(Offer {
                tournament: row.try_get(0)?,
                round: row.try_get(1)?,
                task: super::rows::json(row.try_get(2)?)?,
            })
        };
        rows.iter().map(offer).collect()
    }

    /// Claims matches that nobody has. Several claimers never get the same one.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub async fn claim(&self, wanted: &Wanted<'_>) -> Result<Vec<Claimed>, StoreError> {
        // A file has one writer.
        let locked = match self.store.location().file() {
            Some(_) => "",
            None => "FOR UPDATE SKIP LOCKED",
        };
        let claim = query(format!(
            "WITH free (place) AS MATERIALIZED (
                 SELECT number FROM planned_matches
                 WHERE tournament = $1 AND round = $2 AND free_us <= {NOW} AND needs_cmd <= $3
                     AND attempts >= $4 AND attempts < $5
                 ORDER BY free_us LIMIT $6 {locked})
             UPDATE planned_matches
             SET claim = claim + 1, attempts = attempts + 1, worker = $7, free_us = {NOW} + $8
             FROM free WHERE tournament = $1 AND number = place
             RETURNING number, claim, attempts, task, failure"
        ));
        let claim = claim
            .bind(wanted.tournament)
            .bind(wanted.round)
            .bind(wanted.cmd)
            .bind(wanted.attempts.start)
            .bind(wanted.attempts.end)
            .bind(i64::try_from(wanted.most).unwrap_or(i64::MAX))
            .bind(wanted.worker)
            .bind(microseconds(wanted.lease));
        let claimed = |row: &Row| {
            Ok(Claimed {
                held: held(row)?,
                attempts: row.try_get::<u32>(2)?.saturating_sub(1),
                task: super::rows::json(row.try_get(3)?)?,
                failure: row.try_get(4)?,
            })
        };
        let claimed: Result<Vec<Claimed>, StoreError> =
            self.run(claim).await?.iter().map(claimed).collect();
        let mut claimed = claimed?;
        claimed.sort_by_key(|claimed| claimed.held.number);
        Ok(claimed)
    }

    /// Extends claims; gives those that still stand. Others have ended or were given to another worker.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub async fn extend(
        &self,
        tournament: &str,
        claims: &[Held],
        lease: Duration,
    ) -> Result<Vec<Held>, StoreError> {
        let change = format!("free_us = {NOW} + $3");
        let extend = changed(&change, tournament, claims).bind(microseconds(lease));
        self.run(extend).await?.iter().map(held).collect()
    }

    /// Gives back matches that were not played: they count as never tried.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub async fn give_back(&self, tournament: &str, claims: &[Held]) -> Result<(), StoreError> {
        let give = changed("free_us = 0, attempts = attempts - 1", tournament, claims);
        self.run(give).await.map(drop)
    }

    /// Gives back a match that could not be played here, for this reason. It may be tried again after a while.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub async fn fail(
        &self,
        tournament: &str,
        claim: Held,
        why: &str,
        again: Duration,
    ) -> Result<(), StoreError> {
        let change = format!("free_us = {NOW} + $3, failure = $4");
        let fail = changed(&change, tournament, &[claim]);
        let fail = fail.bind(microseconds(again)).bind(why);
        self.run(fail).await.map(drop)
    }

    /// Takes a tournament's matches out of the queue; the worker that plays one cannot store its result any more. Without
    /// `claimed` those stay that workers have now.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub async fn withdraw(&self, tournament: &str, claimed: bool) -> Result<(), StoreError> {
        let mut text = "DELETE FROM planned_matches WHERE tournament = $1".to_owned();
        if !claimed {
            write!(text, " AND free_us <= {NOW}").expect("a String takes everything");
        }
        self.run(query(text).bind(tournament)).await.map(drop)
    }

    /// A tournament's matches in the queue.
    ///
    /// # Errors
    /// [`StoreError::Read`].
    pub async fn waiting(&self, tournament: &str) -> Result<Vec<Waiting>, StoreError> {
        let waiting = query(format!(
            "SELECT number, iif(free_us > {NOW}, 1, 0), attempts, needs_cmd FROM planned_matches
             WHERE tournament = $1 ORDER BY number"
        ));
        let rows = waiting.bind(tournament);
        let rows = rows.fetch_all(self.store.reader().pool()).await?;
        let waiting = |row: &Row| {
            Ok(Waiting {
                number: row.try_get::<i64>(0)? as u64,
                is_claimed: row.try_get(1)?,
                attempts: row.try_get(2)?,
                needs_cmd: row.try_get(3)?,
            })
        };
        rows.iter().map(waiting).collect()
    }

    async fn run(&self, statement: Query) -> Result<Vec<Row>, StoreError> {
        let run = |reply| Command::Run(statement, reply);
        self.store.ask(run).await
    }
}

/// A change of claimed matches, as long as these claims stand; further parameters begin with `$3`.
fn changed(change: &str, tournament: &str, claims: &[Held]) -> Query {
    let claims = claims.iter().map(|held| json!([held.number, held.claim]));
    let claims = json!(claims.collect::<Vec<_>>()).to_string();
    let change = query(format!(
        "UPDATE planned_matches SET {change} FROM json_each($2) AS held
         WHERE tournament = $1 AND number = CAST(held.value ->> 0 AS BIGINT)
             AND claim = CAST(held.value ->> 1 AS BIGINT)
         RETURNING number, claim"
    ));
    change.bind(tournament).bind(claims)
}

fn held(row: &Row) -> Result<Held, StoreError> {
    Ok(Held {
        number: row.try_get::<i64>(0)? as u64,
        claim: row.try_get(1)?,
    })
}

pub(super) fn microseconds(length: Duration) -> i64 {
    i64::try_from(length.as_micros()).unwrap_or(i64::MAX >> 1)
}
