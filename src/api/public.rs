//! Reading without a token (`api.public`): how much of it one caller gets.

use super::problem::Problem;
use super::turns::Turns;
use crate::config::Api;
use crate::link::{Caller, Peer};
use governor::clock::MonotonicClock;
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Instant;

/// Of how many seconds the requests may come at once: those of a page with its parts, some times over.
const SECONDS_AT_ONCE: u32 = 10;
/// Callers that are counted at once; others are refused until some of them have been still for long enough.
const PEERS_MAX: usize = 10_000;

type Limiter = RateLimiter<Peer, HashMapStateStore<Peer>, MonotonicClock, NoOpMiddleware<Instant>>;

/// What callers without a token share. All clones are one.
#[derive(Clone)]
pub struct Public {
    requests: Arc<Limiter>,
    per_second: NonZeroU32,
    /// Apart from those of callers with a token, who need not wait for them.
    pub(super) turns: Turns,
}

impl fmt::Debug for Public {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let peers = self.requests.len();
        out.debug_struct("Public")
            .field("peers", &peers)
            .finish_non_exhaustive()
    }
}

impl Public {
    /// What these settings give; `None`: nobody reads without a token.
    #[must_use]
    pub fn new(settings: &Api) -> Option<Self> {
        let per_second = u32::try_from(settings.public_per_s).ok();
        let per_second = per_second.and_then(NonZeroU32::new);
        settings
            .public
            .then(|| Self::limited(per_second.unwrap_or(NonZeroU32::MIN)))
    }

    fn limited(per_second: NonZeroU32) -> Self {
        let at_once = per_second.get().saturating_mul(SECONDS_AT_ONCE);
        let at_once = NonZeroU32::new(at_once).unwrap_or(per_second);
        let quota = Quota::per_second(per_second).allow_burst(at_once);
        let (states, clock) = (HashMapStateStore::default(), MonotonicClock);
        Self {
            requests: Arc::new(RateLimiter::new(quota, states, clock)),
            per_second,
            turns: Turns::default(),
        }
    }

    /// Counts a request of this caller.
    ///
    /// # Errors
    /// A 429 if there were too many.
    pub(super) fn count(&self, caller: Option<&Caller>) -> Result<(), Problem> {
        let address = caller.map_or(IpAddr::V6(Ipv6Addr::UNSPECIFIED), |caller| caller.address);
        if self.requests.len() >= PEERS_MAX {
            self.requests.retain_recent();
        }
        let is_full = self.requests.len() >= PEERS_MAX;
        match is_full || self.requests.check_key(&Peer::new(address)).is_err() {
            false => Ok(()),
            true => Err(Problem::too_many(format!(
                "without a token an address may send {} requests a second; ask again in some seconds",
                self.per_second
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::Ipv4Addr;

    fn caller(number: u32) -> Caller {
        Caller {
            address: Ipv4Addr::from_bits(number).into(),
            direct: true,
        }
    }

    #[test]
    fn each_caller_has_an_allowance_and_the_number_of_callers_is_bounded() {
        let public = Public::limited(NonZeroU32::new(20).unwrap());
        let taken = |number| public.count(Some(&caller(number))).is_ok();
        let served = (0..300).filter(|_| taken(1)).count();
        assert!((200..250).contains(&served), "{served}");
        assert!(taken(2), "another caller has its own");
        let served = (10..20_000).filter(|number| taken(*number)).count();
        assert!(served < 2 * PEERS_MAX, "{served}");
        assert!(public.requests.len() <= PEERS_MAX);
    }
}
