//! How sessions work, and what they depend on.

pub use crate::store::StoreError;

use crate::cluster::Replica;
use crate::config::Config;
use crate::identities::Identities;
use crate::programs::Bots;
use crate::store::Storage;
use crate::store::types::Durability;
use crate::thinking::Pool;
use games::Kit;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// What sessions depend on.
#[derive(Clone)]
pub struct Dependencies {
    /// Where transcripts are kept.
    pub store: Arc<dyn Storage>,
    /// Where bots think.
    pub pool: Pool,
    /// Who is who in our own referee's matches.
    pub identities: Identities,
    /// Users' programs.
    pub bots: Bots,
    /// Which of its sessions this process owns, where others share its store.
    pub replica: Option<Arc<Replica>>,
    /// Finds a game: [`games::find`] everywhere but in tests.
    pub find: fn(&str) -> Option<&'static dyn Kit>,
}

/// How sessions work.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// Sessions that may be live at once.
    pub sessions_max: usize,
    /// Sessions of strangers of which only the first message was received that may be live at once: what these may cost on
    /// disk.
    pub begun_max: usize,
    /// Messages that may wait for one session.
    pub mailbox_max: usize,
    /// After how long without a message a session keeps only what it takes to fold it again.
    pub hibernate_after: Duration,
    /// After how long without a message a session is ended as unterminated.
    pub idle_limit: Duration,
    /// After how long without a second message a session is ended while sessions are scarce.
    pub fresh_limit: Duration,
    /// After how long without a message a stop no longer waits for a session.
    pub quiet_limit: Duration,
    /// The same for a session that received nothing but its first message.
    pub begun_limit: Duration,
    /// How long before the wire's limit an answer must be ready.
    pub margin: Duration,
    /// The ceiling of a decision's thinking, by game.
    pub budget: BTreeMap<String, Duration>,
    /// The ceiling where [`SessionOptions::budget`] has none.
    pub budget_default: Duration,
    /// Nodes a decision at most; `None`: time alone counts.
    pub nodes: Option<u64>,
    /// Whether bots may use opponent models.
    pub models: bool,
    /// What a commit must survive, by game.
    pub durability: BTreeMap<String, Durability>,
    /// What it must survive where `durability` says nothing.
    pub durability_default: Durability,
    /// Answers without storing anything: only to measure what storing costs. Nothing survives.
    #[doc(hidden)]
    pub unstored: bool,
}

impl From<&Config> for SessionOptions {
    fn from(config: &Config) -> Self {
        Self {
            sessions_max: config.callbacks.sessions_max,
            begun_max: 20_000,
            mailbox_max: 16,
            hibernate_after: config.callbacks.hibernate_after_s,
            idle_limit: config.callbacks.idle_limit_s,
            fresh_limit: Duration::from_secs(30),
            quiet_limit: Duration::from_secs(20),
            begun_limit: Duration::from_secs(2),
            margin: config.callbacks.margin_ms,
            budget: config.thinking.budget_ms_by_game.clone(),
            budget_default: Duration::from_millis(1000),
            nodes: None,
            models: config.thinking.models,
            durability: config.store.durability_by_game.clone(),
            durability_default: config.store.durability,
            unstored: false,
        }
    }
}

impl Default for SessionOptions {
    /// Those of the configuration's defaults.
    fn default() -> Self {
        Self::from(&Config::default())
    }
}

impl SessionOptions {
    pub(super) fn ceiling(&self, game: &str) -> Duration {
        self.budget
            .get(game)
            .copied()
            .unwrap_or(self.budget_default)
    }

    pub(super) fn durability(&self, game: &str) -> Durability {
        self.durability
            .get(game)
            .copied()
            .unwrap_or(self.durability_default)
    }
}
