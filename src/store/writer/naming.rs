//! Naming an opponent, during or after the match.

use super::learning::{Merge, merged};
use super::statements::Database;
use crate::clock::now_us;
use crate::store::error::StoreError;
use crate::store::rows;
use crate::store::rules::Rules;
use serde_json::Value;
use sqlx::{Row as _, SqliteConnection};

/// What went wrong: the caller's error, or one for the writer to judge.
#[derive(Debug)]
pub(super) enum NamingError {
    Refused(StoreError),
    Failed(sqlx::Error),
}

impl From<sqlx::Error> for NamingError {
    fn from(error: sqlx::Error) -> Self {
        Self::Failed(error)
    }
}

impl From<StoreError> for NamingError {
    fn from(error: StoreError) -> Self {
        Self::Refused(error)
    }
}

/// A seat's name.
#[derive(Debug)]
pub(in crate::store) struct SeatName {
    pub(in crate::store) match_id: String,
    pub(in crate::store) seat: u8,
    /// `None`: it has none any more.
    pub(in crate::store) name: Option<String>,
}

/// Names a seat, in a transaction, and merges what its match taught, once.
pub(super) async fn name(
    database: &mut Database,
    rules: &dyn Rules,
    named: &SeatName,
) -> Result<(), NamingError> {
    let begin = sqlx::query("BEGIN IMMEDIATE");
    begin.execute(&mut database.connection).await?;
    rename(database, rules, named, now_us()).await?;
    let commit = sqlx::query("COMMIT");
    commit.execute(&mut database.connection).await?;
    Ok(())
}

async fn rename(
    database: &mut Database,
    rules: &dyn Rules,
    SeatName {
        match_id,
        seat,
        name,
    }: &SeatName,
    at_us: i64,
) -> Result<(), NamingError> {
    let name = name.as_deref();
    let stored: Option<(Option<String>, String)> = sqlx::query_as(
        "SELECT s.name, m.game FROM seats s JOIN matches m ON m.id = s.match_id
         WHERE s.match_id = ? AND s.seat = ?",
    )
    .bind(match_id)
    .bind(seat)
    .fetch_optional(&mut database.connection)
    .await?;
    let Some((before, game)) = stored else {
        let id = format!("{seat} in match {match_id}");
        return Err(StoreError::Unknown { what: "seat", id }.into());
    };
    if before.as_deref() == name {
        return Ok(());
    }
    sqlx::query("UPDATE seats SET name = ? WHERE match_id = ? AND seat = ?")
        .bind(name)
        .bind(match_id)
        .bind(seat)
        .execute(&mut database.connection)
        .await?;
    let taught = evidence(
        &mut database.connection,
        "UPDATE lessons SET merged_into = ? WHERE match_id = ? AND seat = ? RETURNING evidence",
        &[name, Some(match_id)],
        Some(*seat),
    )
    .await?;
    let merge = |evidence| {
        let key = (game.clone(), "named", name?.to_owned());
        Some(Merge {
            key,
            evidence,
            match_id,
            at_us,
        })
    };
    let merges: Vec<Merge<'_>> = taught.iter().filter_map(merge).collect();
    let models = merged(database, &merges, rules).await?;
    models.write(database).await?;
    match before {
        Some(before) => forget(&mut database.connection, &game, &before, at_us, rules).await,
        None => Ok(()),
    }
}

/// Rebuilds a model from its remaining lessons.
async fn forget(
    connection: &mut SqliteConnection,
    game: &str,
    name: &str,
    at_us: i64,
    rules: &dyn Rules,
) -> Result<(), NamingError> {
    let taught = evidence(
        connection,
        "SELECT evidence FROM lessons WHERE game = ? AND merged_into = ? ORDER BY id",
        &[Some(game), Some(name)],
        None,
    )
    .await?;
    let mut model = None;
    for evidence in &taught {
        model = rules.merged(game, model.as_ref(), evidence);
    }
    let statement = match &model {
        Some(_) => {
            "UPDATE opponent_models SET updated_us = ?, model = ?, version = version + 1
             WHERE game = ? AND kind = 'named' AND name = ?"
        }
        None => {
            "DELETE FROM opponent_models WHERE ? IS NOT NULL AND ? IS NULL
             AND game = ? AND kind = 'named' AND name = ?"
        }
    };
    sqlx::query(statement)
        .bind(at_us)
        .bind(model.map(|model| model.to_string()))
        .bind(game)
        .bind(name)
        .execute(connection)
        .await?;
    Ok(())
}

async fn evidence(
    connection: &mut SqliteConnection,
    statement: &'static str,
    texts: &[Option<&str>],
    seat: Option<u8>,
) -> Result<Vec<Value>, NamingError> {
    let mut query = sqlx::query(statement);
    for text in texts {
        query = query.bind(text.map(str::to_owned));
    }
    if let Some(seat) = seat {
        query = query.bind(seat);
    }
    let mut found = Vec::new();
    for row in &query.fetch_all(connection).await? {
        found.push(rows::json(row.try_get(0)?)?);
    }
    Ok(found)
}
