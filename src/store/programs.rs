//! Users' programs in the store: what they noted, and what became of them in their matches.

use super::error::StoreError;
use super::handle::Store;
use super::types::SessionId;
use super::writer::{Change, Command, PARTICIPATION_MERGED};
use games::Participation;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, SqliteConnection};

/// What became of a program in a session, to be stored.
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
pub(super) enum NoteChange {
    /// It was noted.
    Kept(Note),
    /// A session's program begins with it.
    Given(SessionId, Value),
}

impl Store {
    /// What a program noted last in a match of this game.
    ///
    /// # Errors
    /// [`StoreError::Read`], [`StoreError::Corrupt`].
    pub async fn note(&self, bot: &str, game: &str) -> Result<Option<Value>, StoreError> {
        let note: Option<String> =
            sqlx::query_scalar("SELECT note FROM notes WHERE bot = ? AND game = ?")
                .bind(bot.to_owned())
                .bind(game.to_owned())
                .fetch_optional(self.readers())
                .await?;
        let corrupt = |why| StoreError::Corrupt(format!("the note of {bot} for {game}: {why}"));
        note.map(|note| serde_json::from_str(&note).map_err(corrupt))
            .transpose()
    }

    /// Keeps what a program noted, in the place of what it noted before.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn keep_note(&self, note: Note) -> Result<(), StoreError> {
        let change = Change::Note(Box::new(NoteChange::Kept(note)));
        self.ask(|reply| Command::Change(change, reply)).await?;
        Ok(())
    }

    /// The note with which a session's program begins, which is given to it again if its match is told again: the last one
    /// kept, or, where the match `began` before, the one that it was given then.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn give_note(
        &self,
        session: SessionId,
        (bot, game): (&str, &str),
        began: bool,
    ) -> Result<Option<Value>, StoreError> {
        if began {
            return self.note_given(session).await;
        }
        let note = self.note(bot, game).await?;
        if let Some(note) = note.clone() {
            let change = Change::Note(Box::new(NoteChange::Given(session, note)));
            self.ask(|reply| Command::Change(change, reply)).await?;
        }
        Ok(note)
    }

    async fn note_given(&self, session: SessionId) -> Result<Option<Value>, StoreError> {
        let note: Option<String> =
            sqlx::query_scalar("SELECT note FROM notes_given WHERE session = ?")
                .bind(session.0)
                .fetch_optional(self.readers())
                .await?;
        let corrupt = |why| StoreError::Corrupt(format!("session {}'s note: {why}", session.0));
        note.map(|note| serde_json::from_str(&note).map_err(corrupt))
            .transpose()
    }

    /// What became of the programs of these sessions: each with its report and its standard error, by session. Sessions
    /// without a program, or whose program has not ended yet, are left out.
    ///
    /// # Errors
    /// [`StoreError::Read`], [`StoreError::Corrupt`].
    pub async fn program_runs(
        &self,
        sessions: &[SessionId],
    ) -> Result<Vec<(SessionId, Value, String)>, StoreError> {
        let runs: Vec<(i64, String, String)> = sqlx::query_as(
            "SELECT session, report, stderr FROM program_runs
             WHERE session IN (SELECT value FROM json_each(?)) ORDER BY session",
        )
        .bind(json!(sessions).to_string())
        .fetch_all(self.readers())
        .await?;
        let read = |(session, report, stderr): (i64, String, String)| {
            let report = serde_json::from_str(&report).map_err(|why| {
                StoreError::Corrupt(format!("the program of session {session}: {why}"))
            })?;
            Ok((SessionId(session), report, stderr))
        };
        runs.into_iter().map(read).collect()
    }

    /// Stores what became of a program, with its note.
    ///
    /// # Errors
    /// [`StoreError`].
    pub async fn program_ran(&self, run: ProgramRun) -> Result<(), StoreError> {
        let change = Change::Program(Box::new(run));
        self.ask(|reply| Command::Change(change, reply)).await?;
        Ok(())
    }
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
        "INSERT OR REPLACE INTO program_runs (session, report, stderr)
         SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM sessions WHERE id = ?1)",
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
            sqlx::query("INSERT OR REPLACE INTO notes_given (session, note) VALUES (?, ?)")
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
