//! The daemon's callback side alone, on a free loopback port with a database of its own.

use crate::gateway::{CallbackOptions, Callbacks};
use crate::identities::Identities;
use crate::session::{Parts, SessionOptions, Sessions};
use crate::store::{Durability, Settings, Store};
use crate::thinking::{Pool, PoolOptions};
use anyhow::Context as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// A folder that is removed when dropped.
pub(super) struct Folder(PathBuf);

impl Folder {
    /// A new folder under `parent`: measured figures are those of that disk.
    pub(super) fn new(parent: &Path) -> anyhow::Result<Self> {
        let folder = parent.join(format!("drover-bench-{}", ulid::Ulid::generate()));
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Self(folder))
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::warn!(%error, folder = %self.0.display(), "a temporary folder stays behind");
        }
    }
}

/// How a site works.
pub(super) struct SiteOptions {
    /// `None` stores nothing.
    pub(super) durability: Option<Durability>,
    /// The ceiling of a decision's thinking.
    pub(super) budget: Duration,
}

/// A running site.
pub(super) struct Site {
    pub(super) address: SocketAddr,
    pub(super) store: Store,
    sessions: Sessions,
    pub(super) pool: Pool,
    stop: CancellationToken,
    serving: JoinHandle<()>,
    _folder: Folder,
}

impl Site {
    pub(super) async fn start(folder: Folder, options: SiteOptions) -> anyhow::Result<Self> {
        let SiteOptions { durability, budget } = options;
        let wanted = durability.unwrap_or(Durability::Process);
        let settings = Settings {
            durability: wanted,
            ..Settings::at(folder.path().join("drover.db"))
        };
        let store = Store::open(&settings).await?;
        let pool = Pool::start(&PoolOptions::default())?;
        let parts = Parts {
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
        let serving = tokio::spawn(async move {
            if let Err(error) = serve.await {
                tracing::error!(%error, "the measured server failed");
            }
        });
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

    pub(super) async fn stop(self) {
        self.stop.cancel();
        if let Err(error) = self.serving.await {
            tracing::error!(%error, "the measured server broke down");
        }
        self.sessions.close().await;
        self.pool.close();
        self.store.close().await;
    }
}
