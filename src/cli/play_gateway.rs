//! The gateway that `play --wire` plays over: the daemon's own parts on a free loopback port.

use super::play_args::PlayArgs;
use crate::config::Secret;
use crate::daemon::{Site, known_match};
use crate::gateway::CallbackOptions;
use crate::history::GameRules;
use crate::referee::budget::ThinkBudget;
use crate::referee::{MatchInfo, OnMatch, OwnAddress, Recording};
use crate::session::SessionOptions;
use crate::store::{Durability, Settings};
use crate::tournament::{Extent, REFEREE, open_recording};
use anyhow::Context as _;
use games::Kit;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// Sessions per match on this gateway.
const SESSIONS_A_MATCH: usize = 8;
/// The time limit where the budget is counted in nodes: within every wire's limit.
const NODES_WITHIN: Duration = Duration::from_secs(4);
/// Connections per concurrent match, with some to spare.
const CONNECTIONS_A_MATCH: usize = 16;

/// A gateway that answers callbacks for built-in bots.
pub(super) struct Gateway {
    site: Site,
    /// Where built-in bots are called, with the secret part of that address.
    pub(super) own: OwnAddress,
    /// The database's folder, if it is a temporary one.
    temporary: Option<TempDir>,
}

impl Gateway {
    /// Starts one for matches with these arguments.
    pub(super) async fn start(kit: &dyn Kit, args: &PlayArgs) -> anyhow::Result<Self> {
        let folder = || tempfile::Builder::new().prefix("drover-play-").tempdir();
        let (location, temporary) = match &args.store {
            Some(location) => {
                // Its sessions must not be taken up.
                let recording = open_recording(location.clone(), Extent::Full).await?;
                recording.close().await;
                (location.clone(), None)
            }
            None => {
                let folder = folder().context("cannot make a temporary folder")?;
                (folder.path().join("play.db").into(), Some(folder))
            }
        };
        let settings = Settings {
            durability: Durability::Process,
            ..Settings::at(location, GameRules::all())
        };
        let matches = args.concurrency().get();
        let options = callback_options(matches);
        let default_bot = options.default_bot.clone();
        let sessions = session_options(matches, args.budget(kit), !args.no_models);
        let site = Site::start(&settings, sessions, options, Some(REFEREE)).await?;
        let own = OwnAddress {
            listener: site.address,
            secret_path: Secret::default(),
            game: kit.card().name,
            default_bot,
            nonce: site.nonce.clone(),
        };
        Ok(Self {
            site,
            own,
            temporary,
        })
    }

    /// The records in its database: gateway and referee share it.
    pub(super) fn recording(&self) -> Recording {
        let store = self.site.store.clone();
        Recording::new(store, Durability::Process)
    }

    /// Names the seats of every match.
    pub(super) fn on_match(&self) -> OnMatch {
        let identities = self.site.identities.clone();
        Arc::new(move |info: &MatchInfo| {
            identities.register(REFEREE, info.market, known_match(info, REFEREE));
        })
    }

    /// Shuts it down once everything is stored.
    pub(super) async fn stop(self) {
        if let Err(error) = self.site.stop().await {
            tracing::warn!(%error, "the gateway ended with an error");
        }
        if let Some(Err(error)) = self.temporary.map(TempDir::close) {
            tracing::warn!(%error, "cannot remove a temporary folder");
        }
    }
}

fn session_options(matches: usize, budget: ThinkBudget, models: bool) -> SessionOptions {
    let (budget_default, nodes) = match budget {
        ThinkBudget::Time(time) => (time, None),
        ThinkBudget::Nodes(nodes) => (NODES_WITHIN, Some(nodes)),
    };
    SessionOptions {
        sessions_max: matches.saturating_mul(SESSIONS_A_MATCH),
        budget: BTreeMap::new(),
        budget_default,
        nodes,
        models,
        durability_default: Durability::Process,
        ..SessionOptions::default()
    }
}

fn callback_options(matches: usize) -> CallbackOptions {
    let connections = matches.saturating_mul(CONNECTIONS_A_MATCH);
    CallbackOptions {
        connections_max: connections,
        connections_per_peer_max: connections,
        requests_per_peer_max: connections,
        drain: Duration::ZERO,
        // Only our own referee calls it.
        exempt: vec![IpAddr::from(Ipv4Addr::LOCALHOST).into()],
        ..CallbackOptions::default()
    }
}
