//! How much of something scarce each peer may hold: sessions, connections of a listener, requests at once. While there
//! is plenty, there is no limit; once less than a quarter is left, a peer gets no more than its share of what is left,
//! and a new connection may replace an idle one of the peer that has the most.

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use tokio_util::sync::CancellationToken;

/// The resource is scarce while less than this part of the whole is free.
const SHORT_PART: usize = 4;
/// When scarce, a peer may hold this part of what is free: an eighth of the whole where scarcity begins, and
/// less the less is free, so that a new peer always finds room.
const SHARE_PART: usize = 2;
/// A peer may hold this part of the whole at any time, but at least one and at most [`FLOOR_MAX`].
const FLOOR_PART: usize = 256;
const FLOOR_MAX: usize = 16;
/// This part of a listener's connections is reserved for peers that have fewer than others.
const RESERVE_PART: usize = 16;
/// Bits of an IPv6 address that distinguish peers: an owner of one address has its whole /64.
const V6_PEER_BITS: u32 = 64;

/// What limits count as one peer: an IPv4 address, or the /64 of an IPv6 address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Peer(IpAddr);

impl Peer {
    /// The peer of this address.
    #[must_use]
    pub fn new(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            IpAddr::V6(address) => {
                let network = address.to_bits() >> V6_PEER_BITS << V6_PEER_BITS;
                IpAddr::V6(Ipv6Addr::from_bits(network))
            }
            address => address,
        })
    }
}

/// Why no slot is granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortage {
    /// Nothing is left for anyone.
    Full,
    /// The peer already holds all that it may: its share of the little that is left, or the most of one peer.
    Share,
}

/// A number of slots, and their holders.
#[derive(Debug, Default)]
pub struct Shares {
    max: usize,
    peer_max: usize,
    /// Among how many processes both are divided; 0 counts as 1.
    parts: Arc<AtomicUsize>,
    /// Changed under the lock, read without it.
    taken: AtomicUsize,
    held: Mutex<Held>,
    /// New connections that were closed at once, since the start.
    pub turned_away: AtomicU64,
    /// Idle connections that were closed to make room, since the start.
    pub sent_away: AtomicU64,
}

#[derive(Debug, Default)]
struct Held {
    /// Only peers that hold a slot.
    by: HashMap<Peer, Holds>,
    /// The number of the connection that was admitted last.
    last: u64,
}

/// What one peer holds.
#[derive(Debug, Default)]
struct Holds {
    slots: usize,
    /// Its connections among them, oldest first. Those asked to leave are no longer included.
    connections: BTreeMap<u64, Arc<Connection>>,
}

/// The state of one connection.
#[derive(Debug, Default)]
struct Connection {
    /// Requests that are being answered, or other reasons not to close it.
    busy: AtomicUsize,
    exempt: AtomicBool,
    away: CancellationToken,
}

impl Shares {
    /// This many slots, of which [`Self::take`] gives one peer `peer_max` at most; [`Self::admit`] goes by shares alone.
    #[must_use]
    pub fn new(max: usize, peer_max: usize) -> Arc<Self> {
        Self::among(max, peer_max, Arc::default())
    }

    /// This process's part of these slots, which are divided among `parts` processes at the time; 0 counts as 1.
    #[must_use]
    pub fn among(max: usize, peer_max: usize, parts: Arc<AtomicUsize>) -> Arc<Self> {
        Arc::new(Self {
            max,
            peer_max,
            parts,
            ..Self::default()
        })
    }

    /// What is this process's of a whole: no less than one.
    fn part(&self, whole: usize) -> usize {
        let parts = self.parts.load(Ordering::Relaxed).max(1);
        (whole / parts).max(whole.min(1))
    }

    /// Takes a slot; without a peer, no share applies.
    ///
    /// # Errors
    /// [`Shortage`] says why there is none.
    pub fn take(self: &Arc<Self>, peer: Option<Peer>) -> Result<Share, Shortage> {
        let mut held = self.held.lock();
        self.room(&held, peer)?;
        Ok(self.give(&mut held, peer, None))
    }

    /// Takes a slot for something that held one before, here or in another process, beyond the peer's share and this
    /// process's part if necessary.
    ///
    /// # Errors
    /// [`Shortage::Full`].
    pub fn take_again(self: &Arc<Self>, peer: Option<Peer>) -> Result<Share, Shortage> {
        let mut held = self.held.lock();
        if self.taken() >= self.max {
            return Err(Shortage::Full);
        }
        Ok(self.give(&mut held, peer, None))
    }

