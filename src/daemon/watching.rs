//! The pages of a run: what `drover play` and `drover tournament run` serve with `--watch` while they go on.

use super::apart::Apart;
use crate::access::{PassKey, Tokens};
use crate::api::{self, ApiState, Doors};
use crate::config::{Config, ConfigError};
use crate::identities::Identities;
use crate::link::{Hosts, HttpIn};
use crate::programs::Bots;
use crate::session::{Dependencies, SessionOptions, Sessions};
use crate::store::Store;
use crate::thinking::{Pool, PoolOptions};
use std::net::SocketAddr;
use tokio::net::TcpListener;
use tokio_util::sync::DropGuard;

/// REST and pages over a run's store. They end when this is dropped.
#[derive(Debug)]
pub struct Watching {
    /// Where they are.
    pub address: SocketAddr,
    _end: DropGuard,
    _apart: Apart,
}

impl Watching {
    /// Serves them on this listener. Nothing is played or taken up by them.
    ///
    /// # Errors
    /// Others can reach the listener and no token is configured; threads that do not start; a database that cannot be
    /// read.
    pub async fn start(
        config: &Config,
        store: &Store,
        listener: TcpListener,
    ) -> anyhow::Result<Self> {
        let address = listener.local_addr()?;
        if config.api.is_open_at(address) {
            let listen = address.to_string();
            return Err(ConfigError::OpenApi { listen }.into());
        }
        let pool = Pool::start(&PoolOptions {
            threads: 1,
            ..PoolOptions::from(&config.thinking)
        })?;
        let parts = Dependencies {
            replica: None,
            store: store.clone().into(),
            pool: pool.clone(),
            identities: Identities::default(),
            bots: Bots::none(),
            find: games::find,
        };
        let sessions = Sessions::idle(SessionOptions::from(config), parts);
        let pass_key = PassKey::load(config.api.pass_key.reveal(), store)?;
        let tokens = Tokens::load(store.clone(), config.api.token(), pass_key).await?;
        let doors = Doors {
            api: address,
            callbacks: None,
            secret_path: config.callbacks.secret_path.clone(),
            referee: None,
            hub: None,
            shims: None,
        };
        let state = ApiState::over(&config.api, sessions, pool, tokens, doors);
        let end = state.end.clone();
        let hosts = Hosts::new(config.api.hosts.iter().cloned(), "api.hosts");
        let http = HttpIn {
            name: "api",
            trusted_proxies: config.api.trusted_proxies.clone().into(),
            ..HttpIn::default()
        };
        let apart = Apart::start()?;
        let served = api::serve(api::router(state), hosts, http, listener, end.clone());
        apart.handle().spawn(served);
        Ok(Self {
            address,
            _end: end.drop_guard(),
            _apart: apart,
        })
    }
}
