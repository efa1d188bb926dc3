//! How fast each peer may begin sessions while something is scarce.

use crate::link::Peer;
use governor::clock::DefaultClock;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};
use std::num::NonZeroU32;

/// Sessions that a peer may begin under shortage: so many a second, and so many at once. Fifty matches at
/// once of quick players stay below; their number is what shares bound.
const RATE: NonZeroU32 = NonZeroU32::new(200).expect("not zero");
const BURST: NonZeroU32 = NonZeroU32::new(1_000).expect("not zero");
/// Peers whose rates are known at once; beyond them only shares bind.
const RATED_MAX: usize = 16_384;

/// How fast each peer has begun sessions of late.
pub(super) struct Rates(RateLimiter<Peer, HashMapStateStore<Peer>, DefaultClock>);

impl Rates {
    pub(super) fn new() -> Self {
        let quota = Quota::per_second(RATE).allow_burst(BURST);
        Self(RateLimiter::hashmap(quota))
    }

    /// Whether this peer may begin one more now.
    pub(super) fn allow(&self, peer: Peer) -> bool {
        if self.0.len() >= RATED_MAX {
            self.0.retain_recent();
            if self.0.len() >= RATED_MAX {
                return true;
            }
        }
        self.0.check_key(&peer).is_ok()
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
