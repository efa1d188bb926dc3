//! Errors as RFC 9457 problem documents.

use crate::link::Misdirected;
use crate::seldom;
use crate::store::StoreError;
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::error::Error;
use std::io;
use utoipa::ToSchema;

const CONTENT_TYPE: HeaderValue = HeaderValue::from_static("application/problem+json");

/// Why a request was not answered as asked.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Problem {
    /// A URN that stays the same for each kind of problem, or `about:blank`.
    #[serde(rename = "type")]
    #[schema(example = "urn:drover:problem:not-found")]
    kind: String,
    /// The kind of problem for people.
    #[schema(value_type = String, example = "There is no such thing")]
    title: &'static str,
    /// The HTTP status.
    #[serde(serialize_with = "number")]
    #[schema(value_type = u16, example = 404)]
    status: StatusCode,
    /// What is wrong here.
    #[schema(example = "there is no match 01K3ZQ4T5V6W7X8Y9Z0A1B2C3D")]
    detail: String,
    /// The parameter that is not understood.
    #[serde(skip_serializing_if = "Option::is_none")]
    parameter: Option<String>,
    /// What would be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    allowed: Vec<String>,
}

fn number<S: serde::Serializer>(status: &StatusCode, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u16(status.as_u16())
}

impl Problem {
    fn new(status: StatusCode, kind: &str, title: &'static str, detail: impl Into<String>) -> Self {
        Self {
            kind: match kind {
                "" => "about:blank".to_owned(),
                kind => format!("urn:drover:problem:{kind}"),
            },
            title,
            status,
            detail: detail.into(),
            parameter: None,
            allowed: Vec::new(),
        }
    }

    /// A query parameter that does not exist, is repeated or has no such value.
    pub(super) fn parameter(
        name: &str,
        detail: String,
        allowed: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        let (status, title) = (StatusCode::BAD_REQUEST, "A parameter is not understood");
        Self {
            parameter: Some(name.to_owned()),
            allowed: allowed.into_iter().map(Into::into).collect(),
            ..Self::new(status, "bad-parameter", title, detail)
        }
    }

    /// A filter by a player's command or address, which the caller does not see.
    pub(super) fn hidden(filter: &str, player: &str) -> Self {
        let why = "only admins see players' commands and addresses, and find matches by them";
        Self::parameter(filter, format!("{filter} is {player:?}; {why}"), [""; 0])
    }

    /// A cursor that no page gave.
    pub(super) fn cursor(cursor: &str) -> Self {
        let detail = format!("{cursor:?} is no cursor; take it from `next` of the page before");
        Self::parameter("cursor", detail, [""; 0])
    }

    /// No such thing exists.
    pub(super) fn not_found(detail: impl Into<String>) -> Self {
        let (status, title) = (StatusCode::NOT_FOUND, "There is no such thing");
        Self::new(status, "not-found", title, detail)
    }

    /// The request's body is invalid.
    pub(super) fn body(detail: impl Into<String>) -> Self {
        let (status, title) = (StatusCode::BAD_REQUEST, "The body is not understood");
        Self::new(status, "bad-body", title, detail)
    }

    /// The token is missing or wrong.
    pub(super) fn unauthorised(detail: impl Into<String>) -> Self {
        let (status, title) = (StatusCode::UNAUTHORIZED, "A bearer token is required");
        Self::new(status, "unauthorised", title, detail)
    }

    /// It conflicts with the present state.
    pub(super) fn conflict(detail: impl Into<String>) -> Self {
        let (status, title) = (StatusCode::CONFLICT, "Not as things stand");
        Self::new(status, "conflict", title, detail)
    }

    /// What is stored is not in a form that this version knows.
    pub(super) fn unreadable(detail: impl Into<String>) -> Self {
        let title = "What is stored cannot be read in full";
        Self::new(StatusCode::CONFLICT, "unreadable", title, detail)
    }

    /// Whether it is that what is stored is in no form that is known.
    pub(super) fn is_unreadable(&self) -> bool {
        self.kind.ends_with(":unreadable")
    }

    /// More requests than a caller may send.
    pub(super) fn too_many(detail: impl Into<String>) -> Self {
        let (status, title) = (StatusCode::TOO_MANY_REQUESTS, "Too many requests");
        Self::new(status, "too-many-requests", title, detail)
    }

