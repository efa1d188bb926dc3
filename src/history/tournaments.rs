//! Tournaments and their rounds. Their matches are written by the transactions that end them.

use super::pages::cut;
use super::records::{Page, PageAt, TournamentLesson, TournamentMatch};
use crate::store::sql::{Builder, Row, query};
use crate::store::types::{StoredRound, TournamentRow};
use crate::store::{Change, Reader, Store, StoreError, TYPE_FIT_MIN, TournamentChange, rows};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::ops::Range;

/// The rounds of a whole tournament.
pub const ALL_ROUNDS: Range<u32> = 0..u32::MAX;
/// Characters of an entrant's name.
const NAME_MAX: usize = 64;

pub(super) const TOURNAMENTS: &str =
    "SELECT t.id, t.name, t.game, t.setup, t.entrants, t.started_us, t.ended_us, t.ended_why,
        coalesce(z.rounds, 0), coalesce(z.matches, 0)
     FROM tournaments t LEFT JOIN tournament_sizes z ON z.tournament = t.id WHERE true";

fn tournament_row(row: &Row) -> Result<TournamentRow, StoreError> {
    Ok(TournamentRow {
        id: row.try_get(0)?,
        name: row.try_get(1)?,
        game: row.try_get(2)?,
        setup: rows::json(row.try_get(3)?)?,
        entrants: rows::json(row.try_get(4)?)?,
        started_us: row.try_get(5)?,
        ended_us: row.try_get(6)?,
        ended_why: row.try_get::<Option<String>>(7)?.unwrap_or_default(),
        rounds: row.try_get(8)?,
        matches: row.try_get::<i64>(9)? as u64,
    })
}

fn tournament_match(row: &Row) -> Result<TournamentMatch, StoreError> {
    let cause: Option<&str> = row.try_get(6)?;
    let parts: Vec<rows::Part> = rows::json(row.try_get(13)?)?;
    Ok(TournamentMatch {
        number: row.try_get::<i64>(0)? as u64,
        round: row.try_get(1)?,
        table: row.try_get(2)?,
        match_id: row.try_get(3)?,
        seed: row.try_get::<i64>(4)? as u64,
        entrants: rows::json(row.try_get(5)?)?,
        cause: rows::cause(cause.unwrap_or_default())?,
        blame: rows::seat(row.try_get(7)?)?,
        detail: row.try_get::<Option<String>>(8)?.unwrap_or_default(),
        scores: rows::json(row.try_get::<Option<&str>>(9)?.unwrap_or("[]"))?,
        notes: rows::json(row.try_get(10)?)?,
        started_us: row.try_get(11)?,
        ended_us: row.try_get(12)?,
        participation: parts.into_iter().map(Into::into).collect(),
    })
}

/// One tournament.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn tournament(reader: &Reader, id: &str) -> Result<Option<TournamentRow>, StoreError> {
    let mut query = Builder::new(TOURNAMENTS);
    query.push(" AND t.id = ").push_bind(id.to_owned());
    let row = query.build().fetch_optional(reader.pool()).await?;
    row.as_ref().map(tournament_row).transpose()
}

/// Tournaments, newest first; of one game, if it is given.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn tournaments(
    reader: &Reader,
    game: Option<&str>,
    at: &PageAt,
) -> Result<Page<TournamentRow>, StoreError> {
    let mut query = Builder::new(TOURNAMENTS);
    if let Some(game) = game {
        query.push(" AND t.game = ").push_bind(game.to_owned());
    }
    if let Some(after) = &at.after {
        query.push(" AND t.id < ").push_bind(after.clone());
    }
    query
        .push(" ORDER BY t.id DESC LIMIT ")
        .push_bind(i64::from(at.limit) + 1);
    let rows = query.build().fetch_all(reader.pool()).await?;
    let tournaments = rows.iter().map(tournament_row);
    let tournaments = tournaments.collect::<Result<Vec<_>, _>>()?;
    Ok(cut(tournaments, at, |row| row.id.clone()))
}

/// A tournament's rounds with numbers in this range, in order.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn tournament_rounds(
    reader: &Reader,
    id: &str,
    rounds: Range<u32>,
) -> Result<Vec<StoredRound>, StoreError> {
    let rows = query(
        "SELECT round, decision, decided_us FROM tournament_rounds
         WHERE tournament = $1 AND round >= $2 AND round < $3 ORDER BY round",
    )
    .bind(id.to_owned())
    .bind(rounds.start)
    .bind(rounds.end)
    .fetch_all(reader.pool())
    .await?;
    let round = |row: &Row| {
        Ok(StoredRound {
            round: row.try_get(0)?,
            decision: rows::json(row.try_get(1)?)?,
            decided_us: row.try_get(2)?,
        })
    };
    rows.iter().map(round).collect()
}

/// What is read of a tournament's matches.
const MATCHES: &str = "SELECT p.number, p.round, p.table_no, p.match_id, p.seed,
             (SELECT CAST(json_group_array(coalesce(s.entrant, '') ORDER BY s.seat) AS TEXT) FROM seats s
              WHERE s.match_id = p.match_id),
             m.cause, m.blame, m.detail, m.scores, p.notes, m.started_us, m.ended_us,
             (SELECT CAST(json_group_array(
                  json_array(q.how, q.turn, q.detail, q.decisions, q.fallback) ORDER BY s.seat) AS TEXT)
              FROM seats s LEFT JOIN participations q ON q.match_id = s.match_id AND q.seat = s.seat
              WHERE s.match_id = p.match_id)
         FROM tournament_matches p JOIN matches m ON m.id = p.match_id
         WHERE p.tournament = $1 AND m.ended_us IS NOT NULL AND";