    /// Admits a connection, if necessary by closing an idle one of a peer that has more. An exempt one is
    /// always admitted and never closed to make room. The listener itself bounds the total. `None` when slots
    /// are scarce and the peer has its share.
    pub fn admit(self: &Arc<Self>, peer: Peer, exempt: bool) -> Option<Stay> {
        let mut held = self.held.lock();
        if !exempt && self.is_short() {
            let has = held.slots(peer);
            let within = has < self.share() && self.free() > self.max() / RESERVE_PART;
            // One of a peer with as many is not replaced: two peers would only take turns.
            let swapped = self.send_away(&mut held, has + 1);
            if !within && !swapped && has > 0 {
                self.turned_away.fetch_add(1, Ordering::Relaxed);
                return None;
            }
        }
        let connection = Arc::new(Connection::default());
        let peer = (!exempt).then_some(peer);
        let share = self.give(&mut held, peer, Some(&connection));
        Some(Stay { share, connection })
    }

    /// Closes the oldest idle connection of the peer that has the most, if no one else can be admitted.
    pub fn make_room(&self) {
        self.send_away(&mut self.held.lock(), 1);
    }

    /// Closes an idle connection of a peer that has more than this many; returns whether there was one.
    fn send_away(&self, held: &mut Held, more_than: usize) -> bool {
        let greedy = held.by.iter().filter(|(_, holds)| holds.slots > more_than);
        let mut greedy: Vec<(usize, Peer)> = greedy.map(|(peer, h)| (h.slots, *peer)).collect();
        greedy.sort_unstable_by(|one, other| other.cmp(one));
        let oldest = greedy.into_iter().find_map(|(_, peer)| {
            let mut all = held.by.get(&peer)?.connections.iter();
            let (number, one) = all.find(|(_, one)| one.busy.load(Ordering::Relaxed) == 0)?;
            Some((peer, *number, Arc::clone(one)))
        });
        let Some((peer, number, oldest)) = oldest else {
            return false;
        };
        held.release(peer, Some(number));
        oldest.away.cancel();
        self.sent_away.fetch_add(1, Ordering::Relaxed);
        true
    }

    fn give(
        self: &Arc<Self>,
        held: &mut Held,
        peer: Option<Peer>,
        connection: Option<&Arc<Connection>>,
    ) -> Share {
        self.taken.fetch_add(1, Ordering::Relaxed);
        held.last += 1;
        let number = connection.map(|_| held.last);
        if let Some(peer) = peer {
            let holds = held.by.entry(peer).or_default();
            holds.slots += 1;
            let connection = connection.map(Arc::clone);
            holds.connections.extend(number.zip(connection));
        }
        Share {
            shares: Arc::clone(self),
            peer,
            number,
        }
    }

    fn room(&self, held: &Held, peer: Option<Peer>) -> Result<(), Shortage> {
        let most = match self.is_short() {
            true => self.share().min(self.part(self.peer_max)),
            false => self.part(self.peer_max),
        };
        match peer {
            _ if self.is_full() => Err(Shortage::Full),
            Some(peer) if held.slots(peer) >= most => Err(Shortage::Share),
            _ => Ok(()),
        }
    }

    /// How much a peer may hold when scarce.
    fn share(&self) -> usize {
        let floor = (self.max() / FLOOR_PART).clamp(1, FLOOR_MAX);
        (self.free() / SHARE_PART).max(floor)
    }

    fn free(&self) -> usize {
        self.max().saturating_sub(self.taken())
    }

    /// How many are taken.
    #[must_use]
    pub fn taken(&self) -> usize {
        self.taken.load(Ordering::Relaxed)
    }

    /// How many there are.
    #[must_use]
    pub fn max(&self) -> usize {
        self.part(self.max)
    }

    /// Whether none is left for anyone.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.free() == 0
    }

    /// Whether so little is free that shares are enforced.
    #[must_use]
    pub fn is_short(&self) -> bool {
        self.wanting() > 0
    }

    /// How many would have to be released to end scarcity; 0 without it.
    #[must_use]
    pub fn wanting(&self) -> usize {
        self.max().div_ceil(SHORT_PART).saturating_sub(self.free())
    }

    /// The peers that hold more than the current share, and how much.
    #[must_use]
    pub fn greedy(&self) -> HashMap<Peer, usize> {
        let (held, share) = (self.held.lock(), self.share());
        let all = held.by.iter().map(|(peer, holds)| (*peer, holds.slots));
        all.filter(|(_, slots)| *slots > share).collect()
    }
}

