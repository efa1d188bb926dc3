//! The store's errors.

use std::path::PathBuf;

/// Why the store could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process has the database open.
    #[error(
        "the database {path} is in use by another drover process{holder}: stop that one, or name another file (--store, or store.path)"
    )]
    InUse {
        /// The database.
        path: PathBuf,
        /// ` (process 123 of host box, since 2026-01-02T03:04:05Z)` where known.
        holder: String,
    },
    /// The database was written by a later version.
    #[error(
        "the database {location} is from a newer version of drover (schema {found}, this version knows up to {known}): use that version, or name another database (--store, or store.path)"
    )]
    Newer {
        /// The database.
        location: String,
        /// Its schema version.
        found: i64,
        /// The newest schema version of this executable.
        known: i64,
    },
    /// The database was written before the first release, by a version whose schema is not migrated.
    #[error(
        "the database {path} was written by an earlier version of drover, and this one cannot read it: export what you \
         need with the version that wrote it (`drover match export`, `drover tournament export`), or start with a fresh \
         data folder (--store, or store.path)"
    )]
    Older {
        /// The database.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("{path} is not a drover database: {why}")]
    NotADatabase {
        /// The file.
        path: PathBuf,
        /// What was found instead.
        why: String,
    },
    /// The file is damaged.
    #[error(
        "the database {path} is damaged ({why}): `drover db verify --store {quoted}` lists what is whole, and `drover db salvage \
         OUT --store {quoted}` saves it",
        quoted = shell_words::quote(&path.to_string_lossy())
    )]
    Damaged {
        /// The database.
        path: PathBuf,
        /// What SQLite says of it.
        why: String,
    },
    /// It has several names, and its log may lie next to any of them.
    #[error(
        "the database {path} has {names} names (hard links), and its log lies next to only one of them: stop every \
         process that uses it, copy the file, together with the one that ends in -wal if there is one, and use the copy"
    )]
    Names {
        /// The name asked for.
        path: PathBuf,
        /// How many it has.
        names: u64,
    },
    /// The folder of the database cannot be created or written to.
    #[error(
        "cannot write in {folder}, the folder of the database: {source}; name a place where drover may write (--store, or store.path)"
    )]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// The folder of the database is missing, and this process may not create it.
    #[error(
        "the folder {folder} of the database is missing, and user {user}, as whom drover runs, may not create it: \
         create it as root (install -d -m 700 -o {user} {quoted}), or name another place (--store, or store.path)",
        quoted = shell_words::quote(&folder.to_string_lossy())
    )]
    NoFolder {
        /// The folder.
        folder: PathBuf,
        /// The number of the user that this process runs as.
        user: u32,
    },
    /// Somebody else owns the database or its folder, and this process may not use it.
    #[error(
        "cannot use {path}: it belongs to user {owner}, and drover runs as user {user}: run drover as user {owner}, \
         or name a database in a folder of user {user} (--store, or store.path)"
    )]
    Foreign {
        /// The file or folder.
        path: PathBuf,
        /// Its owner's number.
        owner: u32,
        /// The number of the user that this process runs as.
        user: u32,
    },
    /// There is no database to read.
    #[error(
        "there is no database at {location}: name yours with --store (or store.path); `drover serve` makes one when it starts"
    )]
    Missing {
        /// Where it should be.
        location: String,
    },
    /// The server cannot be reached, or its database cannot be used.
    #[error("cannot use the database {server}: {why}")]
    Server {
        /// The database, without the password.
        server: String,
        /// What prevents it.
        why: String,
    },
    /// Nothing is copied into a database that is in use.
    #[error("the database {location} is not empty: name a new one")]
    NotEmpty {
        /// The database.
        location: String,
    },
    /// Only a file can do that.
    #[error("{server} is a database of a server: {instead}")]
    NotAFile {
        /// The database, without the password.
        server: String,
        /// What to do instead.
        instead: &'static str,
    },
    /// SQLite could not open or migrate the file.
    #[error("cannot open the database {path}: {why}")]
    Open {
        /// The database.
        path: PathBuf,
        /// SQLite's error.
        why: String,
    },
    /// This store was opened for reading only.
    #[error("the database was opened for reading only")]
    ReadOnly,
    /// The store is closed or closing.
    #[error("the store is closed")]
    Closed,
    /// Nothing can be written at present; the transaction was rolled back, and later ones are tried again.
    #[error("the database cannot be written at present: {0}")]
    Unwritable(String),
    /// An append did not follow its session's last entry.
    #[error("session {session}: {why}")]
    OutOfOrder {
        /// The session's number.
        session: i64,
        /// What does not fit.
        why: String,
    },
    /// Another writer has gone on with the session, or has ended it: it is read again.
    #[error("another replica has gone on with the session")]
    Fenced,
    /// The database refused a row.
    #[error("the database refused the rows: {0}")]
    Refused(String),
    /// The match was given to another worker, or taken out of the queue.
    #[error(
        "match {id} was claimed by another worker since, or is not planned any more: its result does not count"
    )]
    Lapsed {
        /// The match's id.
        id: String,
    },
    /// It does not exist.
    #[error("there is no {what} {id}")]
    Unknown {
        /// `match`, `seat`, …
        what: &'static str,
        /// The name asked for.
        id: String,
    },
    /// Its transcript was given up; its result is kept.
    #[error("the transcript of session {session} was pruned: its result is kept")]
    Pruned {
        /// The session's number.
        session: i64,
    },
    /// What has begun and ended after a place that a follower has reached is not kept any more.
    #[error(
        "what has happened since is no longer known: it is more than 100,000 changes ago, or this database never had \
         it; begin again without a cursor"
    )]
    Forgotten,
    /// A read failed.
    #[error("reading the database failed: {0}")]
    Read(#[from] sqlx::Error),
    /// A stored row is invalid.
    #[error("the database contains an invalid row: {0}")]
    Corrupt(String),
    /// No secret can be generated.
    #[error(transparent)]
    Randomness(#[from] crate::secrets::NoRandomness),
    /// Copying the database failed.
    #[error("cannot write the backup {path}: {why}")]
    Backup {
        /// The copy.
        path: PathBuf,
        /// What went wrong.
        why: String,
    },
}
