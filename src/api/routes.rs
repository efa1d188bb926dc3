//! Every route of the API, on one page.

use super::problem::{self, Problem};
use super::state::ApiState;
use super::{
    auth, bluffs, bots, drain, entries, facts, health, hubs, matches, opponents, seats, sessions,
};
use axum::Router;
use axum::http::{StatusCode, Uri};
use axum::middleware::{from_fn_with_state, map_response};
use axum::routing::{get, post, put};
use std::time::Duration;
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::timeout::TimeoutLayer;

/// How long an answer may take.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);
/// Bytes of a request's body at most.
const BODY_LEN_MAX: usize = 64 * 1024;

/// All routes over this state.
pub fn router(state: ApiState) -> Router {
    let v1 = Router::new()
        .route("/bots", get(bots::list))
        .route("/sessions", get(sessions::list))
        .route("/sessions/{id}", get(sessions::one))
        .route("/matches", get(matches::list))
        .route("/matches/{id}", get(matches::one))
        .route("/matches/{id}/entries", get(entries::list))
        .route("/matches/{id}/entries.ndjson", get(entries::lines))
        .route("/matches/{id}/facts", get(facts::list))
        .route("/matches/{id}/seats/{seat}", put(seats::name))
        .route("/hubs", get(hubs::list))
        .route("/bluffs", get(bluffs::list))
        .route("/drain", post(drain::begin))
        .route("/opponents", get(opponents::list))
        .route("/opponents/{id}/model", get(opponents::model))
        .route_layer(from_fn_with_state(state.clone(), auth::require_token));
    Router::new()
        .nest("/api/v1", v1)
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/metrics", get(health::metrics))
        .fallback(no_such_path)
        .layer(TimeoutLayer::with_status_code(
            StatusCode::GATEWAY_TIMEOUT,
            ANSWER_WITHIN,
        ))
        .layer(RequestBodyLimitLayer::new(BODY_LEN_MAX))
        .layer(map_response(problem::dress))
        .with_state(state)
}

async fn no_such_path(uri: Uri) -> Problem {
    Problem::not_found(format!("there is nothing at {}", uri.path()))
}
