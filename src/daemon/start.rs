//! Starting: store, sessions, listeners, referee, REST, in order of dependency.

use super::apart::Apart;
use super::descriptors;
use super::figures;
use super::hub::RunningHub;
use super::listeners::Inherited;
use super::process::Disk;
use super::referee::{RefereePlan, RunningReferee};
use super::room::Gauged;
use crate::access::{PassKey, Tokens};
use crate::api::{self, ApiState, Readiness, Turns};
use crate::config::{Config, Secret};
use crate::gateway::hubs::Hubs;
use crate::gateway::{CallbackOptions, Callbacks, CallbacksError, OwnReferee, shims};
use crate::identities::{Identities, Names};
use crate::link::{Hosts, HttpIn};
use crate::programs::Bots;
use crate::session::{Dependencies, SessionOptions, Sessions};
use crate::store::{Settings, Store};
use crate::thinking::{Pool, PoolOptions};
use anyhow::Context as _;
use games::Wire;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Where the demonstration's referee listens unless configured otherwise.
const DEMO_REFEREE: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 56_789);

/// What `serve` adds to the configuration.
#[derive(Debug, Default)]
pub struct Extras {
    /// Keep matches running among built-in bots.
    pub demo: bool,
    /// Sockets that the process was started with.
    pub inherited: Inherited,
}

/// Where the daemon listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Addresses {
    /// Callbacks.
    pub callbacks: SocketAddr,
    /// REST.
    pub api: SocketAddr,
    /// Our own referee.
    pub referee: Option<SocketAddr>,
    /// Our own hub.
    pub hub: Option<SocketAddr>,
}

/// A running daemon.
pub struct Daemon {
    pub(super) addresses: Addresses,
    pub(super) store: Store,
    pub(super) pool: Pool,
    pub(super) sessions: Sessions,
    pub(super) readiness: Readiness,
    pub(super) callbacks: JoinHandle<Result<(), CallbacksError>>,
    pub(super) api: JoinHandle<std::io::Result<()>>,
    /// Where REST is served; its threads end last.
    _apart: Apart,
    pub(super) referee: Option<RunningReferee>,
    pub(super) hub: Option<RunningHub>,
    pub(super) shims: Option<JoinHandle<()>>,
    /// Cancelled when the drain begins.
    pub(super) drain: CancellationToken,
    /// Cancelled when everything but the current answers ends.
    pub(super) end: CancellationToken,
    pub(super) drain_limit: Duration,
}

