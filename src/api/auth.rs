//! Authentication: the caller's address and bearer token turned into what it may see and do.

use super::problem::Problem;
use super::sight::Sight;
use super::state::ApiState;
use crate::access::{Denied, Rights};
use crate::link::Caller;
use axum::Extension;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, COOKIE, VARY};
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

/// The cookie that holds a browser's pass.
pub(super) const PASS: &str = "drover_pass";

/// Lets a request through if its caller may read, with the caller's [`Sight`] among its extensions.
pub(super) async fn admit(
    State(state): State<ApiState>,
    mut request: Request,
    next: Next,
) -> Response {
    let caller = request.extensions().get::<Caller>();
    let reads = request.method().is_safe();
    let rights = match rights(&state, request.headers(), caller, reads) {
        Ok(rights) => rights,
        Err(denied) => return Problem::unauthorised(denied.to_string()).into_response(),
    };
    if let Some(public) = state.public.as_ref().filter(|_| rights.is_public())
        && let Err(refused) = public.count(caller)
    {
        return refused.into_response();
    }
    let sight = Sight::new(rights, state.embargo);
    request.extensions_mut().insert(sight);
    next.run(request).await
}

/// What the caller may do: by its token, by its pass if it only reads, by where it is, or as anybody may.
pub(super) fn rights(
    state: &ApiState,
    headers: &HeaderMap,
    caller: Option<&Caller>,
    reads: bool,
) -> Result<Rights, Denied> {
    let tokens = &state.tokens;
    let token = bearer(headers)?;
    if token.is_none()
        && reads
        && let Some(rights) = pass(headers).and_then(|pass| tokens.admit_pass(pass))
    {
        return Ok(rights);
    }
    let is_open = reads && token.is_none() && state.public.is_some();
    let admitted = tokens.admit(caller, token);
    admitted.or_else(|denied| match is_open {
        true => Ok(Rights::public()),
        false => Err(denied),
    })
}

/// The pass in the request's cookies, if there is one.
pub(super) fn pass(headers: &HeaderMap) -> Option<&str> {
    let cookies = headers.get_all(COOKIE).iter();
    let mut cookies = cookies
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|cookie| cookie.trim().split_once('='));
    cookies.find_map(|(name, value)| (name == PASS).then_some(value))
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
    if rights.is_public() {
        return Problem::unauthorised(Denied::Missing.to_string()).into_response();
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
    headers.insert(
        VARY,
        HeaderValue::from_static("Authorization, Cookie, Accept"),
    );
    headers
        .entry(CACHE_CONTROL)
        .or_insert(HeaderValue::from_static("no-store"));
    response
}

/// The bearer token sent, if a header is.
fn bearer(headers: &HeaderMap) -> Result<Option<&[u8]>, Denied> {
    let Some(value) = headers.get(AUTHORIZATION) else {
        return Ok(None);
    };
    let sent = value.as_bytes().split_at_checked("Bearer ".len());
    match sent.filter(|(scheme, _)| scheme.eq_ignore_ascii_case(b"Bearer ")) {
        Some((_, token)) => Ok(Some(token.trim_ascii())),
        None => Err(Denied::Scheme),
    }
}
