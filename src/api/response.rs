//! The shapes of successful answers: lists, single things, unchanging things with their tag.

use super::problem::Problem;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

const JSON: &str = "application/json";

/// A value as JSON, its keys in the order of the alphabet: a tag must not depend on the order of fields in code.
pub(super) fn text(value: &impl Serialize) -> Result<String, Problem> {
    let value = serde_json::to_value(value);
    let value = value.map_err(|error| Problem::unshowable(&error))?;
    Ok(value.to_string())
}

/// A JSON answer.
pub(super) fn json(value: &impl Serialize) -> Response {
    match text(value) {
        Ok(body) => ([(header::CONTENT_TYPE, JSON)], body).into_response(),
        Err(problem) => problem.into_response(),
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
pub(super) fn tagged_json(headers: &HeaderMap, lasting: bool, value: &impl Serialize) -> Response {
    match text(value) {
        Ok(body) => tagged(headers, lasting, JSON, body),
        Err(problem) => problem.into_response(),
    }
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