impl Daemon {
    /// Starts everything. It answers requests when this returns.
    ///
    /// # Errors
    /// What keeps it from starting, and how to fix it.
    pub async fn start(config: &Config, mut extras: Extras) -> anyhow::Result<Self> {
        let callback_listener = extras
            .inherited
            .listener("callbacks", config.callbacks.listen)?;
        let api_listener = extras.inherited.listener("api", config.api.listen)?;
        let referee_listener = referee_listener(config, &mut extras)?;
        let hub_listener = match config.referee.smartdog.listen {
            Some(address) => Some(extras.inherited.listener("hub", address)?),
            None => None,
        };
        let addresses = Addresses {
            callbacks: callback_listener.local_addr()?,
            api: api_listener.local_addr()?,
            referee: bound(&referee_listener)?,
            hub: bound(&hub_listener)?,
        };
        check_api(config, addresses.api)?;
        let maxima = descriptors::maxima(config, referee_listener.is_some());
        let metrics = crate::metrics::install().context("metrics are already set up")?;
        let (drain, end) = (CancellationToken::new(), CancellationToken::new());
        let store = Store::open(&Settings::from(&config.store)).await?;
        let pass_key = PassKey::load(config.api.pass_key.reveal(), &store)?;
        let pool = Pool::start(&PoolOptions::from(&config.thinking))?;
        let identities = identities(config.thinking.names.as_deref())?;
        let parts = Dependencies {
            store: store.clone(),
            pool: pool.clone(),
            identities: identities.clone(),
            bots: Bots::hosted(config),
            find: games::find,
        };
        let sessions = Sessions::open(SessionOptions::from(config), parts.clone()).await?;
        tracing::info!(
            sessions = sessions.live(),
            "sessions of the last run are resumed"
        );
        let nonce = Secret::new(store.referee_nonce().await?);
        let mut options = CallbackOptions {
            connections_max: maxima.callbacks,
            ..CallbackOptions::from(config)
        };
        options.own_referee = referee_listener.is_some().then(|| OwnReferee {
            name: config.referee.koehandel.name.clone(),
            nonce: nonce.clone(),
        });
        let callbacks = Callbacks::new(options, sessions.clone(), games::ALL)?;
        let crowd = callbacks.crowd();
        let callbacks = tokio::spawn(callbacks.serve(callback_listener, drain.clone()));
        let referee = match referee_listener {
            Some(listener) => {
                let kit = games::met_by(Wire::Callbacks);
                let kit = kit.context("this build has no game whose referee calls its players")?;
                let (store, demo) = (store.clone(), extras.demo);
                let callbacks = addresses.callbacks;
                let plan = RefereePlan {
                    config,
                    kit,
                    store,
                    identities,
                    bots: parts.bots.clone(),
                    callbacks,
                    nonce,
                    connections_max: maxima.referee,
                    demo,
                };
                Some(plan.start(listener, drain.clone()).await?)
            }
            None => None,
        };
        let hub = match hub_listener {
            Some(listener) => {
                let kit = games::met_by(Wire::Hub);
                let kit = kit.context("this build has no game that is played on hubs")?;
                let stop = drain.clone();
                Some(RunningHub::start(kit, (config, maxima.hub), &parts, listener, stop).await?)
            }
            None => None,
        };
        let shims = match &config.shim.socket {
            Some(path) => {
                let access = shims::Access::from(&config.shim);
                let opened = shims::open_socket(path, &access).await;
                // Shims play by themselves without it: no reason not to do everything else.
                let listener = opened
                    .inspect_err(|why| tracing::warn!(%why, "no shims are served at present"))
                    .ok();
                let (sessions, end) = (sessions.clone(), end.clone());
                Some(tokio::spawn(shims::serve(
                    listener,
                    (path.clone(), access),
                    maxima.shims,
                    sessions,
                    end,
                )))
            }
            None => None,
        };
        let hubs = Hubs::start(&config.hub, &sessions, &drain);
        let readiness = Readiness::default();
        tokio::spawn(figures::upkeep(metrics.clone(), end.clone()));
        let mut disk = Disk::of(store.path());
        tokio::spawn(figures::watch(move || disk.look(), end.clone()));
        let gauged = Gauged {
            sessions: sessions.clone(),
            callbacks: crowd,
            hub: hub.as_ref().map(|running| running.hub.crowd()),
        };
        let room = gauged.clone();
        let apart = Apart::start()?;
        let tasks = [Handle::current(), apart.handle().clone()];
        let router = api::router(ApiState {
            store: store.clone(),
            sessions: sessions.clone(),
            pool: pool.clone(),
            readiness: readiness.clone(),
            hubs,
            room: Arc::new(move || room.room()),
            metrics: figures::renderer(metrics, store.clone(), pool.clone(), gauged, tasks),
            tokens: Tokens::load(store.clone(), config.api.token(), pass_key).await?,
            feeds: api::Feeds::of(store.clone()),
            end: end.clone(),
            standings: api::KeptStandings::default(),
            turns: Turns::default(),
            films: api::Films::default(),
            embargo: config.api.embargo_s,
            doors: Arc::new(api::Doors {
                api: addresses.api,
                callbacks: addresses.callbacks,
                secret_path: config.callbacks.secret_path.clone(),
                referee: addresses.referee,
                hub: addresses.hub,
                shims: config
                    .shim
                    .socket
                    .as_deref()
                    .map(std::path::absolute)
                    .transpose()?,
            }),
        });
        let hosts = Hosts::new(config.api.hosts.iter().cloned(), "api.hosts");
        let http = HttpIn {
            name: "api",
            connections_max: maxima.api,
            trusted_proxies: config.api.trusted_proxies.clone().into(),
            ..HttpIn::default()
        };
        let api = api::serve(router, hosts, http, api_listener, end.clone());
        let api = apart.handle().spawn(api);
        let drain_limit = config.drain.limit_s;
        Ok(Self {
            addresses,
            store,
            pool,
            sessions,
            readiness,
            callbacks,
            api,
            _apart: apart,
            referee,
            hub,
            shims,
            drain,
            end,
            drain_limit,
        })
    }

    /// Where it listens.
    #[must_use]
    pub fn addresses(&self) -> Addresses {
        self.addresses
    }
}

/// Who is who at others' referees, as a file says.
fn identities(names: Option<&Path>) -> anyhow::Result<Identities> {
    let identities = Identities::default();
    if let Some(path) = names {
        let told = || format!("thinking.names: {}", path.display());
        let text = std::fs::read_to_string(path).with_context(told)?;
        let names =
            Names::read(games::text::without_mark(&text), games::find).map_err(anyhow::Error::msg);
        for names in names.with_context(told)? {
            identities.name(names).with_context(told)?;
        }
    }
    Ok(identities)
}

fn bound(listener: &Option<TcpListener>) -> std::io::Result<Option<SocketAddr>> {
    listener.as_ref().map(TcpListener::local_addr).transpose()
}

/// The demonstration needs a referee: on the usual port, or on any if that one is taken.
fn referee_listener(config: &Config, extras: &mut Extras) -> anyhow::Result<Option<TcpListener>> {
    let configured = config.referee.koehandel.listen;
    let inherited = extras.inherited.has("referee");
    if configured.is_none() && !inherited && !extras.demo {
        return Ok(None);
    }
    let mut listener = |address| extras.inherited.listener("referee", address);
    let usual = listener(configured.unwrap_or(DEMO_REFEREE));
    let listener = match usual {
        Err(_) if configured.is_none() => listener(SocketAddr::new(DEMO_REFEREE.ip(), 0)),
        usual => usual,
    };
    Ok(Some(listener?))
}

/// An inherited socket may be bound elsewhere than the configuration says.
fn check_api(config: &Config, bound: SocketAddr) -> anyhow::Result<()> {
    if !bound.ip().to_canonical().is_loopback() && config.api.token().is_none() {
        return Err(crate::config::ConfigError::OpenApi {
            listen: bound.to_string(),
        }
        .into());
    }
    Ok(())
}
