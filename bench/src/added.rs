//! Users' bots that a measured daemon has.

use crate::process::{Daemon, command};
use anyhow::{Context as _, ensure};
use std::path::{Path, PathBuf};

/// Users' bots to be added before the daemon starts.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Added {
    /// A folder with a user's bot to add to the daemon first, which then plays as bot:NAME; may be given more than once.
    #[arg(long = "add", value_name = "FOLDER")]
    folders: Vec<PathBuf>,
}

impl Added {
    pub(crate) async fn to(&self, daemon: &Daemon) -> anyhow::Result<()> {
        for folder in &self.folders {
            let mut command = command(["bot", "add"])?;
            let database = daemon.data.join("drover.db");
            command.arg(folder).env("DROVER__STORE__PATH", database);
            let output = command.output().await.context("a bot cannot be added")?;
            let why = String::from_utf8_lossy(&output.stderr);
            ensure!(output.status.success(), "{}: {why}", folder.display());
        }
        Ok(())
    }

    /// Whether any were added.
    pub(crate) const fn any(&self) -> bool {
        !self.folders.is_empty()
    }
}

/// Programs of a daemon that is no more: processes that run in this folder.
pub(crate) fn left_behind(folder: &Path) -> anyhow::Result<u64> {
    let folder = folder.canonicalize()?;
    let processes = std::fs::read_dir("/proc").context("no /proc: this counts on Linux only")?;
    let folders = processes
        .flatten()
        .filter_map(|process| std::fs::read_link(process.path().join("cwd")).ok());
    Ok(folders.filter(|cwd| cwd.starts_with(&folder)).count() as u64)
}
