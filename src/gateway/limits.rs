//! How much one peer may hold at once.

use crate::link::Peer;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Addresses kept before those without any load are removed.
const PEERS_SWEEP: usize = 4_096;

/// What one peer holds at the moment.
#[derive(Debug, Default)]
pub(super) struct Load {
    connections: AtomicUsize,
    requests: AtomicUsize,
}

/// All peers that hold something.
#[derive(Debug, Default)]
pub(super) struct Peers(Mutex<HashMap<Peer, Arc<Load>>>);

impl Peers {
    /// The load of a peer.
    pub(super) fn of(&self, peer: Peer) -> Arc<Load> {
        let mut peers = self.0.lock();
        if peers.len() >= PEERS_SWEEP {
            peers.retain(|_, load| Arc::strong_count(load) > 1);
        }
        Arc::clone(peers.entry(peer).or_default())
    }
}

/// One connection or request of an address; released when dropped.
#[derive(Debug)]
pub(super) struct Held {
    load: Arc<Load>,
    which: fn(&Load) -> &AtomicUsize,
}

impl Drop for Held {
    fn drop(&mut self) {
        (self.which)(&self.load).fetch_sub(1, Ordering::Relaxed);
    }
}

/// Takes a connection, if fewer than `max` are held.
pub(super) fn connection(load: &Arc<Load>, max: usize) -> Option<Held> {
    hold(load, |load| &load.connections, max)
}

/// Takes a request, if fewer than `max` are held.
pub(super) fn request(load: &Arc<Load>, max: usize) -> Option<Held> {
    hold(load, |load| &load.requests, max)
}

fn hold(load: &Arc<Load>, which: fn(&Load) -> &AtomicUsize, max: usize) -> Option<Held> {
    let held = Held {
        load: Arc::clone(load),
        which,
    };
    (which(load).fetch_add(1, Ordering::Relaxed) < max).then_some(held)
}
