//! Saving what can be read of a damaged database into a new one.

use super::damage::{self, Walked};
use super::error::StoreError;
use super::handle::Store;
use super::{files, listing, open, startup};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection};
use std::path::Path;

/// Tables that are not copied: a new database has its own, or start-up makes it from the others.
const NOT_COPIED: &str =
    "'_sqlx_migrations', 'heads', 'tournament_sizes', 'facets', 'listed', 'listed_sessions'";
/// Lost rows named of one table.
const LINES_MAX: usize = 100;

/// Sessions whose match cannot be read stay reachable: its row is made again from theirs.
const REBUILD: &str = "
    INSERT INTO matches (id, game, referee, market, ours, started_us, setup, ended_us, cause)
    SELECT match_id, game, referee, market, 0, min(opened_us), 'null',
           CASE WHEN count(*) = count(ended_us) THEN max(ended_us) END,
           CASE WHEN count(*) = count(ended_us) THEN 'unterminated' END
    FROM sessions WHERE match_id NOT IN (SELECT id FROM matches) GROUP BY match_id";

/// What a tournament cannot go on from: its round or match is decided or played again.
const FORGET: [&str; 2] = [
    "DELETE FROM tournament_rounds WHERE tournament NOT IN (SELECT id FROM tournaments)",
    "DELETE FROM tournament_matches
     WHERE match_id NOT IN (SELECT id FROM matches WHERE scores IS NOT NULL)
         OR (tournament, round) NOT IN (SELECT tournament, round FROM tournament_rounds)",
];

/// Counts the rounds and matches that are left: while they were copied, some were counted twice.
const COUNT: [&str; 2] = [
    "DELETE FROM tournament_sizes",
    "INSERT INTO tournament_sizes
     SELECT id, (SELECT count(*) FROM tournament_rounds r WHERE r.tournament = id),
         (SELECT count(*) FROM tournament_matches p WHERE p.tournament = id) FROM tournaments",
];

/// What [`Store::salvage`] saved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Salvaged {
    /// The rows of each table.
    pub tables: Vec<(String, u64)>,
    /// What could not be read, as sentences; empty if everything could.
    pub lost: Vec<String>,
}

impl Store {
    /// Copies everything that can be read of the database at `from`, damaged or not, into a new one at `to`,
    /// which must not exist. `from` is not written to.
    ///
    /// # Errors
    /// [`StoreError::Missing`]; [`StoreError::Newer`] and [`StoreError::NotADatabase`] if that much can be read
    /// of it; [`StoreError::Backup`] says why the copy cannot be written, or that not even the list of tables
    /// can be read.
    pub async fn salvage(from: &Path, to: &Path) -> Result<Salvaged, StoreError> {
        let immutable = match open::readable(from).await {
            Ok(found) if found.version.is_none() => {
                return Err(StoreError::NotADatabase {
                    path: from.to_path_buf(),
                    why: "it holds nothing".into(),
                });
            }
            Ok(found) => found.immutable,
            Err(
                error @ (StoreError::Missing { .. }
                | StoreError::Newer { .. }
                | StoreError::NotADatabase { .. }),
            ) => return Err(error),
            // What else is wrong with it does not stop what follows, or is told there.
            Err(_) => false,
        };
        let part = files::part_of(to)?;
        let failed = |why: String| StoreError::Backup {
            path: to.to_path_buf(),
            why,
        };
        let mut opened = open::writer(&part, damage::CHECKED_BYTES_MAX).await?;
        let salvaged = copy(&mut opened.writer, from, immutable)
            .await
            .map_err(|error| failed(error.to_string()));
        let closed = opened.writer.close().await;
        drop(opened.lock);
        // It exists only while the copy is made.
        let _ = std::fs::remove_file(files::beside(&part, ".lock"));
        let salvaged = salvaged?;
        closed.map_err(|error| failed(error.to_string()))?;
        files::finish(part, to).await?;
        Ok(salvaged)
    }
}

async fn copy(
    connection: &mut SqliteConnection,
    from: &Path,
    immutable: bool,
) -> Result<Salvaged, sqlx::Error> {
    // All of it is synced at once, in the end.
    for pragma in [
        "PRAGMA foreign_keys = OFF",
        "PRAGMA synchronous = OFF",
        "PRAGMA wal_autocheckpoint = 1000",
    ] {
        sqlx::query(pragma).execute(&mut *connection).await?;
    }
    let from = from.to_string_lossy();
    let uri = format!(
        "file:{}?mode=ro&immutable={}",
        utf8_percent_encode(&from, NON_ALPHANUMERIC),
        u8::from(immutable)
    );
    sqlx::query("ATTACH ? AS damaged")
        .bind(uri)
        .execute(&mut *connection)
        .await?;
    let list = format!(
        "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table'
             AND name NOT LIKE 'sqlite_%' AND name NOT IN ({NOT_COPIED})
         ORDER BY (SELECT rowid FROM main.sqlite_master m WHERE m.name = pragma_table_list.name)"
    );
    let tables: Vec<(String, bool)> = sqlx::query_as(AssertSqlSafe(list))
        .fetch_all(&mut *connection)
        .await?;
    let mut salvaged = Salvaged::default();
    for (name, keyed) in tables {
        let table = Table::of(connection, name).await?;
        if table.columns.is_empty() {
            continue;
        }
        let walked = if keyed {
            table.copy_by_key(connection).await?
        } else {
            table.copy_by_rowid(connection).await?
        };
        salvaged.note(table.name, walked);
    }
    let rebuilt = sqlx::query(REBUILD).execute(&mut *connection).await?;
    match rebuilt.rows_affected() {
        0 => {}
        count => salvaged.lost.push(format!(
            "{count} matches were made again from their sessions"
        )),
    }
    let mut forgotten = 0;
    for statement in FORGET {
        let done = sqlx::query(statement).execute(&mut *connection).await?;
        forgotten += done.rows_affected();
    }
    if forgotten > 0 {
        salvaged.lost.push(format!(
            "{forgotten} rounds and matches of tournaments are to be played again"
        ));
    }
    for statement in COUNT {
        sqlx::query(statement).execute(&mut *connection).await?;
    }
    startup::keep_numbers(connection).await?;
    listing::list_all(connection).await?;
    sqlx::query("DETACH damaged")
        .execute(&mut *connection)
        .await?;
    sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)")
        .execute(connection)
        .await?;
    Ok(salvaged)
}

