//! Starting: store, sessions, listeners, referee, REST, in order of dependency.

use crate::access::{FirstToken, FirstTokenError, PassKey, Tokens};
use crate::api::{self, ApiState, Readiness};
use crate::config::{Api, Config, Secret, is_for_others};
use crate::daemon::apart::Apart;
use crate::daemon::descriptors::Maxima;
use crate::daemon::figures;
use crate::daemon::hub::RunningHub;
use crate::daemon::process::Disk;
use crate::daemon::referee::{RefereePlan, RunningReferee};
use crate::daemon::replica::{RunningReplica, replica_address};
use crate::daemon::room::Gauged;
use crate::daemon::{Addresses, Daemon, Extras, descriptors};
use crate::gateway::hubs::Hubs;
use crate::gateway::{CallbackOptions, Callbacks, CallbacksError, OwnReferee, shims};
use crate::history;
use crate::history::GameRules;
use crate::identities::{Identities, Names};
use crate::link::{Hosts, HttpIn};
use crate::programs::Bots;
use crate::session::{Dependencies, SessionOptions, Sessions};
use crate::store::{Settings, Store};
use crate::thinking::{Pool, PoolOptions};
use anyhow::Context as _;
use games::Wire;
use metrics_exporter_prometheus::PrometheusHandle;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// The port of the demonstration's referee unless configured otherwise: the contest's.
const DEMO_PORT: u16 = 56_789;

/// The sockets that everything listens on, bound before anything starts.
struct Listening {
    callbacks: TcpListener,
    api: TcpListener,
    referee: Option<TcpListener>,
    hub: Option<TcpListener>,
    addresses: Addresses,
}

impl Listening {
    fn bind(config: &Config, extras: &mut Extras) -> anyhow::Result<Self> {
        let inherited = &mut extras.inherited;
        let callbacks = inherited.listener("callbacks", config.callbacks.listen)?;
        let api = inherited.listener("api", config.api.listen)?;
        let referee = referee_listener(config, extras, api.local_addr()?.ip())?;
        let hub = match config.referee.smartdog.listen {
            Some(address) => Some(extras.inherited.listener("hub", address)?),
            None => None,
        };
        let addresses = Addresses {
            callbacks: callbacks.local_addr()?,
            api: api.local_addr()?,
            referee: bound(&referee)?,
            hub: bound(&hub)?,
        };
        Ok(Self {
            callbacks,
            api,
            referee,
            hub,
            addresses,
        })
    }
}

