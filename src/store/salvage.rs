//! Saving what can be read of a damaged database into a new one.

use super::damage::{self, RANGE};
use super::error::StoreError;
use super::sql::{Connection, query};
use super::{files, open, startup};
use futures_util::TryStreamExt as _;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use sqlx::{AssertSqlSafe, SqliteConnection};
use std::path::Path;

/// Tables that are not copied: a new database has its own, or start-up makes it from the others.
const NOT_COPIED: &str = "'_sqlx_migrations', 'heads', 'tournament_sizes', 'programs_played'";
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

/// How many rows a table has by its pages, and how many of these cannot be read. Tables without rowids have rows on
/// all pages.
const SIZE: &str = "
    SELECT coalesce(sum(ncell), 0), coalesce(sum(pagetype = 'corrupted'), 0) FROM dbstat
    WHERE schema = 'damaged' AND name = ?1 AND (?2 OR pagetype <> 'internal')";

/// What [`salvage`] saved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Salvaged {
    /// The rows of each table.
    pub tables: Vec<(String, u64)>,
    /// What was lost of which table, as sentences; empty if nothing was.
    pub lost: Vec<String>,
}

/// Copies everything that can be read of the database at `from`, damaged or not, into a new one at `to`,
/// which must not exist. `from` is not written to.
///
/// # Errors
/// [`StoreError::Missing`]; [`StoreError::Newer`], [`StoreError::Older`] and [`StoreError::NotADatabase`] if that
/// much can be read of it; [`StoreError::Backup`] says why the copy cannot be written, or that not even the list of tables
/// can be read.
pub async fn salvage(from: &Path, to: &Path) -> Result<Salvaged, StoreError> {
    let from = &files::canonical(from);
    let immutable = match open::readable(from).await {
        Ok(found) if found.empty => {
            return Err(StoreError::NotADatabase {
                path: from.to_path_buf(),
                why: "it holds nothing".into(),
            });
        }
        Ok(found) => found.immutable,
        Err(
            error @ (StoreError::Missing { .. }
            | StoreError::Newer { .. }
            | StoreError::Older { .. }
            | StoreError::Names { .. }
            | StoreError::Foreign { .. }
            | StoreError::NotADatabase { .. }),
        ) => return Err(error),
        // What else is wrong with it does not stop what follows, or is reported there.
        Err(_) => false,
    };
    let part = files::part_of(to)?;
    let failed = |why: String| StoreError::Backup {
        path: to.to_path_buf(),
        why,
    };
    let opened = open::writer(&part, damage::CHECKED_BYTES_MAX).await?;
    let mut writer = Connection::Sqlite(opened.writer);
    let salvaged = copy(&mut writer, from, immutable)
        .await
        .map_err(|error| failed(error.to_string()));
    let closed = writer.close().await;
    drop(opened.lock);
    // It exists only while the copy is made.
    let _ = std::fs::remove_file(files::companion(&part, ".lock"));
    let salvaged = salvaged?;
    closed.map_err(|error| failed(error.to_string()))?;
    files::finish(part, to).await?;
    Ok(salvaged)
}

async fn copy(
    connection: &mut Connection,
    from: &Path,
    immutable: bool,
) -> Result<Salvaged, sqlx::Error> {
    let salvaged = match connection.sqlite() {
        Some(file) => copy_rows(file, from, immutable).await?,
        None => Salvaged::default(),
    };
    startup::keep_numbers(connection).await?;
    query("PRAGMA wal_checkpoint(TRUNCATE)")
        .execute(connection)
        .await?;
    Ok(salvaged)
}

