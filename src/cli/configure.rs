//! `drover config check|show|init`.

use super::common::Common;
use crate::config::{self, Config, ConfigError, Flags};
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
            config::load_and(Some(file), &Vec::new(), &Flags::new(), &of_the_hub)?;
            writeln!(out, "{} is in order", file.display())?;
        }
        Verb::Check { file: None } => {
            common.check(&of_the_hub)?;
            writeln!(out, "the configuration is in order")?;
        }
        Verb::Show => write!(out, "{}", config::show(&common.load(&Flags::new())?))?,
        Verb::Init { file: None } => write!(out, "{}", config::template())?,
        Verb::Init { file: Some(file) } => {
            let mut new = std::fs::File::create_new(file).with_context(|| {
                let again = match file.exists() {
                    true => ", since it is there: remove it, or name another one",
                    false => "",
                };
                format!("cannot make {}{again}", file.display())
            })?;
            new.write_all(config::template().as_bytes())
                .with_context(|| format!("cannot write {}", file.display()))?;
            writeln!(out, "wrote {}", file.display())?;
        }
    }
    Ok(())
}

/// Mistakes that only building the hub finds: in its rooms and maps.
fn of_the_hub(config: &Config) -> Vec<ConfigError> {
    let Some(kit) = games::met_by(games::Wire::Hub) else {
        return Vec::new();
    };
    let mut roomless = config.clone();
    roomless.referee.smartdog.hubs.clear();
    let fault = |config: &Config| {
        let checked = hub_settings(kit, config).and_then(|settings| Ok(settings.check()?));
        checked.err().map(|error| format!("{error:#}"))
    };
    let mut faults: Vec<String> = fault(config).into_iter().chain(fault(&roomless)).collect();
    faults.dedup();
    let what = "`referee.smartdog`".to_owned();
    let mistake = |why| ConfigError::Unusable {
        what: what.clone(),
        why,
    };
    faults.into_iter().map(mistake).collect()
}
