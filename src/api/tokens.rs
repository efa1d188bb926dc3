//! Managing tokens.

use super::asked::{Asked, Json};
use super::lists::Rows;
use super::problem::Problem;
use super::query::{Nothing, Params, Query};
use super::reader::Reader;
use super::response;
use super::shapes::{Listed, Paged};
use crate::access::{AccessError, Issued};
use crate::store::TokenRow;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::response::Response;
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

/// All tokens that have not been revoked.
pub(super) struct TokenList;

impl Rows for TokenList {
    type Item = TokenRow;
    type Filters = Nothing;

    async fn page(reader: &Reader, params: &Params<Nothing>) -> Paged<TokenRow> {
        Listed::cut(reader.state.tokens.list(), &params.page_or_all()?)
    }
}

/// Makes a token.
#[utoipa::path(post, path = "/api/v1/tokens", request_body = Wanted, responses((status = 201, body = Issued)))]
pub(super) async fn add(asked: Asked, Json(wanted): Json<Wanted>) -> Result<Response, Problem> {
    let issued = asked.state.tokens.add(&wanted.name, &wanted.scopes).await?;
    let mut response = response::json(&issued);
    *response.status_mut() = StatusCode::CREATED;
    Ok(response)
}

/// Revokes a token: the next request with it is refused.
#[utoipa::path(delete, path = "/api/v1/tokens/{which}", responses((status = 200, body = TokenRow)))]
pub(super) async fn revoke(
    Path(which): Path<String>,
    asked: Asked,
    _: Query<Nothing>,
) -> Result<Response, Problem> {
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
