//! Tokens of the REST interface, as rows: their meaning is not the store's concern.

use super::error::StoreError;
use super::handle::Store;
use super::rows;
use super::writer::{Change, Command};
use crate::clock;
use serde::Serialize;
use serde_json::Value;
use sqlx::{Row as _, SqliteConnection};
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
pub(super) enum TokenChange {
    Add(TokenRow),
    Revoke { id: i64, at_us: i64 },
    Use { id: i64, at_us: i64 },
}

impl Store {
    /// The tokens that have not been revoked, oldest first.
    ///
    /// # Errors
    /// [`StoreError::Read`], [`StoreError::Corrupt`].
    pub async fn tokens(&self) -> Result<Vec<TokenRow>, StoreError> {
        let rows = sqlx::query(
            "SELECT id, name, scopes, digest, created_us, used_us FROM tokens
             WHERE revoked_us IS NULL ORDER BY id",
        )
        .fetch_all(self.readers())
        .await?;
        let mut tokens = Vec::with_capacity(rows.len());
        for row in &rows {
            let id: i64 = row.try_get(0)?;
            let corrupt = |what: &str| StoreError::Corrupt(format!("{what} of token {id}"));
            let scopes = serde_json::from_value(rows::json(row.try_get(2)?)?)
                .map_err(|_| corrupt("the scopes"))?;
            let digest = row.try_get::<&[u8], _>(3)?.try_into();
            tokens.push(TokenRow {
                id,
                name: row.try_get(1)?,
                scopes,
                digest: digest.map_err(|_| corrupt("the digest"))?,
                created_us: row.try_get(4)?,
                used_us: row.try_get(5)?,
            });
        }
        Ok(tokens)
    }

    /// Stores a new token and returns the number that it gets. Durable when it returns `Ok`.
    ///
    /// # Errors
    /// As [`Store::append`]; [`StoreError::Refused`] if a live token has this name.
    pub async fn add_token(&self, new: TokenRow) -> Result<i64, StoreError> {
        self.change_token(TokenChange::Add(new)).await
    }

    /// Marks a token as revoked. Durable when it returns `Ok`.
    ///
    /// # Errors
    /// As [`Store::append`]; [`StoreError::Unknown`] if no live token has this number.
    pub async fn revoke_token(&self, id: i64, at_us: i64) -> Result<(), StoreError> {
        let change = TokenChange::Revoke { id, at_us };
        self.change_token(change).await.map(drop)
    }

    /// Records that a token was used.
    ///
    /// # Errors
    /// As [`Store::append`]; [`StoreError::Unknown`] if no live token has this number.
    pub async fn use_token(&self, id: i64, at_us: i64) -> Result<(), StoreError> {
        let change = TokenChange::Use { id, at_us };
        self.change_token(change).await.map(drop)
    }

    async fn change_token(&self, change: TokenChange) -> Result<i64, StoreError> {
        let id = match &change {
            TokenChange::Add(_) => 0,
            TokenChange::Revoke { id, .. } | TokenChange::Use { id, .. } => *id,
        };
        let changed = self
            .ask(|reply| Command::Change(Change::Token(change), reply))
            .await?;
        changed.ok_or_else(|| StoreError::Unknown {
            what: "token",
            id: id.to_string(),
        })
    }
}

/// Makes the change in its own transaction; returns the number of the affected token, if any.
pub(super) async fn change(
    connection: &mut SqliteConnection,
    change: &TokenChange,
) -> Result<Option<i64>, sqlx::Error> {
    let query = match change {
        TokenChange::Add(new) => sqlx::query_scalar(
            "INSERT INTO tokens (name, scopes, digest, created_us) VALUES (?, ?, ?, ?) RETURNING id",
        )
        .bind(new.name.clone())
        .bind(Value::from_iter(new.scopes.iter().map(String::as_str)).to_string())
        .bind(new.digest.to_vec())
        .bind(new.created_us),
        TokenChange::Revoke { id, at_us } => sqlx::query_scalar(
            "UPDATE tokens SET revoked_us = ? WHERE id = ? AND revoked_us IS NULL RETURNING id",
        )
        .bind(*at_us)
        .bind(*id),
        TokenChange::Use { id, at_us } => sqlx::query_scalar(
            "UPDATE tokens SET used_us = ? WHERE id = ? AND revoked_us IS NULL RETURNING id",
        )
        .bind(*at_us)
        .bind(*id),
    };
    // To the very end: the last step is the commit, and its error must not be missed.
    Ok(query.fetch_all(connection).await?.pop())
}
