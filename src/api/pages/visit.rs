//! A visit to a page: what is asked, by whom, and under which of our names.

use super::layout::Shell;
use crate::api::asked::Asked;
use crate::api::auth;
use crate::api::lists::{Rows, rows_and_page};
use crate::api::problem::Problem;
use crate::api::query::{self, Checked, Params, parameters};
use crate::api::reader::Reader;
use crate::api::state::ApiState;
use crate::history;
use axum::extract::FromRequestParts;
use axum::http::HeaderMap;
use axum::http::header::HOST;
use axum::http::request::Parts;
use axum::http::uri::Authority;
use serde::de::DeserializeOwned;
use std::net::SocketAddr;
use std::ops::Deref;
use url::form_urlencoded::{Serializer, parse};
use utoipa::IntoParams;
use utoipa::openapi::path::Parameter;

/// The stream of all matches.
const EVENTS: &str = "/api/v1/events";

/// A request for a page by a caller who may read.
pub(super) struct Visit {
    asked: Asked,
    /// The parameters that have a value: forms send their empty fields, too.
    pairs: Vec<(String, String)>,
    /// The host by which the caller reaches us, without its port.
    host: Option<String>,
}

impl Deref for Visit {
    type Target = Reader;

    fn deref(&self) -> &Reader {
        &self.asked
    }
}

impl FromRequestParts<ApiState> for Visit {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &ApiState) -> Result<Self, Problem> {
        let asked = Asked::from_request_parts(parts, state).await?;
        let query = parts.uri.query().unwrap_or_default().as_bytes();
        let pairs = parse(query).filter(|(_, value)| !value.is_empty());
        Ok(Self {
            host: host(&asked.headers),
            pairs: pairs
                .map(|(name, value)| (name.into_owned(), value.into_owned()))
                .collect(),
            asked,
        })
    }
}

impl Visit {
    /// The frame of a page at this place of the navigation.
    pub(super) fn shell(&self, title: impl Into<String>, here: &'static str) -> Shell {
        Shell {
            title: title.into(),
            here,
            who: self.sight.rights().words().join(", "),
            public: self.sight.rights().is_public(),
            admin: self.sight.rights().is_admin(),
            signed_in: auth::pass(&self.asked.headers).is_some(),
            follow: None,
            every_s: None,
        }
    }

    /// The stream of all matches from now on: ask for it before reading what the page shows, so that nothing falls
    /// between the two.
    pub(super) async fn events(&self) -> String {
        match history::last_change(self.state.store.reader()).await {
            Ok(mark) => format!("{EVENTS}?after={mark}"),
            // It begins with all there is.
            Err(_) => EVENTS.to_owned(),
        }
    }

    /// Refuses parameters that have other names than these.
    pub(super) fn takes(&self, names: &[&str]) -> Result<(), Problem> {
        query::named(&self.query(&[]), names.iter().copied()).map(|_| ())
    }

    /// Whether a page that is open asks for what has changed: it keeps its boards.
    pub(super) fn refreshes(&self) -> bool {
        self.asked.headers.contains_key("x-refresh")
    }

    /// The parameters, read into a struct, but for those that the page reads by their names.
    pub(super) fn read<Q: DeserializeOwned + IntoParams>(
        &self,
        own: &[&str],
    ) -> Result<Q, Problem> {
        Checked::read(&self.query(own), &parameters::<Q>())?.get()
    }

    /// The first row of a page whose cursor counts rows.
    pub(super) fn first_row(&self) -> usize {
        let cursor = self.value("cursor").and_then(|at| at.parse().ok());
        cursor.unwrap_or(0)
    }

    /// What the list on the page is asked.
    pub(super) fn params<L: Rows>(&self) -> Result<Params<L::Filters>, Problem> {
        let known: Vec<Parameter> = rows_and_page::<L>().collect();
        Checked::read(&self.query(&[]), &known)?.params(Vec::new())
    }

    /// The parameters but for these, as they stand in an address.
    fn query(&self, own: &[&str]) -> String {
        let others = self.pairs().filter(|pair| !own.contains(&pair.0));
        Serializer::new(String::new()).extend_pairs(others).finish()
    }

    /// The parameters in order.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.pairs.iter().map(|(name, value)| (&**name, &**value))
    }

    /// A parameter's value.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        let mut pairs = self.pairs();
        pairs.find_map(|(known, value)| (known == name).then_some(value))
    }

    /// A listener's address as the caller can reach it: one that listens everywhere is where the caller asks. Without a
    /// token that is all that they are shown.
    pub(super) fn reach(&self, address: SocketAddr) -> String {
        let everywhere = address.ip().is_unspecified() || self.sight.rights().is_public();
        match &self.host {
            Some(host) if everywhere => format!("{host}:{}", address.port()),
            _ => address.to_string(),
        }
    }
}

fn host(headers: &HeaderMap) -> Option<String> {
    let host: Authority = headers.get(HOST)?.to_str().ok()?.parse().ok()?;
    Some(host.host().to_owned())
}
