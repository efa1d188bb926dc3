//! Naming who sits on a seat.

use super::asked::Asked;
use super::matches;
use super::problem::Problem;
use super::response;
use crate::identities::named;
use axum::body::Bytes;
use axum::extract::Path;
use axum::response::Response;
use games::text::unmarked;
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

/// `PUT /api/v1/matches/{id}/seats/{seat}` with `{"name": "alice"}`
pub(super) async fn name(
    Path((id, seat)): Path<(String, String)>,
    asked: Asked,
    body: Bytes,
) -> Result<Response, Problem> {
    asked.params(&[])?;
    let naming: Naming = serde_json::from_slice(unmarked(&body))
        .map_err(|error| Problem::body(format!("it takes {{\"name\": \"alice\"}}: {error}")))?;
    let name = named(&naming.name).map_err(Problem::body)?;
    let number = seat
        .parse()
        .map_err(|_| Problem::not_found(format!("there is no seat {seat}")))?;
    matches::row(&asked, &id).await?;
    asked.state.store.name_seat(&id, number, name).await?;
    Ok(response::json(&matches::find(&asked, &id).await?))
}
