//! What the database keeps private.

use super::error::StoreError;
use crate::secrets;
use crate::store::sql::{Connection, query};

/// The name of the nonce with which our own referee calls our own bots.
pub(crate) const NONCE: &str = "referee";

/// Creates the nonce, unless it exists.
pub(super) async fn keep_nonce(connection: &mut Connection) -> Result<(), StoreError> {
    query("INSERT INTO secrets (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING")
        .bind(NONCE)
        .bind(secrets::nonce()?)
        .execute(connection)
        .await?;
    Ok(())
}