impl Held {
    fn slots(&self, peer: Peer) -> usize {
        self.by.get(&peer).map_or(0, |holds| holds.slots)
    }

    /// A slot counts for this peer no more; a connection's is released once.
    fn release(&mut self, peer: Peer, connection: Option<u64>) {
        let Some(holds) = self.by.get_mut(&peer) else {
            return;
        };
        if connection.is_none_or(|number| holds.connections.remove(&number).is_some()) {
            holds.slots -= 1;
        }
        if holds.slots == 0 {
            self.by.remove(&peer);
        }
    }
}

/// One held slot; released when dropped.
#[must_use = "dropped, it is given back"]
#[derive(Debug)]
pub struct Share {
    shares: Arc<Shares>,
    peer: Option<Peer>,
    /// Of a connection.
    number: Option<u64>,
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
        let mut held = self.shares.held.lock();
        self.shares.taken.fetch_sub(1, Ordering::Relaxed);
        if let Some(peer) = self.peer {
            held.release(peer, self.number);
        }
    }
}

/// One connection's slot.
#[derive(Debug)]
pub struct Stay {
    share: Share,
    connection: Arc<Connection>,
}

impl Stay {
    /// While this lives, the connection is not closed to make room.
    pub fn busy(&self) -> Busy<'_> {
        self.settle();
        Busy(&self.connection)
    }

    /// From now on the connection is not closed to make room; it still counts for its peer.
    pub fn settle(&self) {
        self.connection.busy.fetch_add(1, Ordering::Relaxed);
    }

    /// Exempts this connection's peer from shares, once that is known.
    pub fn exempt(&self) {
        let exempt = &self.connection.exempt;
        if !exempt.load(Ordering::Relaxed) && !exempt.swap(true, Ordering::Relaxed) {
            let share = &self.share;
            let mut held = share.shares.held.lock();
            if let Some(peer) = share.peer {
                held.release(peer, share.number);
            }
        }
    }

    /// Whether something is being answered.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.connection.busy.load(Ordering::Relaxed) > 0
    }

    /// Whether shares are enforced on its listener. Never waits.
    #[must_use]
    pub fn is_short(&self) -> bool {
        self.share.shares.is_short()
    }

    /// Cancelled when the connection must close.
    #[must_use]
    pub fn away(&self) -> CancellationToken {
        self.connection.away.clone()
    }
}

