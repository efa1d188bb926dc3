//! Changes that are transactions of their own, and the list of what has begun and ended: the oldest is forgotten.

use super::command::Change;
use super::{programs, tokens, tournaments};
use crate::store::sql::postgres::BLOCK;
use crate::store::sql::{Connection, query};

/// How many are kept; on a server of how many commits at least.
pub(crate) const KEPT: i64 = 100_000;

/// How far behind the last number others are kept.
pub(crate) const fn kept(is_postgres: bool) -> i64 {
    if is_postgres { KEPT * BLOCK } else { KEPT }
}

/// Makes a change; the number of the row that was changed, if there is such a row.
pub(super) async fn make(
    connection: &mut Connection,
    change: &Change,
) -> Result<Option<i64>, sqlx::Error> {
    match change {
        Change::Token(change) => tokens::change(connection, change).await,
        Change::Program(run) => programs::change(connection, run).await,
        Change::Note(change) => programs::change_note(connection, change).await,
        Change::Tournament(change) => tournaments::change(connection, change).await,
    }
}

/// Forgets the oldest.
pub(super) async fn trim(connection: &mut Connection) -> Result<(), sqlx::Error> {
    query("DELETE FROM changes WHERE id <= (SELECT max(id) FROM changes) - $1")
        .bind(kept(connection.is_postgres()))
        .execute(connection)
        .await?;
    Ok(())
}
