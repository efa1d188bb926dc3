//! What a match's transcripts told.

use super::matches;
use super::params::Params;
use super::problem::Problem;
use super::response;
use super::state::ApiState;
use axum::extract::{Path, RawQuery, State};
use axum::http::HeaderMap;
use axum::response::Response;
use serde_json::{Value, json};

/// `GET /api/v1/matches/{id}/facts`
pub(super) async fn list(
    State(state): State<ApiState>,
    Path(id): Path<String>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let params = Params::read(query.as_deref(), &[&["seat", "session", "kind"]])?;
    let (seat, session) = (
        params.number::<u8>("seat")?,
        params.number::<i64>("session")?,
    );
    let kind = params.text("kind");
    let row = matches::find(&state, &id).await?;
    let mut facts = state.store.facts(&id).await?;
    facts.retain(|fact| seat.is_none_or(|seat| fact.seat == Some(seat)));
    facts.retain(|fact| session.is_none_or(|session| fact.session.0 == session));
    facts.retain(|fact| kind.as_ref().is_none_or(|kind| fact.kind == *kind));
    let value = json!({ "items": facts, "next": Value::Null });
    Ok(response::tagged_json(
        &headers,
        row.ended_us.is_some(),
        &value,
    ))
}
