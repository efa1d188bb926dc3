//! User programs' notes and reports, and how they took part in their matches, as rows.

use super::statements::PARTICIPATION_MERGED;
use crate::store::sql::{Connection, query};
use crate::store::types::SessionId;
use games::Participation;
use serde_json::Value;

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
    connection: &mut Connection,
    run: &ProgramRun,
) -> Result<Option<i64>, sqlx::Error> {
    connection.begin().await?;
    if let Some(note) = &run.note {
        keep(&mut *connection, note).await?;
    }
    query("DELETE FROM notes_given WHERE session = $1")
        .bind(run.session.0)
        .execute(&mut *connection)
        .await?;
    query(
        "INSERT INTO program_runs (session, report, stderr)
         SELECT $1, $2, $3 WHERE EXISTS (SELECT 1 FROM sessions WHERE id = $1)
         ON CONFLICT (session) DO UPDATE SET report = excluded.report, stderr = excluded.stderr",
    )
    .bind(run.session.0)
    .bind(run.report.to_string())
    .bind(run.stderr.clone())
    .execute(&mut *connection)
    .await?;
    if let Some(part) = &run.participation {
        took_part(&mut *connection, run.session, part).await?;
    }
    connection.commit().await?;
    Ok(Some(run.session.0))
}

/// Notes how a session's program took part, if the session's seat is known.
async fn took_part(
    connection: &mut Connection,
    session: SessionId,
    part: &Participation,
) -> Result<(), sqlx::Error> {
    let row = "SELECT match_id AS column1, seat, $1, $2, $3, $4, $5 FROM sessions WHERE id = $6 AND seat IS NOT NULL";
    let columns = "match_id, seat, how, turn, detail, decisions, fallback";
    query(format!(
        "INSERT INTO participations ({columns}) SELECT * FROM ({row}) AS v {PARTICIPATION_MERGED}"
    ))
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
    connection: &mut Connection,
    change: &NoteChange,
) -> Result<Option<i64>, sqlx::Error> {
    match change {
        NoteChange::Kept(note) => keep(connection, note).await?,
        NoteChange::Given(session, note) => {
            query(
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

async fn keep(connection: &mut Connection, note: &Note) -> Result<(), sqlx::Error> {
    query(
        "INSERT INTO notes (bot, game, note) VALUES ($1, $2, $3)
         ON CONFLICT (bot, game) DO UPDATE SET note = excluded.note",
    )
    .bind(note.bot.clone())
    .bind(note.game.clone())
    .bind(note.note.to_string())
    .execute(connection)
    .await?;
    Ok(())
}
