//! What a request asks, and as whom.

use super::auth;
use super::fields::Fields;
use super::params::Params;
use super::problem::Problem;
use super::reader::Reader;
use super::response;
use super::sight::Sight;
use super::state::ApiState;
use crate::access::Tokens;
use crate::link::Caller;
use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use axum::response::Response;
use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use serde::Serialize;
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

    /// Comes with the reason when whoever asked is to be sent no more.
    pub(super) fn dismissed(&self) -> BoxFuture<'static, &'static str> {
        let (state, caller) = (self.state.clone(), self.caller);
        let headers = self.headers.clone();
        async move {
            let mut changes = state.tokens.changes();
            let refused = async {
                while auth::rights(&state, &headers, caller.as_ref(), true).is_ok() {
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

    /// Whoever asked, without the request.
    pub(super) fn into_reader(self) -> Reader {
        self.reader
    }

    /// An answer with one thing, of which only the fields in `params` are shown.
    pub(super) fn answer<T: Serialize + ToSchema>(
        &self,
        params: &Params,
        lasting: bool,
        thing: &T,
    ) -> Result<Response, Problem> {
        let mut value = response::value(thing)?;
        if let Some(fields) = params.text("fields") {
            value = Fields::read::<T>(&fields)?.pick(value);
        }
        Ok(response::tagged_json(&self.headers, lasting, &value))
    }

    /// The query's parameters, which may have only these names.
    pub(super) fn params(&self, names: &[&[&str]]) -> Result<Params, Problem> {
        Params::read(self.query.as_deref(), names)
    }
}
