//! The sweep: puts idle sessions to sleep, ends those that idle too long, forgets ended ones. While
//! sessions are scarce it also ends those of which only the first message was received. Of strangers' that
//! ended so nothing is kept.

use super::actor;
use super::begins;
use super::core::SessionState;
use super::mailbox::{Rest, Session};
use super::message::Expiry;
use super::registry::Registry;
use crate::history;
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
                () = registry.stop.cancelled() => return,
                () = tokio::time::sleep(wait) => waited += wait,
            }
        }
        sweep(&registry);
    }
}

fn sweep(registry: &Arc<Registry>) {
    let now_ms = registry.clock_ms();
    let before = |age: Duration| now_ms - i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
    let sleep_before = before(registry.options.hibernate_after);
    let close_before = before(registry.options.idle_limit);
    let forget_before = before(registry.forget_after());
    let fresh_before = before(registry.options.fresh_limit);
    let shares = match registry.shares.wanting() {
        0 => &registry.begun,
        _ => &registry.shares,
    };
    let wanting = shares.wanting().min(CLOSED_MAX);
    let void = std::mem::take(&mut *registry.void.lock());
    let mut idle: Vec<Arc<Session>> = Vec::new();
    let mut fresh: Vec<Fresh> = Vec::new();
    let fresh_of = |core: &SessionState| core.permit.as_ref().filter(|_| core.fresh)?.peer();
    for shard in &registry.shards {
        shard.lock().retain(|_, session| {
            let touched_ms = session.touched_ms();
            let line = session.key.bot.kit().card().wire == Wire::Hub;
            match session.rest(touched_ms <= sleep_before) {
                Rest::Busy => true,
                Rest::Empty => touched_ms > sleep_before,
                Rest::Ended => {
                    // Whoever has just found it may begin in it.
                    let quiet = touched_ms <= fresh_before.max(close_before);
                    let gone = quiet && session.peek(|core| core.void).unwrap_or(false);
                    // On a hub's line nothing is ever repeated.
                    !gone && !line && touched_ms > forget_before
                }
                Rest::Live => {
                    // A hub's session ends with its connection, however long a turn may last.
                    if !line && touched_ms <= close_before {
                        if idle.len() < CLOSED_MAX {
                            idle.push(Arc::clone(session));
                        }
                    } else if wanting > 0
                        && touched_ms <= fresh_before
                        && let Some(peer) = session.peek(fresh_of).flatten()
                    {
                        fresh.push(Fresh {
                            began_ms: touched_ms,
                            peer,
                            session: Arc::clone(session),
                        });
                    }
                    true
                }
            }
        });
    }
    if !void.is_empty() {
        let registry = Arc::clone(registry);
        registry
            .tracker
            .clone()
            .spawn(async move { discard(&registry, void).await });
    }
    let greedy = of_the_greediest(fresh, wanting, shares.greedy());
    if !greedy.is_empty() {
        let sessions = greedy.len();
        tracing::info!(sessions, "sessions are scarce: those that merely began end");
    }
    for (session, idle_since_ms) in (idle.into_iter().map(|session| (session, close_before)))
        .chain(greedy.into_iter().map(|session| (session, fresh_before)))
    {
        let expiry = Expiry {
            idle_since_ms,
            ..Expiry::now(Cause::Unterminated, "nothing was heard of it any more")
        };
        actor::expire(registry, &session, expiry);
    }
}

/// Removes these sessions and their matches from the store. Those that a stop leaves there stay there.
async fn discard(registry: &Registry, void: Vec<i64>) {
    match history::discard(&registry.dependencies.store, void).await {
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
