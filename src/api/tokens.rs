//! Managing tokens.

use super::asked::Asked;
use super::lists::Rows;
use super::params::Params;
use super::problem::Problem;
use super::reader::Reader;
use super::response;
use super::shapes::Listed;
use crate::access::{AccessError, TokenCard};
use axum::body::Bytes;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::Response;
use games::text::unmarked;
use serde::Deserialize;
use utoipa::ToSchema;

/// A token that is wanted.
#[derive(Deserialize, ToSchema)]
#[schema(as = WantedToken)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    /// A name that no other token has.
    #[schema(
        example = "ann",
        pattern = "^[A-Za-z0-9._-]{0,63}[A-Za-z._-][A-Za-z0-9._-]{0,63}$"
    )]
    name: String,
    /// What it allows: `read`, `admin`, `bot:NAME`, `entrant:NAME`.
    #[schema(example = json!(["bot:champion"]), min_items = 1, max_items = 32)]
    scopes: Vec<String>,
}

/// The list of tokens.
pub(super) struct TokenList;

impl Rows for TokenList {
    type Item = TokenCard;
    const FILTERS: &'static [&'static str] = &[];

    async fn page(reader: &Reader, params: &Params) -> Result<(Listed<TokenCard>, bool), Problem> {
        Ok((page(reader, params)?, false))
    }
}

/// All tokens that have not been revoked.
fn page(reader: &Reader, params: &Params) -> Result<Listed<TokenCard>, Problem> {
    let tokens = reader.state.tokens.list();
    Listed::cut(tokens, &params.page_or_all()?)
}

/// `POST /api/v1/tokens` with `{"name": "ann", "scopes": ["bot:champion"]}`: 201, and the token, once.
pub(super) async fn add(asked: Asked, body: Bytes) -> Result<Response, Problem> {
    asked.params(&[])?;
    let wanted: Wanted = serde_json::from_slice(unmarked(&body)).map_err(|error| {
        Problem::body(format!(
            "it takes {{\"name\": \"ann\", \"scopes\": [\"bot:champion\"]}}: {error}"
        ))
    })?;
    let issued = asked.state.tokens.add(&wanted.name, &wanted.scopes).await?;
    let mut response = response::json(&issued);
    *response.status_mut() = StatusCode::CREATED;
    Ok(response)
}

/// `DELETE /api/v1/tokens/{name or id}`: the next request with it is refused.
pub(super) async fn revoke(Path(which): Path<String>, asked: Asked) -> Result<Response, Problem> {
    asked.params(&[])?;
    let card = asked.state.tokens.revoke(&which).await?;
    Ok(response::json(&card))
}

impl From<AccessError> for Problem {
    fn from(error: AccessError) -> Self {
        let detail = error.to_string();
        match error {
            AccessError::Store(error) => error.into(),
            AccessError::Unknown(_) => Self::not_found(detail),
            AccessError::Name | AccessError::Scopes | AccessError::Scope(_) => Self::body(detail),
            AccessError::Random(_) => Self::unavailable(detail),
            AccessError::Taken(_)
            | AccessError::Full
            | AccessError::NeedsAdmin
            | AccessError::LastAdmin(_) => Self::conflict(detail),
        }
    }
}