impl Daemon {
    /// Starts everything. It answers requests when this returns.
    ///
    /// # Errors
    /// What keeps it from starting, and how to fix it.
    pub async fn start(config: &Config, mut extras: Extras) -> anyhow::Result<Self> {
        let listening = Listening::bind(config, &mut extras)?;
        let addresses = listening.addresses;
        check_api(config, addresses.api)?;
        let is_shared = config.store.location().file().is_none();
        let replica = is_shared.then(|| replica_address(config, addresses.callbacks));
        let metrics = crate::metrics::install(replica.as_deref());
        let metrics = metrics.context("metrics are already set up")?;
        let (drain, end) = (CancellationToken::new(), CancellationToken::new());
        let store = Store::open(&Settings::configured(&config.store, GameRules::all())).await?;
        let pass_key = PassKey::load(config.api.pass_key.reveal(), &store)?;
        let first = first_token(&config.api, addresses.api, &store).await?;
        let replica = replica.and_then(|address| RunningReplica::start(&store, &address));
        let parts = Dependencies {
            replica: replica.as_ref().map(|running| Arc::clone(&running.replica)),
            store: store.clone().into(),
            pool: Pool::start(&PoolOptions::from(&config.thinking))?,
            identities: identities(config.thinking.names.as_deref())?,
            bots: Bots::hosted(config),
            find: games::find,
        };
        let sessions = Sessions::open(SessionOptions::from(config), parts.clone()).await?;
        tracing::info!(
            sessions = sessions.live(),
            "sessions of the last run are resumed"
        );
        if let Some(replica) = &replica {
            replica.keep_house(&sessions, &drain);
        }
        let starting = Starting {
            config,
            maxima: descriptors::maxima(config, listening.referee.is_some()),
            addresses,
            nonce: Secret::new(history::referee_nonce(store.reader()).await?),
            store: &store,
            parts: &parts,
            sessions: &sessions,
            drain: &drain,
            end: &end,
        };
        let callbacks = starting.callbacks(listening.referee.is_some())?;
        let connections = callbacks.connections();
        let callbacks = tokio::spawn(callbacks.serve(listening.callbacks, drain.clone()));
        let referee = match listening.referee {
            Some(listener) => Some(starting.referee(listener, extras.demo).await?),
            None => None,
        };
        let hub = match listening.hub {
            Some(listener) => Some(starting.hub(listener).await?),
            None => None,
        };
        let shims = match &config.shim.socket {
            Some(path) => Some(starting.shims(path).await),
            None => None,
        };
        tokio::spawn(figures::upkeep(metrics.clone(), end.clone()));
        if let Some(file) = store.location().file() {
            let mut disk = Disk::for_database(file);
            tokio::spawn(figures::watch(move || disk.look(), end.clone()));
        }
        let gauged = Gauged {
            sessions: sessions.clone(),
            callbacks: connections,
            hub: hub.as_ref().map(|running| running.hub.connections()),
        };
        let readiness = Readiness::default();
        let apart = Apart::start()?;
        let admins = config.api.token();
        let admins = admins.or(first.as_ref().map(|first| first.text.as_str()));
        let tokens = Tokens::load(store.clone(), admins, pass_key).await?;
        let state = starting.api_state(metrics, gauged, &readiness, tokens, &apart)?;
        let api = starting.api(state, listening.api);
        Ok(Self {
            addresses,
            new_token: first.filter(|first| first.is_new),
            store,
            replica,
            pool: parts.pool,
            readiness,
            callbacks,
            api: apart.handle().spawn(api),
            _apart: apart,
            referee,
            hub,
            shims,
            sessions,
            drain,
            end,
            drain_limit: config.drain.limit_s,
        })
    }
}

/// What the parts of the daemon are started from, one after the other.
struct Starting<'a> {
    config: &'a Config,
    maxima: Maxima,
    addresses: Addresses,
    /// What our referee uses in place of its name when it calls our own bots.
    nonce: Secret,
    store: &'a Store,
    parts: &'a Dependencies,
    sessions: &'a Sessions,
    drain: &'a CancellationToken,
    end: &'a CancellationToken,
}

