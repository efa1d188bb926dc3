//! A visit to a page: what is asked, by whom, and under which of our names.

use super::layout::Shell;
use crate::api::asked::Asked;
use crate::api::auth;
use crate::api::problem::Problem;
use crate::api::state::ApiState;
use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::header::HOST;
use axum::http::request::Parts;
use axum::http::uri::Authority;
use std::net::SocketAddr;

/// A request for a page by a caller who may read.
pub(super) struct Visit {
    pub(super) asked: Asked,
    /// The host by which the caller reaches us, without its port.
    host: Option<String>,
}

impl FromRequestParts<ApiState> for Visit {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, Problem> {
        let asked = Asked::from_request_parts(parts, state).await?;
        let host = host(&asked.headers);
        Ok(Self { asked, host })
    }
}

impl Visit {
    /// The frame of a page at this place of the navigation.
    pub(super) fn shell(&self, title: impl Into<String>, here: &'static str) -> Shell {
        let rights = self.asked.sight.rights();
        Shell {
            title: title.into(),
            here,
            who: rights.words().join(", "),
            signed_in: auth::pass(&self.asked.headers).is_some(),
            follow: None,
        }
    }

    /// A listener's address as the caller can reach it: one that listens everywhere is where the caller asks.
    pub(super) fn reach(&self, address: SocketAddr) -> String {
        match &self.host {
            Some(host) if address.ip().is_unspecified() => format!("{host}:{}", address.port()),
            _ => address.to_string(),
        }
    }
}

fn host(headers: &HeaderMap) -> Option<String> {
    let host: Authority = headers.get(HOST)?.to_str().ok()?.parse().ok()?;
    Some(host.host().to_owned())
}
