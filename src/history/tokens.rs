//! Tokens of the REST interface, as rows: their meaning is the access module's.

use crate::store::sql::query;
use crate::store::{Change, Reader, Store, StoreError, TokenChange, TokenRow, rows};

/// The tokens that have not been revoked, oldest first.
///
/// # Errors
/// [`StoreError::Read`], [`StoreError::Corrupt`].
pub async fn tokens(reader: &Reader) -> Result<Vec<TokenRow>, StoreError> {
    let rows = query(
        "SELECT id, name, scopes, digest, created_us, used_us FROM tokens
         WHERE revoked_us IS NULL ORDER BY id",
    )
    .fetch_all(reader.pool())
    .await?;
    let mut tokens = Vec::with_capacity(rows.len());
    for row in &rows {
        let id: i64 = row.try_get(0)?;
        let corrupt = |what: &str| StoreError::Corrupt(format!("{what} of token {id}"));
        let scopes = serde_json::from_value(rows::json(row.try_get(2)?)?)
            .map_err(|_| corrupt("the scopes"))?;
        let digest = row.try_get::<&[u8]>(3)?.try_into();
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
pub async fn add_token(store: &Store, new: TokenRow) -> Result<i64, StoreError> {
    change_token(store, TokenChange::Add(new)).await
}

/// Marks a token as revoked. Durable when it returns `Ok`.
///
/// # Errors
/// As [`Store::append`]; [`StoreError::Unknown`] if no live token has this number.
pub async fn revoke_token(store: &Store, id: i64, at_us: i64) -> Result<(), StoreError> {
    let change = TokenChange::Revoke { id, at_us };
    change_token(store, change).await.map(drop)
}

/// Records that a token was used.
///
/// # Errors
/// As [`Store::append`]; [`StoreError::Unknown`] if no live token has this number.
pub async fn use_token(store: &Store, id: i64, at_us: i64) -> Result<(), StoreError> {
    let change = TokenChange::Use { id, at_us };
    change_token(store, change).await.map(drop)
}

async fn change_token(store: &Store, change: TokenChange) -> Result<i64, StoreError> {
    let id = match &change {
        TokenChange::Add(_) => 0,
        TokenChange::Revoke { id, .. } | TokenChange::Use { id, .. } => *id,
    };
    let changed = store.change(Change::Token(change)).await?;
    changed.ok_or_else(|| StoreError::Unknown {
        what: "token",
        id: id.to_string(),
    })
}