/// A tournament's matches that have ended, by their numbers, of rounds in this range.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn tournament_matches(
    reader: &Reader,
    id: &str,
    rounds: Range<u32>,
) -> Result<Vec<TournamentMatch>, StoreError> {
    let rows = query(format!(
        "{MATCHES} p.round >= $2 AND p.round < $3 ORDER BY p.number"
    ))
    .bind(id.to_owned())
    .bind(rounds.start)
    .bind(rounds.end)
    .fetch_all(reader.pool())
    .await?;
    rows.iter().map(tournament_match).collect()
}

/// Those of a tournament's matches with these numbers that have ended, by their numbers.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn tournament_matches_numbered(
    reader: &Reader,
    id: &str,
    numbers: &[u64],
) -> Result<Vec<TournamentMatch>, StoreError> {
    let rows = query(format!(
        "{MATCHES} p.number IN (SELECT CAST(value AS BIGINT) FROM json_each($2)) ORDER BY p.number"
    ))
    .bind(id.to_owned())
    .bind(json!(numbers).to_string())
    .fetch_all(reader.pool())
    .await?;
    rows.iter().map(tournament_match).collect()
}

/// What the ended matches of a tournament's round taught: by the matches' numbers, then by seat, whatever the
/// order in which they ended.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn tournament_lessons(
    reader: &Reader,
    id: &str,
    round: u32,
) -> Result<Vec<TournamentLesson>, StoreError> {
    let rows = query(
        "SELECT e.entrant, CASE WHEN l.weight >= $1 THEN l.kind END, l.evidence
         FROM tournament_matches p JOIN lessons l ON l.match_id = p.match_id
         JOIN sessions s ON s.id = l.session
         LEFT JOIN seats e ON e.match_id = l.match_id AND e.seat = l.seat
         WHERE p.tournament = $2 AND p.round = $3 ORDER BY p.number, s.seat, l.id",
    )
    .bind(TYPE_FIT_MIN)
    .bind(id.to_owned())
    .bind(round)
    .fetch_all(reader.pool())
    .await?;
    let lesson = |row: &Row| {
        Ok(TournamentLesson {
            entrant: row.try_get(0)?,
            kind: row.try_get(1)?,
            evidence: rows::json(row.try_get(2)?)?,
        })
    };
    rows.iter().map(lesson).collect()
}

/// Stores a new tournament. Durable when it returns `Ok`.
///
/// # Errors
/// As [`Store::append`]; [`StoreError::Refused`] if there is one with this id, or if its entrants' names
/// are not 1 to 64 characters long and all different.
pub async fn create_tournament(store: &Store, new: TournamentRow) -> Result<(), StoreError> {
    let mut names = HashSet::new();
    for entrant in &new.entrants {
        let (name, length) = (&entrant.name, entrant.name.chars().count());
        if !(1..=NAME_MAX).contains(&length) {
            let why = format!("the name {name:?} has {length} characters, not 1 to {NAME_MAX}");
            return Err(StoreError::Refused(why));
        }
        if !names.insert(name) {
            let why = format!("two entrants are called {name:?}");
            return Err(StoreError::Refused(why));
        }
    }
    let id = new.id.clone();
    let create = TournamentChange::Create(Box::new(new));
    change_tournament(store, id, create).await
}

/// Stores a round's decision, before its first match. Durable when it returns `Ok`.
///
/// # Errors
/// As [`Store::append`]; [`StoreError::Refused`] if there is no such tournament or it has this round.
pub async fn add_round(store: &Store, id: &str, round: StoredRound) -> Result<(), StoreError> {
    let add = TournamentChange::Round(id.to_owned(), round);
    change_tournament(store, id.to_owned(), add).await
}

/// Replaces what a tournament is played by, which must decide nothing that was played. Durable when it returns
/// `Ok`.
///
/// # Errors
/// As [`Store::append`]; [`StoreError::Unknown`] if there is no such tournament.
pub async fn change_tournament_setup(
    store: &Store,
    id: &str,
    setup: Value,
) -> Result<(), StoreError> {
    let change = TournamentChange::Setup(id.to_owned(), setup);
    change_tournament(store, id.to_owned(), change).await
}

/// Ends a tournament at `at_us` (microseconds since 1970-01-01 UTC). The first end stands.
///
/// # Errors
/// As [`Store::append`]; [`StoreError::Unknown`] if there is no such tournament.
pub async fn end_tournament(
    store: &Store,
    id: &str,
    at_us: i64,
    why: String,
) -> Result<(), StoreError> {
    let end = TournamentChange::End(id.to_owned(), at_us, why);
    change_tournament(store, id.to_owned(), end).await
}

async fn change_tournament(
    store: &Store,
    id: String,
    change: TournamentChange,
) -> Result<(), StoreError> {
    let change = Change::Tournament(change);
    let changed = store.change(change).await?;
    let what = "tournament";
    changed.map(drop).ok_or(StoreError::Unknown { what, id })
}
