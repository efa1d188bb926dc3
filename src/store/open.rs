//! Opening a database: folder, lock, migrations, connections.

use super::damage;
use super::error::StoreError;
use super::files::{self, Lock};
use super::rules::Rules;
use super::sql::Pool;
use super::types::Durability;
use crate::config::{self, Config, Location};
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _, SqlSafeStr as _, SqliteConnection};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::Duration;

/// Connections for reading.
pub const READERS_DEFAULT: u32 = 4;
/// Further ones reserved for folding.
pub(super) const FOLDERS: u32 = 2;
/// Commands that may wait for the writer.
pub const QUEUE_DEFAULT: usize = 8192;

/// How long a reader waits for a lock that only start-up and checkpoints take.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// SQLite's own checkpoints after a commit hide their errors, and a failed sync must not stay hidden.
const NO_AUTOCHECKPOINT: &str = "0";
/// The log file is truncated to this size after a checkpoint.
const LOG_BYTES_MAX: &str = "67108864";
/// Page cache of the writer, in KiB (negative: KiB rather than pages).
const CACHE_KIB: &str = "-16384";

/// The writer's cached prepared statements: those of the batches that are usual. Others are prepared again.
const STATEMENTS_MAX: usize = 200;

/// The tables, as far as SQLite knows them: a file that has lost its end may lack the description of some.
const TABLES: &str = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'";

/// Every file of `migrations/`, in order. (sqlx's macro would build sqlx and SQLite once more, for itself.)
pub(super) static MIGRATIONS: LazyLock<Migrator> = LazyLock::new(|| {
    macro_rules! file {
        ($name:literal) => {
            include_str!(concat!("../../migrations/", $name, ".sql"))
        };
    }
    Migrator::with_migrations(migrations([
        ("schema", file!("0001_schema")),
        ("planned_matches", file!("0002_planned_matches")),
        ("archives", file!("0003_archives")),
    ]))
});

/// An engine's migrations: the name and text of each, in order.
pub(super) fn migrations<const COUNT: usize>(
    files: [(&'static str, &'static str); COUNT],
) -> Vec<Migration> {
    let mut migrations = Vec::with_capacity(COUNT);
    for (version, (name, sql)) in (1..).zip(files) {
        let sql = sql.into_sql_str();
        let simple = MigrationType::Simple;
        migrations.push(Migration::new(version, name.into(), simple, sql, false));
    }
    migrations
}

/// Where the store is and how it works.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Where the database is.
    pub location: Location,
    /// What commits that belong to no session must survive.
    pub durability: Durability,
    /// Connections for reading.
    pub readers: u32,
    /// Commands that may wait for the writer; further callers wait.
    pub queue: usize,
    /// The rules of the games that are played.
    pub rules: Arc<dyn Rules>,
    /// Whether sessions that have ended are packed in the background, and a file that is too large to be
    /// checked before it is used is checked there.
    pub packs: bool,
    /// A file of up to this many bytes is checked before it is used.
    pub checked_bytes_max: i64,
}

impl Settings {
    /// As it is configured.
    #[must_use]
    pub fn configured(store: &config::Store, rules: Arc<dyn Rules>) -> Self {
        Self {
            location: store.location(),
            durability: store.durability,
            readers: READERS_DEFAULT,
            queue: QUEUE_DEFAULT,
            rules,
            packs: true,
            checked_bytes_max: damage::CHECKED_BYTES_MAX,
        }
    }

    /// The configuration's defaults, for this database.
    #[must_use]
    pub fn at(location: impl Into<Location>, rules: Arc<dyn Rules>) -> Self {
        Self {
            location: location.into(),
            ..Self::configured(&Config::default().store, rules)
        }
    }
}

/// A database opened for writing.
pub(super) struct Opened {
    /// The writer's connection; the schema is up to date.
    pub(super) writer: SqliteConnection,
    /// Where it really is, whichever links lead there.
    pub(super) path: PathBuf,
    /// Keeps others out, and must outlive all connections.
    pub(super) lock: Lock,
    /// Whether the file's structure was checked; it may be too large for that.
    pub(super) checked: bool,
}

