//! What a request asks, and as whom.

use super::auth;
use super::examples::example_of;
use super::problem::Problem;
use super::query::{Checked, Nothing, Sparse, parameters};
use super::reader::Reader;
use super::response;
use super::sight::Sight;
use super::sparse::Fields;
use super::state::ApiState;
use crate::access::Tokens;
use crate::link::Caller;
use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::response::{IntoResponse as _, Response};
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use games::text::unmarked;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::ops::Deref;
use std::time::Duration;
use utoipa::ToSchema;

/// The longest until it is looked again whether a stream's reader may still read: clocks are set, machines sleep.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

/// A request that was admitted.
pub(super) struct Asked {
    reader: Reader,
    pub(super) headers: HeaderMap,
    caller: Option<Caller>,
    query: Option<String>,
}

impl Deref for Asked {
    type Target = Reader;

    fn deref(&self) -> &Reader {
        &self.reader
    }
}

impl FromRequestParts<ApiState> for Asked {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, Problem> {
        let sight = parts.extensions.get::<Sight>().cloned();
        let sight = sight.ok_or_else(|| Problem::forbidden("nobody was admitted"))?;
        Ok(Self {
            reader: Reader::new(state.clone(), sight),
            headers: parts.headers.clone(),
            caller: parts.extensions.get().copied(),
            query: parts.uri.query().map(str::to_owned),
        })
    }
}

impl Asked {
    /// The query as it was sent.
    pub(super) fn query(&self) -> &str {
        self.query.as_deref().unwrap_or_default()
    }

    /// Comes with the reason when the caller is to be sent no more.
    pub(super) fn dismissed(&self) -> BoxFuture<'static, &'static str> {
        let (state, caller) = (self.state.clone(), self.caller);
        let (headers, rights) = (self.headers.clone(), self.sight.rights().clone());
        async move {
            let mut changes = state.tokens.changes();
            let refused = async {
                let now = || auth::rights(&state, &headers, caller.as_ref(), true);
                // Without the pass others might still read, but see less.
                while now().is_ok_and(|now| now == rights) {
                    // A pass runs out without a change.
                    let left = auth::pass(&headers).and_then(Tokens::pass_left);
                    let wait = left.map_or(LOOK_AGAIN, |left| left.min(LOOK_AGAIN));
                    // The state holds the sender, so that this is no error.
                    let _ = tokio::time::timeout(wait, changes.changed()).await;
                }
            };
            tokio::select! {
                () = state.end.cancelled() => "the daemon stops",
                () = refused => "your token or pass does not let you read any more",
            }
        }
        .boxed()
    }

    /// An answer with one thing, of which only the fields asked for are shown; it takes no other parameter.
    pub(super) fn answer<T: Serialize + ToSchema>(
        &self,
        lasting: bool,
        thing: &T,
    ) -> Result<Response, Problem> {
        let sparse = Checked::read(self.query(), &parameters::<Sparse>())?.get()?;
        let fields = Fields::asked::<T>(&sparse)?;
        let value = response::value(thing)?;
        let value = match fields {
            Some(fields) => fields.pick(value),
            None => value,
        };
        Ok(response::tagged_json(&self.headers, lasting, &value))
    }
}

/// A body in JSON, of a request that takes no parameters.
pub(super) struct Json<T>(pub(super) T);

impl<T: DeserializeOwned + ToSchema> FromRequest<ApiState> for Json<T> {
    type Rejection = Response;

    async fn from_request(request: Request, state: &ApiState) -> Result<Self, Response> {
        let query = request.uri().query().unwrap_or_default();
        let checked = Checked::read(query, &parameters::<Nothing>());
        checked.map_err(Problem::into_response)?;
        let body = Bytes::from_request(request, state).await;
        let body = body.map_err(|refused| refused.into_response())?;
        let read = serde_json::from_slice(unmarked(&body));
        read.map(Self).map_err(|error| {
            let takes = format!("it takes {}: {error}", example_of::<T>());
            Problem::body(takes).into_response()
        })
    }
}
