//! The shapes of successful answers: lists, single things, unchanging things with their tag.

use super::problem::Problem;
use crate::clock::timestamp;
use crate::store::Page;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde_json::{Value, json};

const JSON: &str = "application/json";

/// Microseconds since 1970-01-01 UTC as RFC 3339.
pub(super) fn time(at_us: i64) -> Value {
    timestamp(at_us).map_or(Value::Null, Value::String)
}

/// A page of a list.
pub(super) fn page<T>(page: Page<T>, show: impl Fn(T) -> Value) -> Value {
    let items: Vec<Value> = page.items.into_iter().map(show).collect();
    json!({ "items": items, "next": page.next })
}

/// A JSON answer.
pub(super) fn json(value: &impl Serialize) -> Response {
    match serde_json::to_string(value) {
        Ok(body) => ([(header::CONTENT_TYPE, JSON)], body).into_response(),
        Err(error) => {
            Problem::unavailable(format!("the answer cannot be shown: {error}")).into_response()
        }
    }
}

/// An answer that carries a strong tag if `lasting`, and is empty if the caller already has it.
pub(super) fn tagged(
    headers: &HeaderMap,
    lasting: bool,
    content_type: &'static str,
    body: String,
) -> Response {
    let kind = (header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    let tag = lasting.then(|| format!("\"{:016x}\"", digest(body.as_bytes())));
    let Some(tag) = tag.and_then(|tag| HeaderValue::from_str(&tag).ok()) else {
        return (
            [
                kind,
                (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
            ],
            body,
        )
            .into_response();
    };
    let known = headers
        .get_all(header::IF_NONE_MATCH)
        .iter()
        .any(|given| matches(given, &tag));
    let cache = (
        header::CACHE_CONTROL,
        HeaderValue::from_static("private, no-cache"),
    );
    let tag = (header::ETAG, tag);
    if known {
        return (StatusCode::NOT_MODIFIED, [tag, cache]).into_response();
    }
    ([kind, tag, cache], body).into_response()
}

/// The same for JSON.
pub(super) fn tagged_json(headers: &HeaderMap, lasting: bool, value: &Value) -> Response {
    tagged(headers, lasting, JSON, value.to_string())
}

fn matches(given: &HeaderValue, tag: &HeaderValue) -> bool {
    let (Ok(given), Ok(tag)) = (given.to_str(), tag.to_str()) else {
        return false;
    };
    given
        .split(',')
        .map(str::trim)
        .any(|one| one == "*" || one.trim_start_matches("W/") == tag)
}

/// FNV-1a over 64 bits: a tag must be the same in every version of the program.
fn digest(body: &[u8]) -> u64 {
    body.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
