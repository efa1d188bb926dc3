//! A PostgreSQL server: connecting to it, its schema, its pools.

use super::error::StoreError;
use super::log::{Head, Part};
use super::open::migrations;
use super::sql::postgres::PgLink;
use super::sql::{Connection, Pool, Row, query, query_as};
use super::types::{Direction, Entry, EntryId, SessionId};
use crate::config;
use sqlx::migrate::{Migration, Migrator};
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{ConnectOptions as _, Connection as _};
use std::collections::HashMap;
use std::sync::LazyLock;
use std::time::Duration;
use tokio::time::timeout;

/// How long connecting may take.
const CONNECT_MAX: Duration = Duration::from_secs(1);
/// How long a reader waits for a free connection.
const ACQUIRE_MAX: Duration = Duration::from_secs(5);
/// A pooled connection that was idle for longer is tried before it is used: its server may be gone.
const TRUSTED: Duration = Duration::from_secs(1);
/// Statements that a connection keeps prepared.
const STATEMENTS_MAX: usize = 200;

/// No statement runs for longer, none waits longer for a lock, and no transaction that is left alone stays open.
const LIMITS: [(&str, &str); 3] = [
    ("statement_timeout", "30s"),
    ("lock_timeout", "5s"),
    ("idle_in_transaction_session_timeout", "5s"),
];

/// Every file of `migrations/postgres/`, in order.
static MIGRATIONS: LazyLock<Vec<Migration>> = LazyLock::new(|| {
    macro_rules! file {
        ($name:literal) => {
            include_str!(concat!("../../migrations/postgres/", $name, ".sql"))
        };
    }
    migrations([
        ("schema", file!("0001_schema")),
        ("planned_matches", file!("0002_planned_matches")),
        ("archives", file!("0003_archives")),
    ])
});

/// How a server is reached.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub(super) server: config::Server,
    options: PgConnectOptions,
}

impl Access {
    pub(super) fn new(server: &config::Server) -> Result<Self, StoreError> {
        let mut options = PgConnectOptions::from_url(&server.url)
            .map_err(|error| unreachable_for(server, &error))?
            .application_name("drover")
            .disable_statement_logging();
        options = match server.prepares() {
            true => options
                .statement_cache_capacity(STATEMENTS_MAX)
                .options(LIMITS),
            // What a pooler's client sets may stay with the next one.
            false => options.statement_cache_capacity(0),
        };
        Ok(Self {
            server: server.clone(),
            options,
        })
    }

    /// The limits of a transaction, where they are not those of its connection.
    pub(super) fn limits(&self) -> String {
        let limits = LIMITS.iter().filter(|_| !self.server.prepares());
        let limits = limits.map(|(name, value)| format!("SET LOCAL {name} TO '{value}';"));
        limits.collect()
    }
}

/// A connection.
pub(super) async fn connect(access: &Access) -> Result<PgLink, sqlx::Error> {
    let connected = timeout(CONNECT_MAX, access.options.connect()).await;
    let late = |_| Err(std::io::Error::from(std::io::ErrorKind::TimedOut).into());
    let connection = connected.unwrap_or_else(late)?;
    Ok(PgLink::new(connection, access.server.prepares()))
}

/// Opens a database for writing: a connection to it, its schema up to date.
pub(super) async fn open(access: &Access) -> Result<PgLink, StoreError> {
    let failed = |why: String| StoreError::Server {
        server: access.server.to_string(),
        why,
    };
    let mut link = connect(access)
        .await
        .map_err(|error| failed(error.to_string()))?;
    let found = check(access, &mut link).await?;
    if found >= known() {
        return Ok(link);
    }
    if !access.server.prepares() {
        let why = "its schema is missing or old, and is brought up to date by a connection of its own: run `drover db \
                   migrate` with the server's own address, not that of a pooler";
        return Err(failed(why.to_owned()));
    }
    // Another process may be at it.
    let (_,): (String,) = link
        .read("SELECT set_config('lock_timeout', '60s', false)")
        .await
        .map_err(|error| failed(error.to_string()))?;
    // Those of a later version are known to fit.
    let mut migrator = Migrator::with_migrations(MIGRATIONS.clone());
    let run = migrator.set_ignore_missing(true).run(link.raw());
    run.await.map_err(|error| {
        failed(format!(
            "its schema could not be brought up to date: {error}"
        ))
    })?;
    // With the usual limits.
    connect(access)
        .await
        .map_err(|error| failed(error.to_string()))
}

/// The number of this version's last migration.
fn known() -> i64 {
    let versions = MIGRATIONS.iter().map(|migration| migration.version);
    versions.max().unwrap_or_default()
}

/// The number of the last migration that a database has had, 0 without any. Refuses one of a later version that this one
/// must not use, and one that is not ours.
async fn check(access: &Access, link: &mut PgLink) -> Result<i64, StoreError> {
    let failed = |error: sqlx::Error| unreachable_for(&access.server, &error);
    let tables = "SELECT to_regclass('_sqlx_migrations')::text, to_regclass('compatibility')::text,
                      to_regclass('matches')::text";
    let found = link.read(tables).await.map_err(failed)?;
    let (ours, mut compatibility, matches): (Option<String>, Option<String>, Option<String>) =
        found;
    if compatibility.is_none() && ours.is_some() {
        // Another process may be making the tables: the list of migrations is there before the first of them.
        let made =
            "SELECT to_regclass('compatibility')::text, (SELECT count(*) FROM _sqlx_migrations)";
        let count: i64;
        (compatibility, count) = link.read(made).await.map_err(failed)?;
        if count == 0 && matches.is_none() {
            return Ok(0);
        }
    }
    if compatibility.is_none() {
        return match ours.or(matches) {
            None => Ok(0),
            Some(table) => Err(StoreError::Server {
                server: access.server.to_string(),
                why: format!("its table {table} is of another program"),
            }),
        };
    }
    let versions = "SELECT oldest, (SELECT max(version) FROM _sqlx_migrations) FROM compatibility";
    let (oldest, found): (i64, i64) = link.read(versions).await.map_err(failed)?;
    let known = known();
    match oldest > known {
        true => Err(StoreError::Newer {
            location: access.server.to_string(),
            found,
            known,
        }),
        false => Ok(found),
    }
}

