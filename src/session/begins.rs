//! Who may begin a session now: as long as there is plenty, everybody; under shortage each peer at its
//! rate and up to its share.

use super::bot_address::Key;
use super::message::{Origin, Place, Refusal};
use super::registry::Registry;
use crate::link::{Peer, Shortage};
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::Instant;

/// A new match is refused while a decision that came now would have to wait so long for the pool.
const DELAY_MAX: Duration = Duration::from_secs(1);
/// From this wait on there is shortage of thinking.
const DELAY_SHORT: Duration = Duration::from_millis(250);

/// Whether a new session of this key may be opened, and its place.
pub(super) fn admit(registry: &Registry, key: &Key, origin: Origin) -> Result<Place, Refusal> {
    // Our own referee's matches are nobody's share.
    let peer = origin.peer.filter(|_| !is_ours(registry, key));
    let admitted = may(registry, peer, origin.short).and_then(|()| {
        let begun = peer.map(|peer| registry.begun.take(Some(peer)));
        let place = begun.transpose().and_then(|begun| {
            let slot = registry.shares.take(peer)?;
            Ok(Place { slot, begun })
        });
        place.map_err(|shortage| match shortage {
            Shortage::Full => Refusal::Full,
            Shortage::Share => Refusal::Share,
        })
    });
    admitted.inspect_err(|refusal| registry.meters.refused(refusal.word()))
}

/// Whether this session plays in a match of our own referee.
pub(super) fn is_ours(registry: &Registry, key: &Key) -> bool {
    let identities = &registry.dependencies.identities;
    let referee = key.bot.referee();
    identities.find(referee, key.market, key.id).is_some()
}

/// Whether somebody new, of whom nothing is known, would be refused now. Counts nothing.
pub(super) fn refusal(registry: &Registry) -> Option<Refusal> {
    let full = || registry.shares.is_full().then_some(Refusal::Full);
    may(registry, None, false).err().or_else(full)
}

/// Whether shares and rates bite.
pub(super) fn is_short(registry: &Registry) -> bool {
    registry.shares.is_short()
        || registry.begun.is_short()
        || registry.dependencies.pool.delay() > DELAY_SHORT
}

fn may(registry: &Registry, peer: Option<Peer>, short: bool) -> Result<(), Refusal> {
    // Where others share the store they go on with what begins here.
    let is_last = registry.dependencies.replica.is_none();
    if is_last && registry.draining.load(Ordering::Relaxed) {
        return Err(Refusal::Draining);
    }
    if registry.dependencies.pool.delay() > DELAY_MAX {
        return Err(Refusal::Busy);
    }
    match peer {
        Some(peer)
            if (short || is_short(registry))
                && !registry.rates.allow(peer, Instant::now().into_std()) =>
        {
            Err(Refusal::Rate)
        }
        _ => Ok(()),
    }
}
