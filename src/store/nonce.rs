//! What the database keeps private.

use super::error::StoreError;
use crate::secrets;
use sqlx::SqliteConnection;

/// The name of the nonce with which our own referee calls our own bots.
pub(crate) const NONCE: &str = "referee";

/// Creates the nonce, unless it exists.
pub(super) async fn keep_nonce(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    sqlx::query("INSERT INTO secrets (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING")
        .bind(NONCE)
        .bind(secrets::nonce()?)
        .execute(connection)
        .await?;
    Ok(())
}
