//! Who may begin a session now: as long as there is plenty, everybody; under shortage each peer at its
//! rate and up to its share.

use super::answer::Refusal;
use super::bot_address::Key;
use super::registry::Shared;
use crate::link::{Peer, Share, Shortage};
use governor::clock::DefaultClock;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};
use std::fmt;
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// A new match is refused while a decision that came now would have to wait so long for the pool.
const DELAY_MAX: Duration = Duration::from_secs(1);
/// From this wait on there is shortage of thinking.
const DELAY_SHORT: Duration = Duration::from_millis(250);
/// Sessions that a peer may begin under shortage: so many a second, and so many at once. Fifty matches at
/// once of quick players stay below; their number is what shares bound.
const RATE: NonZeroU32 = NonZeroU32::new(200).expect("not zero");
const BURST: NonZeroU32 = NonZeroU32::new(1_000).expect("not zero");
/// Peers whose rates are known at once; beyond them only shares bind.
const RATED_MAX: usize = 16_384;

/// From whom a message came, as far as limits mind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Whose share a session counts for that this message begins; `None`: nobody's.
    peer: Option<Peer>,
    /// Whether connections are scarce where it came in.
    short: bool,
}

impl Origin {
    /// A caller whom shares and rates bind, unless it is exempt as configured referees are. `short`:
    /// connections are scarce where it came in.
    #[must_use]
    pub fn new(address: IpAddr, exempt: bool, short: bool) -> Self {
        Self {
            peer: (!exempt).then(|| Peer::of(address)),
            short,
        }
    }
}

/// How fast each peer has begun sessions of late.
pub(super) struct Rates(RateLimiter<Peer, HashMapStateStore<Peer>, DefaultClock>);

impl fmt::Debug for Rates {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Rates({})", self.0.len())
    }
}

impl Rates {
    pub(super) fn new() -> Self {
        let quota = Quota::per_second(RATE).allow_burst(BURST);
        Self(RateLimiter::hashmap(quota))
    }

    /// Whether this peer may begin one more now.
    fn allow(&self, peer: Peer) -> bool {
        if self.0.len() >= RATED_MAX {
            self.0.retain_recent();
            if self.0.len() >= RATED_MAX {
                return true;
            }
        }
        self.0.check_key(&peer).is_ok()
    }
}

/// Whether a new session of this key may be opened, and its place.
pub(super) fn admit(shared: &Shared, key: &Key, origin: Origin) -> Result<Share, Refusal> {
    // Our own referee's matches are nobody's share.
    let ours = || {
        let identities = &shared.dependencies.identities;
        let referee = key.bot.referee();
        identities.find(referee, key.market, key.id).is_some()
    };
    let peer = origin.peer.filter(|_| !ours());
    let admitted = may(shared, peer, origin.short).and_then(|()| {
        shared.shares.take(peer).map_err(|shortage| match shortage {
            Shortage::Full => Refusal::Full,
            Shortage::Share => Refusal::Share,
        })
    });
    admitted.inspect_err(|refusal| shared.meters.refused(refusal.word()))
}

/// Whether somebody new, of whom nothing is known, would be refused now. Counts nothing.
pub(super) fn refusal(shared: &Shared) -> Option<Refusal> {
    let full = || (shared.shares.taken() >= shared.shares.max()).then_some(Refusal::Full);
    may(shared, None, false).err().or_else(full)
}

/// Whether shares and rates bite.
pub(super) fn is_short(shared: &Shared) -> bool {
    shared.shares.wanting() > 0 || shared.dependencies.pool.delay() > DELAY_SHORT
}

fn may(shared: &Shared, peer: Option<Peer>, short: bool) -> Result<(), Refusal> {
    if shared.draining.load(Ordering::Relaxed) {
        return Err(Refusal::Draining);
    }
    if shared.dependencies.pool.delay() > DELAY_MAX {
        return Err(Refusal::Busy);
    }
    match peer {
        Some(peer) if (short || is_short(shared)) && !shared.rates.allow(peer) => {
            Err(Refusal::Rate)
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::{BURST, RATED_MAX, Rates};
    use crate::link::Peer;
    use std::net::Ipv4Addr;

    fn peer(number: u32) -> Peer {
        Peer::of(Ipv4Addr::from_bits(number).into())
    }

    #[test]
    fn a_rate_binds_one_peer_and_is_remembered_of_so_many_only() {
        let rates = Rates::new();
        let allowed = (0..10_000).filter(|_| rates.allow(peer(1))).count();
        assert!(
            (BURST.get() as usize..5_000).contains(&allowed),
            "{allowed}"
        );
        assert!(rates.allow(peer(2)));
        for number in 3..RATED_MAX as u32 + 1_000 {
            assert!(rates.allow(peer(number)));
        }
        assert!(rates.0.len() <= RATED_MAX);
    }
}
