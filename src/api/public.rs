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
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Of how many seconds the requests may come at once: those of a page with its parts, some times over.
const SECONDS_AT_ONCE: u32 = 10;
/// Callers that are counted at once; others are refused until some of them have been still for long enough.
const PEERS_MAX: usize = 10_000;

/// Lists that are sent whole at once, to all callers together.
const STREAMS_MAX: usize = 8;

type Limiter = RateLimiter<Peer, HashMapStateStore<Peer>, MonotonicClock, NoOpMiddleware<Instant>>;

/// What callers without a token share. All clones are one.
#[derive(Clone)]
pub struct Public {
    requests: Arc<Limiter>,
    per_second: NonZeroU32,
    /// Apart from those of callers with a token, who need not wait for them.
    pub(super) turns: Turns,
    streams: Arc<Semaphore>,
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
            turns: Turns::new(1),
            streams: Arc::new(Semaphore::new(STREAMS_MAX)),
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
        if self.requests.len() >= PEERS_MAX {
            let why = "too many addresses ask without a token; ask again in some seconds";
            return Err(Problem::too_many(why.to_owned()));
        }
        match self.requests.check_key(&Peer::new(address)) {
            Ok(()) => Ok(()),
            Err(_) => Err(Problem::too_many(format!(
                "without a token an address may send {} requests a second; ask again in some seconds",
                self.per_second
            ))),
        }
    }

    /// A place to send a whole list in, until it is dropped.
    ///
    /// # Errors
    /// A 429 if all are taken.
    pub(super) fn stream(&self) -> Result<OwnedSemaphorePermit, Problem> {
        let place = Arc::clone(&self.streams).try_acquire_owned();
        place.map_err(|_| {
            let why = "too many whole lists are being sent without a token; ask for pages, or again in some seconds";
            Problem::too_many(why.to_owned())
        })
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
    fn few_whole_lists_are_sent_at_once() {
        let public = Public::limited(NonZeroU32::MIN);
        let places = (0..STREAMS_MAX).filter_map(|_| public.stream().ok());
        let places: Vec<_> = places.collect();
        assert_eq!(places.len(), STREAMS_MAX);
        assert!(public.stream().is_err());
        drop(places);
        assert!(public.stream().is_ok());
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
