//! Slows down guesses of tokens, by address. Without clock and sockets.

use crate::link::Peer;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Wrong tokens that an address may show at once.
pub(super) const AT_ONCE: u32 = 20;
/// After this time it may show one more.
const ONE_MORE: Duration = Duration::from_secs(3);
/// Addresses remembered at once; beyond them only the bound of a connection holds.
const PEERS_MAX: usize = 16_384;

/// The wrong tokens of late.
#[derive(Debug, Default)]
pub(super) struct Guesses {
    /// When an address that shows no more will have used up nothing.
    even: HashMap<Peer, Instant>,
}

impl Guesses {
    /// Whether no token of this address is looked at now, whatever it is.
    pub(super) fn has_used_up(&self, peer: Peer, now: Instant) -> bool {
        let even = self.even.get(&peer);
        even.is_some_and(|even| even.saturating_duration_since(now) > ONE_MORE * (AT_ONCE - 1))
    }

    /// This address has shown a wrong one.
    pub(super) fn note(&mut self, peer: Peer, now: Instant) {
        if self.even.len() >= PEERS_MAX {
            self.even.retain(|_, even| *even > now);
            if self.even.len() >= PEERS_MAX && !self.even.contains_key(&peer) {
                return;
            }
        }
        let even = self.even.entry(peer).or_insert(now);
        *even = (*even).max(now) + ONE_MORE;
    }
}

#[cfg(test)]
mod tests {
    use super::{AT_ONCE, Guesses, ONE_MORE, PEERS_MAX};
    use crate::link::Peer;
    use std::net::Ipv4Addr;
    use std::time::Instant;

    fn peer(number: u32) -> Peer {
        Peer::of(Ipv4Addr::from_bits(number).into())
    }

    #[test]
    fn an_address_may_guess_slowly_and_others_are_not_slowed_down() {
        let (mut guesses, mut now) = (Guesses::default(), Instant::now());
        let tried = |guesses: &mut Guesses, now| {
            let mut tried = 0;
            while !guesses.has_used_up(peer(1), now) {
                guesses.note(peer(1), now);
                tried += 1;
            }
            tried
        };
        assert_eq!(tried(&mut guesses, now), AT_ONCE);
        assert!(!guesses.has_used_up(peer(2), now));
        for _ in 0..3 {
            now += ONE_MORE;
            assert_eq!(tried(&mut guesses, now), 1);
        }
        now += ONE_MORE * AT_ONCE;
        assert_eq!(tried(&mut guesses, now), AT_ONCE);
        // Their number is bounded; those that guess no more make room.
        for number in 2..2 * PEERS_MAX as u32 {
            guesses.note(peer(number), now);
        }
        assert_eq!(guesses.even.len(), PEERS_MAX);
        now += ONE_MORE * AT_ONCE;
        guesses.note(peer(0), now);
        assert_eq!(guesses.even.len(), 1);
    }
}