    /// Not for this caller.
    pub(super) fn forbidden(detail: impl Into<String>) -> Self {
        let (status, title) = (StatusCode::FORBIDDEN, "Not for this caller");
        Self::new(status, "forbidden", title, detail)
    }

    /// The request is meant for another listener, or comes from another site's page.
    pub(super) fn misdirected(why: &Misdirected) -> Self {
        let (status, title) = (why.status(), "Not for this listener, or not from this page");
        Self::new(status, "misdirected", title, why.to_string())
    }

    /// The daemon cannot do it at the moment.
    pub(super) fn unavailable(detail: impl Into<String>) -> Self {
        let (status, title) = (StatusCode::SERVICE_UNAVAILABLE, "Not possible at present");
        Self::new(status, "unavailable", title, detail)
    }

    /// What is wrong, in a few words.
    pub(super) fn title(&self) -> &'static str {
        self.title
    }

    /// What is wrong, where and why.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// What would be right, if that is a short list.
    pub(super) fn allowed(&self) -> &[String] {
        &self.allowed
    }

    /// An answer cannot be written as JSON.
    pub(super) fn unshowable(error: &dyn Error) -> Self {
        tracing::error!(%error, "an answer cannot be shown");
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        let detail = format!("the answer cannot be shown: {error}");
        Self::new(status, "internal", "The answer failed", detail)
    }

    /// The same in the midst of a stream, which it cuts off.
    pub(super) fn into_io(self) -> io::Error {
        tracing::warn!(detail = self.detail, "a list was cut off");
        io::Error::other(self.detail)
    }

    /// An error from a lower layer that has no text of its own.
    fn of_status(status: StatusCode) -> Self {
        let title = status.canonical_reason().unwrap_or("The request failed");
        let detail = match status {
            StatusCode::METHOD_NOT_ALLOWED => {
                "this path does not take this method; see the header Allow"
            }
            StatusCode::PAYLOAD_TOO_LARGE => "the body is larger than this API takes",
            StatusCode::REQUEST_TIMEOUT | StatusCode::GATEWAY_TIMEOUT => "the answer took too long",
            _ => title,
        };
        Self::new(status, "", title, detail)
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::Unknown { what: "cursor", id } => Self::cursor(id),
            StoreError::Unknown { .. } => Self::not_found(error.to_string()),
            StoreError::Pruned { .. } => {
                let title = "The transcript was pruned";
                Self::new(StatusCode::GONE, "pruned", title, error.to_string())
            }
            StoreError::Forgotten => {
                let title = "The place in the list is lost";
                Self::new(StatusCode::GONE, "gone", title, error.to_string())
            }
            StoreError::Unwritable(_) | StoreError::Closed | StoreError::ReadOnly => {
                Self::unavailable(error.to_string())
            }
            _ => {
                tracing::error!(%error, "an API request failed");
                let status = StatusCode::INTERNAL_SERVER_ERROR;
                Self::new(status, "internal", "The store failed", error.to_string())
            }
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = serde_json::to_string(&self).unwrap_or_default();
        let mut response = (self.status, body).into_response();
        response
            .headers_mut()
            .insert(header::CONTENT_TYPE, CONTENT_TYPE);
        if matches!(
            self.status,
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::MISDIRECTED_REQUEST
        ) {
            seldom::refused("api", self.title);
        }
        if self.status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer");
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, scheme);
        }
        if self.status == StatusCode::TOO_MANY_REQUESTS {
            let seconds = HeaderValue::from_static("5");
            response.headers_mut().insert(header::RETRY_AFTER, seconds);
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// Gives errors from the layers below (wrong method, body too large, time out) their document.
pub(super) async fn dress(response: Response) -> Response {
    let status = response.status();
    let kind = response.headers().get(header::CONTENT_TYPE);
    // A page of our own says what is wrong.
    let dressed =
        kind.is_some_and(|kind| kind == CONTENT_TYPE || kind.as_bytes().starts_with(b"text/html"));
    if dressed || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let (mut parts, _) = response.into_parts();
    let problem = Problem::of_status(status);
    let body = serde_json::to_string(&problem).unwrap_or_default();
    parts.extensions.insert(problem);
    parts.headers.insert(header::CONTENT_TYPE, CONTENT_TYPE);
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(body))
}
