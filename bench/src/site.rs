//! The daemon's callback side alone, on a free loopback port with a database of its own.

use anyhow::Context as _;
use drover::config::Location;
use drover::daemon::Site;
use drover::gateway::CallbackOptions;
use drover::history::GameRules;
use drover::session::SessionOptions;
use drover::store::{Durability, Settings};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;

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

/// Starts the callback side alone; without a durability it stores nothing, `packs` says whether sessions that
/// have ended are packed meanwhile, `budget` is the ceiling of a decision's thinking.
pub(crate) async fn start(
    location: Location,
    durability: Option<Durability>,
    packs: bool,
    budget: Duration,
) -> anyhow::Result<Site> {
    let wanted = durability.unwrap_or(Durability::Process);
    let settings = Settings {
        durability: wanted,
        packs,
        ..Settings::at(location, GameRules::all())
    };
    let sessions = SessionOptions {
        durability_default: wanted,
        unstored: durability.is_none(),
        budget: BTreeMap::new(),
        budget_default: budget,
        ..SessionOptions::default()
    };
    let callbacks = CallbackOptions {
        drain: Duration::ZERO,
        ..CallbackOptions::default()
    };
    Site::start(&settings, sessions, callbacks, None).await
}
