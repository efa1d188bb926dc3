//! Naming who sits on a seat.

use super::asked::Asked;
use super::matches;
use super::problem::Problem;
use super::response;
use axum::body::Bytes;
use axum::extract::Path;
use axum::response::Response;
use serde::Deserialize;
use utoipa::ToSchema;

/// The most letters in a name.
const NAME_LEN_MAX: usize = 64;

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
    let naming: Naming = serde_json::from_slice(&body)
        .map_err(|error| Problem::body(format!("it takes {{\"name\": \"alice\"}}: {error}")))?;
    let name = naming.name.trim();
    if name.is_empty()
        || naming.name.chars().count() > NAME_LEN_MAX
        || name.chars().any(char::is_control)
    {
        let why = format!("name takes 1 to {NAME_LEN_MAX} letters and no control characters");
        return Err(Problem::body(why));
    }
    let number = seat
        .parse()
        .map_err(|_| Problem::not_found(format!("there is no seat {seat}")))?;
    matches::row(&asked, &id).await?;
    asked.state.store.name_seat(&id, number, name).await?;
    Ok(response::json(&matches::find(&asked, &id).await?))
}
