//! Asking the daemon to stop once its matches have ended.

use super::asked::Asked;
use super::health::Status;
use super::query::{Nothing, Query};
use super::response;
use axum::http::StatusCode;
use axum::response::Response;

/// Asks the daemon to stop once its matches have ended.
#[utoipa::path(post, path = "/api/v1/drain", responses((status = 202, body = Status)))]
pub(super) async fn begin(asked: Asked, _: Query<Nothing>) -> Response {
    let state = &asked.state;
    if state.readiness.refusal().is_none() {
        state
            .readiness
            .refuse("the daemon is draining: an operator asked for it");
    }
    let mut response = response::json(&Status::new("draining"));
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}
