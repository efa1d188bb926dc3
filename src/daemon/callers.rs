//! Tells the REST interface who sent each request.

use crate::link::Caller;
use axum::Router;
use axum::extract::connect_info::IntoMakeServiceWithConnectInfo;
use axum::extract::{ConnectInfo, Request};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use std::net::SocketAddr;

/// The routes, with a [`Caller`] among each request's extensions.
pub(super) fn told(router: Router) -> IntoMakeServiceWithConnectInfo<Router, SocketAddr> {
    router
        .layer(from_fn(tell))
        .into_make_service_with_connect_info()
}

async fn tell(
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    mut request: Request,
    next: Next,
) -> Response {
    let caller = Caller::of(peer.ip(), request.headers(), &[]);
    request.extensions_mut().insert(caller);
    next.run(request).await
}
