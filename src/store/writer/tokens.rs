//! Tokens of the REST interface, as rows: their meaning is not the store's concern.

use crate::clock;
use crate::store::sql::{Connection, query_as};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// Bytes of a token's digest (SHA-256).
pub const DIGEST_LEN: usize = 32;

/// A token that has not been revoked. Its text is stored nowhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Token)]
pub struct TokenRow {
    /// Its number.
    pub id: i64,
    /// Its name.
    #[schema(example = "ann")]
    pub name: String,
    /// What it allows.
    #[schema(example = json!(["bot:champion"]))]
    pub scopes: Vec<String>,
    /// The SHA-256 of its text.
    #[serde(skip)]
    pub digest: [u8; DIGEST_LEN],
    /// When it was made.
    #[serde(rename = "created", serialize_with = "clock::shown")]
    #[schema(value_type = Timestamp)]
    pub created_us: i64,
    /// When it was last used, to the hour.
    #[serde(rename = "last_used", serialize_with = "clock::shown_if_any")]
    #[schema(value_type = Option<Timestamp>)]
    pub used_us: Option<i64>,
}

/// A change of the stored tokens. Times are microseconds since 1970-01-01 UTC.
#[derive(Debug)]
pub enum TokenChange {
    /// A new one, whose number is given to it.
    Add(TokenRow),
    /// It is revoked.
    Revoke {
        /// Its number.
        id: i64,
        /// In microseconds since 1970-01-01 UTC.
        at_us: i64,
    },
    /// It was used.
    Use {
        /// Its number.
        id: i64,
        /// In microseconds since 1970-01-01 UTC.
        at_us: i64,
    },
}

/// Makes the change in its own transaction; returns the number of the affected token, if any.
pub(super) async fn change(
    connection: &mut Connection,
    change: &TokenChange,
) -> Result<Option<i64>, sqlx::Error> {
    let query = match change {
        TokenChange::Add(new) => query_as(
            "INSERT INTO tokens (name, scopes, digest, created_us) VALUES ($1, $2, $3, $4) RETURNING id",
        )
        .bind(new.name.clone())
        .bind(Value::from_iter(new.scopes.iter().map(String::as_str)).to_string())
        .bind(new.digest.to_vec())
        .bind(new.created_us),
        TokenChange::Revoke { id, at_us } => query_as(
            "UPDATE tokens SET revoked_us = $1 WHERE id = $2 AND revoked_us IS NULL RETURNING id",
        )
        .bind(*at_us)
        .bind(*id),
        TokenChange::Use { id, at_us } => query_as(
            "UPDATE tokens SET used_us = $1 WHERE id = $2 AND revoked_us IS NULL RETURNING id",
        )
        .bind(*at_us)
        .bind(*id),
    };
    // To the very end: the last step is the commit, and its error must not be missed.
    Ok(query.fetch_all(connection).await?.pop())
}