/// Opens a database for reading: it must have a schema.
pub(super) async fn open_readonly(access: &Access, count: u32) -> Result<Pool, StoreError> {
    let failed = |error: sqlx::Error| unreachable_for(&access.server, &error);
    let mut link = connect(access).await.map_err(failed)?;
    if check(access, &mut link).await? == 0 {
        return Err(StoreError::Missing {
            location: access.server.to_string(),
        });
    }
    Ok(readers(access, count))
}

/// Connections for reading.
pub(super) fn readers(access: &Access, count: u32) -> Pool {
    let pool = PgPoolOptions::new()
        .max_connections(count.max(1))
        .min_connections(0)
        .acquire_timeout(ACQUIRE_MAX)
        .test_before_acquire(false)
        .max_lifetime(None)
        .idle_timeout(None)
        .before_acquire(|connection, idle| {
            Box::pin(async move {
                if idle.idle_for > TRUSTED {
                    connection.ping().await?;
                }
                Ok(true)
            })
        })
        .connect_lazy_with(access.options.clone());
    Pool::Postgres {
        pool,
        prepares: access.server.prepares(),
    }
}

fn unreachable_for(server: &config::Server, error: &sqlx::Error) -> StoreError {
    StoreError::Server {
        server: server.to_string(),
        why: error.to_string(),
    }
}

// THE LOG

/// The last number up to which every entry, fact, bluff and change is committed or never will be.
pub(super) async fn horizon(connection: &mut Connection) -> Result<i64, sqlx::Error> {
    query_as("SELECT horizon()").fetch_one(connection).await
}

/// The last entries of live sessions. Times do not quite follow places: the latest is among the last few.
const HEADS: &str = "
    SELECT s.id, max(e.id), max(e.seq) + 1, max(e.at_us) FROM sessions s
    JOIN LATERAL (SELECT id, seq, at_us FROM entries WHERE session = s.id ORDER BY seq DESC LIMIT 8) e ON true
    WHERE s.ended_us IS NULL";

/// The last entry of each live session.
pub(super) async fn heads(connection: &mut Connection) -> Result<HashMap<i64, Head>, sqlx::Error> {
    let rows = query(format!("{HEADS} GROUP BY s.id")).fetch_all(connection);
    rows.await?.iter().map(read_head).collect()
}

/// The last entry of one live session.
pub(super) async fn head(
    connection: &mut Connection,
    session: SessionId,
) -> Result<Option<Head>, sqlx::Error> {
    let row = query(format!("{HEADS} AND s.id = $1 GROUP BY s.id")).bind(session.0);
    let row = row.fetch_optional(connection).await?;
    let head = row.as_ref().map(read_head).transpose()?;
    Ok(head.map(|(_, head)| head))
}

fn read_head(row: &Row) -> Result<(i64, Head), sqlx::Error> {
    let head = Head {
        entry: row.try_get(1)?,
        count: row.try_get::<i64>(2)? as u64,
        at_us: row.try_get(3)?,
    };
    Ok((row.try_get(0)?, head))
}

/// The entries of a session that is in the log, after the number `after` and up to the entry `head`, the first `most` of
/// them; `None` if `head` is not in the log.
pub(super) async fn entries(
    connection: &mut Connection,
    session: SessionId,
    part: &Part,
) -> Result<Option<Vec<Entry>>, StoreError> {
    let rows = query(
        "SELECT id, seq, at_us, direction, text FROM entries
         WHERE session = $1 AND id > $2 AND id <= $3
             AND EXISTS (SELECT 1 FROM entries WHERE session = $1 AND id = $3)
         ORDER BY seq LIMIT $4",
    )
    .bind(session.0)
    .bind(part.after)
    .bind(part.head.0)
    .bind(i64::try_from(part.most).unwrap_or(i64::MAX))
    .fetch_all(connection)
    .await?;
    let mut entries = Vec::with_capacity(rows.len());
    for row in &rows {
        entries.push(Entry {
            id: EntryId(row.try_get(0)?),
            seq: row.try_get::<i64>(1)? as u64,
            at_us: row.try_get(2)?,
            direction: Direction::from_number(row.try_get(3)?)?,
            text: row.try_get(4)?,
        });
    }
    let first = match part.after {
        0 => Some(0),
        _ => entries.first().map(|entry| entry.seq),
    };
    if let Some(first) = first
        && let Some((seq, _)) = (first..)
            .zip(&entries)
            .find(|(seq, entry)| *seq != entry.seq)
    {
        let why = format!("entry {seq} of session {} is missing", session.0);
        return Err(StoreError::Corrupt(why));
    }
    Ok((!entries.is_empty()).then_some(entries))
}
