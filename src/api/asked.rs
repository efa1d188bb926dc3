//! What a request asks, and as whom.

use super::params::Params;
use super::problem::Problem;
use super::reader::Reader;
use super::sight::Sight;
use super::state::ApiState;
use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use std::ops::Deref;

/// A request that was admitted.
pub(super) struct Asked {
    reader: Reader,
    pub(super) headers: HeaderMap,
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