async fn copy_rows(
    connection: &mut SqliteConnection,
    from: &Path,
    immutable: bool,
) -> Result<Salvaged, sqlx::Error> {
    // All of it is synced at once, in the end.
    for pragma in [
        "PRAGMA foreign_keys = OFF",
        "PRAGMA synchronous = OFF",
        "PRAGMA wal_autocheckpoint = 1000",
        // A file that has lost its end is read as far as it goes.
        "PRAGMA writable_schema = ON",
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
         ORDER BY wr, (SELECT rowid FROM main.sqlite_master m WHERE m.name = pragma_table_list.name)"
    );
    let tables: Vec<(String, bool)> = sqlx::query_as(AssertSqlSafe(list))
        .fetch_all(&mut *connection)
        .await?;
    let mut salvaged = Salvaged::default();
    let described = sqlx::query("SELECT count(*) FROM damaged.sqlite_master");
    if let Err(error) = described.execute(&mut *connection).await {
        let what = format!("tables whose description is lost are missing below: {error}");
        salvaged.lost.push(what);
    }
    for keyed in [false, true] {
        if keyed {
            // What has a key is looked for by that of its match.
            let rebuilt = sqlx::query(REBUILD).execute(&mut *connection).await?;
            match rebuilt.rows_affected() {
                0 => {}
                count => salvaged.lost.push(format!(
                    "{count} matches were made again from their sessions"
                )),
            }
        }
        for (name, _) in tables.iter().filter(|(_, by_key)| *by_key == keyed) {
            let table = Table::read(connection, name, keyed).await?;
            // Its description is lost.
            if table.columns.is_empty() {
                continue;
            }
            match keyed {
                true => table.copy_by_key(connection).await?,
                false => table.copy_by_rowid(connection).await?,
            }
            table.drop_unreadable(connection).await?;
            salvaged.note(connection, name, keyed).await?;
        }
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
    sqlx::query("DETACH damaged").execute(connection).await?;
    Ok(salvaged)
}

impl Salvaged {
    /// Compares what was copied of a table with what its pages hold.
    async fn note(
        &mut self,
        connection: &mut SqliteConnection,
        name: &str,
        keyed: bool,
    ) -> Result<(), sqlx::Error> {
        let count = format!("SELECT count(*) FROM main.{name}");
        let saved: i64 = sqlx::query_scalar(AssertSqlSafe(count))
            .fetch_one(&mut *connection)
            .await?;
        let size = sqlx::query_as::<_, (i64, i64)>(SIZE)
            .bind(name.to_owned())
            .bind(keyed);
        match size.fetch_one(connection).await {
            Ok((rows, 0)) if rows <= saved => {}
            Ok((rows, pages)) => {
                let lost = (rows - saved).max(0);
                let further = match pages {
                    0 => String::new(),
                    1 => ", and what was on or below 1 damaged page".to_owned(),
                    _ => format!(", and what was on or below {pages} damaged pages"),
                };
                self.lost
                    .push(format!("{name}: {lost} of {rows} rows lost{further}"));
            }
            Err(error) => {
                let what =
                    format!("how many rows of the tables are lost cannot be found out: {error}");
                // The same for all.
                if !self.lost.contains(&what) {
                    self.lost.push(what);
                }
            }
        }
        self.tables.push((name.to_owned(), saved as u64));
        Ok(())
    }
}

/// A table to be copied.
struct Table {
    name: String,
    /// Those that both databases have, and the rowid.
    columns: String,
    key: String,
}

impl Table {
    async fn read(
        connection: &mut SqliteConnection,
        name: &str,
        keyed: bool,
    ) -> Result<Self, sqlx::Error> {
        let columns = sqlx::query_scalar(
            "SELECT coalesce($2 || group_concat(format('\"%w\"', name)), '') FROM pragma_table_info($1, 'main')
             WHERE name IN (SELECT name FROM pragma_table_info($1, 'damaged'))",
        )
        .bind(name.to_owned())
        .bind(if keyed { "" } else { "rowid, " })
        .fetch_one(&mut *connection)
        .await?;
        let key = sqlx::query_scalar(
            "SELECT coalesce(group_concat(name), '') FROM
             (SELECT name FROM pragma_table_info(?, 'main') WHERE pk > 0 ORDER BY pk)",
        )
        .bind(name.to_owned())
        .fetch_one(connection)
        .await?;
        let name = name.to_owned();
        Ok(Self { name, columns, key })
    }

    /// Copies the rows of a range, chosen by `condition`; how many these are.
    async fn copy(
        &self,
        connection: &mut SqliteConnection,
        condition: &str,
        from: i64,
        to: i64,
    ) -> Result<u64, sqlx::Error> {
        let Self { name, columns, .. } = self;
        let insert = format!(
            "INSERT OR REPLACE INTO main.{name} ({columns}) SELECT {columns} FROM damaged.{name} {condition}"
        );
        let insert = sqlx::query(AssertSqlSafe(insert)).bind(from).bind(to);
        Ok(insert.execute(connection).await?.rows_affected())
    }

    async fn copy_by_rowid(&self, connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        damage::walk(connection, async |connection, from, to| {
            let mut rows = 0;
            for range in RANGE {
                rows = self.copy(connection, range, from, to).await?.max(rows);
                if i64::try_from(rows).is_ok_and(|rows| rows - 1 == to - from) {
                    break;
                }
            }
            Ok(rows)
        })
        .await
    }

    /// Removes rows with a text that is none: reading them would fail.
    async fn drop_unreadable(&self, connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        let name = &self.name;
        let columns: Vec<String> =
            sqlx::query_scalar("SELECT name FROM pragma_table_info(?, 'main') WHERE type = 'TEXT'")
                .bind(name.clone())
                .fetch_all(&mut *connection)
                .await?;
        for column in columns {
            let texts = format!(
                "SELECT CAST({column} AS BLOB) FROM main.{name} WHERE {column} IS NOT NULL"
            );
            let texts = sqlx::query_scalar::<_, Vec<u8>>(AssertSqlSafe(texts));
            let bad = texts
                .fetch(&mut *connection)
                .try_filter(|text| std::future::ready(std::str::from_utf8(text).is_err()));
            let bad: Vec<Vec<u8>> = bad.try_collect().await?;
            let gone = format!("DELETE FROM main.{name} WHERE CAST({column} AS BLOB) = ?");
            for text in bad {
                let gone = sqlx::query(AssertSqlSafe(gone.clone())).bind(text);
                gone.execute(&mut *connection).await?;
            }
        }
        Ok(())
    }

    /// Copies a table without rowids: from both ends up to the damage, and what belongs to each match or tournament by
    /// itself.
    async fn copy_by_key(&self, connection: &mut SqliteConnection) -> Result<(), sqlx::Error> {
        for order in ["ASC", "DESC"] {
            let key = self.key.replace(',', &format!(" {order},"));
            let part = format!("ORDER BY {key} {order} LIMIT ?2 - ?1 + 1 OFFSET ?1");
            let mut ended = false;
            let take = async |connection: &mut SqliteConnection, from, to| match ended {
                true => Ok(0),
                false => {
                    let copied = self.copy(connection, &part, from, to).await;
                    ended = from == to && copied.is_err();
                    copied
                }
            };
            damage::walk(connection, take).await?;
            if !ended {
                return Ok(());
            }
        }
        let (column, parents) = match self.key.split(',').next() {
            Some("match_id") => ("match_id", "matches"),
            Some("tournament") => ("tournament", "tournaments"),
            _ => return Ok(()),
        };
        let of_parents = format!(
            "WHERE {column} IN (SELECT id FROM main.{parents} WHERE rowid BETWEEN ?1 AND ?2)"
        );
        damage::walk(connection, async |connection, from, to| {
            self.copy(connection, &of_parents, from, to).await
        })
        .await
    }
}
