//! The connections of a listener, by peer. While there is plenty of room anyone is admitted; when slots are
//! scarce a newcomer replaces an idle connection of the peer that has the most.

use super::shares::{Peer, is_short, share};
use parking_lot::{Mutex, MutexGuard};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokio_util::sync::CancellationToken;

/// This part of the room is reserved for peers that have fewer than others.
const RESERVE_PART: usize = 16;

/// All connections of one listener. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Crowd {
    max: usize,
    inner: Arc<Mutex<Inner>>,
    /// As in `inner`, but readable without waiting.
    total: Arc<AtomicUsize>,
}

#[derive(Debug, Default)]
struct Inner {
    total: usize,
    last: u64,
    /// Connections that count for a peer, oldest first. Those asked to leave are no longer included.
    peers: HashMap<Peer, BTreeMap<u64, Arc<Guest>>>,
    turned_away: u64,
    sent_away: u64,
}

/// The state of one connection.
#[derive(Debug, Default)]
struct Guest {
    /// Requests that are being answered, or other reasons not to close it.
    busy: AtomicUsize,
    away: CancellationToken,
}

/// How full a listener is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fullness {
    /// Connections that are open.
    pub open: usize,
    /// The maximum number of connections.
    pub max: usize,
    /// New connections that were closed at once, since the start.
    pub turned_away: u64,
    /// Idle connections that were closed to make room, since the start.
    pub sent_away: u64,
}

impl Fullness {
    /// Whether shares are enforced.
    #[must_use]
    pub fn is_short(&self) -> bool {
        is_short(self.max.saturating_sub(self.open), self.max)
    }

    /// Whether no one else is admitted.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.open >= self.max
    }
}

impl Crowd {
    /// Room for this many.
    #[must_use]
    pub fn new(max: usize) -> Self {
        Self {
            max,
            inner: Arc::default(),
            total: Arc::default(),
        }
    }

    /// Admits a connection, if necessary by closing an idle one of a peer that has more. An exempt one is
    /// always admitted and never closed to make room. The listener itself bounds the total. `None` when slots
    /// are scarce and the peer has its share.
    pub fn admit(&self, peer: Peer, exempt: bool) -> Option<Stay> {
        let mut inner = self.lock();
        let free = self.max.saturating_sub(inner.total);
        if !exempt && is_short(free, self.max) {
            let has = inner.peers.get(&peer).map_or(0, BTreeMap::len);
            let within = has < share(free, self.max) && free > self.max / RESERVE_PART;
            // One of a peer with as many is not replaced: two peers would only take turns.
            let swapped = inner.send_away(has + 1);
            if !within && !swapped && has > 0 {
                inner.turned_away += 1;
                return None;
            }
        }
        let guest = Arc::new(Guest::default());
        inner.total += 1;
        self.total.store(inner.total, Ordering::Relaxed);
        inner.last += 1;
        let number = inner.last;
        if !exempt {
            let of_peer = inner.peers.entry(peer).or_default();
            of_peer.insert(number, Arc::clone(&guest));
        }
        drop(inner);
        Some(Stay {
            crowd: self.clone(),
            peer,
            number,
            guest,
            exempt: AtomicBool::new(exempt),
        })
    }

    /// Closes the oldest idle connection of the peer that has the most, if no one else can be admitted.
    pub fn make_room(&self) {
        self.lock().send_away(1);
    }

    /// How full it is.
    #[must_use]
    pub fn fullness(&self) -> Fullness {
        let inner = self.lock();
        Fullness {
            open: inner.total,
            max: self.max,
            turned_away: inner.turned_away,
            sent_away: inner.sent_away,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock()
    }
}

impl Inner {
    /// Closes an idle connection of a peer that has more than this many; returns whether there was one.
    fn send_away(&mut self, more_than: usize) -> bool {
        let mut greedy: Vec<(usize, Peer)> = self
            .peers
            .iter()
            .map(|(peer, guests)| (guests.len(), *peer))
            .filter(|(count, _)| *count > more_than)
            .collect();
        greedy.sort_unstable_by(|one, other| other.cmp(one));
        let found = greedy.into_iter().find_map(|(_, peer)| {
            let guests = self.peers.get(&peer)?;
            let idle = |guest: &Arc<Guest>| guest.busy.load(Ordering::Relaxed) == 0;
            let (number, _) = guests.iter().find(|(_, guest)| idle(guest))?;
            Some((peer, *number))
        });
        let Some((peer, number)) = found else {
            return false;
        };
        if let Some(guest) = self.forget(peer, number) {
            guest.away.cancel();
            self.sent_away += 1;
        }
        true
    }