impl Salvaged {
    fn note(&mut self, table: String, walked: Walked) {
        let count = walked.lost.len();
        for (first, last) in walked.lost.into_iter().take(LINES_MAX) {
            self.lost.push(match (first, last) {
                (i64::MIN, i64::MAX) => format!("{table}: some rows cannot be read"),
                (_, i64::MAX) => format!("{table}: rows from {first} cannot be read"),
                (i64::MIN, _) => format!("{table}: rows up to {last} cannot be read"),
                _ => format!("{table}: rows {first} to {last} cannot be read"),
            });
        }
        if count > LINES_MAX {
            let more = count - LINES_MAX;
            self.lost.push(format!("{table}: {more} more gaps"));
        }
        self.tables.push((table, walked.rows));
    }
}

/// A table to be copied.
struct Table {
    name: String,
    /// Those that both databases have.
    columns: String,
    key: String,
}

impl Table {
    async fn of(connection: &mut SqliteConnection, name: String) -> Result<Self, sqlx::Error> {
        let columns = sqlx::query_scalar(
            "SELECT coalesce(group_concat(format('\"%w\"', name)), '') FROM pragma_table_info($1, 'main')
             WHERE name IN (SELECT name FROM pragma_table_info($1, 'damaged'))",
        )
        .bind(name.clone())
        .fetch_one(&mut *connection)
        .await?;
        let key = sqlx::query_scalar(
            "SELECT coalesce(group_concat(name), '') FROM
             (SELECT name FROM pragma_table_info(?, 'main') WHERE pk > 0 ORDER BY pk)",
        )
        .bind(name.clone())
        .fetch_one(connection)
        .await?;
        Ok(Self { name, columns, key })
    }

    /// The statement that copies the rows for which `condition` holds.
    fn insert(&self, condition: &str) -> AssertSqlSafe<String> {
        let Self { name, columns, .. } = self;
        AssertSqlSafe(format!(
            "INSERT OR REPLACE INTO main.{name} ({columns}) SELECT {columns} FROM damaged.{name} {condition}"
        ))
    }

    async fn copy_by_rowid(
        &self,
        connection: &mut SqliteConnection,
    ) -> Result<Walked, sqlx::Error> {
        let table = format!("damaged.{}", self.name);
        damage::walk(connection, &table, async |connection, from, rows| {
            let insert = self.insert("WHERE rowid >= ? ORDER BY rowid LIMIT ?");
            let done = sqlx::query(insert)
                .bind(from)
                .bind(rows)
                .execute(connection);
            Ok(done.await?.rows_affected())
        })
        .await
    }

    /// Copies a table without rowids: as a whole, or else from both ends up to the damage, and what belongs
    /// to each match or tournament by itself.
    async fn copy_by_key(&self, connection: &mut SqliteConnection) -> Result<Walked, sqlx::Error> {
        let mut walked = Walked::default();
        match sqlx::query(self.insert("")).execute(&mut *connection).await {
            Ok(done) => {
                walked.rows = done.rows_affected();
                return Ok(walked);
            }
            Err(error) if damage::is_full(&error) => return Err(error),
            Err(_) => walked.lost.push((i64::MIN, i64::MAX)),
        }
        for order in ["ASC", "DESC"] {
            self.copy_up_to_damage(connection, order).await;
        }
        let parent = match self.key.split(',').next() {
            Some("match_id") => Some(("match_id", "main.matches")),
            Some("tournament") => Some(("tournament", "main.tournaments")),
            _ => None,
        };
        if let Some((column, parents)) = parent {
            let insert = format!(
                "WHERE {column} IN (SELECT id FROM {parents} WHERE rowid >= ? ORDER BY rowid LIMIT ?)"
            );
            let take = async |connection: &mut SqliteConnection, from, rows| {
                let insert = sqlx::query(self.insert(&insert)).bind(from).bind(rows);
                Ok(insert.execute(connection).await?.rows_affected())
            };
            damage::walk(connection, parents, take).await?;
        }
        let count = format!("SELECT count(*) FROM main.{}", self.name);
        let rows: i64 = sqlx::query_scalar(AssertSqlSafe(count))
            .fetch_one(connection)
            .await?;
        walked.rows = rows as u64;
        Ok(walked)
    }

    /// Copies the longest run of rows in this order that can be read.
    async fn copy_up_to_damage(&self, connection: &mut SqliteConnection, order: &str) {
        let key = self.key.replace(',', &format!(" {order},"));
        let insert = format!("ORDER BY {key} {order} LIMIT ?");
        let (mut least, mut most) = (0_i64, i64::MAX);
        while least < most {
            let wanted = if most == i64::MAX {
                (least * 2).max(1)
            } else {
                least + (most - least + 1) / 2
            };
            let copied = sqlx::query(self.insert(&insert))
                .bind(wanted)
                .execute(&mut *connection);
            match copied.await {
                Ok(done) if (done.rows_affected() as i64) < wanted => return,
                Ok(_) => least = wanted,
                Err(_) => most = wanted - 1,
            }
        }
    }
}
