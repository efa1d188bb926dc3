//! The sweep: puts idle sessions to sleep, ends those that idle too long, forgets ended ones. While
//! sessions are scarce it also ends those of which only the first message was received. Of strangers' that
//! ended so nothing is kept.

use super::actor;
use super::begins;
use super::core::SessionState;
use super::mailbox::{Rest, Session};
use super::message::Expiry;
use super::registry::Registry;
use super::restore;
use crate::link::Peer;
use games::{Cause, Wire};
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

/// Bounds of the time between two sweeps.
const EVERY_MIN: Duration = Duration::from_millis(100);
const EVERY_MAX: Duration = Duration::from_secs(15);
/// The most between two while sessions are scarce.
const SHORT_EVERY: Duration = Duration::from_secs(2);
/// Sessions ended by one sweep; the next one goes on.
const CLOSED_MAX: usize = 1_000;

/// Sweeps until the registry is closed.
pub(super) async fn run(registry: Arc<Registry>) {
    let options = &registry.options;
    let shortest = options.hibernate_after.min(options.idle_limit);
    let every = (shortest / 4).clamp(EVERY_MIN, EVERY_MAX);
    let short = (options.fresh_limit / 4).clamp(EVERY_MIN, SHORT_EVERY);
    loop {
        // Shortage may come between two sweeps, so that it is looked for more often.
        let mut waited = Duration::ZERO;
        while waited < every && !(waited > Duration::ZERO && begins::is_short(&registry)) {
            let wait = short.min(every - waited);
            tokio::select! {
                biased;
                () = registry.stop.cancelled() => return,
                () = tokio::time::sleep(wait) => waited += wait,
            }
        }
        sweep(&registry);
    }
}

/// Moments before which sessions are dealt with, in milliseconds on the registry's clock.
struct Bounds {
    sleep_before: i64,
    close_before: i64,
    forget_before: i64,
    fresh_before: i64,
    /// Places that are wanted of sessions that merely began.
    wanting: usize,
}

/// What one sweep has found to be ended.
#[derive(Default)]
struct Found {
    idle: Vec<Arc<Session>>,
    fresh: Vec<Fresh>,
}

fn sweep(registry: &Arc<Registry>) {
    let now_ms = registry.clock_ms();
    let before = |age: Duration| now_ms - i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
    let shares = match registry.shares.wanting() {
        0 => &registry.begun,
        _ => &registry.shares,
    };
    let bounds = Bounds {
        sleep_before: before(registry.options.hibernate_after),
        close_before: before(registry.options.idle_limit),
        forget_before: before(registry.options.idle_limit),
        fresh_before: before(registry.options.fresh_limit),
        wanting: shares.wanting().min(CLOSED_MAX),
    };
    let void = std::mem::take(&mut *registry.void.lock());
    let mut found = Found::default();
    let mut gone = Vec::new();
    for shard in &registry.shards {
        shard.lock().retain(|key, session| {
            let stays = found.stays(session, &bounds);
            if !stays && session.epoch().is_some() {
                gone.push(key.resource());
            }
            stays
        });
    }
    if let Some(replica) = registry.dependencies.replica.clone()
        && !gone.is_empty()
    {
        // Its next message takes it up anywhere.
        registry
            .tracker
            .spawn(async move { replica.release(gone).await });
    }
    if !void.is_empty() {
        let registry = Arc::clone(registry);
        let tracker = registry.tracker.clone();
        tracker.spawn(async move { discard(&registry, void).await });
    }
    let greedy = of_the_greediest(found.fresh, bounds.wanting, shares.greedy());
    if !greedy.is_empty() {
        let sessions = greedy.len();
        tracing::info!(sessions, "sessions are scarce: those that merely began end");
    }
    let idle = found.idle.into_iter();
    let idle = idle.map(|session| (session, bounds.close_before));
    let greedy = greedy.into_iter();
    let greedy = greedy.map(|session| (session, bounds.fresh_before));
    for (session, idle_since_ms) in idle.chain(greedy) {
        let expiry = Expiry {
            idle_since_ms,
            ..Expiry::now(Cause::Unterminated, restore::UNTERMINATED)
        };
        actor::expire(registry, &session, expiry);
    }
}

impl Found {
    /// Whether this session stays in the registry; notes it if it is to be ended.
    fn stays(&mut self, session: &Arc<Session>, bounds: &Bounds) -> bool {
        let touched_ms = session.touched_ms();
        let line = session.key.bot.kit().card().wire == Wire::Hub;
        match session.rest(touched_ms <= bounds.sleep_before) {
            Rest::Busy => true,
            Rest::Empty => touched_ms > bounds.sleep_before,
            Rest::Ended => {
                // Somebody who has just found it may begin in it.
                let quiet = touched_ms <= bounds.fresh_before.max(bounds.close_before);
                let gone = quiet && session.peek(|core| core.void).unwrap_or(false);
                // On a hub's line nothing is ever repeated.
                !gone && !line && touched_ms > bounds.forget_before
            }
            Rest::Live => {
                // A hub's session ends with its connection, however long a turn may last.
                if !line && touched_ms <= bounds.close_before {
                    if self.idle.len() < CLOSED_MAX {
                        self.idle.push(Arc::clone(session));
                    }
                } else if bounds.wanting > 0
                    && touched_ms <= bounds.fresh_before
                    && let Some(peer) = session.peek(fresh_of).flatten()
                {
                    self.fresh.push(Fresh {
                        began_ms: touched_ms,
                        peer,
                        session: Arc::clone(session),
                    });
                }
                true
            }
        }
    }
}

/// Who holds a session that merely began.
fn fresh_of(core: &SessionState) -> Option<Peer> {
    core.permit.as_ref().filter(|_| core.fresh)?.peer()
}

/// Removes these sessions and their matches from the store. Those that a stop leaves there stay there.
async fn discard(registry: &Registry, void: Vec<i64>) {
    match registry.dependencies.store.discard(&void).await {
        Ok(0) => {}
        Ok(matches) => {
            registry.meters.discarded.increment(matches);
            tracing::info!(
                matches,
                "matches of strangers that merely began were removed"
            );
        }
        Err(error) => tracing::warn!(%error, "matches that merely began could not be removed"),
    }
}

/// A session that merely began.
struct Fresh {
    began_ms: i64,
    peer: Peer,
    session: Arc<Session>,
}

/// As many of them as are wanted, each time the oldest of the greedy peer that then holds most.
fn of_the_greediest(
    mut fresh: Vec<Fresh>,
    wanted: usize,
    mut holds: HashMap<Peer, usize>,
) -> Vec<Arc<Session>> {
    fresh.sort_unstable_by_key(|fresh| fresh.began_ms);
    let ranked = fresh.into_iter().filter_map(|fresh| {
        // What its peer holds without it and those that are older.
        let left = holds.get_mut(&fresh.peer)?;
        *left = left.saturating_sub(1);
        Some((*left, fresh.session))
    });
    let mut ranked: Vec<_> = ranked.collect();
    ranked.sort_by_key(|(left, _)| Reverse(*left));
    ranked.truncate(wanted);
    ranked.into_iter().map(|(_, session)| session).collect()
}
