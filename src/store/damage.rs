//! A damaged file: noticing it, and reading on past its damaged pages.

use super::error::StoreError;
use sqlx::{AssertSqlSafe, SqliteConnection};
use std::path::Path;
use tokio_util::sync::CancellationToken;

/// The limit of the check before each start: it reads the whole file.
pub(super) const CHECKED_BYTES_MAX: i64 = 64 << 20;
/// Finds at most ten faults of the file's structure.
const CHECK: &str = "PRAGMA quick_check(10)";
/// Of the same for one table, which finds up to a hundred.
const FAULTS_MAX: usize = 10;
/// Steps of SQLite after which a check looks whether it is to stop.
const STEPS: i32 = 100;

/// Rows read at once where no page is damaged.
const ROWS_AT_ONCE: i64 = 4096;
/// Rowids tried one by one behind a damaged page: more than a page holds rows.
const STEPS_MAX: i64 = 512;

/// Whether the error says that the file is damaged or its disk is.
pub(super) fn is_damage(error: &sqlx::Error) -> bool {
    const CORRUPT: i32 = 11;
    const NOTADB: i32 = 26;
    const IOERR_READ: i32 = 266;
    const IOERR_SHORT_READ: i32 = 522;
    code(error).is_some_and(|code| {
        [CORRUPT, NOTADB].contains(&(code & 0xFF)) || [IOERR_READ, IOERR_SHORT_READ].contains(&code)
    })
}

/// Whether nothing more can be written, whatever is read.
pub(super) fn is_full(error: &sqlx::Error) -> bool {
    const FULL: i32 = 13;
    const IOERR_WRITE: i32 = 778;
    code(error).is_none_or(|code| [FULL, IOERR_WRITE].contains(&code))
}

/// SQLite's extended result code.
fn code(error: &sqlx::Error) -> Option<i32> {
    error.as_database_error()?.code()?.parse().ok()
}

/// Says that the database at `path` is damaged, if that is what the error means.
pub(super) fn named(path: &Path, error: StoreError) -> StoreError {
    match error {
        StoreError::Read(error) if is_damage(&error) => damaged(path, error.to_string()),
        other => other,
    }
}

pub(super) fn damaged(path: &Path, why: String) -> StoreError {
    StoreError::Damaged {
        path: path.to_path_buf(),
        why,
    }
}

/// Refuses a damaged file. Returns false if it has more than `bytes_max` and is not checked.
pub(super) async fn refuse(
    path: &Path,
    connection: &mut SqliteConnection,
    bytes_max: i64,
) -> Result<bool, StoreError> {
    let bytes: Result<i64, _> = sqlx::query_scalar(
        "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
    )
    .fetch_one(&mut *connection)
    .await;
    match bytes {
        Ok(bytes) if bytes > bytes_max => return Ok(false),
        Ok(_) => {}
        Err(error) => return Err(named(path, error.into())),
    }
    match check(connection).await {
        None => Ok(true),
        Some(why) => Err(damaged(path, why)),
    }
}

/// What is wrong with the file's structure.
pub(super) async fn check(connection: &mut SqliteConnection) -> Option<String> {
    let lines: Result<Vec<String>, _> = sqlx::query_scalar(CHECK).fetch_all(connection).await;
    match lines {
        Ok(lines) if lines == ["ok"] => None,
        Ok(lines) => Some(lines.join("; ")),
        Err(error) => Some(error.to_string()),
    }
}

/// The same of a file in use, table by table: the log can be emptied between two of them.
///
/// # Errors
/// What prevents the check, also that it was interrupted by `stop`.
pub(super) async fn check_in_use(
    connection: &mut SqliteConnection,
    stop: &CancellationToken,
) -> Result<Option<String>, sqlx::Error> {
    let stop = stop.clone();
    let mut handle = connection.lock_handle().await?;
    handle.set_progress_handler(STEPS, move || !stop.is_cancelled());
    drop(handle);
    let checked = check_tables(connection).await;
    connection.lock_handle().await?.remove_progress_handler();
    match checked {
        Err(error) if is_damage(&error) => Ok(Some(error.to_string())),
        checked => checked,
    }
}

