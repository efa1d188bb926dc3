//! Asking the daemon to stop once its matches have ended.

use super::asked::Asked;
use super::health::Status;
use super::problem::Problem;
use super::response;
use axum::http::StatusCode;
use axum::response::Response;

/// `POST /api/v1/drain`: 202, and from now on new matches are refused.
pub(super) async fn begin(asked: Asked) -> Result<Response, Problem> {
    asked.params(&[])?;
    let state = &asked.state;
    if state.readiness.refusal().is_none() {
        state
            .readiness
            .refuse("the daemon is draining: an operator asked for it");
    }
    let mut response = response::json(&Status::of("draining"));
    *response.status_mut() = StatusCode::ACCEPTED;
    Ok(response)
}
