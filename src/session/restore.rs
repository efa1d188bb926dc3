//! Takes up what earlier runs of the daemon, or other replicas, left in the store.

use super::actor;
use super::bot_address::{BotAddress, Key};
use super::core::SessionState;
use super::mailbox::Session;
use super::mailbox::micros;
use super::message::Expiry;
use super::ownership;
use super::program;
use super::registry::Registry;
use crate::cluster::Replica;
use crate::store::StoreError;
use crate::store::types::{Append, Close, IMPORTED, LiveSession, NewSession, SessionRow, Side};
use games::{Cause, Wire};
use std::collections::HashMap;
use std::sync::Arc;

/// Bots by game, bot and referee; `None` where this version knows no such bot.
pub(super) type KnownBots = HashMap<(String, String, String), Option<Arc<BotAddress>>>;

/// Why an idle session ends.
pub(super) const UNTERMINATED: &str = "nothing was received for it any more";

/// Takes up a session that has not ended.
pub(super) fn take_up(registry: &Arc<Registry>, found: LiveSession, known: &mut KnownBots) {
    let opened = &found.opened;
    // What was left of an import that was cut off.
    if opened.referee == IMPORTED {
        return;
    }
    let Some(bot) = known_bot(registry, opened, known) else {
        tracing::warn!(
            session = found.id.0,
            game = opened.game,
            bot = opened.bot,
            "a live session's game or bot is unknown to this version: it is left alone"
        );
        return;
    };
    let key = Key {
        bot,
        market: opened.market,
        id: opened.player,
    };
    let idle_ms = (registry.started_us - found.last_us) / 1000;
    let core = ownership::live(registry, &key, found);
    let session = Arc::new(Session::new(key.clone(), Some(core), -idle_ms));
    if key.bot.kit().card().wire == Wire::Hub {
        let expiry = Expiry::now(Cause::Disconnect, "the daemon was stopped in mid-game");
        actor::expire(registry, &session, expiry);
    }
    let former = registry.shard(&key).lock().insert(key, session);
    if let Some(former) = former {
        // Its end could not be stored when the next match of its key began.
        let expiry = Expiry::now(
            Cause::Unterminated,
            "the referee began a new match under the same numbers",
        );
        actor::expire(registry, &former, expiry);
    }
}

/// Ends the games that another replica has left on this connection to a hub.
pub(super) async fn end_games(
    registry: &Arc<Registry>,
    bot: &BotAddress,
    connection: u64,
) -> Result<(), StoreError> {
    let (game, referee) = (bot.kit().card().name, bot.referee());
    let mut known = KnownBots::new();
    for found in registry.dependencies.store.live().await? {
        let of = &found.opened;
        if of.side == Side::Player
            && of.game == game
            && of.referee == referee
            && of.player == connection
        {
            registry.dependencies.store.take_up(found.clone()).await?;
            take_up(registry, found, &mut known);
        }
    }
    Ok(())
}

/// Ends the sessions for which nothing was received for too long, and that no replica owns any more.
pub(super) async fn end_abandoned(
    registry: &Arc<Registry>,
    replica: &Replica,
) -> Result<(), StoreError> {
    let idle = i64::from(micros(registry.options.idle_limit));
    let before_us = registry.now_us() - idle;
    let mut known = KnownBots::new();
    for found in registry.dependencies.store.live().await? {
        let opened = &found.opened;
        if found.last_us > before_us || opened.side != Side::Player {
            continue;
        }
        let Some(bot) = known_bot(registry, opened, &mut known) else {
            continue;
        };
        let key = Key {
            bot,
            market: opened.market,
            id: opened.player,
        };
        // A connection to a hub is silent for as long as a turn lasts, and what is here is the sweep's.
        let is_hub = key.bot.kit().card().wire == Wire::Hub;
        if is_hub || registry.is_live_here(&key, found.id) {
            continue;
        }
        // Where the database is away it is tried again later.
        if let Ok(Some(_)) = replica.take(&key.resource()).await {
            end(registry, found).await;
        }
    }
    Ok(())
}

/// Ends a session as it is stored, unless more was received meanwhile.
async fn end(registry: &Registry, found: LiveSession) {
    let store = &registry.dependencies.store;
    let session = found.id.0;
    let close = Close {
        detail: UNTERMINATED.to_owned(),
        ..Close::new(registry.now_us(), Cause::Unterminated)
    };
    let append = Append {
        close: Some(Box::new(close)),
        ..Append::after(found.id, found.head, found.seq)
    };
    let ended = async {
        store.take_up(found).await?;
        store.append(append).await
    };
    if let Err(error) = ended.await {
        tracing::debug!(session, %error, "an abandoned session does not end");
    }
}

/// A session that ended before the start: what its referee repeats gets the default, as before.
pub(super) fn remember_ended(registry: &Registry, row: SessionRow, known: &mut KnownBots) {
    let Some(bot) = known_bot(registry, &row.opened, known) else {
        return;
    };
    let key = Key {
        bot,
        market: row.opened.market,
        id: row.opened.player,
    };
    let idle_ms = (registry.started_us - row.ended_us.unwrap_or(registry.started_us)) / 1000;
    let core = Box::new(SessionState::over(row));
    let session = || Arc::new(Session::new(key.clone(), Some(core), -idle_ms));
    registry
        .shard(&key)
        .lock()
        .entry(key.clone())
        .or_insert_with(session);
}

fn known_bot(
    registry: &Registry,
    opened: &NewSession,
    known: &mut KnownBots,
) -> Option<Arc<BotAddress>> {
    let names = (
        opened.game.clone(),
        program::asked(opened).unwrap_or(&opened.bot).to_owned(),
        opened.referee.clone(),
    );
    let bot = known
        .entry(names)
        .or_insert_with_key(|(game, bot, referee)| {
            let kit = (registry.dependencies.find)(game)?;
            BotAddress::named(kit, bot, referee).map(Arc::new)
        });
    bot.clone()
}
