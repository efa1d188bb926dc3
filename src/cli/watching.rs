//! `--watch`: a run serves its own pages.

use super::common::{Common, notify};
use crate::config::{Config, Flags};
use crate::daemon::Watching;
use crate::referee::Recording;
use anyhow::Context as _;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;

/// Where the pages are, unless it is said.
const LISTEN: &str = "127.0.0.1:8082";

/// Whether a run serves the pages of its database.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct WatchArgs {
    /// Serve the pages of the database while this runs, at this address.
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, require_equals = true, default_missing_value = LISTEN)]
    watch: Option<SocketAddr>,
    /// What else the pages depend on.
    #[arg(skip)]
    config: Option<Arc<Config>>,
}

impl WatchArgs {
    /// Whether there are pages.
    pub(super) fn is_on(&self) -> bool {
        self.watch.is_some()
    }

    /// Takes from the configuration what is not said here.
    pub(super) fn configured(&mut self, common: &Common) -> anyhow::Result<()> {
        if self.is_on() {
            self.config = Some(Arc::new(common.load(&Flags::new())?.config));
        }
        Ok(())
    }

    /// Serves the pages, if they are wanted, until what this returns is dropped.
    ///
    /// # Errors
    /// Nobody can listen there, or as [`Watching::start`].
    pub(super) async fn serve(&self, recording: &Recording) -> anyhow::Result<Option<Watching>> {
        let (Some(address), Some(config), Some(store)) =
            (self.watch, &self.config, recording.store())
        else {
            return Ok(None);
        };
        let listener = TcpListener::bind(address).await;
        let listener =
            listener.with_context(|| format!("--watch: {address} cannot be listened on"))?;
        let watching = Watching::start(config, store, listener).await?;
        notify(&format!("watch at http://{}/", watching.address));
        Ok(Some(watching))
    }
}
