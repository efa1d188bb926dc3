//! What a failed write means.

use crate::store::error::StoreError;
use sqlx::postgres::PgDatabaseError;

/// The process's exit code after the log could not be synced: data reported as durable may not be, and asking
/// the kernel again can give a false answer. (`EX_IOERR` of sysexits.)
pub const EXIT_LOG_FAILED: i32 = 74;

/// What to do about a failed write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// End the process: a sync failed or the file is damaged.
    End,
    /// Nothing can be written at present: rolled back; the callers get the error; try again with the next batch.
    Unwritable,
    /// One of the rows was rejected: find out whose.
    Refused,
    /// The same, because another writer has gone on with its session.
    Fenced,
    /// The same, because another writer has not committed yet: tried again.
    Blocked,
}

impl Verdict {
    /// Whether others' rows may be written all the same.
    pub(super) const fn concerns_one(self) -> bool {
        matches!(self, Self::Refused | Self::Fenced | Self::Blocked)
    }
}

/// Classifies SQLite's extended result code (<https://sqlite.org/rescode.html>).
pub(super) fn verdict(code: i32) -> Verdict {
    const BUSY: i32 = 5;
    const LOCKED: i32 = 6;
    const READONLY: i32 = 8;
    const IOERR: i32 = 10;
    const CORRUPT: i32 = 11;
    const FULL: i32 = 13;
    const CANTOPEN: i32 = 14;
    const NOTADB: i32 = 26;
    /// A write or truncation failed: SQLite rolls back and overwrites the unfinished part.
    const IOERR_WRITE: i32 = IOERR | 3 << 8;
    const IOERR_TRUNCATE: i32 = IOERR | 6 << 8;
    const IOERR_SHMOPEN: i32 = IOERR | 18 << 8;
    const IOERR_SHMSIZE: i32 = IOERR | 19 << 8;
    const IOERR_SHMMAP: i32 = IOERR | 21 << 8;
    match code {
        IOERR_WRITE | IOERR_TRUNCATE | IOERR_SHMOPEN | IOERR_SHMSIZE | IOERR_SHMMAP => {
            Verdict::Unwritable
        }
        _ => match code & 0xFF {
            IOERR | CORRUPT | NOTADB => Verdict::End,
            BUSY | LOCKED | READONLY | FULL | CANTOPEN => Verdict::Unwritable,
            _ => Verdict::Refused,
        },
    }
}

/// What the schema's fences raise: a place in a session, or an end, that another writer has taken.
fn is_fenced(error: &PgDatabaseError) -> bool {
    matches!(
        (error.code(), error.table()),
        ("DR001", _) | ("23505", Some("entries")) | ("23502", Some("newest_sessions"))
    )
}

/// Classifies PostgreSQL's code (<https://www.postgresql.org/docs/15/errcodes-appendix.html>).
fn server_verdict(code: &str) -> Verdict {
    // No connection, a rollback by the server, too few resources, an operator's or the system's intervention, a standby.
    const PASSING: [&str; 7] = ["08", "40", "53", "55", "57", "58", "25"];
    // A lock that was not had in time, a deadlock, a conflict of snapshots.
    if ["55P03", "40P01", "40001"].contains(&code) {
        return Verdict::Blocked;
    }
    match PASSING.iter().any(|class| code.starts_with(class)) {
        true => Verdict::Unwritable,
        false => Verdict::Refused,
    }
}

/// Whether the connection to the server is of no use any more.
pub(super) fn is_lost(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Database(error) => {
            // A server that ends, and one that may only be read.
            let lost = ["08", "57P", "25006", "25P03"];
            let code = error.code().unwrap_or_default();
            lost.iter().any(|class| code.starts_with(class))
        }
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_) => true,
        _ => false,
    }
}

/// Classifies sqlx's error. A lost worker thread leaves the outcome of a commit unknown.
pub(super) fn judge(error: &sqlx::Error) -> Verdict {
    match error {
        sqlx::Error::Database(error) => {
            let code = error.code().unwrap_or_default();
            if let Some(error) = error.try_downcast_ref::<PgDatabaseError>() {
                return match is_fenced(error) {
                    true => Verdict::Fenced,
                    false => server_verdict(&code),
                };
            }
            code.parse().map_or(Verdict::Refused, verdict)
        }
        // Of a server's connection: a file's errors have SQLite's codes.
        sqlx::Error::Io(_) | sqlx::Error::Tls(_) | sqlx::Error::Protocol(_) => Verdict::Unwritable,
        sqlx::Error::WorkerCrashed => Verdict::End,
        _ => Verdict::Refused,
    }
}

/// Ends the process: nothing can be trusted any more.
pub(super) fn end(error: &sqlx::Error) -> ! {
    tracing::error!(%error, exit = EXIT_LOG_FAILED, "the log could not be made durable: ending");
    crate::logs::exit(EXIT_LOG_FAILED);
}

/// The error that a caller gets.
pub(super) fn shown(verdict: Verdict, why: &str) -> StoreError {
    match verdict {
        Verdict::Refused => StoreError::Refused(why.to_owned()),
        Verdict::Fenced => StoreError::Fenced,
        Verdict::End | Verdict::Unwritable | Verdict::Blocked => {
            StoreError::Unwritable(why.to_owned())
        }
    }
}

/// The error that a caller gets for a failure that concerns nobody else. Ends the process where nothing can be trusted
/// any more.
pub(super) fn shown_alone(error: &sqlx::Error) -> StoreError {
    let verdict = judge(error);
    if verdict == Verdict::End {
        end(error);
    }
    shown(verdict, &error.to_string())
}

#[cfg(test)]
mod tests {
    use super::{Verdict, verdict};

    #[test]
    fn only_lost_syncs_and_damage_end_the_process() {
        let ioerr_fsync = 1034;
        let ioerr_dir_fsync = 1290;
        let corrupt = 11;
        for code in [ioerr_fsync, ioerr_dir_fsync, corrupt] {
            assert_eq!(verdict(code), Verdict::End, "{code}");
        }
        let full = 13;
        let readonly_dbmoved = 1032;
        let ioerr_write = 778;
        for code in [full, readonly_dbmoved, ioerr_write] {
            assert_eq!(verdict(code), Verdict::Unwritable, "{code}");
        }
        let constraint_foreign_key = 787;
        assert_eq!(verdict(constraint_foreign_key), Verdict::Refused);
    }
}
