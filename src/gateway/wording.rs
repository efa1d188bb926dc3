//! The texts for a referee whose request no session can take. A lenient referee reads any body as an answer:
//! no text here may contain `=`, `&` or `?`.

use super::body::Reply;
use super::routes::no_bot;
use crate::seldom;
use crate::session::Refusal;
use games::Kit;
use hyper::header::{ALLOW, CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER};
use hyper::{Response, StatusCode};

const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
/// Seconds after which a refused match may be tried again.
const RETRY_AFTER_SECONDS: &str = "10";

/// An answer to a referee's message.
pub(super) fn answer(reply: Reply) -> Response<Reply> {
    let mut response = Response::new(reply);
    response.headers_mut().insert(CONTENT_TYPE, TEXT);
    response
}

/// A refusal of a session of this game.
pub(super) fn refusal(kit: &dyn Kit, refusal: Refusal) -> Response<Reply> {
    match refusal {
        Refusal::NoBot => sentence(StatusCode::NOT_FOUND, &no_bot(kit).to_string()),
        refusal => refused(&refusal.to_string()),
    }
}

/// A plain sentence with a status.
pub(super) fn sentence(status: StatusCode, text: &str) -> Response<Reply> {
    metrics::counter!(crate::metrics::REJECTED, "status" => status.as_u16().to_string())
        .increment(1);
    // Sessions count what they refuse themselves.
    if status != StatusCode::SERVICE_UNAVAILABLE {
        seldom::refused("callbacks", status.canonical_reason().unwrap_or_default());
    }
    let mut clean: String = text
        .chars()
        .map(|c| match c {
            '=' | '&' | '?' => ' ',
            c if c.is_control() => ' ',
            c => c,
        })
        .collect();
    clean.push('\n');
    let mut response = Response::new(Reply::plain(clean.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, TEXT);
    response
}

/// The same with one more header.
fn with(status: StatusCode, text: &str, name: HeaderName, value: &'static str) -> Response<Reply> {
    let mut response = sentence(status, text);
    let value = HeaderValue::from_static(value);
    response.headers_mut().insert(name, value);
    response
}

pub(super) fn wrong_method() -> Response<Reply> {
    let text = "a referee's messages come by GET only";
    with(StatusCode::METHOD_NOT_ALLOWED, text, ALLOW, "GET")
}

pub(super) fn refused(text: &str) -> Response<Reply> {
    with(
        StatusCode::SERVICE_UNAVAILABLE,
        text,
        RETRY_AFTER,
        RETRY_AFTER_SECONDS,
    )
}

pub(super) fn too_many(text: &str) -> Response<Reply> {
    with(StatusCode::TOO_MANY_REQUESTS, text, RETRY_AFTER, "1")
}

pub(super) fn too_long() -> Response<Reply> {
    let most = super::routes::TARGET_BYTES_MAX;
    let text = format!("the request line is longer than {most} bytes");
    with(StatusCode::URI_TOO_LONG, &text, CONNECTION, "close")
}

/// Counts a refusal that hyper wrote by itself.
pub(super) fn count_bare_refusal(status: &str) {
    metrics::counter!(crate::metrics::REJECTED, "status" => status.to_owned()).increment(1);
}
