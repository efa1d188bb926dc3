//! Every route of the API, on one page.

use super::problem::{self, Problem};
use super::state::ApiState;
use super::{
    auth, bluffs, bots, drain, entries, facts, health, hubs, matches, opponents, pages, seats,
    sessions, tokens, tournaments,
};
use axum::Router;
use axum::http::{StatusCode, Uri};
use axum::middleware::{from_fn, from_fn_with_state, map_response};
use axum::routing::{delete, get, post, put};
use std::time::Duration;
use tower_http::limit::RequestBodyLimitLayer;
use tower_http::timeout::TimeoutLayer;

/// The time limit for an answer.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);
/// The most bytes in a request's body.
const BODY_LEN_MAX: usize = 64 * 1024;

/// All routes over this state.
pub fn router(state: ApiState) -> Router {
    let for_admins = Router::new()
        .route("/drain", post(drain::begin))
        .route("/matches/{id}/seats/{seat}", put(seats::name))
        .route("/tokens", get(tokens::list).post(tokens::add))
        .route("/tokens/{which}", delete(tokens::revoke))
        .route_layer(from_fn(auth::admins_only));
    let admit = from_fn_with_state(state.clone(), auth::admit);
    let v1 = Router::new()
        .route("/bots", get(bots::list))
        .route("/sessions", get(sessions::list))
        .route("/sessions/{id}", get(sessions::one))
        .route("/matches", get(matches::list))
        .route("/matches/{id}", get(matches::one))
        .route("/matches/{id}/entries", get(entries::list))
        .route("/matches/{id}/entries.ndjson", get(entries::lines))
        .route("/matches/{id}/facts", get(facts::list))
        .route("/hubs", get(hubs::list))
        .route("/bluffs", get(bluffs::list))
        .route("/opponents", get(opponents::list))
        .route("/opponents/{id}/model", get(opponents::model))
        .route("/tournaments", get(tournaments::list))
        .route("/tournaments/{id}", get(tournaments::one))
        .route("/tournaments/{id}/standings", get(tournaments::standings))
        .route("/tournaments/{id}/crosstable", get(tournaments::crosstable))
        .route("/tournaments/{id}/schedule", get(tournaments::schedule))
        .route("/tournaments/{id}/ratings", get(tournaments::ratings))
        .merge(for_admins)
        .route_layer(admit.clone());
    let figures = Router::new()
        .route("/metrics", get(health::metrics))
        .merge(pages::admitted())
        .route_layer(admit);
    Router::new()
        .nest("/api/v1", v1)
        .merge(figures)
        .merge(pages::open())
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .fallback(no_such_path)
        .layer(TimeoutLayer::with_status_code(
            StatusCode::GATEWAY_TIMEOUT,
            ANSWER_WITHIN,
        ))
        .layer(RequestBodyLimitLayer::new(BODY_LEN_MAX))
        .layer(map_response(problem::dress))
        .layer(from_fn(pages::dress))
        .layer(map_response(auth::keep_apart))
        .with_state(state)
}

async fn no_such_path(uri: Uri) -> Problem {
    Problem::not_found(format!("there is nothing at {}", uri.path()))
}
