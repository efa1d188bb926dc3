//! Asking the daemon to stop once its matches have ended.

use super::state::ApiState;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde_json::json;

/// `POST /api/v1/drain`: 202, and from now on new matches are refused.
pub(super) async fn begin(State(state): State<ApiState>) -> Response {
    if state.readiness.refusal().is_none() {
        state
            .readiness
            .refuse("the daemon is draining: an operator asked for it");
    }
    let said = axum::Json(json!({ "status": "draining" }));
    (StatusCode::ACCEPTED, said).into_response()
}
