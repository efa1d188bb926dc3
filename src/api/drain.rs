//! Asking the daemon to stop once its matches have ended.

use super::problem::Problem;
use super::state::ApiState;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// `POST /api/v1/drain`: 202, and from now on new matches are refused. A page of another site that
/// an operator's browser happens to show may not ask for it.
pub(super) async fn begin(
    State(state): State<ApiState>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let site = headers.get("sec-fetch-site").map(|value| value.as_bytes());
    if site.is_some_and(|site| site != b"same-origin" && site != b"none") {
        return Err(Problem::forbidden(
            "a page of another site may not ask for this",
        ));
    }
    if state.readiness.refusal().is_none() {
        state
            .readiness
            .refuse("the daemon is draining: an operator asked for it");
    }
    Ok((
        StatusCode::ACCEPTED,
        axum::Json(json!({ "status": "draining" })),
    )
        .into_response())
}
