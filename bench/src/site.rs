//! The daemon's callback side alone, on a free loopback port with a database of its own.

use anyhow::Context as _;
use drover::gateway::{CallbackOptions, Callbacks};
use drover::identities::Identities;
use drover::session::{Dependencies, SessionOptions, Sessions};
use drover::store::{Durability, Settings, Store};
use drover::thinking::{Pool, PoolOptions};
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// A folder that is removed when dropped.
pub(crate) struct Folder(TempDir);

impl Folder {
    /// A new folder under `parent`: measured figures are those of that disk.
    pub(crate) fn new(parent: &Path) -> anyhow::Result<Self> {
        let made = tempfile::Builder::new()
            .prefix("drover-bench-")
            .tempdir_in(parent);
        let context = || format!("cannot make a folder in {}", parent.display());
        Ok(Self(made.with_context(context)?))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

/// A running site.
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    pub(crate) store: Store,
    sessions: Sessions,
    pub(crate) pool: Pool,
    stop: CancellationToken,
    serving: JoinHandle<anyhow::Result<()>>,
    _folder: Folder,
}

impl Site {
    /// Starts one; `None` stores nothing, `budget` is the ceiling of a decision's thinking.
    pub(crate) async fn start(
        folder: Folder,
        durability: Option<Durability>,
        budget: Duration,
    ) -> anyhow::Result<Self> {
        let wanted = durability.unwrap_or(Durability::Process);
        let settings = Settings {
            durability: wanted,
            ..Settings::at(folder.path().join("drover.db"))
        };
        let store = Store::open(&settings).await?;
        let pool = Pool::start(&PoolOptions::default())?;
        let parts = Dependencies {
            store: store.clone(),
            pool: pool.clone(),
            identities: Identities::default(),
            find: games::find,
        };
        let options = SessionOptions {
            durability_default: wanted,
            unstored: durability.is_none(),
            budget_default: budget,
            ..SessionOptions::default()
        };
        let sessions = Sessions::open(options, parts).await?;
        let options = CallbackOptions {
            drain: Duration::ZERO,
            ..CallbackOptions::default()
        };
        let callbacks = Callbacks::new(options, sessions.clone(), games::ALL)?;
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .await
            .context("no free loopback port")?;
        let address = listener.local_addr()?;
        let stop = CancellationToken::new();
        let serve = callbacks.serve(listener, stop.clone());
        let serving = tokio::spawn(async move { serve.await.map_err(anyhow::Error::from) });
        Ok(Self {
            address,
            store,
            sessions,
            pool,
            stop,
            serving,
            _folder: folder,
        })
    }

    pub(crate) async fn stop(self) -> anyhow::Result<()> {
        self.stop.cancel();
        self.serving.await?.context("the measured server failed")?;
        self.sessions.close().await;
        self.pool.close();
        self.store.close().await;
        Ok(())
    }
}
