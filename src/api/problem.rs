//! Errors as RFC 9457 problem documents.

use crate::link::Misdirected;
use crate::store::StoreError;
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

const CONTENT_TYPE: HeaderValue = HeaderValue::from_static("application/problem+json");

/// Why a request was not answered as asked.
#[derive(Clone, Debug, Serialize)]
pub struct Problem {
    #[serde(rename = "type")]
    kind: &'static str,
    title: &'static str,
    #[serde(serialize_with = "number")]
    status: StatusCode,
    detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    parameter: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    allowed: Vec<String>,
}

fn number<S: serde::Serializer>(status: &StatusCode, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_u16(status.as_u16())
}

impl Problem {
    fn new(status: StatusCode, kind: &'static str, title: &'static str, detail: String) -> Self {
        Self {
            kind,
            title,
            status,
            detail,
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
        Self {
            parameter: Some(name.to_owned()),
            allowed: allowed.into_iter().map(Into::into).collect(),
            ..Self::new(
                StatusCode::BAD_REQUEST,
                "urn:drover:problem:bad-parameter",
                "A parameter is not understood",
                detail,
            )
        }
    }

    /// No such thing exists.
    pub(super) fn not_found(detail: impl Into<String>) -> Self {
        let title = "There is no such thing";
        Self::new(
            StatusCode::NOT_FOUND,
            "urn:drover:problem:not-found",
            title,
            detail.into(),
        )
    }

    /// The request's body is invalid.
    pub(super) fn body(detail: impl Into<String>) -> Self {
        let title = "The body is not understood";
        Self::new(
            StatusCode::BAD_REQUEST,
            "urn:drover:problem:bad-body",
            title,
            detail.into(),
        )
    }

    /// The token is missing or wrong.
    pub(super) fn unauthorised(detail: impl Into<String>) -> Self {
        Self::new(
            StatusCode::UNAUTHORIZED,
            "urn:drover:problem:unauthorised",
            "A bearer token is required",
            detail.into(),
        )
    }

    /// It conflicts with the present state.
    pub(super) fn conflict(detail: impl Into<String>) -> Self {
        let title = "Not as things stand";
        let kind = "urn:drover:problem:conflict";
        Self::new(StatusCode::CONFLICT, kind, title, detail.into())
    }

    /// Not for this caller.
    pub(super) fn forbidden(detail: impl Into<String>) -> Self {
        let title = "Not for this caller";
        Self::new(
            StatusCode::FORBIDDEN,
            "urn:drover:problem:forbidden",
            title,
            detail.into(),
        )
    }

    /// The request is meant for another listener, or comes from another site's page.
    pub(super) fn misdirected(why: &Misdirected) -> Self {
        let title = "Not for this listener, or not from this page";
        let kind = "urn:drover:problem:misdirected";
        Self::new(why.status(), kind, title, why.to_string())
    }

    /// The daemon cannot do it at the moment.
    pub(super) fn unavailable(detail: impl Into<String>) -> Self {
        let title = "Not possible at present";
        let kind = "urn:drover:problem:unavailable";
        Self::new(StatusCode::SERVICE_UNAVAILABLE, kind, title, detail.into())
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
        Self::new(status, "about:blank", title, detail.into())
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::Unknown { what: "cursor", id } => Self::parameter(
                "cursor",
                format!("{id:?} is no cursor; take it from `next` of the page before"),
                [""; 0],
            ),
            StoreError::Unknown { .. } => Self::not_found(error.to_string()),
            StoreError::Unwritable(_) | StoreError::Closed | StoreError::ReadOnly => {
                Self::unavailable(error.to_string())
            }
            _ => {
                tracing::error!(%error, "an API request failed");
                Self::new(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "urn:drover:problem:internal",
                    "The store failed",
                    error.to_string(),
                )
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
        if self.status == StatusCode::UNAUTHORIZED {
            let scheme = HeaderValue::from_static("Bearer");
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, scheme);
        }
        response
    }
}

/// Gives errors from the layers below (wrong method, body too large, time out) their document.
pub(super) async fn dress(response: Response) -> Response {
    let status = response.status();
    let dressed = response.headers().get(header::CONTENT_TYPE) == Some(&CONTENT_TYPE);
    if dressed || !(status.is_client_error() || status.is_server_error()) {
        return response;
    }
    let (mut parts, _) = response.into_parts();
    let body = serde_json::to_string(&Problem::of_status(status)).unwrap_or_default();
    parts.headers.insert(header::CONTENT_TYPE, CONTENT_TYPE);
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(body))
}