    fn forget(&mut self, peer: Peer, number: u64) -> Option<Arc<Guest>> {
        let guests = self.peers.get_mut(&peer)?;
        let guest = guests.remove(&number);
        if guests.is_empty() {
            self.peers.remove(&peer);
        }
        guest
    }
}

/// One connection's slot; released when dropped.
#[must_use = "dropped, it is given back"]
#[derive(Debug)]
pub struct Stay {
    crowd: Crowd,
    peer: Peer,
    number: u64,
    guest: Arc<Guest>,
    exempt: AtomicBool,
}

impl Stay {
    /// While this lives, the connection is not closed to make room.
    pub fn busy(&self) -> Busy<'_> {
        self.guest.busy.fetch_add(1, Ordering::Relaxed);
        Busy(&self.guest)
    }

    /// From now on the connection is not closed to make room; it still counts for its peer.
    pub fn settle(&self) {
        self.guest.busy.fetch_add(1, Ordering::Relaxed);
    }

    /// Exempts this connection's peer from shares, once that is known.
    pub fn exempt(&self) {
        if !self.exempt.load(Ordering::Relaxed) && !self.exempt.swap(true, Ordering::Relaxed) {
            self.crowd.lock().forget(self.peer, self.number);
        }
    }

    /// Whether something is being answered.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        self.guest.busy.load(Ordering::Relaxed) > 0
    }

    /// Whether shares are enforced on its listener. Never waits.
    #[must_use]
    pub fn is_short(&self) -> bool {
        let Crowd { max, total, .. } = &self.crowd;
        is_short(max.saturating_sub(total.load(Ordering::Relaxed)), *max)
    }

    /// Cancelled when the connection must close.
    #[must_use]
    pub fn away(&self) -> CancellationToken {
        self.guest.away.clone()
    }
}

impl Drop for Stay {
    fn drop(&mut self) {
        let mut inner = self.crowd.lock();
        inner.total = inner.total.saturating_sub(1);
        self.crowd.total.store(inner.total, Ordering::Relaxed);
        inner.forget(self.peer, self.number);
    }
}

/// Something that is being answered on a connection.
#[derive(Debug)]
pub struct Busy<'a>(&'a Guest);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::{Crowd, Stay};
    use crate::link::Peer;

    fn peer(last: u8) -> Peer {
        Peer::of([127, 0, 0, last].into())
    }

    fn fill(crowd: &Crowd, last: u8) -> Vec<Stay> {
        std::iter::from_fn(|| crowd.admit(peer(last), false)).collect()
    }

    #[test]
    fn a_newcomer_takes_the_oldest_idle_place_of_the_greediest() {
        let crowd = Crowd::new(100);
        let mut greedy = fill(&crowd, 2);
        assert_eq!(greedy.len(), 76);
        assert!(crowd.admit(peer(2), false).is_none(), "it has most");
        let busy = greedy.first().unwrap();
        let answering = busy.busy();
        let honest = crowd.admit(peer(3), false).unwrap();
        assert!(!busy.away().is_cancelled(), "it is busy");
        assert!(greedy.get(1).unwrap().away().is_cancelled());
        drop(answering);
        let second = crowd.admit(peer(3), false).unwrap();
        assert!(greedy.first().unwrap().away().is_cancelled());
        let fullness = crowd.fullness();
        assert_eq!((fullness.open, fullness.sent_away), (78, 2));
        assert!(fullness.is_short() && !fullness.is_full());
        greedy.truncate(10);
        assert!(!crowd.fullness().is_short());
        assert!(crowd.admit(peer(2), false).is_some(), "there is plenty");
        drop((honest, second, greedy));
        assert_eq!(crowd.fullness().open, 0);
    }

    #[test]
    fn peers_end_up_with_as_much_as_each_other() {
        let crowd = Crowd::new(1_000);
        let mut all: Vec<Vec<Stay>> = (2..10).map(|last| fill(&crowd, last)).collect();
        for _ in 0..10 {
            // Connections asked to leave do so, and everyone tries again.
            for stays in &mut all {
                stays.retain(|stay| !stay.away().is_cancelled());
            }
            for (last, stays) in (2..).zip(&mut all) {
                stays.extend((0..100).filter_map(|_| crowd.admit(peer(last), false)));
            }
        }
        let honest: Vec<Stay> = (0..80)
            .map_while(|_| {
                for stays in &mut all {
                    stays.retain(|stay| !stay.away().is_cancelled());
                }
                crowd.admit(peer(99), false)
            })
            .collect();
        assert_eq!(honest.len(), 80);
        assert!(honest.iter().all(|stay| !stay.away().is_cancelled()));
        assert!(crowd.fullness().open < 1_000);
    }

    #[test]
    fn who_is_exempt_neither_counts_nor_goes() {
        let crowd = Crowd::new(100);
        let ours: Vec<Stay> = (0..95)
            .map(|_| crowd.admit(peer(2), true).unwrap())
            .collect();
        let known = crowd.admit(peer(2), false).unwrap();
        known.exempt();
        let others: Vec<Stay> = (3..6)
            .map(|last| crowd.admit(peer(last), false).unwrap())
            .collect();
        assert!(ours.iter().all(|stay| !stay.away().is_cancelled()));
        assert!(!known.away().is_cancelled());
        crowd.make_room();
        assert!(others.iter().all(|stay| !stay.away().is_cancelled()));
    }
}
