//! What every verb takes, and how one that waits is run.

use crate::config::{self, ConfigError, Flags, Loaded};
use anyhow::Context as _;
use std::path::PathBuf;
use std::process::ExitCode;

/// What every verb takes.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Common {
    /// The configuration file; without it the defaults and the environment hold.
    #[arg(long, global = true, env = "DROVER_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Common {
    /// The configuration with these flags over it.
    pub(super) fn load(&self, flags: &Flags) -> Result<Loaded, ConfigError> {
        config::load(self.config.as_deref(), &environment(), flags)
    }
}

/// The process's variables. One that is not Unicode is kept with its broken letters replaced, so
/// that a value of ours is refused rather than overlooked.
fn environment() -> config::Environment {
    let text = |part: std::ffi::OsString| part.to_string_lossy().into_owned();
    std::env::vars_os()
        .map(|(name, value)| (text(name), text(value)))
        .collect()
}

/// Runs a verb that waits on the async runtime.
pub(super) fn on_all_cores(
    verb: impl Future<Output = anyhow::Result<ExitCode>>,
) -> anyhow::Result<ExitCode> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the async runtime does not start")?
        .block_on(verb)
}
