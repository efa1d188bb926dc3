//! The listener of the REST interface, and what it refuses before any route is matched.

use super::problem::Problem;
use crate::link::{Hosts, HttpIn};
use axum::Router;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use hyper::body::Incoming;
use std::io;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

/// Serves these routes under these names until `stop`.
///
/// # Errors
/// If the listener is unusable.
pub async fn serve(
    router: Router,
    hosts: Hosts,
    http: HttpIn,
    listener: TcpListener,
    stop: CancellationToken,
) -> io::Result<()> {
    let router = router.layer(from_fn_with_state(hosts, guard));
    let answer = move |request: hyper::Request<Incoming>| {
        let router = router.clone();
        async move {
            match router.oneshot(request).await {
                Ok(response) => response,
                Err(never) => match never {},
            }
        }
    };
    http.serve(listener, answer, stop).await
}

/// Refuses requests meant for another name, and changes requested by another site's page.
async fn guard(State(hosts): State<Hosts>, request: Request, next: Next) -> Response {
    let reads = [Method::GET, Method::HEAD, Method::OPTIONS].contains(request.method());
    let checked = hosts.admit(&request).and_then(|()| match reads {
        true => Ok(()),
        false => hosts.same_origin(&request),
    });
    match checked {
        Ok(()) => next.run(request).await,
        Err(why) => Problem::misdirected(&why).into_response(),
    }
}
