//! What has begun and ended, in the order of commits: the oldest is forgotten.

use crate::store::sql::postgres::BLOCK;
use crate::store::sql::{Connection, query};

/// How many are kept; on a server of how many commits at least.
pub(crate) const KEPT: i64 = 100_000;

/// How far behind the last number others are kept.
pub(crate) const fn kept(is_postgres: bool) -> i64 {
    if is_postgres { KEPT * BLOCK } else { KEPT }
}

/// Forgets the oldest.
pub(super) async fn trim(connection: &mut Connection) -> Result<(), sqlx::Error> {
    query("DELETE FROM changes WHERE id <= (SELECT max(id) FROM changes) - $1")
        .bind(kept(connection.is_postgres()))
        .execute(connection)
        .await?;
    Ok(())
}
