//! The transactions that move ended sessions out of the log, and shrink the file.

use crate::store::packed::Packed;
use crate::store::sql::{Connection, query, query_as};
use std::path::Path;

/// The file is shrunk if this part of its pages is free.
const FREE_PART: i64 = 4;

const PACKED: &str = "
    INSERT INTO packed (session, last_entry, entries, bytes, dictionary, content)
    SELECT $1, $2, $3, $4, $5, $6 WHERE $5 IS NULL OR $5 IN (SELECT id FROM dictionaries)";
const IS_PACKED: &str = "UPDATE sessions SET packed = 1 WHERE id = $1";
/// Empties the log behind it.
const UNLOGGED: &str = "
    DELETE FROM entries WHERE session = $1 AND id IN (SELECT CAST(value AS BIGINT) FROM json_each($2))";

/// Sessions to be packed in one transaction.
#[derive(Debug, Default)]
pub(in crate::store) struct Packing {
    pub(in crate::store) packed: Vec<Packed>,
    /// Sessions that stay as they are.
    pub(in crate::store) left: Vec<i64>,
}

impl Packing {
    /// How many entries it moves.
    pub(super) fn entries(&self) -> u64 {
        self.packed.iter().map(|packed| packed.entries).sum()
    }
}

/// Adds a dictionary of a game; returns its number.
pub(super) async fn add_dictionary(
    connection: &mut Connection,
    game: String,
    content: Vec<u8>,
) -> Result<i64, sqlx::Error> {
    let insert = "INSERT INTO dictionaries (game, content) VALUES ($1, $2) RETURNING id";
    let insert = query_as(insert).bind(game).bind(content);
    // To the very end: the last step is the commit, and its error must not be missed.
    let mut ids = insert.fetch_all(connection).await?;
    ids.pop().ok_or(sqlx::Error::RowNotFound)
}

/// Moves sessions out of the log.
pub(super) async fn moved(
    connection: &mut Connection,
    packing: Packing,
) -> Result<(), sqlx::Error> {
    connection.begin().await?;
    for packed in packing.packed {
        let rows = packed.entries + 2;
        let row = query(PACKED)
            .bind(packed.session.0)
            .bind(packed.last.0)
            .bind(packed.entries as i64)
            .bind(packed.bytes as i64)
            .bind(packed.dictionary)
            .bind(packed.content);
        let mark = query(IS_PACKED).bind(packed.session.0);
        let gone = query(UNLOGGED).bind(packed.session.0).bind(packed.ids);
        let mut done = 0;
        for step in [row, mark, gone] {
            done += step.execute(&mut *connection).await?;
        }
        if done != rows {
            let why = format!("{done} rows were moved, not {rows}");
            return Err(sqlx::Error::Decode(why.into()));
        }
    }
    for session in packing.left {
        query("UPDATE sessions SET packed = 0 WHERE id = $1 AND packed IS NULL")
            .bind(session)
            .execute(&mut *connection)
            .await?;
    }
    connection.commit().await?;
    Ok(())
}

/// Shrinks the file if enough of it is free; returns the bytes given back. A server does so by itself.
pub(super) async fn shrunk(connection: &mut Connection) -> Result<u64, sqlx::Error> {
    if connection.is_postgres() {
        return Ok(0);
    }
    let mut pragma = async |name: &'static str| {
        let query = query_as::<i64>(name);
        query.fetch_one(&mut *connection).await
    };
    let pages = pragma("PRAGMA page_count").await?;
    let free = pragma("PRAGMA freelist_count").await?;
    let size = pragma("PRAGMA page_size").await?;
    if free * FREE_PART < pages {
        return Ok(0);
    }
    let file: String = query_as("SELECT file FROM pragma_database_list WHERE name = 'main'")
        .fetch_one(&mut *connection)
        .await?;
    let folder = Path::new(&file).parent().unwrap_or(Path::new("."));
    // The copy is built next to the database: in memory it may not fit, and /tmp may be memory or missing.
    temporary(connection, "FILE", &folder.to_string_lossy()).await?;
    let shrunk = query("VACUUM").execute(&mut *connection).await;
    temporary(connection, "MEMORY", "").await?;
    shrunk?;
    Ok((free * size) as u64)
}

/// Sets where SQLite's temporary data is; the folder is this process's. (Both act when they are compiled: a
/// cached statement would do nothing the second time.)
async fn temporary(
    connection: &mut Connection,
    store: &str,
    folder: &str,
) -> Result<(), sqlx::Error> {
    let folder = folder.replace('\'', "''");
    for pragma in [
        format!("PRAGMA temp_store = {store}"),
        format!("PRAGMA temp_store_directory = '{folder}'"),
    ] {
        let query = query(pragma).once();
        query.execute(&mut *connection).await?;
    }
    Ok(())
}
