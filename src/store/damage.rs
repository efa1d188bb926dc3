//! A damaged file: noticing it, and reading on past its damaged pages.

use super::error::StoreError;
use futures_util::StreamExt as _;
use sqlx::SqliteConnection;
use std::path::Path;
use tokio_util::sync::CancellationToken;

/// The limit of the check before each start, which reads the whole file: 1.5 ms a MiB.
pub(super) const CHECKED_BYTES_MAX: i64 = 8 << 20;
/// Finds at most ten faults of the file's structure.
const CHECK: &str = "PRAGMA quick_check(10)";
/// Of the same for one table, which finds up to a hundred.
const FAULTS_MAX: usize = 10;
/// Steps of SQLite after which a check looks whether it is to stop.
const STEPS: i32 = 100;

/// Rowids read at once where there are rows and no page is damaged.
const ROWS_AT_ONCE: i64 = 4096;
/// Rowids tried one by one behind a damaged page: more than a page holds rows.
const STEPS_MAX: i64 = 512;
/// After this many, this share of what was tried is left out between two tries.
const STEP_PART: i64 = 64;

/// Reads the rows of a range of rowids, upwards and downwards: a row whose number is damaged ends a search that
/// meets it, and is none of the range. As many rows as there can be are read without a look at the next one, whose
/// page may be damaged.
pub(crate) const RANGE: [&str; 2] = [
    "WHERE rowid BETWEEN ?1 AND ?2 AND +rowid BETWEEN ?1 AND ?2 ORDER BY rowid LIMIT ?2 - ?1 + 1",
    "WHERE rowid BETWEEN ?1 AND ?2 AND +rowid BETWEEN ?1 AND ?2 ORDER BY rowid DESC LIMIT ?2 - ?1 + 1",
];

/// Whether the error says that the file is damaged or its disk is.
pub(crate) fn is_damage(error: &sqlx::Error) -> bool {
    const CORRUPT: i32 = 11;
    const NOTADB: i32 = 26;
    const IOERR_READ: i32 = 266;
    const IOERR_SHORT_READ: i32 = 522;
    code(error).is_some_and(|code| {
        [CORRUPT, NOTADB].contains(&(code & 0xFF)) || [IOERR_READ, IOERR_SHORT_READ].contains(&code)
    })
}

/// Whether nothing goes on, whatever is read: not what one damaged row or page causes.
pub(super) fn is_general(error: &sqlx::Error) -> bool {
    // A lock, a file that cannot be written or opened, a full disk, an interruption.
    const GENERAL: [i32; 6] = [5, 6, 8, 9, 13, 14];
    const IOERR: i32 = 10;
    match error {
        sqlx::Error::Decode(_) | sqlx::Error::ColumnDecode { .. } => false,
        other => code(other).is_none_or(|code| {
            GENERAL.contains(&(code & 0xFF)) || (code & 0xFF == IOERR && !is_damage(other))
        }),
    }
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

/// All that SQLite finds wrong with the file.
pub(crate) async fn integrity(connection: &mut SqliteConnection) -> Vec<String> {
    let mut lines = Vec::new();
    let mut checked = sqlx::query_scalar("PRAGMA integrity_check").fetch(connection);
    // Behind a page that it cannot read at all it stops; what it found until then counts.
    while let Some(line) = checked.next().await {
        lines.push(line.unwrap_or_else(|error: sqlx::Error| error.to_string()));
    }
    lines.retain(|line| line != "ok");
    lines
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

/// Has `take` read all rows with these numbers, in ranges from the first to the last; what it cannot read is cut ever
/// smaller, down to single rows. `take` reads a range completely or not at all, and returns how many rows it read.
///
/// # Errors
/// What is not a matter of one row or page.
pub(crate) async fn walk(
    connection: &mut SqliteConnection,
    mut take: impl AsyncFnMut(&mut SqliteConnection, i64, i64) -> Result<u64, sqlx::Error>,
) -> Result<(), sqlx::Error> {
    let (mut from, mut width, mut lost) = (0_i64, ROWS_AT_ONCE, 0_i64);
    let mut left_out_from = None;
    loop {
        let mut to = from.saturating_add(width - 1);
        match take(connection, from, to).await {
            Ok(rows) => {
                // What can be read again may begin before this.
                if let Some(back) = left_out_from.take() {
                    (from, width, lost) = (back, 1, 0);
                    continue;
                }
                let most = if rows == 0 { i64::MAX } else { ROWS_AT_ONCE };
                (width, lost) = (width.saturating_mul(2).min(most), 0);
            }
            Err(error) if is_general(&error) => return Err(error),
            Err(_) if width > 1 => {
                width = (width / 4).max(1);
                continue;
            }
            Err(_) => {
                let left_out = (lost - STEPS_MAX).max(0) / STEP_PART;
                left_out_from = (left_out > 0).then_some(from.saturating_add(1));
                to = to.saturating_add(left_out);
                lost = lost.saturating_add(1 + left_out);
            }
        }
        match to.checked_add(1) {
            Some(next) => from = next,
            None => return Ok(()),
        }
    }
}
