//! Every page, on one page.

use super::{
    assets, bots, dashboard, docs, embed, hubs, login, matches, one_match, opponents, start,
    tournaments, versus, why,
};
use crate::api::methods::{get, post};
use crate::api::state::ApiState;
use axum::Router;

/// Pages for those who may read.
pub(in crate::api) fn admitted() -> Router<ApiState> {
    Router::new()
        .route("/", get(start::page))
        .route("/dashboard", get(dashboard::page))
        .route("/matches", get(matches::page))
        .route("/matches/{id}", get(one_match::page))
        .route("/embed/matches/{id}", get(embed::page))
        .route("/matches/{id}/seats/{seat}/explain", get(why::page))
        .route("/bots", get(bots::page))
        .route("/bots/{game}/{bot}", get(bots::one))
        .route("/bots/{game}/{bot}/versus", get(versus::page))
        .route("/docs", get(docs::index))
        .route("/docs/{name}", get(docs::one))
        .route("/opponents", get(opponents::page))
        .route("/opponents/{id}", get(opponents::one))
        .route("/tournaments", get(tournaments::page))
        .route("/tournaments/{id}", get(tournaments::one))
        .route("/hubs", get(hubs::page))
}

/// What everybody gets: the way in, and what pages are dressed with.
pub(in crate::api) fn open() -> Router<ApiState> {
    Router::new()
        .route("/login", get(login::ask).merge(post(login::enter)))
        .route("/logout", post(login::leave))
        .route("/static/{name}", get(assets::asset))
}
