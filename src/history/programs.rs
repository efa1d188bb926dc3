//! What user programs noted and reported in their matches.

use crate::store::sql::query_as;
use crate::store::types::SessionId;
use crate::store::{Change, ProgramRun, Reader, Storage, StoreError};
use serde_json::{Value, json};

/// What a program noted last in a match of this game.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn note(reader: &Reader, bot: &str, game: &str) -> Result<Option<Value>, StoreError> {
    let note: Option<String> = query_as("SELECT note FROM notes WHERE bot = $1 AND game = $2")
        .bind(bot.to_owned())
        .bind(game.to_owned())
        .fetch_optional(reader.pool())
        .await?;
    let corrupt = |why| StoreError::Corrupt(format!("the note of {bot} for {game}: {why}"));
    note.map(|note| serde_json::from_str(&note).map_err(corrupt))
        .transpose()
}

pub(super) async fn note_given(
    reader: &Reader,
    session: SessionId,
) -> Result<Option<Value>, StoreError> {
    let note: Option<String> = query_as("SELECT note FROM notes_given WHERE session = $1")
        .bind(session.0)
        .fetch_optional(reader.pool())
        .await?;
    let corrupt = |why| StoreError::Corrupt(format!("session {}'s note: {why}", session.0));
    note.map(|note| serde_json::from_str(&note).map_err(corrupt))
        .transpose()
}

/// The outcome of these sessions' programs: each with its report and its standard error, by session. Sessions
/// without a program, or whose program has not ended yet, are left out.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn program_runs(
    reader: &Reader,
    sessions: &[SessionId],
) -> Result<Vec<(SessionId, Value, String)>, StoreError> {
    let runs: Vec<(i64, String, String)> = query_as(
        "SELECT session, report, stderr FROM program_runs
         WHERE session IN (SELECT CAST(value AS BIGINT) FROM json_each($1)) ORDER BY session",
    )
    .bind(json!(sessions).to_string())
    .fetch_all(reader.pool())
    .await?;
    let read = |(session, report, stderr): (i64, String, String)| {
        let report = serde_json::from_str(&report).map_err(|why| {
            StoreError::Corrupt(format!("the program of session {session}: {why}"))
        })?;
        Ok((SessionId(session), report, stderr))
    };
    runs.into_iter().map(read).collect()
}

/// Stores the outcome of a program, with its note.
///
/// # Errors
/// [`StoreError`].
pub async fn program_ran(store: &dyn Storage, run: ProgramRun) -> Result<(), StoreError> {
    let change = Change::Program(Box::new(run));
    store.change(change).await?;
    Ok(())
}
