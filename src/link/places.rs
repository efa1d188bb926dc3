//! Who holds the connections of a listener: nobody can keep others out. While more than half of them
//! are free, anybody may have as many as they like; then one address that holds more than its share
//! loses its own oldest idle connection for each further one, and a full listener closes the oldest
//! idle connection of whoever holds the most.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;

/// One address's share under shortage: this part of all connections, at least one.
const SHARE: usize = 16;
/// Bits of an IPv6 address that name one customer's network.
const NETWORK_V6: u32 = 64;

/// The connections of one listener.
#[derive(Clone, Debug)]
pub(super) struct Places {
    max: usize,
    table: Arc<Mutex<Table>>,
}

#[derive(Debug, Default)]
struct Table {
    total: usize,
    /// By network; each with its connections, oldest first.
    held: HashMap<IpAddr, Vec<Arc<Line>>>,
}

#[derive(Debug, Default)]
struct Line {
    busy: AtomicBool,
    cut: CancellationToken,
}

/// One connection's place; given back when dropped.
#[derive(Debug)]
pub(super) struct Place {
    places: Places,
    peer: IpAddr,
    line: Arc<Line>,
}

/// While it lives, a request is being answered: the connection is not idle.
pub(super) struct Busy<'a>(&'a Line);

impl Places {
    /// Places for `max` connections at once, at least one.
    pub(super) fn new(max: usize) -> Self {
        Self {
            max: max.max(1),
            table: Arc::default(),
        }
    }

    /// A place for a connection of `peer`, if need be in place of an idle one. `None`: there is none.
    /// `shared`: `peer` has a share like everybody, since it speaks for itself alone.
    pub(super) fn take(&self, peer: IpAddr, shared: bool) -> Option<Place> {
        let mut table = self.table();
        let network = network(peer);
        let held = table.held.get(&network).map_or(0, Vec::len);
        let scarce = table.total >= self.max.div_ceil(2);
        if shared && scarce && held >= (self.max / SHARE).max(1) {
            table.free(network)?;
        } else if table.total >= self.max {
            let most = table.held.iter().max_by_key(|(_, lines)| lines.len());
            let most = most.map(|(network, _)| *network)?;
            table.free(most)?;
        }
        let line = Arc::<Line>::default();
        table.total += 1;
        table
            .held
            .entry(network)
            .or_default()
            .push(Arc::clone(&line));
        drop(table);
        Some(Place {
            places: self.clone(),
            peer,
            line,
        })
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    /// Closes the oldest idle connection of a network.
    fn free(&mut self, network: IpAddr) -> Option<()> {
        let lines = self.held.get_mut(&network)?;
        let idle = |line: &Arc<Line>| !line.busy.load(Ordering::Relaxed);
        let line = lines.remove(lines.iter().position(idle)?);
        line.cut.cancel();
        self.total -= 1;
        Some(())
    }
}

impl Place {
    /// Who is connected.
    pub(super) fn peer(&self) -> IpAddr {
        self.peer
    }

    /// Cancelled when this connection must make room.
    pub(super) fn cut(&self) -> CancellationToken {
        self.line.cut.clone()
    }

    /// A request is being answered.
    pub(super) fn busy(&self) -> Busy<'_> {
        self.line.busy.store(true, Ordering::Relaxed);
        Busy(&self.line)
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.busy.store(false, Ordering::Relaxed);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut table = self.places.table();
        let network = network(self.peer);
        let Some(lines) = table.held.get_mut(&network) else {
            return;
        };
        // One that made room has left the list already.
        let before = lines.len();
        lines.retain(|line| !Arc::ptr_eq(line, &self.line));
        let left = before - lines.len();
        if lines.is_empty() {
            table.held.remove(&network);
        }
        table.total -= left;
    }
}

/// Whose connections are counted together: an IPv4 address, or the network of an IPv6 one.
fn network(peer: IpAddr) -> IpAddr {
    match peer {
        IpAddr::V4(_) => peer,
        IpAddr::V6(ip) => {
            let mask = u128::MAX << (u128::BITS - NETWORK_V6);
            IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() & mask))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Places;
    use std::net::IpAddr;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn nobody_keeps_others_out() {
        let places = Places::new(32);
        let greedy: Vec<_> = (0..100)
            .map(|_| places.take(ip("192.0.2.1"), true).unwrap())
            .collect();
        let cut = greedy.iter().filter(|place| place.cut().is_cancelled());
        assert_eq!(cut.count(), 84, "half of all is left to one address");
        assert!(greedy[0].cut().is_cancelled(), "the oldest goes first");
        assert!(!greedy[99].cut().is_cancelled());
        let others: Vec<_> = (2..18)
            .map(|last| places.take(ip(&format!("192.0.2.{last}")), true).unwrap())
            .collect();
        assert!(others.iter().all(|place| !place.cut().is_cancelled()));
        // It is full now: a newcomer costs the one who holds the most a connection.
        let newcomer = places.take(ip("192.0.2.99"), true).unwrap();
        let cut = greedy.iter().filter(|place| place.cut().is_cancelled());
        assert_eq!(cut.count(), 85);
        drop((greedy, others, newcomer));
        assert_eq!(places.table().total, 0);
        assert!(places.table().held.is_empty());
    }

    #[test]
    fn what_is_being_answered_is_not_cut() {
        let places = Places::new(2);
        let one = places.take(ip("192.0.2.1"), true).unwrap();
        let busy = one.busy();
        assert!(places.take(ip("192.0.2.1"), true).is_none());
        drop(busy);
        let _next = places.take(ip("192.0.2.1"), true).unwrap();
        assert!(one.cut().is_cancelled());
    }

    #[test]
    fn one_network_is_one_holder_and_a_proxy_has_no_share() {
        let places = Places::new(4);
        let first = places.take(ip("2001:db8::1"), true).unwrap();
        let _second = places.take(ip("2001:db8::2"), true).unwrap();
        let _third = places.take(ip("2001:db8::3"), true).unwrap();
        assert!(first.cut().is_cancelled());
        let places = Places::new(4);
        let proxied: Vec<_> = (0..4)
            .map(|_| places.take(ip("192.0.2.1"), false).unwrap())
            .collect();
        assert!(proxied.iter().all(|place| !place.cut().is_cancelled()));
    }
}
