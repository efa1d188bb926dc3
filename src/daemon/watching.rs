//! The pages of a run: what `drover play` and `drover tournament run` serve with `--watch` while they go on.

use super::apart::Apart;
use crate::access::{PassKey, Tokens};
use crate::api::{self, ApiState, Doors};
use crate::config::Config;
use crate::identities::Identities;
use crate::link::{Hosts, HttpIn};
use crate::programs::Bots;
use crate::secrets::nonce;
use crate::session::{Dependencies, SessionOptions, Sessions};
use crate::store::Store;
use crate::thinking::{Pool, PoolOptions};
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::DropGuard;

/// How long answers that have begun may take after the end.
const STOP_WITHIN: Duration = Duration::from_secs(1);

/// REST and pages over a run's store. They end when this is dropped.
#[derive(Debug)]
pub struct Watching {
    /// Where they are.
    pub address: SocketAddr,
    end: DropGuard,
    serving: JoinHandle<io::Result<()>>,
    apart: Apart,
}

impl Watching {
    /// Serves them on this listener, which others reach only if a token is configured. Nothing is played or taken up by them.
    ///
    /// # Errors
    /// Threads that do not start; a database that cannot be read.
    pub async fn start(
        config: &Config,
        store: &Store,
        listener: TcpListener,
    ) -> anyhow::Result<Self> {
        let address = listener.local_addr()?;
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
        // Passes need not outlive the run: no file is made next to its database.
        let drawn = format!("{}{}", nonce()?, nonce()?);
        let key = config.api.pass_key.reveal().unwrap_or(&drawn);
        let pass_key = PassKey::load(Some(key), store)?;
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
        let serving = apart.handle().spawn(served);
        Ok(Self {
            address,
            end: end.drop_guard(),
            serving,
            apart,
        })
    }

    /// Ends them; answers that have begun are finished, if that takes no longer than a moment.
    pub async fn stop(self) {
        let Self {
            end,
            serving,
            apart,
            ..
        } = self;
        drop(end);
        // What is left then ends with its threads.
        let _ = timeout(STOP_WITHIN, serving).await;
        drop(apart);
    }
}
