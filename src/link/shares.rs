//! How much of a scarce resource each peer may hold. While there is plenty, there is no limit; once less than
//! a quarter is left, a peer gets no more than its share of what is left.

use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

/// The resource is scarce while less than this part of the whole is free.
const SHORT_PART: usize = 4;
/// When scarce, a peer may hold this part of what is free: an eighth of the whole where scarcity begins, and
/// less the less is free, so that a new peer always finds room.
const SHARE_PART: usize = 2;
/// A peer may hold this part of the whole at any time, but at least one and at most [`FLOOR_MAX`].
const FLOOR_PART: usize = 256;
const FLOOR_MAX: usize = 16;
/// Bits of an IPv6 address that distinguish peers: whoever has one address has its whole /64.
const V6_PEER_BITS: u32 = 64;

/// What limits count as one peer: an IPv4 address, or the /64 of an IPv6 address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Peer(IpAddr);

impl Peer {
    /// The peer of this address.
    #[must_use]
    pub fn of(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => {
                let network = address.to_bits() >> V6_PEER_BITS << V6_PEER_BITS;
                IpAddr::V6(Ipv6Addr::from_bits(network))
            }
            address => address,
        })
    }
}

impl fmt::Display for Peer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            IpAddr::V4(address) => address.fmt(out),
            IpAddr::V6(network) => write!(out, "{network}/{V6_PEER_BITS}"),
        }
    }
}

/// Whether so little is free that shares are enforced.
#[must_use]
pub fn is_short(free: usize, max: usize) -> bool {
    free.saturating_mul(SHORT_PART) < max
}

/// How much a peer may hold when scarce.
#[must_use]
pub fn share(free: usize, max: usize) -> usize {
    let floor = (max / FLOOR_PART).clamp(1, FLOOR_MAX);
    (free / SHARE_PART).max(floor)
}

/// Why no slot is granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortage {
    /// Nothing is left for anyone.
    Full,
    /// Little is left, and the peer already holds its share.
    Share,
}

/// A number of slots, and their holders.
#[derive(Debug)]
pub struct Shares {
    max: usize,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    taken: usize,
    /// Only peers that hold a slot.
    by: HashMap<Peer, usize>,
}

impl Shares {
    /// This many slots.
    #[must_use]
    pub fn new(max: usize) -> Arc<Self> {
        Arc::new(Self {
            max,
            held: Mutex::default(),
        })
    }

    /// Takes a slot; without a peer, no share applies.
    ///
    /// # Errors
    /// [`Shortage`] says why there is none.
    pub fn take(self: &Arc<Self>, peer: Option<Peer>) -> Result<Share, Shortage> {
        let mut held = self.lock();
        self.room(&held, peer)?;
        Ok(self.give(&mut held, peer))
    }

    /// Whether a slot could be taken now.
    ///
    /// # Errors
    /// As [`Shares::take`].
    pub fn has_room(&self, peer: Option<Peer>) -> Result<(), Shortage> {
        self.room(&self.lock(), peer)
    }

    /// Takes a slot for something that held one before the last stop, beyond the peer's share if necessary.
    ///
    /// # Errors
    /// [`Shortage::Full`].
    pub fn take_again(self: &Arc<Self>, peer: Option<Peer>) -> Result<Share, Shortage> {
        let mut held = self.lock();
        self.room(&held, None)?;
        Ok(self.give(&mut held, peer))
    }

    fn give(self: &Arc<Self>, held: &mut Held, peer: Option<Peer>) -> Share {
        held.taken += 1;
        if let Some(peer) = peer {
            *held.by.entry(peer).or_default() += 1;
        }
        Share {
            shares: Arc::clone(self),
            peer,
        }
    }

    fn room(&self, held: &Held, peer: Option<Peer>) -> Result<(), Shortage> {
        let free = self.max.saturating_sub(held.taken);
        if free == 0 {
            return Err(Shortage::Full);
        }
        let holds = peer.and_then(|peer| held.by.get(&peer)).copied();
        match holds {
            Some(holds) if is_short(free, self.max) && holds >= share(free, self.max) => {
                Err(Shortage::Share)
            }
            _ => Ok(()),
        }
    }

