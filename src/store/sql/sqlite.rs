//! Statements on SQLite.

use super::row::Row;
use super::value::{Bound, Value};
use sqlx::sqlite::SqliteArguments;
use sqlx::{Arguments as _, AssertSqlSafe, SqlSafeStr as _, SqliteConnection};
use std::borrow::Cow;

pub(super) async fn execute(
    query: Bound,
    connection: &mut SqliteConnection,
) -> Result<u64, sqlx::Error> {
    let done = prepared(query).execute(connection).await?;
    Ok(done.rows_affected())
}

pub(super) async fn fetch(
    query: Bound,
    connection: &mut SqliteConnection,
) -> Result<Vec<Row>, sqlx::Error> {
    let rows = prepared(query).fetch_all(connection).await?;
    Ok(rows.into_iter().map(Row::Sqlite).collect())
}

fn prepared(query: Bound) -> sqlx::query::Query<'static, sqlx::Sqlite, SqliteArguments> {
    let mut arguments = SqliteArguments::default();
    arguments.reserve(query.values.len(), 0);
    for value in query.values {
        add(&mut arguments, value);
    }
    let sql = match query.sql {
        Cow::Borrowed(text) => text.into_sql_str(),
        Cow::Owned(text) => AssertSqlSafe(text).into_sql_str(),
    };
    sqlx::query_with(sql, arguments).persistent(query.is_kept)
}

/// Runs a statement without parameters.
pub(super) async fn run(
    statement: &'static str,
    connection: &mut SqliteConnection,
) -> Result<(), sqlx::Error> {
    sqlx::query(statement).execute(connection).await.map(drop)
}

/// Adds a parameter.
pub(in crate::store) fn add(arguments: &mut SqliteArguments, value: Value) {
    let added = match value {
        Value::Int(value) => arguments.add(value),
        Value::Real(value) => arguments.add(value),
        Value::Text(value) => arguments.add(value),
        Value::Bytes(value) => arguments.add(value),
    };
    added.expect("numbers, texts and bytes can always be bound");
}
