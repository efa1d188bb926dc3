//! Who is who in our own referee's matches: it registers them here, so that our sessions in the same process
//! join its match and know their rivals' names. For a foreign referee nothing is known.

use crate::store::types::NewMatch;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;

/// The most matches registered at once; further ones are unknown to our sessions.
const MATCHES_MAX: usize = 100_000;

/// What is known about one match of our own referee.
#[derive(Clone, Debug)]
pub struct KnownMatch {
    /// Its row, as written by the referee.
    pub row: Arc<NewMatch>,
    /// Each seat's number on the wire, by seat.
    pub ids: Vec<u64>,
}

/// What a session learns about its match.
#[derive(Clone, Debug)]
pub struct Identity {
    /// The match's row.
    pub row: Arc<NewMatch>,
    /// The session's own seat.
    pub seat: u8,
    /// The rivals' names where known, clockwise from the session's left.
    pub rivals: Vec<Option<String>>,
}

type MatchAddress = (String, u64);

/// The register. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Identities {
    known: Arc<Mutex<HashMap<MatchAddress, KnownMatch>>>,
}

impl Identities {
    /// Registers a match before its first message is sent. `referee` is the name under which our callbacks
    /// will see the referee: the path segment, or its address without port.
    pub fn register(&self, referee: &str, market: u64, known: KnownMatch) {
        let mut all = self.known.lock();
        if all.len() < MATCHES_MAX {
            all.insert((referee.to_owned(), market), known);
        }
    }

    /// Registers a seat by the address from which its player dialled our hub, for a wire without numbers.
    pub fn register_line(&self, line: SocketAddr, row: Arc<NewMatch>, seat: u8) {
        let ids = row.seats.iter().map(|known| u64::from(known.seat == seat));
        let ids = ids.collect();
        self.register(&line.to_string(), 0, KnownMatch { row, ids });
    }

    /// Removes a line whose match is over.
    pub fn forget_line(&self, line: SocketAddr) {
        self.forget(&line.to_string(), 0);
    }

    /// Which seat of which match belongs to the player that dialled from this address, if the hub is ours.
    #[must_use]
    pub fn find_line(&self, line: SocketAddr) -> Option<Identity> {
        self.find(&line.to_string(), 0, 1)
    }

    /// Removes a match that is over.
    pub fn forget(&self, referee: &str, market: u64) {
        let mut all = self.known.lock();
        all.remove(&(referee.to_owned(), market));
    }

    /// Which player `id` is in the referee's match `market`, if that match is ours.
    #[must_use]
    pub fn find(&self, referee: &str, market: u64, id: u64) -> Option<Identity> {
        let all = self.known.lock();
        let known = all.get(&(referee.to_owned(), market))?;
        let seat = known.ids.iter().position(|known| *known == id)?;
        let count = known.ids.len();
        let rivals = (1..count)
            .map(|step| {
                let rival = (seat + step) % count;
                known
                    .row
                    .seats
                    .iter()
                    .find(|at| usize::from(at.seat) == rival)?
                    .name
                    .clone()
            })
            .collect();
        Some(Identity {
            row: Arc::clone(&known.row),
            seat: u8::try_from(seat).ok()?,
            rivals,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::tests::fake::named_match;

    #[test]
    fn rivals_are_named_clockwise_from_the_left() {
        let row = named_match("M", 7, |seat| (seat != 2).then(|| format!("n{seat}")));
        let identities = Identities::default();
        identities.register(
            "r",
            7,
            KnownMatch {
                row: Arc::new(row),
                ids: vec![11, 12, 13, 14],
            },
        );
        let found = identities.find("r", 7, 12).unwrap();
        assert_eq!(found.seat, 1);
        assert_eq!(
            found.rivals,
            [None, Some("n3".to_owned()), Some("n0".to_owned())]
        );
        assert!(identities.find("r", 7, 15).is_none() && identities.find("r", 8, 12).is_none());
        let line = SocketAddr::from(([127, 0, 0, 1], 4000));
        let row = identities.find("r", 7, 11).unwrap().row;
        identities.register_line(line, row, 2);
        assert_eq!(identities.find_line(line).unwrap().seat, 2);
        identities.forget_line(line);
        assert!(identities.find_line(line).is_none());
        identities.forget("r", 7);
        assert!(identities.find("r", 7, 12).is_none());
    }
}
