//! `--watch`: a run serves its own pages.

use super::api_call::base;
use super::common::{Common, notify};
use super::usage::refuse;
use crate::access::FirstToken;
use crate::config::{Config, Flags, Secret, is_for_others};
use crate::daemon::Watching;
use crate::referee::Recording;
use crate::tournament::Live;
use anyhow::Context as _;
use std::io::IsTerminal as _;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Where the pages are, unless it is said.
const LISTEN: &str = "127.0.0.1:8082";

/// Whether a run serves the pages of its database.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct WatchArgs {
    /// Serve the pages of the database while this runs, with its matches as they are played, at this address; on a terminal
    /// until Ctrl-C.
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, require_equals = true, default_missing_value = LISTEN)]
    watch: Option<SocketAddr>,
    /// What they need.
    #[arg(skip)]
    prepared: Option<Arc<Prepared>>,
}

/// What the pages need before the database is open.
#[derive(Debug)]
struct Prepared {
    config: Config,
    listener: TcpListener,
}

impl WatchArgs {
    /// Whether there are pages.
    pub(super) fn is_on(&self) -> bool {
        self.watch.is_some()
    }

    /// What stores matches while they are played, so that the pages show them, if there are pages.
    pub(super) fn live(&self, recording: &Recording) -> Option<Live> {
        self.is_on().then(|| Live::new(recording.clone()))
    }

    /// Reads the configuration and listens, if pages are wanted: what is wrong with either is found before anything is opened.
    ///
    /// # Errors
    /// Others can reach the address and there is no token; nobody can listen there.
    pub(super) fn prepare(&mut self, common: &Common) -> anyhow::Result<()> {
        let Some(address) = self.watch else {
            return Ok(());
        };
        let mut config = common.load(&Flags::new())?.config;
        let first = match config.api.first_token() {
            Some(path) => match FirstToken::read(path) {
                // Where only this machine asks, another user's token is not needed.
                Err(_) if !is_for_others(address) => None,
                read => read?,
            },
            None => None,
        };
        if let Some(first) = first {
            config.api.token = Some(Secret::new(first.text));
        }
        if config.api.token().is_none() && is_for_others(address) {
            return refuse(format!(
                "--watch={address}: others can reach it; set api.token, or watch on 127.0.0.1"
            ));
        }
        let listening = || {
            let listener = TcpListener::bind(address)?;
            listener.set_nonblocking(true)?;
            std::io::Result::Ok(listener)
        };
        let listener = listening().with_context(|| {
            format!(
                "--watch: {address} cannot be listened on; choose another one (--watch=ADDRESS)"
            )
        })?;
        self.prepared = Some(Arc::new(Prepared { config, listener }));
        Ok(())
    }

    /// Serves the pages, if they are wanted.
    ///
    /// # Errors
    /// As [`Watching::start`].
    pub(super) async fn serve(&self, recording: &Recording) -> anyhow::Result<Option<Watching>> {
        let (Some(prepared), Some(store)) = (&self.prepared, recording.store()) else {
            return Ok(None);
        };
        let listener = tokio::net::TcpListener::from_std(prepared.listener.try_clone()?)?;
        let watching = Watching::start(&prepared.config, store, listener).await?;
        notify(&format!("watch at {}/", base(watching.address)));
        Ok(Some(watching))
    }
}

/// Leaves the pages of a run that is over until `stop`, if somebody sits there who may look at them.
pub(super) async fn stay(pages: Option<&Watching>, stop: &CancellationToken) {
    let attended = std::io::stdin().is_terminal()
        && std::io::stdout().is_terminal()
        && std::io::stderr().is_terminal();
    if pages.is_some() && attended && !stop.is_cancelled() {
        notify("the pages stay until Ctrl-C");
        stop.cancelled().await;
    }
}
