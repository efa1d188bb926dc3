//! The texts for a referee whose request no session can take. A lenient referee reads any body as an answer:
//! no text here may contain `=`, `&` or `?`.

use super::body::Reply;
use hyper::header::{ALLOW, CONNECTION, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use hyper::{Response, StatusCode};

pub(super) const TEXT: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
/// Seconds after which a refused match may be tried again.
const RETRY_AFTER_SECONDS: HeaderValue = HeaderValue::from_static("10");

/// A plain sentence with a status.
pub(super) fn sentence(status: StatusCode, text: &str) -> Response<Reply> {
    metrics::counter!(crate::metrics::REJECTED, "status" => status.as_u16().to_string())
        .increment(1);
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

pub(super) fn wrong_method() -> Response<Reply> {
    let mut response = sentence(
        StatusCode::METHOD_NOT_ALLOWED,
        "a referee's messages come by GET only",
    );
    response
        .headers_mut()
        .insert(ALLOW, HeaderValue::from_static("GET"));
    response
}

pub(super) fn refused(text: &str) -> Response<Reply> {
    let mut response = sentence(StatusCode::SERVICE_UNAVAILABLE, text);
    response
        .headers_mut()
        .insert(RETRY_AFTER, RETRY_AFTER_SECONDS);
    response
}

pub(super) fn too_many(text: &str) -> Response<Reply> {
    let mut response = sentence(StatusCode::TOO_MANY_REQUESTS, text);
    response
        .headers_mut()
        .insert(RETRY_AFTER, HeaderValue::from_static("1"));
    response
}

pub(super) fn too_long() -> Response<Reply> {
    let text = format!(
        "the request line is longer than {} bytes",
        super::routes::TARGET_BYTES_MAX
    );
    let mut response = sentence(StatusCode::URI_TOO_LONG, &text);
    response
        .headers_mut()
        .insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Counts a refusal that hyper wrote by itself.
pub(super) fn count_bare_refusal(status: &str) {
    metrics::counter!(crate::metrics::REJECTED, "status" => status.to_owned()).increment(1);
}
