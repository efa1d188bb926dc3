//! The shapes of successful answers: lists, single things, unchanging things with their tag.

use super::problem::Problem;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::Value;

pub(super) const JSON: &str = "application/json";
pub(super) const NDJSON: &str = "application/x-ndjson";
/// A stream of events.
pub(super) const SSE: &str = "text/event-stream";
pub(super) const CSV: &str = "text/csv; charset=utf-8";

/// A value whose keys are in the order of the alphabet: a tag must not depend on the order of fields in code.
pub(super) fn value(value: &impl Serialize) -> Result<Value, Problem> {
    serde_json::to_value(value).map_err(|error| Problem::unshowable(&error))
}

/// A JSON answer.
pub(super) fn json(shown: &impl Serialize) -> Response {
    match value(shown) {
        Ok(value) => ([(header::CONTENT_TYPE, JSON)], value.to_string()).into_response(),
        Err(problem) => problem.into_response(),
    }
}

/// A JSON answer that carries a strong tag if `lasting`, and is empty if the caller already has it.
pub(super) fn tagged_json(headers: &HeaderMap, lasting: bool, value: &Value) -> Response {
    let body = value.to_string();
    let tag = lasting.then(|| tag(&[body.as_bytes()]));
    let known = tag.as_ref().and_then(|tag| known(headers, tag));
    known.unwrap_or_else(|| dressed(JSON, tag, Body::from(body)))
}

/// Marks an answer whose rows must reach the caller as they come: it is not compressed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Live;

/// The tag of what these bytes say.
pub(super) fn tag(of: &[&[u8]]) -> HeaderValue {
    let tag = format!("\"{:016x}\"", digest(of));
    HeaderValue::try_from(tag).unwrap_or(HeaderValue::from_static("\"\""))
}

/// The answer to a caller that has what carries this tag.
pub(super) fn known(headers: &HeaderMap, tag: &HeaderValue) -> Option<Response> {
    let given = headers.get_all(header::IF_NONE_MATCH).iter();
    let known = given.filter_map(|given| matching(given, tag)).next()?;
    let headers = [(header::ETAG, known), (header::CACHE_CONTROL, KEEP)];
    Some((StatusCode::NOT_MODIFIED, headers).into_response())
}

/// An answer with its content type, and with what caches may do with it.
pub(super) fn dressed(kind: &'static str, tag: Option<HeaderValue>, body: Body) -> Response {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    let cache = if tag.is_some() { KEEP } else { FORGET };
    headers.insert(header::CACHE_CONTROL, cache);
    if let Some(tag) = tag {
        headers.insert(header::ETAG, tag);
    }
    response
}

const KEEP: HeaderValue = HeaderValue::from_static("private, no-cache");
const FORGET: HeaderValue = HeaderValue::from_static("no-store");

/// Compressed bytes are other bytes: their tag is another, too.
pub(super) async fn tag_encoded(mut response: Response) -> Response {
    let unchanged = response.status() == StatusCode::NOT_MODIFIED;
    let headers = response.headers_mut();
    if unchanged {
        // What it stands for varies so, though there is nothing to compress.
        headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
    }
    if let (Some(encoding), Some(tag)) = (
        headers.get(header::CONTENT_ENCODING),
        headers.get(header::ETAG),
    ) && let (Ok(encoding), Ok(tag)) = (encoding.to_str(), tag.to_str())
        && let Ok(tag) = HeaderValue::try_from(format!("\"{}-{encoding}\"", tag.trim_matches('"')))
    {
        headers.insert(header::ETAG, tag);
    }
    response
}

/// The one of the tags given that is this tag, or this tag of a compressed answer.
fn matching(given: &HeaderValue, tag: &HeaderValue) -> Option<HeaderValue> {
    let plain = tag.to_str().ok()?.trim_matches('"');
    let tags = given.to_str().ok()?.split(',').map(str::trim);
    for one in tags {
        let one = one.trim_start_matches("W/");
        let of = one.trim_matches('"');
        let of = ENCODED
            .iter()
            .find_map(|end| of.strip_suffix(end))
            .unwrap_or(of);
        if one == "*" {
            return Some(tag.clone());
        }
        if of == plain {
            return HeaderValue::try_from(one).ok();
        }
    }
    None
}

const ENCODED: [&str; 2] = ["-gzip", "-zstd"];

/// FNV-1a over 64 bits: a tag must be the same in every version of the program.
fn digest(of: &[&[u8]]) -> u64 {
    let bytes = of.iter().copied().flatten();
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
