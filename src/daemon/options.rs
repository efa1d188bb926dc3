//! The configuration translated into each module's options.

use crate::config::{Config, Durability};
use crate::gateway::CallbackOptions;
use crate::session::SessionOptions;
use crate::store::{self, Settings};

fn durability(word: Durability) -> store::Durability {
    match word {
        Durability::Power => store::Durability::Power,
        Durability::Process => store::Durability::Process,
    }
}

/// What commits of this game must survive.
pub(super) fn durability_of(config: &Config, game: &str) -> store::Durability {
    durability(config.store.durability_of(game))
}

/// The store's settings.
#[must_use]
pub fn store_settings(config: &Config) -> Settings {
    Settings {
        durability: durability(config.store.durability),
        ..Settings::at(&config.store.path)
    }
}

/// The sessions' options.
#[must_use]
pub fn session_options(config: &Config) -> SessionOptions {
    let by_game = &config.store.durability_by_game;
    SessionOptions {
        sessions_max: config.callbacks.sessions_max,
        hibernate_after: config.callbacks.hibernate_after,
        idle_limit: config.callbacks.idle_limit,
        margin: config.callbacks.margin,
        budget: config.thinking.budget_by_game.clone(),
        models: config.thinking.models,
        durability: by_game
            .iter()
            .map(|(game, word)| ((*game).to_owned(), durability(*word)))
            .collect(),
        durability_default: durability(config.store.durability),
        ..SessionOptions::default()
    }
}

/// The callback listener's options.
#[must_use]
pub fn callback_options(config: &Config) -> CallbackOptions {
    let callbacks = &config.callbacks;
    CallbackOptions {
        default_bot: callbacks.default_bot.clone(),
        secret_path: callbacks
            .secret_path
            .reveal()
            .unwrap_or_default()
            .to_owned(),
        referees: callbacks.referees.clone(),
        exempt: callbacks
            .referees
            .iter()
            .flat_map(|known| known.addresses.iter().copied())
            .collect(),
        trusted_proxies: callbacks.trusted_proxies.clone(),
        connections_max: callbacks.connections_max,
        connections_per_peer_max: callbacks.connections_per_peer_max,
        requests_per_peer_max: callbacks.requests_per_peer_max,
        header_read_timeout: callbacks.header_timeout,
        drain: config.drain.limit,
        ..CallbackOptions::default()
    }
}
