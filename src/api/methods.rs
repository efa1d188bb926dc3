//! Handlers by method, as axum has them, of one type each: what it builds around a handler is compiled once.

use super::state::ApiState;
use axum::extract::Request;
use axum::handler::Handler;
use axum::response::Response;
use axum::routing::{self, MethodRouter};
use futures_util::future::BoxFuture;
use std::sync::Arc;

/// A handler, whatever it takes.
#[derive(Clone)]
struct Erased(Arc<dyn Fn(Request, ApiState) -> BoxFuture<'static, Response> + Send + Sync>);

impl Handler<(), ApiState> for Erased {
    type Future = BoxFuture<'static, Response>;

    fn call(self, request: Request, state: ApiState) -> Self::Future {
        (self.0)(request, state)
    }
}

impl Erased {
    fn new<T>(handler: impl Handler<T, ApiState, Future = BoxFuture<'static, Response>>) -> Self {
        Self(Arc::new(move |request, state| {
            handler.clone().call(request, state)
        }))
    }
}

/// Answers GET.
pub(super) fn get<T>(
    handler: impl Handler<T, ApiState, Future = BoxFuture<'static, Response>>,
) -> MethodRouter<ApiState> {
    routing::get(Erased::new(handler))
}

/// Answers POST.
pub(super) fn post<T>(
    handler: impl Handler<T, ApiState, Future = BoxFuture<'static, Response>>,
) -> MethodRouter<ApiState> {
    routing::post(Erased::new(handler))
}
