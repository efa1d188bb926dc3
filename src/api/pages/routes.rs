//! Every page, on one page.

use super::{assets, login, start};
use crate::api::state::ApiState;
use axum::Router;
use axum::routing::{get, post};

/// Pages for those who may read.
pub(in crate::api) fn admitted() -> Router<ApiState> {
    Router::new().route("/", get(start::page))
}

/// What everybody gets: the way in, and what pages are dressed with.
pub(in crate::api) fn open() -> Router<ApiState> {
    Router::new()
        .route("/login", get(login::ask).post(login::enter))
        .route("/logout", post(login::leave))
        .route("/static/{name}", get(assets::asset))
}
