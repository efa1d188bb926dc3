//! Which daemon a verb contacts, and with which token.

use super::api_call::{Asked, Said, base, call, named};
use super::common::Common;
use super::store_arg::StoreArg;
use super::usage::refuse;
use crate::access::FirstToken;
use crate::config::{Flags, Location};
use crate::history::GameRules;
use crate::store::{Settings, Store, StoreError};
use anyhow::bail;
use serde_json::Value;

/// The arguments common to all verbs that contact a running daemon.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Remote {
    /// The daemon's REST address, such as http://127.0.0.1:8081; by default `api.listen` of the
    /// configuration.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// The token; by default `api.token` of the configuration.
    #[arg(long, env = "DROVER_TOKEN", hide_env_values = true)]
    token: Option<String>,
}

/// A daemon to contact.
pub(super) struct Reached {
    root: String,
    token: Option<String>,
}

impl Remote {
    /// Takes from the configuration what was not given.
    pub(super) fn reach(&self, common: &Common) -> anyhow::Result<Reached> {
        let url = self.url.as_deref().map(named).transpose()?;
        if let (Some(url), Some(token)) = (url, &self.token) {
            return Ok(Reached::new(url, Some(token)));
        }
        let api = common.load(&Flags::new())?.config.api;
        let root = url.map_or_else(|| base(api.listen), str::to_owned);
        let given = self.token.as_deref().or(api.token());
        let first = match (given, api.first_token()) {
            (None, Some(path)) => FirstToken::read(path)?,
            _ => None,
        };
        let first = first.as_ref().map(|first| first.text.as_str());
        Ok(Reached::new(&root, given.or(first)))
    }
}

/// Where a verb writes.
pub(super) enum Target {
    /// The database, which nobody else holds.
    Here(Store),
    /// The daemon that holds it, or that was named.
    There(Reached),
}

impl Remote {
    /// The database, unless a daemon was named or holds it.
    pub(super) async fn target(&self, common: &Common, at: &StoreArg) -> anyhow::Result<Target> {
        if self.url.is_some() && at.is_given() {
            return refuse("--url names a daemon and --store a database: give one of them");
        }
        let daemon = self.reach(common)?;
        if self.url.is_some() {
            return Ok(Target::There(daemon));
        }
        let config = common.load(&at.flags())?.config;
        // For a moment: nothing is checked or packed meanwhile.
        let settings = Settings {
            packs: false,
            ..Settings::configured(&config.store, GameRules::all())
        };
        match Store::open(&settings).await {
            Ok(store) => Ok(Target::Here(store)),
            Err(error @ StoreError::InUse { .. }) => {
                // The daemon of the configuration may hold another one than the one that was named.
                let daemons = common.load(&Flags::new())?.config.store.location();
                match is_same(&config.store.location(), &daemons) {
                    true => Ok(Target::There(daemon)),
                    false => Err(error.into()),
                }
            }
            Err(error) => Err(error.into()),
        }
    }
}

/// Whether both are one database, a file by whatever path.
fn is_same(one: &Location, other: &Location) -> bool {
    let files = one.file().zip(other.file());
    let files = files.map(|(one, other)| (one.canonicalize(), other.canonicalize()));
    match files {
        Some((Ok(one), Ok(other))) => one == other,
        _ => one == other,
    }
}

impl Reached {
    fn new(root: &str, token: Option<&str>) -> Self {
        Self {
            root: root.to_owned(),
            token: token.filter(|token| !token.is_empty()).map(str::to_owned),
        }
    }

    /// Sends the request, and returns the answer's body on success.
    ///
    /// # Errors
    /// The daemon's reason for refusing.
    pub(super) fn ask(&self, method: &str, path: &str, body: &str) -> anyhow::Result<String> {
        let (token, url) = (self.token.as_deref(), format!("{}{path}", self.root));
        if token.is_some_and(|token| token.chars().any(char::is_control)) {
            bail!("the token contains a control character");
        }
        let said = call(&Asked {
            method,
            url: &url,
            token,
            body,
        })?;
        match said.status {
            200..=299 => Ok(said.body),
            401 if token.is_none() => bail!(
                "{}; give --token, DROVER_TOKEN or api.token",
                refusal(&said)
            ),
            _ => bail!("{}", refusal(&said)),
        }
    }
}

/// The daemon's reason for refusing, in its own words.
fn refusal(said: &Said) -> String {
    let problem: Value = serde_json::from_str(&said.body).unwrap_or_default();
    let why = problem["detail"].as_str().unwrap_or(said.body.trim());
    format!("the daemon answered {}: {why}", said.status)
}