/// Something that is being answered on a connection.
#[derive(Debug)]
pub struct Busy<'a>(&'a Connection);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::{Peer, Share, Shares, Shortage, Stay};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    fn peer(address: &str) -> Option<Peer> {
        Some(Peer::new(address.parse().unwrap()))
    }

    fn take_all(shares: &Arc<Shares>, address: &str) -> Vec<Share> {
        std::iter::from_fn(|| shares.take(peer(address)).ok()).collect()
    }

    #[test]
    fn processes_have_a_part_each_and_go_on_with_what_others_had() {
        let parts = Arc::new(AtomicUsize::new(3));
        let shares = Shares::among(10, 6, Arc::clone(&parts));
        assert_eq!(shares.max(), 3);
        let held: Vec<_> = (0..3).map_while(|_| shares.take(None).ok()).collect();
        assert_eq!(
            (held.len(), shares.take(None).err()),
            (3, Some(Shortage::Full))
        );
        let again: Vec<_> = (0..9).map_while(|_| shares.take_again(None).ok()).collect();
        assert_eq!(again.len(), 7);
        drop((held, again));
        // Two have ended.
        parts.store(1, Relaxed);
        assert_eq!(shares.max(), 10);
        // No part is nothing.
        parts.store(99, Relaxed);
        assert!(shares.take(None).is_ok());
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
    }

    #[test]
    fn shares_bite_only_under_shortage() {
        let shares = Shares::new(1_000, usize::MAX);
        let greedy = take_all(&shares, "127.0.0.2");
        assert_eq!(greedy.len(), 751, "up to the shortage and not further");
        assert_eq!(shares.take(peer("127.0.0.2")).unwrap_err(), Shortage::Share);
        let other = take_all(&shares, "127.0.0.3");
        assert!((50..125).contains(&other.len()), "{}", other.len());
        // An exempt holder is limited only by the total.
        let exempt: Vec<_> = std::iter::from_fn(|| shares.take(None).ok()).collect();
        assert_eq!(greedy.len() + other.len() + exempt.len(), 1_000);
        assert_eq!(shares.take(None).unwrap_err(), Shortage::Full);
        assert_eq!(shares.wanting(), 250);
        drop((greedy, exempt));
        assert_eq!((shares.taken(), shares.wanting()), (other.len(), 0));
        drop(other);
        assert!(shares.greedy().is_empty());
    }

    #[test]
    fn ten_greedy_peers_leave_room_for_an_honest_one() {
        let shares = Shares::new(4_096, usize::MAX);
        let greedy: Vec<_> = (2..12)
            .map(|last| take_all(&shares, &format!("127.0.0.{last}")))
            .collect();
        let honest = take_all(&shares, "192.0.2.1");
        assert!(honest.len() >= 5, "{}", honest.len());
        drop(greedy);
    }

    #[test]
    fn one_peer_holds_no_more_than_the_most_of_each() {
        let requests = Shares::new(usize::MAX, 2);
        let held = take_all(&requests, "127.0.0.2");
        assert_eq!(held.len(), 2);
        assert_eq!(
            requests.take(peer("127.0.0.2")).unwrap_err(),
            Shortage::Share
        );
        assert_eq!(take_all(&requests, "127.0.0.3").len(), 2);
        drop(held);
        assert!(requests.take(peer("127.0.0.2")).is_ok());
    }

    fn at(last: u8) -> Peer {
        Peer::new([127, 0, 0, last].into())
    }

    fn fill(connections: &Arc<Shares>, last: u8) -> Vec<Stay> {
        std::iter::from_fn(|| connections.admit(at(last), false)).collect()
    }

    #[test]
    fn a_newcomer_takes_the_oldest_idle_place_of_the_greediest() {
        let connections = Shares::new(100, usize::MAX);
        let mut greedy = fill(&connections, 2);
        assert_eq!(greedy.len(), 76);
        assert!(connections.admit(at(2), false).is_none(), "it has most");
        let busy = greedy.first().unwrap();
        let answering = busy.busy();
        let honest = connections.admit(at(3), false).unwrap();
        assert!(!busy.away().is_cancelled(), "it is busy");
        assert!(greedy.get(1).unwrap().away().is_cancelled());
        drop(answering);
        let second = connections.admit(at(3), false).unwrap();
        assert!(greedy.first().unwrap().away().is_cancelled());
        assert_eq!(
            (connections.taken(), connections.sent_away.load(Relaxed)),
            (78, 2)
        );
        assert!(connections.is_short() && !connections.is_full());
        greedy.truncate(10);
        assert!(!connections.is_short());
        assert!(connections.admit(at(2), false).is_some(), "there is plenty");
        drop((honest, second, greedy));
        assert_eq!(connections.taken(), 0);
    }

    #[test]
    fn peers_end_up_with_as_much_as_each_other() {
        let connections = Shares::new(1_000, usize::MAX);
        let mut all: Vec<Vec<Stay>> = (2..10).map(|last| fill(&connections, last)).collect();
        for _ in 0..10 {
            // Connections asked to leave do so, and everyone tries again.
            for stays in &mut all {
                stays.retain(|stay| !stay.away().is_cancelled());
            }
            for (last, stays) in (2..).zip(&mut all) {
                stays.extend((0..100).filter_map(|_| connections.admit(at(last), false)));
            }
        }
        let honest: Vec<Stay> = (0..80)
            .map_while(|_| {
                for stays in &mut all {
                    stays.retain(|stay| !stay.away().is_cancelled());
                }
                connections.admit(at(99), false)
            })
            .collect();
        assert_eq!(honest.len(), 80);
        assert!(honest.iter().all(|stay| !stay.away().is_cancelled()));
        assert!(connections.taken() < 1_000);
    }

    #[test]
    fn who_is_exempt_neither_counts_nor_goes() {
        let connections = Shares::new(100, usize::MAX);
        let ours: Vec<Stay> = (0..95)
            .map(|_| connections.admit(at(2), true).unwrap())
            .collect();
        let known = connections.admit(at(2), false).unwrap();
        known.exempt();
        let others: Vec<Stay> = (3..6)
            .map(|last| connections.admit(at(last), false).unwrap())
            .collect();
        assert!(ours.iter().all(|stay| !stay.away().is_cancelled()));
        assert!(!known.away().is_cancelled());
        connections.make_room();
        assert!(others.iter().all(|stay| !stay.away().is_cancelled()));
    }
}
