//! What a request asks, and as whom.

use super::params::Params;
use super::problem::Problem;
use super::sight::Sight;
use super::state::ApiState;
use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;

/// A request that was admitted.
pub(super) struct Asked {
    pub(super) state: ApiState,
    pub(super) sight: Sight,
    pub(super) headers: HeaderMap,
    query: Option<String>,
}

impl FromRequestParts<ApiState> for Asked {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, Problem> {
        let sight = parts.extensions.get::<Sight>().cloned();
        Ok(Self {
            state: state.clone(),
            sight: sight.ok_or_else(|| Problem::forbidden("nobody was admitted"))?,
            headers: parts.headers.clone(),
            query: parts.uri.query().map(str::to_owned),
        })
    }
}

impl Asked {
    /// The query's parameters, which may have only these names.
    pub(super) fn params(&self, names: &[&[&str]]) -> Result<Params, Problem> {
        Params::read(self.query.as_deref(), names)
    }
}
