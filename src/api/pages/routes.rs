//! Every page, on one page.

use super::{
    assets, bots, dashboard, docs, hubs, login, matches, one_match, opponents, start, tournaments,
    versus, why,
};
use crate::api::state::ApiState;
use axum::Router;
use axum::handler::Handler;
use axum::http::StatusCode;
use axum::http::header::ALLOW;
use axum::response::{IntoResponse as _, Response};
use axum::routing::{MethodRouter, get, post};
use std::future::{Ready, ready};

/// Pages for those who may read.
pub(in crate::api) fn admitted() -> Router<ApiState> {
    Router::new()
        .route("/", page(start::page))
        .route("/dashboard", page(dashboard::page))
        .route("/matches", page(matches::page))
        .route("/matches/{id}", page(one_match::page))
        .route("/matches/{id}/seats/{seat}/explain", page(why::page))
        .route("/bots", page(bots::page))
        .route("/bots/{game}/{bot}", page(bots::one))
        .route("/bots/{game}/{bot}/versus", page(versus::page))
        .route("/docs", page(docs::index))
        .route("/docs/{name}", page(docs::one))
        .route("/opponents", page(opponents::page))
        .route("/opponents/{id}", page(opponents::one))
        .route("/tournaments", page(tournaments::page))
        .route("/tournaments/{id}", page(tournaments::one))
        .route("/hubs", page(hubs::page))
}

/// What everybody gets: the way in, and what pages are dressed with.
pub(in crate::api) fn open() -> Router<ApiState> {
    Router::new()
        .route(
            "/login",
            get(login::ask)
                .post(login::enter)
                .options(takes("GET, HEAD, POST, OPTIONS")),
        )
        .route("/logout", post(login::leave))
        .route("/static/{name}", page(assets::asset))
}

fn page<T: 'static>(handler: impl Handler<T, ApiState>) -> MethodRouter<ApiState> {
    get(handler).options(takes("GET, HEAD, OPTIONS"))
}

/// The answer to `OPTIONS`.
fn takes(methods: &'static str) -> impl Fn() -> Ready<Response> + Clone + Send + Sync + 'static {
    move || ready((StatusCode::NO_CONTENT, [(ALLOW, methods)]).into_response())
}
