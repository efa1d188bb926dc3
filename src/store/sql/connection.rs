//! [`Connection`] and [`Pool`]: to either engine.

use super::postgres::PgLink;
use super::sqlite;
use sqlx::pool::PoolConnection;
use sqlx::postgres::PgPool;
use sqlx::sqlite::SqlitePool;
use sqlx::{Connection as _, Sqlite, SqliteConnection, Transaction};

/// A connection. One that a pool gave goes back to it.
#[derive(Debug)]
pub(crate) enum Connection {
    Sqlite(SqliteConnection),
    SqlitePooled(PoolConnection<Sqlite>),
    /// Given back without its transaction, also if its reader is given up.
    SqliteReading(Transaction<'static, Sqlite>),
    Postgres(PgLink),
}

/// A connection as its engine has it.
pub(super) enum Link<'a> {
    Sqlite(&'a mut SqliteConnection),
    Postgres(&'a mut PgLink),
}

impl Connection {
    pub(super) fn link(&mut self) -> Link<'_> {
        match self {
            Self::Sqlite(connection) => Link::Sqlite(connection),
            Self::SqlitePooled(connection) => Link::Sqlite(connection),
            Self::SqliteReading(transaction) => Link::Sqlite(transaction),
            Self::Postgres(link) => Link::Postgres(link),
        }
    }

    /// Whether it is one to PostgreSQL.
    pub(crate) const fn is_postgres(&self) -> bool {
        matches!(self, Self::Postgres(_))
    }

    /// The connection, if it is one to a file.
    pub(crate) fn sqlite(&mut self) -> Option<&mut SqliteConnection> {
        match self.link() {
            Link::Sqlite(connection) => Some(connection),
            Link::Postgres(_) => None,
        }
    }

    /// Begins a transaction that writes.
    pub(crate) async fn begin(&mut self) -> Result<(), sqlx::Error> {
        match self.link() {
            Link::Sqlite(link) => sqlite::run("BEGIN IMMEDIATE", link).await,
            Link::Postgres(link) => link.begin("BEGIN").await,
        }
    }

    /// Begins a transaction that reads what is stored now.
    pub(crate) async fn begin_reading(&mut self) -> Result<(), sqlx::Error> {
        match self.link() {
            Link::Sqlite(link) => sqlite::run("BEGIN", link).await,
            Link::Postgres(link) => {
                link.begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                    .await
            }
        }
    }

    /// Commits the transaction that was begun.
    pub(crate) async fn commit(&mut self) -> Result<(), sqlx::Error> {
        match self.link() {
            Link::Sqlite(link) => sqlite::run("COMMIT", link).await,
            Link::Postgres(link) => link.commit().await,
        }
    }

    /// Undoes what was begun. (SQLite may have done so already: then there is nothing to do.)
    pub(crate) async fn roll_back(&mut self) {
        match self.link() {
            Link::Sqlite(link) => drop(sqlite::run("ROLLBACK", link).await),
            Link::Postgres(link) => link.roll_back().await,
        }
    }

    /// Closes it.
    pub(crate) async fn close(self) -> Result<(), sqlx::Error> {
        match self {
            Self::Sqlite(connection) => connection.close().await,
            Self::SqlitePooled(_) | Self::SqliteReading(_) | Self::Postgres(_) => Ok(()),
        }
    }
}

/// Connections that are shared.
#[derive(Clone, Debug)]
pub(crate) enum Pool {
    Sqlite(SqlitePool),
    Postgres {
        pool: PgPool,
        /// Whether statements are kept prepared.
        prepares: bool,
    },
}

impl Pool {
    /// A connection, as soon as one is free.
    pub(crate) async fn acquire(&self) -> Result<Connection, sqlx::Error> {
        Ok(match self {
            Self::Sqlite(pool) => Connection::SqlitePooled(pool.acquire().await?),
            Self::Postgres { pool, prepares } => {
                Connection::Postgres(PgLink::pooled(pool.acquire().await?, *prepares))
            }
        })
    }

    /// A connection that reads what is stored now, all its reads at one moment.
    pub(crate) async fn reading(&self) -> Result<Connection, sqlx::Error> {
        match self {
            Self::Sqlite(pool) => Ok(Connection::SqliteReading(pool.begin().await?)),
            Self::Postgres { .. } => {
                let mut connection = self.acquire().await?;
                connection.begin_reading().await?;
                Ok(connection)
            }
        }
    }

    /// Closes the connections.
    pub(crate) async fn close(&self) {
        match self {
            Self::Sqlite(pool) => pool.close().await,
            Self::Postgres { pool, .. } => pool.close().await,
        }
    }
}
