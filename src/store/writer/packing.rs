//! The transactions that move ended sessions out of the log. What they write is in the log already: they
//! are not synced, and while they fail nothing else does.

use super::command::{Reply, answer};
use super::fault::{self, Verdict, judge, shown};
use super::prune::{self, Prune};
use super::run::Writer;
use crate::store::error::StoreError;
use crate::store::packed::Packed;
use crate::store::types::Durability;
use sqlx::{AssertSqlSafe, SqliteConnection};
use std::path::Path;

/// The file is shrunk if this part of its pages is free.
const FREE_PART: i64 = 4;

/// Inserts the packed row and empties the log behind it: as many rows as it has entries, and two.
const MOVE: &str = "
    INSERT INTO packed (session, last_entry, entries, bytes, dictionary, content)
    VALUES ($1, $2, $3, $4, $5, $6);
    UPDATE sessions SET packed = 1 WHERE id = $1;
    DELETE FROM entries WHERE session = $1 AND id IN (SELECT value FROM json_each($7))";

/// Sessions to be packed in one transaction.
#[derive(Debug, Default)]
pub(in crate::store) struct Packing {
    pub(in crate::store) packed: Vec<Packed>,
    /// Sessions that stay as they are.
    pub(in crate::store) left: Vec<i64>,
}

impl Writer {
    pub(super) async fn pack(&mut self, packing: Packing, reply: Reply<()>) {
        let entries = packing.packed.iter().map(|packed| packed.entries).sum();
        let done = match self.synchronise(Durability::Process).await {
            Ok(()) => moved(&mut self.connection, packing).await,
            Err(error) => Err(error),
        };
        match done {
            Ok(()) => {
                self.checkpoints.committed(entries);
                answer(reply, Ok(()));
            }
            Err(error) => {
                self.roll_back().await;
                answer(reply, Err(told(&error)));
            }
        }
    }

    pub(super) async fn prune(&mut self, prune: &Prune, reply: Reply<u64>) {
        // The numbers of entries that go are not given again.
        self.store_heads().await;
        let done = match self.synchronise(Durability::Process).await {
            Ok(()) => prune::go(&mut self.connection, prune).await,
            Err(error) => Err(error),
        };
        match done {
            Ok(gone) => {
                let (Prune::Transcripts(sessions) | Prune::Void(sessions)) = prune;
                self.checkpoints.committed(sessions.len() as u64);
                answer(reply, Ok(gone));
            }
            Err(error) => {
                self.roll_back().await;
                answer(reply, Err(told(&error)));
            }
        }
    }

    pub(super) async fn add_dictionary(&mut self, game: &str, content: Vec<u8>, reply: Reply<i64>) {
        let added = sqlx::query_scalar(
            "INSERT INTO dictionaries (game, content) VALUES (?, ?) RETURNING id",
        )
        .bind(game.to_owned())
        .bind(content)
        .fetch_one(&mut self.connection)
        .await;
        answer(reply, added.map_err(|error| told(&error)));
    }

    pub(super) async fn give_back(&mut self, reply: Reply<u64>) {
        let given = shrunk(&mut self.connection).await;
        answer(reply, given.map_err(|error| told(&error)));
    }
}

fn told(error: &sqlx::Error) -> StoreError {
    let verdict = judge(error);
    if verdict == Verdict::End {
        fault::end(error);
    }
    shown(verdict, &error.to_string())
}

async fn moved(connection: &mut SqliteConnection, packing: Packing) -> Result<(), sqlx::Error> {
    sqlx::query("BEGIN IMMEDIATE")
        .execute(&mut *connection)
        .await?;
    for packed in packing.packed {
        let rows = packed.entries + 2;
        let done = sqlx::query(MOVE)
            .bind(packed.session.0)
            .bind(packed.last.0)
            .bind(packed.entries as i64)
            .bind(packed.bytes as i64)
            .bind(packed.dictionary)
            .bind(packed.content)
            .bind(packed.ids)
            .execute(&mut *connection)
            .await?;
        if done.rows_affected() != rows {
            let why = format!("{} rows were moved, not {rows}", done.rows_affected());
            return Err(sqlx::Error::Protocol(why));
        }
    }
    for session in packing.left {
        sqlx::query("UPDATE sessions SET packed = 0 WHERE id = ? AND packed IS NULL")
            .bind(session)
            .execute(&mut *connection)
            .await?;
    }
    sqlx::query("COMMIT").execute(connection).await?;
    Ok(())
}

async fn shrunk(connection: &mut SqliteConnection) -> Result<u64, sqlx::Error> {
    let mut pragma = async |name: &'static str| {
        let query = sqlx::query_scalar::<_, i64>(name);
        query.fetch_one(&mut *connection).await
    };
    let pages = pragma("PRAGMA page_count").await?;
    let free = pragma("PRAGMA freelist_count").await?;
    let size = pragma("PRAGMA page_size").await?;
    if free * FREE_PART < pages {
        return Ok(0);
    }
    let file: String =
        sqlx::query_scalar("SELECT file FROM pragma_database_list WHERE name = 'main'")
            .fetch_one(&mut *connection)
            .await?;
    let folder = Path::new(&file).parent().unwrap_or(Path::new("."));
    // The copy is built beside the database: in memory it may not fit, and /tmp may be memory or missing.
    temporary(connection, "FILE", &folder.to_string_lossy()).await?;
    let shrunk = sqlx::query("VACUUM").execute(&mut *connection).await;
    temporary(connection, "MEMORY", "").await?;
    shrunk?;
    Ok((free * size) as u64)
}

/// Sets where SQLite's temporary data is; the folder is this process's. (Both act when they are compiled: a
/// cached statement would do nothing the second time.)
async fn temporary(
    connection: &mut SqliteConnection,
    store: &str,
    folder: &str,
) -> Result<(), sqlx::Error> {
    let folder = folder.replace('\'', "''");
    for pragma in [
        format!("PRAGMA temp_store = {store}"),
        format!("PRAGMA temp_store_directory = '{folder}'"),
    ] {
        let query = sqlx::query(AssertSqlSafe(pragma)).persistent(false);
        query.execute(&mut *connection).await?;
    }
    Ok(())
}
