//! `drover config check|show|init`.

use super::common::Common;
use super::usage::UsageError;
use crate::config::{self, Flags};
use crate::daemon::hub_settings;
use anyhow::Context as _;
use std::io::Write as _;
use std::path::PathBuf;

#[derive(Debug, clap::Subcommand)]
pub(super) enum Verb {
    /// Check a file: every key, type and range. Without FILE: the configuration in effect.
    Check {
        /// The file.
        file: Option<PathBuf>,
    },
    /// Show the configuration in effect and where each value comes from; secrets are masked.
    Show,
    /// Write the commented file with every key at its default.
    Init {
        /// Where to write it; standard output by default. An existing file is never overwritten.
        file: Option<PathBuf>,
    },
}

pub(super) fn run(common: &Common, verb: &Verb) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    match verb {
        Verb::Check { file: Some(file) } => {
            let loaded = config::check_file(file)?;
            whole(&loaded)?;
            writeln!(out, "{} is in order", file.display())?;
        }
        Verb::Check { file: None } => {
            let loaded = common.load(&Flags::new())?;
            whole(&loaded)?;
            writeln!(out, "the configuration is in order")?;
        }
        Verb::Show => write!(out, "{}", config::show(&common.load(&Flags::new())?))?,
        Verb::Init { file: None } => write!(out, "{}", config::template())?,
        Verb::Init { file: Some(file) } => {
            let mut new = std::fs::File::create_new(file)
                .with_context(|| format!("cannot make {}", file.display()))?;
            new.write_all(config::template().as_bytes())
                .with_context(|| format!("cannot write {}", file.display()))?;
            writeln!(out, "wrote {}", file.display())?;
        }
    }
    Ok(())
}

/// Checks that only building the hub can make: its rooms and maps.
fn whole(loaded: &config::Loaded) -> anyhow::Result<()> {
    if let Some(kit) = games::met_by(games::Wire::Hub) {
        hub_settings(kit, &loaded.config)?
            .check()
            .map_err(|error| UsageError(error.to_string()))?;
    }
    Ok(())
}
