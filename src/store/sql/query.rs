//! [`Query`]: a statement with its parameters, to be run on either engine.

use super::connection::{Connection, Link, Pool};
use super::row::{Columns, Row};
use super::value::{Bound, Value};
use super::{postgres, sqlite};
use std::borrow::Cow;
use std::marker::PhantomData;

/// A statement and its parameters.
#[derive(Debug)]
pub(crate) struct Query(Bound);

/// A statement whose rows are read as these columns.
#[derive(Debug)]
pub(crate) struct QueryAs<T>(Query, PhantomData<T>);

/// A statement.
pub(crate) fn query(sql: impl Into<Cow<'static, str>>) -> Query {
    Query(Bound {
        sql: sql.into(),
        values: Vec::new(),
        is_kept: true,
    })
}

/// A statement whose rows are read as these columns.
pub(crate) fn query_as<T: Columns>(sql: impl Into<Cow<'static, str>>) -> QueryAs<T> {
    query(sql).read_as()
}

/// Where a statement is run.
#[derive(Debug)]
pub(crate) enum On<'a> {
    Connection(&'a mut Connection),
    Pool(&'a Pool),
}

impl<'a> From<&'a mut Connection> for On<'a> {
    fn from(connection: &'a mut Connection) -> Self {
        Self::Connection(connection)
    }
}

impl<'a> From<&'a Pool> for On<'a> {
    fn from(pool: &'a Pool) -> Self {
        Self::Pool(pool)
    }
}

impl Query {
    /// Gives it its next parameter.
    pub(crate) fn bind(mut self, value: impl Into<Value>) -> Self {
        self.0.values.push(value.into());
        self
    }

    /// Has it compiled each time.
    pub(crate) fn once(mut self) -> Self {
        self.0.is_kept = false;
        self
    }

    /// Reads its rows as these columns.
    pub(crate) fn read_as<T: Columns>(self) -> QueryAs<T> {
        QueryAs(self, PhantomData)
    }

    /// Runs it; gives how many rows it changed.
    pub(crate) async fn execute<'a>(self, on: impl Into<On<'a>>) -> Result<u64, sqlx::Error> {
        match on.into() {
            On::Connection(connection) => self.execute_on(connection).await,
            On::Pool(pool) => self.execute_on(&mut pool.acquire().await?).await,
        }
    }

    /// Runs it and reads all its rows.
    pub(crate) async fn fetch_all<'a>(
        self,
        on: impl Into<On<'a>>,
    ) -> Result<Vec<Row>, sqlx::Error> {
        match on.into() {
            On::Connection(connection) => self.fetch_on(connection).await,
            On::Pool(pool) => self.fetch_on(&mut pool.acquire().await?).await,
        }
    }

    /// Its first row. (It is run to its end: the last step of one that writes is the commit, whose error must not be
    /// missed.)
    pub(crate) async fn fetch_optional<'a>(
        self,
        on: impl Into<On<'a>>,
    ) -> Result<Option<Row>, sqlx::Error> {
        Ok(self.fetch_all(on).await?.into_iter().next())
    }

    /// Its only row.
    pub(crate) async fn fetch_one<'a>(self, on: impl Into<On<'a>>) -> Result<Row, sqlx::Error> {
        let row = self.fetch_optional(on).await?;
        row.ok_or(sqlx::Error::RowNotFound)
    }

    async fn execute_on(self, connection: &mut Connection) -> Result<u64, sqlx::Error> {
        match connection.link() {
            Link::Sqlite(link) => sqlite::execute(self.0, link).await,
            Link::Postgres(link) => postgres::execute(self.0, link).await,
        }
    }

    async fn fetch_on(self, connection: &mut Connection) -> Result<Vec<Row>, sqlx::Error> {
        match connection.link() {
            Link::Sqlite(link) => sqlite::fetch(self.0, link).await,
            Link::Postgres(link) => postgres::fetch(self.0, link).await,
        }
    }
}

impl<T: Columns> QueryAs<T> {
    /// Gives it its next parameter.
    pub(crate) fn bind(self, value: impl Into<Value>) -> Self {
        Self(self.0.bind(value), PhantomData)
    }

    /// Runs it and reads all its rows.
    pub(crate) async fn fetch_all<'a>(self, on: impl Into<On<'a>>) -> Result<Vec<T>, sqlx::Error> {
        let rows = self.0.fetch_all(on).await?;
        rows.iter().map(T::read).collect()
    }

    /// Its first row.
    pub(crate) async fn fetch_optional<'a>(
        self,
        on: impl Into<On<'a>>,
    ) -> Result<Option<T>, sqlx::Error> {
        let row = self.0.fetch_optional(on).await?;
        row.as_ref().map(T::read).transpose()
    }

    /// Its only row.
    pub(crate) async fn fetch_one<'a>(self, on: impl Into<On<'a>>) -> Result<T, sqlx::Error> {
        T::read(&self.0.fetch_one(on).await?)
    }
}