impl Starting<'_> {
    fn callbacks(&self, has_referee: bool) -> Result<Callbacks, CallbacksError> {
        let own_referee = has_referee.then(|| OwnReferee {
            name: self.config.referee.koehandel.name.clone(),
            nonce: self.nonce.clone(),
        });
        let options = CallbackOptions {
            connections_max: self.maxima.callbacks,
            own_referee,
            replicas_key: self.nonce.clone(),
            ..CallbackOptions::from(self.config)
        };
        Callbacks::new(options, self.sessions.clone(), games::ALL)
    }

    async fn referee(&self, listener: TcpListener, demo: bool) -> anyhow::Result<RunningReferee> {
        let kit = games::met_by(Wire::Callbacks);
        let kit = kit.context("this build has no game whose referee calls its players")?;
        let plan = RefereePlan {
            config: self.config,
            kit,
            store: self.store.clone(),
            identities: self.parts.identities.clone(),
            bots: self.parts.bots.clone(),
            callbacks: self.addresses.callbacks,
            api: self.addresses.api,
            nonce: self.nonce.clone(),
            connections_max: self.maxima.referee,
            replica: self.parts.replica.clone(),
            demo,
        };
        plan.start(listener, self.drain.clone()).await
    }

    async fn hub(&self, listener: TcpListener) -> anyhow::Result<RunningHub> {
        let kit = games::met_by(Wire::Hub);
        let kit = kit.context("this build has no game that is played on hubs")?;
        let (config, most, stop) = (self.config, self.maxima.hub, self.drain.clone());
        RunningHub::start(kit, config, most, self.parts, listener, stop).await
    }

    async fn shims(&self, path: &Path) -> JoinHandle<()> {
        let access = shims::Access::from(&self.config.shim);
        // Shims play by themselves without it: no reason not to do everything else.
        let listener = shims::open_socket(path, &access)
            .await
            .inspect_err(|why| tracing::warn!(%why, "no shims are served at present"))
            .ok();
        tokio::spawn(shims::serve(
            listener,
            path.to_owned(),
            access,
            self.maxima.shims,
            self.sessions.clone(),
            self.end.clone(),
        ))
    }

    /// What REST and the pages read.
    fn api_state(
        &self,
        metrics: PrometheusHandle,
        gauged: Gauged,
        readiness: &Readiness,
        tokens: Tokens,
        apart: &Apart,
    ) -> anyhow::Result<ApiState> {
        let (config, addresses) = (self.config, self.addresses);
        let (store, pool) = (self.store, self.parts.pool.clone());
        let tasks = [Handle::current(), apart.handle().clone()];
        let room = gauged.clone();
        let shims = config.shim.socket.as_deref();
        let doors = api::Doors {
            api: addresses.api,
            callbacks: Some(addresses.callbacks),
            secret_path: config.callbacks.secret_path.clone(),
            referee: addresses.referee,
            hub: addresses.hub,
            shims: shims.map(std::path::absolute).transpose()?,
        };
        let sessions = self.sessions.clone();
        Ok(ApiState {
            readiness: readiness.clone(),
            hubs: Hubs::start(&config.hub, self.sessions, self.drain),
            room: Arc::new(move || room.room()),
            metrics: figures::renderer(metrics, store.clone(), pool.clone(), gauged, tasks),
            end: self.end.clone(),
            ..ApiState::over(&config.api, sessions, pool, tokens, doors)
        })
    }

    fn api(
        &self,
        state: ApiState,
        listener: TcpListener,
    ) -> impl Future<Output = std::io::Result<()>> + use<> {
        let config = &self.config.api;
        let hosts = Hosts::new(config.hosts.iter().cloned(), "api.hosts");
        let http = HttpIn {
            name: "api",
            connections_max: self.maxima.api,
            trusted_proxies: config.trusted_proxies.clone().into(),
            ..HttpIn::default()
        };
        api::serve(api::router(state), hosts, http, listener, self.end.clone())
    }
}

/// Who is who at others' referees, as a file says.
fn identities(names: Option<&Path>) -> anyhow::Result<Identities> {
    let identities = Identities::default();
    if let Some(path) = names {
        let place = || format!("thinking.names: {}", path.display());
        let text = std::fs::read_to_string(path).with_context(place)?;
        let names = Names::read(games::text::without_mark(&text), games::find);
        for names in names.with_context(place)? {
            identities.name(names).with_context(place)?;
        }
    }
    Ok(identities)
}

fn bound(listener: &Option<TcpListener>) -> std::io::Result<Option<SocketAddr>> {
    listener.as_ref().map(TcpListener::local_addr).transpose()
}

/// The demonstration needs a referee: where REST can be reached (`api`), on the usual port, or on any if that one is taken.
fn referee_listener(
    config: &Config,
    extras: &mut Extras,
    api: IpAddr,
) -> anyhow::Result<Option<TcpListener>> {
    let configured = config.referee.koehandel.listen;
    let inherited = extras.inherited.has("referee");
    if configured.is_none() && !inherited && !extras.demo {
        return Ok(None);
    }
    let mut listener = |address| extras.inherited.listener("referee", address);
    let usual = listener(configured.unwrap_or(SocketAddr::new(api, DEMO_PORT)));
    let listener = match usual {
        Err(_) if configured.is_none() => listener(SocketAddr::new(api, 0)),
        usual => usual,
    };
    Ok(Some(listener?))
}

/// An inherited socket may be bound elsewhere than the configuration says.
fn check_api(config: &Config, bound: SocketAddr) -> anyhow::Result<()> {
    if config.api.is_open_at(bound) {
        return Err(crate::config::ConfigError::OpenApi {
            listen: bound.to_string(),
        }
        .into());
    }
    Ok(())
}

/// The token in `api.first_token_file`, if it takes the place of `api.token`.
async fn first_token(
    api: &Api,
    bound: SocketAddr,
    store: &Store,
) -> Result<Option<FirstToken>, FirstTokenError> {
    let Some(path) = api.first_token() else {
        return Ok(None);
    };
    match FirstToken::read(path)? {
        None if is_for_others(bound) => FirstToken::make(path, store).await,
        kept => Ok(kept),
    }
}
