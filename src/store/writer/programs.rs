//! User programs' notes and reports, and how they took part in their matches, as rows.

use super::statements::PARTICIPATION_MERGED;
use crate::store::types::SessionId;
use games::Participation;
use serde_json::Value;
use sqlx::{AssertSqlSafe, SqliteConnection};

/// How a program fared in a session, to be stored.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramRun {
    /// The session.
    pub session: SessionId,
    /// What it noted for its next match, if that is kept.
    pub note: Option<Note>,
    /// Counts and faults.
    pub report: Value,
    /// How it took part, if that is known.
    pub participation: Option<Participation>,
    /// The end of its standard error.
    pub stderr: String,
}

/// What a program noted for its next match.
#[derive(Clone, Debug, PartialEq)]
pub struct Note {
    /// The program's name, without its version.
    pub bot: String,
    /// The game.
    pub game: String,
    /// Any JSON.
    pub note: Value,
}

/// A change of notes alone.
#[derive(Debug)]
pub enum NoteChange {
    /// It was noted.
    Kept(Note),
    /// A session's program begins with it.
    Given(SessionId, Value),
}

/// Makes the change in a transaction of its own.
pub(super) async fn change(
    connection: &mut SqliteConnection,
    run: &ProgramRun,
) -> Result<Option<i64>, sqlx::Error> {
    use sqlx::Connection as _;
    let mut transaction = connection.begin().await?;
    if let Some(note) = &run.note {
        keep(&mut transaction, note).await?;
    }
    sqlx::query("DELETE FROM notes_given WHERE session = ?")
        .bind(run.session.0)
        .execute(&mut *transaction)
        .await?;
    sqlx::query(
        "INSERT INTO program_runs (session, report, stderr)
         SELECT $1, $2, $3 WHERE EXISTS (SELECT 1 FROM sessions WHERE id = $1)
         ON CONFLICT (session) DO UPDATE SET report = excluded.report, stderr = excluded.stderr",
    )
    .bind(run.session.0)
    .bind(run.report.to_string())
    .bind(run.stderr.clone())
    .execute(&mut *transaction)
    .await?;
    if let Some(part) = &run.participation {
        took_part(&mut transaction, run.session, part).await?;
    }
    transaction.commit().await?;
    Ok(Some(run.session.0))
}

/// Notes how a session's program took part, if the session's seat is known.
async fn took_part(
    connection: &mut SqliteConnection,
    session: SessionId,
    part: &Participation,
) -> Result<(), sqlx::Error> {
    let row = "SELECT match_id AS column1, seat, ?, ?, ?, ?, ? FROM sessions WHERE id = ? AND seat IS NOT NULL";
    let columns = "match_id, seat, how, turn, detail, decisions, fallback";
    sqlx::query(AssertSqlSafe(format!(
        "INSERT INTO participations ({columns}) SELECT * FROM ({row}) {PARTICIPATION_MERGED}"
    )))
    .bind(part.how.word())
    .bind(part.turn)
    .bind(part.detail.clone())
    .bind(part.decisions)
    .bind(part.fallback)
    .bind(session.0)
    .execute(connection)
    .await?;
    Ok(())
}

/// Makes the change, which is a transaction of its own.
pub(super) async fn change_note(
    connection: &mut SqliteConnection,
    change: &NoteChange,
) -> Result<Option<i64>, sqlx::Error> {
    match change {
        NoteChange::Kept(note) => keep(connection, note).await?,
        NoteChange::Given(session, note) => {
            sqlx::query(
                "INSERT INTO notes_given (session, note) VALUES ($1, $2)
                 ON CONFLICT (session) DO UPDATE SET note = excluded.note",
            )
            .bind(session.0)
            .bind(note.to_string())
            .execute(connection)
            .await?;
        }
    }
    Ok(None)
}

async fn keep(connection: &mut SqliteConnection, note: &Note) -> Result<(), sqlx::Error> {
    sqlx::query(
        "INSERT INTO notes (bot, game, note) VALUES (?, ?, ?)
         ON CONFLICT (bot, game) DO UPDATE SET note = excluded.note",
    )
    .bind(note.bot.clone())
    .bind(note.game.clone())
    .bind(note.note.to_string())
    .execute(connection)
    .await?;
    Ok(())
}
