//! Naming who sits on a seat.

use super::asked::{Asked, Json};
use super::matches::{self, MatchShown};
use super::problem::Problem;
use super::response;
use crate::identities::named;
use axum::extract::Path;
use axum::response::Response;
use serde::Deserialize;
use utoipa::ToSchema;

/// Who sits there.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Naming {
    /// 1 to 64 letters, no control characters.
    #[schema(example = "alice", min_length = 1, max_length = 64)]
    name: String,
}

/// Names who sits on a seat.
#[utoipa::path(put, path = "/api/v1/matches/{id}/seats/{seat}", request_body = Naming,
    responses((status = 200, body = MatchShown)))]
pub(super) async fn name(
    Path((id, seat)): Path<(String, String)>,
    asked: Asked,
    Json(naming): Json<Naming>,
) -> Result<Response, Problem> {
    let name = named(&naming.name).map_err(Problem::body)?;
    let number = seat
        .parse()
        .map_err(|_| Problem::not_found(format!("there is no seat {seat}")))?;
    asked.match_row(&id).await?;
    let store = &asked.state.store;
    store.rename_seat(&id, number, Some(name)).await?;
    Ok(response::json(&matches::find(&asked, &id).await?))
}
