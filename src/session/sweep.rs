//! The sweep: puts idle sessions to sleep, ends those that idle too long, forgets ended ones.

use super::mailbox::{Expiry, Rest, Session};
use super::registry::{Shared, lock};
use games::{Cause, Wire};
use std::sync::Arc;
use std::time::Duration;

/// Bounds of the time between two sweeps.
const EVERY_MIN: Duration = Duration::from_millis(100);
const EVERY_MAX: Duration = Duration::from_secs(15);
/// Sessions ended by one sweep; the next one goes on.
const CLOSED_MAX: usize = 1_000;

/// Sweeps until the registry is closed.
pub(super) async fn run(shared: Arc<Shared>) {
    let shortest = shared
        .options
        .hibernate_after
        .min(shared.options.idle_limit);
    let every = (shortest / 4).clamp(EVERY_MIN, EVERY_MAX);
    loop {
        tokio::select! {
            () = shared.stop.cancelled() => return,
            () = tokio::time::sleep(every) => sweep(&shared),
        }
    }
}

fn sweep(shared: &Arc<Shared>) {
    let now_ms = shared.clock_ms();
    let before = |age: Duration| now_ms - i64::try_from(age.as_millis()).unwrap_or(i64::MAX);
    let sleep_before = before(shared.options.hibernate_after);
    let close_before = before(shared.options.idle_limit);
    let forget_before = before(shared.forget_after());
    let mut idle: Vec<Arc<Session>> = Vec::new();
    for shard in &shared.shards {
        lock(shard).retain(|_, session| {
            let touched_ms = session.touched_ms();
            let line = session.key.place.kit().wire() == Wire::Hub;
            match session.rest(touched_ms <= sleep_before) {
                Rest::Busy => true,
                Rest::Empty => touched_ms > sleep_before,
                // On a hub's line nothing is ever repeated.
                Rest::Ended => !line && touched_ms > forget_before,
                Rest::Live => {
                    // A hub's session ends with its connection, however long a turn may last.
                    if !line && touched_ms <= close_before && idle.len() < CLOSED_MAX {
                        idle.push(Arc::clone(session));
                    }
                    true
                }
            }
        });
    }
    for session in idle {
        let expiry = Expiry {
            idle_since_ms: close_before,
            cause: Cause::Unterminated,
            detail: "nothing was heard of it any more".into(),
            hung_up: false,
        };
        session.expire(shared, expiry);
    }
}
