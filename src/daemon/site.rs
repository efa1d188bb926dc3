//! The callback side alone: sessions and their bots behind a free loopback port.

use crate::config::Secret;
use crate::gateway::{CallbackOptions, Callbacks, CallbacksError, OwnReferee};
use crate::history;
use crate::identities::Identities;
use crate::programs::Bots;
use crate::session::{Dependencies, SessionOptions, Sessions};
use crate::store::{Settings, Store};
use crate::thinking::{Pool, PoolOptions};
use anyhow::Context as _;
use std::net::{Ipv4Addr, SocketAddr};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// A running site.
pub struct Site {
    /// Where its bots are called.
    pub address: SocketAddr,
    /// What the referee of this process uses in place of its name.
    pub nonce: Secret,
    /// Its database.
    pub store: Store,
    /// Its thinking threads.
    pub pool: Pool,
    /// Who is who in the matches of this process's referee.
    pub identities: Identities,
    /// Its sessions.
    pub sessions: Sessions,
    stop: CancellationToken,
    serving: JoinHandle<Result<(), CallbacksError>>,
}

impl Site {
    /// Starts one; `referee` is the name of this process's referee, if it has one.
    ///
    /// # Errors
    /// A store that does not open, a bot that does not exist, no free port.
    pub async fn start(
        store: &Settings,
        sessions: SessionOptions,
        mut callbacks: CallbackOptions,
        referee: Option<&str>,
    ) -> anyhow::Result<Self> {
        let store = Store::open(store).await?;
        let pool = Pool::start(&PoolOptions::default())?;
        let identities = Identities::default();
        let parts = Dependencies {
            store: store.clone().into(),
            pool: pool.clone(),
            identities: identities.clone(),
            bots: Bots::none(),
            replica: None,
            find: games::find,
        };
        let sessions = Sessions::open(sessions, parts).await?;
        let nonce = Secret::new(history::referee_nonce(store.reader()).await?);
        callbacks.own_referee = referee.map(|name| OwnReferee {
            name: name.to_owned(),
            nonce: nonce.clone(),
        });
        let callbacks = Callbacks::new(callbacks, sessions.clone(), games::ALL)?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let listener = listener.context("no free loopback port")?;
        let address = listener.local_addr()?;
        let stop = CancellationToken::new();
        let serving = tokio::spawn(callbacks.serve(listener, stop.clone()));
        Ok(Self {
            address,
            nonce,
            store,
            pool,
            identities,
            sessions,
            stop,
            serving,
        })
    }

    /// Stops it once everything is stored.
    ///
    /// # Errors
    /// What its listener ended with.
    pub async fn stop(self) -> anyhow::Result<()> {
        self.stop.cancel();
        let served = self.serving.await;
        self.sessions.close().await;
        self.pool.close();
        self.store.close().await;
        Ok(served.context("the callback listener panicked")??)
    }
}
