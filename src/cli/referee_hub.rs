//! `drover referee` for games whose players dial a hub.

use super::play_args::rule_options;
use super::referee_args::{RefereeArgs, is_configured};
use super::usage::{UsageError, refuse};
use crate::config::Config;
use crate::daemon::hub_settings;
use crate::referee::hub::{HubSettings, Room, read_maps};
use crate::referee::merged;
use games::Kit;
use std::num::NonZeroUsize;
use std::path::Path;

/// The configuration with the flags applied.
pub(super) fn settings(
    kit: &'static dyn Kit,
    args: &RefereeArgs,
    config: &Config,
) -> anyhow::Result<HubSettings> {
    let (settings, configured) = match is_configured(kit) {
        true => (
            hub_settings(kit, config)?,
            &config.referee.smartdog.hubs[..],
        ),
        false => (HubSettings::new(kit), &[][..]),
    };
    if !args.allow.is_empty() || args.no_retry {
        let game = kit.card().name;
        return refuse(format!(
            "--allow and --no-retry are of referees that call their players; {game} players dial"
        ));
    }
    // A hub given as a flag replaces a configured one of the same name.
    let named = |hub: &str| Room::plain(hub.split(':').next().unwrap_or_default());
    let kept = configured
        .iter()
        .filter(|hub| !args.hubs.iter().any(|flag| named(flag) == named(hub)));
    let hubs: Vec<String> = kept.chain(&args.hubs).cloned().collect();
    let rooms = Room::with(&hubs, kit).map_err(|error| UsageError(format!("--hub: {error}")))?;
    let maps = match &args.maps {
        Some(folder) => maps(folder)?,
        None => settings.maps,
    };
    let options = merged(&settings.options, &rule_options(kit, &args.options)?);
    let settings = HubSettings {
        rooms,
        maps,
        options,
        matches_max: args
            .matches_max
            .map_or(settings.matches_max, NonZeroUsize::get),
        always_wait: settings.always_wait || args.always_wait,
        ..settings
    };
    // A wrong value is reported now, not to the first player.
    settings
        .check()
        .map_err(|error| UsageError(error.to_string()))?;
    Ok(settings)
}

fn maps(folder: &Path) -> Result<Vec<(String, String)>, UsageError> {
    read_maps(folder).map_err(|error| UsageError(error.to_string()))
}