    /// How many are taken.
    #[must_use]
    pub fn taken(&self) -> usize {
        self.lock().taken
    }

    /// How many there are.
    #[must_use]
    pub fn max(&self) -> usize {
        self.max
    }

    /// How many would have to be released to end scarcity; 0 without it.
    #[must_use]
    pub fn wanting(&self) -> usize {
        let free = self.max.saturating_sub(self.taken());
        if is_short(free, self.max) {
            (self.max / SHORT_PART + 1).saturating_sub(free)
        } else {
            0
        }
    }

    /// The peers that hold more than the current share, and how much.
    #[must_use]
    pub fn greedy(&self) -> HashMap<Peer, usize> {
        let held = self.lock();
        let share = share(self.max.saturating_sub(held.taken), self.max);
        let greedy = held.by.iter().filter(|(_, holds)| **holds > share);
        greedy.map(|(peer, holds)| (*peer, *holds)).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock()
    }
}

/// One held slot; released when dropped.
#[must_use = "dropped, it is given back"]
#[derive(Debug)]
pub struct Share {
    shares: Arc<Shares>,
    peer: Option<Peer>,
}

impl Share {
    /// The peer that it counts for, if any.
    #[must_use]
    pub fn peer(&self) -> Option<Peer> {
        self.peer
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut held = self.shares.lock();
        held.taken = held.taken.saturating_sub(1);
        if let Some(peer) = self.peer
            && let Some(count) = held.by.get_mut(&peer)
        {
            *count -= 1;
            if *count == 0 {
                held.by.remove(&peer);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Peer, Share, Shares, Shortage};
    use std::sync::Arc;

    fn peer(address: &str) -> Option<Peer> {
        Some(Peer::of(address.parse().unwrap()))
    }

    fn take_all(shares: &Arc<Shares>, address: &str) -> Vec<Share> {
        std::iter::from_fn(|| shares.take(peer(address)).ok()).collect()
    }

    #[test]
    fn an_ipv6_peer_is_its_network() {
        let check = |one: &str, other: &str, same: bool| {
            assert_eq!(peer(one) == peer(other), same, "{one} {other}");
        };
        check("2001:db8::1", "2001:db8::ffff:2", true);
        check("2001:db8::1", "2001:db8:0:1::1", false);
        check("::ffff:192.0.2.1", "192.0.2.1", true);
        check("192.0.2.1", "192.0.2.2", false);
        assert_eq!(peer("2001:db8::1").unwrap().to_string(), "2001:db8::/64");
    }

    #[test]
    fn shares_bite_only_under_shortage() {
        let shares = Shares::new(1_000);
        let greedy = take_all(&shares, "127.0.0.2");
        assert_eq!(greedy.len(), 751, "up to the shortage and not further");
        assert_eq!(shares.take(peer("127.0.0.2")).unwrap_err(), Shortage::Share);
        let other = take_all(&shares, "127.0.0.3");
        assert!((50..125).contains(&other.len()), "{}", other.len());
        // An exempt holder is limited only by the total.
        let exempt: Vec<_> = std::iter::from_fn(|| shares.take(None).ok()).collect();
        assert_eq!(greedy.len() + other.len() + exempt.len(), 1_000);
        assert_eq!(shares.take(None).unwrap_err(), Shortage::Full);
        assert_eq!(shares.wanting(), 251);
        drop((greedy, exempt));
        assert_eq!((shares.taken(), shares.wanting()), (other.len(), 0));
        drop(other);
        assert!(shares.greedy().is_empty());
    }

    #[test]
    fn ten_greedy_peers_leave_room_for_an_honest_one() {
        let shares = Shares::new(4_096);
        let greedy: Vec<_> = (2..12)
            .map(|last| take_all(&shares, &format!("127.0.0.{last}")))
            .collect();
        let honest = take_all(&shares, "192.0.2.1");
        assert!(honest.len() >= 5, "{}", honest.len());
        drop(greedy);
    }
}
