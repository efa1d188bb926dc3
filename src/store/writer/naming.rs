//! Naming an opponent, during or after the match.

use super::learning::{self, Merge, merged};
use super::statements::Database;
use crate::clock::now_us;
use crate::store::error::StoreError;
use crate::store::rows;
use crate::store::rules::Rules;
use crate::store::sql::{Connection, query, query_as};
use serde_json::Value;

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
    database.connection.begin().await?;
    learning::alone(&mut database.connection).await?;
    rename(database, rules, named, now_us()).await?;
    Ok(database.connection.commit().await?)
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
    let stored: Option<(Option<String>, String)> = query_as(
        "SELECT s.name, m.game FROM seats s JOIN matches m ON m.id = s.match_id
         WHERE s.match_id = $1 AND s.seat = $2",
    )
    .bind(match_id)
    .bind(*seat)
    .fetch_optional(&mut database.connection)
    .await?;
    let Some((before, game)) = stored else {
        let id = format!("{seat} in match {match_id}");
        return Err(StoreError::Unknown { what: "seat", id }.into());
    };
    if before.as_deref() == name {
        return Ok(());
    }
    query("UPDATE seats SET name = $1 WHERE match_id = $2 AND seat = $3")
        .bind(name)
        .bind(match_id)
        .bind(*seat)
        .execute(&mut database.connection)
        .await?;
    let taught = evidence(
        &mut database.connection,
        "UPDATE lessons SET merged_into = $1 WHERE match_id = $2 AND seat = $3 RETURNING evidence",
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
    connection: &mut Connection,
    game: &str,
    name: &str,
    at_us: i64,
    rules: &dyn Rules,
) -> Result<(), NamingError> {
    let taught = evidence(
        connection,
        "SELECT evidence FROM lessons WHERE game = $1 AND merged_into = $2 ORDER BY id",
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
            "UPDATE opponent_models SET updated_us = $1, model = $2, version = version + 1
             WHERE game = $3 AND kind = 'named' AND name = $4"
        }
        None => {
            "DELETE FROM opponent_models WHERE $1 IS NOT NULL AND $2 IS NULL
             AND game = $3 AND kind = 'named' AND name = $4"
        }
    };
    query(statement)
        .bind(at_us)
        .bind(model.map(|model| model.to_string()))
        .bind(game)
        .bind(name)
        .execute(connection)
        .await?;
    Ok(())
}

async fn evidence(
    connection: &mut Connection,
    statement: &'static str,
    texts: &[Option<&str>],
    seat: Option<u8>,
) -> Result<Vec<Value>, NamingError> {
    let mut query = query(statement);
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
