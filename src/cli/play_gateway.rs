//! The gateway that `play --wire` plays over: the daemon's own parts on a free loopback port.

use super::play::{GatewayReady, GatewayWanted, StartGateway};
use crate::config::Secret;
use crate::daemon::known_match;
use crate::gateway::{CallbackOptions, Callbacks, OwnReferee};
use crate::identities::Identities;
use crate::referee::budget::ThinkBudget;
use crate::referee::{MatchInfo, OwnAddress, Recording};
use crate::session::{Dependencies, SessionOptions, Sessions};
use crate::store::{Durability, Settings, Store};
use crate::thinking::{Pool, PoolOptions};
use crate::tournament::REFEREE;
use anyhow::Context as _;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Sessions per match on this gateway.
const SESSIONS_A_MATCH: usize = 8;
/// The time limit where the budget is counted in nodes: within every wire's limit.
const NODES_WITHIN: Duration = Duration::from_secs(4);
/// Connections per concurrent match, with some to spare.
const CONNECTIONS_A_MATCH: usize = 16;

/// What `play` needs to start a gateway.
pub(super) fn start_gateway() -> StartGateway {
    Arc::new(|wanted| Box::pin(start(wanted)))
}

async fn start(wanted: GatewayWanted) -> anyhow::Result<GatewayReady> {
    let kept = wanted.store.is_some();
    let path = match &wanted.store {
        Some(path) => path.clone(),
        None => temporary_folder()?.join("play.db"),
    };
    let store = open(Settings {
        durability: Durability::Process,
        ..Settings::at(&path)
    })
    .await?;
    let pool = Pool::start(&PoolOptions::default())?;
    let identities = Identities::default();
    let parts = Dependencies {
        store: store.clone(),
        pool: pool.clone(),
        identities: identities.clone(),
        find: games::find,
    };
    let sessions = Sessions::open(session_options(&wanted), parts).await?;
    let nonce = Secret::new(store.referee_nonce().await?);
    let mut options = callback_options(&wanted);
    options.own_referee = Some(OwnReferee {
        name: REFEREE.to_owned(),
        nonce: nonce.clone(),
    });
    let default_bot = options.default_bot.clone();
    let callbacks = Callbacks::new(options, sessions.clone(), games::ALL)?;
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))
        .await
        .context("no free loopback port")?;
    let address = listener.local_addr()?;
    let game = games::find(&wanted.game).context("no such game")?.game();
    let own = OwnAddress {
        listener: address,
        secret_path: Secret::default(),
        game,
        default_bot,
        nonce,
    };
    let stop = CancellationToken::new();
    let serving = tokio::spawn(callbacks.serve(listener, stop.clone()));
    let recording = kept.then(|| Recording::new(store.clone(), Durability::Process));
    let on_match = move |info: &MatchInfo| {
        identities.register(REFEREE, info.market, known_match(info, REFEREE));
    };
    let end = async move {
        stop.cancel();
        if let Ok(Err(error)) = serving.await {
            tracing::warn!(%error, "the gateway ended with an error");
        }
        sessions.close().await;
        pool.close();
        store.close().await;
        if !kept {
            remove(&path);
        }
    };
    Ok(GatewayReady {
        base_url: format!("http://{address}"),
        own: Some(own),
        recording,
        on_match: Some(Arc::new(on_match)),
        stop: Box::pin(end),
    })
}

/// Opens the store on a separate thread: the compiler cannot see that the migrations' future is `Send`, which
/// `play` needs.
async fn open(settings: Settings) -> anyhow::Result<Store> {
    let runtime = tokio::runtime::Handle::current();
    let opened = tokio::task::spawn_blocking(move || runtime.block_on(Store::open(&settings)));
    Ok(opened.await.context("opening the store failed")??)
}

fn session_options(wanted: &GatewayWanted) -> SessionOptions {
    let (budget_default, nodes) = match wanted.budget {
        ThinkBudget::Time(time) => (time, None),
        ThinkBudget::Nodes(nodes) => (NODES_WITHIN, Some(nodes)),
    };
    SessionOptions {
        sessions_max: wanted.matches.saturating_mul(SESSIONS_A_MATCH),
        budget: BTreeMap::new(),
        budget_default,
        nodes,
        models: wanted.models,
        durability_default: Durability::Process,
        ..SessionOptions::default()
    }
}

fn callback_options(wanted: &GatewayWanted) -> CallbackOptions {
    let connections = wanted.matches.saturating_mul(CONNECTIONS_A_MATCH);
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

/// A folder for this process alone.
fn temporary_folder() -> anyhow::Result<PathBuf> {
    let folder = std::env::temp_dir().join(format!("drover-play-{}", ulid::Ulid::generate()));
    std::fs::create_dir(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}

fn remove(database: &Path) {
    let Some(folder) = database.parent() else {
        return;
    };
    if let Err(error) = std::fs::remove_dir_all(folder) {
        tracing::warn!(%error, folder = %folder.display(), "cannot remove a temporary folder");
    }
}
