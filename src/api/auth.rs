//! Authentication: the caller's address and bearer token turned into what it may see and do.

use super::problem::Problem;
use super::sight::Sight;
use super::state::ApiState;
use crate::link::Caller;
use axum::Extension;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, VARY};
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// Lets a request through if its caller may read, with the caller's [`Sight`] among its extensions.
pub(super) async fn admit(
    State(state): State<ApiState>,
    mut request: Request,
    next: Next,
) -> Response {
    let caller = request.extensions().get::<Caller>();
    match state.tokens.admit(caller, bearer(request.headers())) {
        Ok(rights) => {
            let sight = Sight::new(rights, state.embargo);
            request.extensions_mut().insert(sight);
            next.run(request).await
        }
        Err(denied) => Problem::unauthorised(denied.to_string()).into_response(),
    }
}

/// Lets a request through if its caller may do everything.
pub(super) async fn admins_only(
    Extension(sight): Extension<Sight>,
    request: Request,
    next: Next,
) -> Response {
    let rights = sight.rights();
    if rights.is_admin() {
        return next.run(request).await;
    }
    let has = rights.words().join(", ");
    Problem::forbidden(format!(
        "this needs a token with the scope admin; yours has {has}"
    ))
    .into_response()
}

/// Answers are specific to the caller: caches must keep them apart, or not keep them.
pub(super) async fn keep_apart(mut response: Response) -> Response {
    let headers = response.headers_mut();
    headers.insert(VARY, HeaderValue::from_static("Authorization, Accept"));
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}

/// The bearer token sent; empty if the header holds something else.
fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    let value = headers.get(AUTHORIZATION)?.as_bytes();
    let token = value
        .split_at_checked("Bearer ".len())
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case(b"Bearer "));
    Some(token.map_or(b"", |(_, token)| token.trim_ascii()))
}