/// Opens a database for writing: refuses one that is in use, damaged, foreign or from another version.
pub(super) async fn writer(path: &Path, checked_bytes_max: i64) -> Result<Opened, StoreError> {
    files::make_folder(path)?;
    let canonical = files::canonical(path);
    let path = canonical.as_path();
    files::check_owner(path)?;
    let lock = files::lock(path)?;
    let options = options(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .pragma("wal_autocheckpoint", NO_AUTOCHECKPOINT)
        .pragma("journal_size_limit", LOG_BYTES_MAX)
        .pragma("cache_size", CACHE_KIB)
        .pragma("temp_store", "memory")
        .statement_cache_capacity(STATEMENTS_MAX);
    let mut writer = connect(path, &options).await?;
    check_version(path, &mut writer).await?;
    let checked = damage::refuse(path, &mut writer, checked_bytes_max).await?;
    MIGRATIONS
        .run(&mut writer)
        .await
        .map_err(|error| StoreError::Open {
            path: path.to_path_buf(),
            why: format!("its schema could not be brought up to date: {error}"),
        })?;
    Ok(Opened {
        path: canonical,
        lock,
        writer,
        checked,
    })
}

/// The connection that makes checkpoints alongside the writer.
pub(super) async fn checkpointer(path: &Path) -> Result<SqliteConnection, StoreError> {
    let options = options(path).pragma("wal_autocheckpoint", NO_AUTOCHECKPOINT);
    connect(path, &options).await
}

/// Connections for reading.
pub(super) fn readers(path: &Path, count: u32) -> Pool {
    pool(options(path).read_only(true), count)
}

/// Connections for reading a database that another process may be writing.
pub(super) async fn readers_only(path: &Path, count: u32) -> Result<Pool, StoreError> {
    let found = readable(path).await?;
    Ok(pool(reading(path).immutable(found.immutable), count))
}

/// How a database can be read that is not to be written.
pub(super) struct Readable {
    /// It is in a read-only folder and has no writer: nothing can change during our reads.
    pub(super) immutable: bool,
    /// Whether it has no schema yet.
    pub(super) empty: bool,
}

/// Finds out how a database can be read; rejects one of another version and a file that is not ours.
pub(super) async fn readable(path: &Path) -> Result<Readable, StoreError> {
    files::check_readable(path)?;
    let plain = reading(path);
    let mut probe = connect_read(path, &plain).await;
    let immutable = probe.is_err() && !files::companion(path, "-wal").exists();
    if immutable {
        probe = connect_read(path, &plain.immutable(true)).await;
    }
    let mut connection = probe?;
    let empty = check_version(path, &mut connection).await? == Schema::Missing;
    connection.close().await?;
    Ok(Readable { immutable, empty })
}

async fn connect_read(
    path: &Path,
    options: &SqliteConnectOptions,
) -> Result<SqliteConnection, StoreError> {
    let mut connection = connect(path, options).await?;
    sqlx::query(TABLES)
        .execute(&mut connection)
        .await
        .map_err(|error| opening(path, &error))?;
    Ok(connection)
}

async fn connect(
    path: &Path,
    options: &SqliteConnectOptions,
) -> Result<SqliteConnection, StoreError> {
    let connected = options.connect().await;
    connected.map_err(|error| opening(path, &error))
}

/// For reading alone, also what is left of a file that has lost its end.
fn reading(path: &Path) -> SqliteConnectOptions {
    let options = options(path).read_only(true);
    options.pragma("writable_schema", "ON")
}

fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(BUSY_TIMEOUT)
        .disable_statement_logging()
}

fn pool(options: SqliteConnectOptions, count: u32) -> Pool {
    let pool = SqlitePoolOptions::new()
        .max_connections(count.max(1))
        .min_connections(0)
        .test_before_acquire(false)
        // Connections to a file do not age. The task of sqlx 0.9 that would look after that can take the number of idle
        // ones for negative, and then never ends.
        .max_lifetime(None)
        .idle_timeout(None)
        .connect_lazy_with(options);
    Pool::Sqlite(pool)
}

/// Whether a database has a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Schema {
    Missing,
    /// Of this version, or one that this version brings up to date.
    Known,
}

/// Rejects a database of a later version, one from before the first release, and a file that is not ours.
async fn check_version(
    path: &Path,
    connection: &mut SqliteConnection,
) -> Result<Schema, StoreError> {
    let tables: Vec<String> = sqlx::query_scalar(TABLES)
        .fetch_all(&mut *connection)
        .await
        .map_err(|error| opening(path, &error))?;
    if tables.is_empty() {
        return Ok(Schema::Missing);
    }
    let foreign = || StoreError::NotADatabase {
        path: path.to_path_buf(),
        why: "it is an SQLite file of something else".into(),
    };
    if !tables.iter().any(|name| name == "_sqlx_migrations") {
        return Err(foreign());
    }
    let found: Option<i64> = sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations")
        .fetch_one(&mut *connection)
        .await
        .map_err(|error| opening(path, &error))?;
    let Some(found) = found else {
        return Ok(Schema::Missing);
    };
    if !tables.iter().any(|name| name == "matches") {
        return Err(foreign());
    }
    // Databases from before the first release began with another schema under the same number.
    let first = MIGRATIONS.iter().next().map(|first| &*first.checksum);
    let begins_alike: bool = sqlx::query_scalar(
        "SELECT EXISTS (SELECT 1 FROM _sqlx_migrations WHERE version = 1 AND checksum = ?)",
    )
    .bind(first)
    .fetch_one(connection)
    .await
    .map_err(|error| opening(path, &error))?;
    let known = MIGRATIONS.iter().map(|migration| migration.version).max();
    let known = known.unwrap_or_default();
    let path = path.to_path_buf();
    match begins_alike {
        false => Err(StoreError::Older { path }),
        true if found > known => Err(StoreError::Newer {
            location: path.display().to_string(),
            found,
            known,
        }),
        true => Ok(Schema::Known),
    }
}

fn opening(path: &Path, error: &sqlx::Error) -> StoreError {
    const NOT_A_DATABASE: &str = "26";
    let code = error.as_database_error().and_then(|error| error.code());
    if code.as_deref() == Some(NOT_A_DATABASE) {
        let why = "the file is not an SQLite database".into();
        return StoreError::NotADatabase {
            path: path.to_path_buf(),
            why,
        };
    }
    if damage::is_damage(error) {
        return damage::damaged(path, error.to_string());
    }
    StoreError::Open {
        path: path.to_path_buf(),
        why: error.to_string(),
    }
}