async fn check_tables(connection: &mut SqliteConnection) -> Result<Option<String>, sqlx::Error> {
    // With the schema's table the list of free pages is checked.
    let tables: Vec<String> = sqlx::query_scalar(
        "SELECT 'sqlite_schema' UNION ALL SELECT name FROM sqlite_schema WHERE type = 'table'",
    )
    .fetch_all(&mut *connection)
    .await?;
    for table in tables {
        let mut lines: Vec<String> =
            sqlx::query_scalar("SELECT quick_check FROM pragma_quick_check(?)")
                .bind(table)
                .fetch_all(&mut *connection)
                .await?;
        if lines != ["ok"] {
            lines.truncate(FAULTS_MAX);
            return Ok(Some(lines.join("; ")));
        }
    }
    Ok(None)
}

/// What reading a table past its damaged pages gave.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub(super) rows: u64,
    /// Rowids, first to last, that cannot be read, if there were such.
    pub(super) lost: Vec<(i64, i64)>,
}

/// Has `take` read all rows of a rowid table, in pieces given by a rowid and how many rows to read from there
/// on; what it cannot read is cut ever smaller, down to single rows. `take` reads a piece completely or not at
/// all, without a look at the next row, whose page may be damaged; it returns how many rows it read.
pub(super) async fn walk(
    connection: &mut SqliteConnection,
    table: &str,
    mut take: impl AsyncFnMut(&mut SqliteConnection, i64, i64) -> Result<u64, sqlx::Error>,
) -> Result<Walked, sqlx::Error> {
    let mut walked = Walked::default();
    let (mut from, mut rows) = (i64::MIN, ROWS_AT_ONCE);
    loop {
        let taken = match piece_end(connection, table, from, rows).await {
            Ok(None) => return Ok(walked),
            Ok(Some(end)) => take(connection, from, rows).await.map(|taken| (end, taken)),
            Err(error) => Err(error),
        };
        match taken {
            Ok((end, taken)) => {
                walked.rows += taken;
                let Some(next) = end.checked_add(1) else {
                    return Ok(walked);
                };
                from = next;
                rows = ROWS_AT_ONCE.min(rows * 2);
            }
            Err(error) if is_full(&error) => return Err(error),
            Err(_) if rows > 1 => rows = (rows / 4).max(1),
            Err(_) => {
                let next = readable(connection, table, from).await;
                let end = next.map_or(i64::MAX, |next| next - 1);
                walked.lost.push((from, end));
                let Some(next) = next else {
                    return Ok(walked);
                };
                from = next;
            }
        }
    }
}

/// The last rowid of the next so many rows.
async fn piece_end(
    connection: &mut SqliteConnection,
    table: &str,
    from: i64,
    rows: i64,
) -> Result<Option<i64>, sqlx::Error> {
    let query = format!(
        "SELECT max(rowid) FROM (SELECT rowid FROM {table} WHERE rowid >= ? ORDER BY rowid LIMIT ?)"
    );
    sqlx::query_scalar(AssertSqlSafe(query))
        .bind(from)
        .bind(rows)
        .fetch_one(connection)
        .await
}

/// The first rowid above `bad` from which the table can be read on; `None` if there is none.
async fn readable(connection: &mut SqliteConnection, table: &str, bad: i64) -> Option<i64> {
    // Only the row's content may be damaged.
    if let Ok(Some(row)) = piece_end(connection, table, bad, 1).await {
        return row.checked_add(1);
    }
    let bad = bad.max(0);
    for at in 1..=STEPS_MAX {
        let at = bad.checked_add(at)?;
        if piece_end(connection, table, at, 1).await.is_ok() {
            return Some(at);
        }
    }
    let (mut low, mut step) = (bad + STEPS_MAX, STEPS_MAX);
    let mut high = loop {
        let at = low.checked_add(step)?;
        if piece_end(connection, table, at, 1).await.is_ok() {
            break at;
        }
        (low, step) = (at, step.checked_mul(2)?);
    };
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if piece_end(connection, table, middle, 1).await.is_ok() {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}
