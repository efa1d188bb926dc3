//! Which players wait in which room, and when a match begins: the official matchmaking (spec of smart-dog,
//! section 2), without clock and sockets.

use super::rooms::{Room, USUAL_ROOM};
use games::rng::Rng;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::Instant;

/// Players that may wait in one room; further ones are rejected.
const QUEUED_MAX: usize = 10_000;

/// A guest's number.
pub(super) type Ticket = u64;

/// The players of a match that begins.
#[derive(Debug)]
pub(super) struct Party<G> {
    /// The room.
    pub(super) room: Room,
    /// The players, in order of arrival.
    pub(super) guests: Vec<G>,
    /// How many matches began in this room before.
    pub(super) before: u64,
}

/// What happens to a player that joins.
#[derive(Debug)]
pub(super) enum Joined<G> {
    /// It waits, with this many in the queue.
    Waits(usize),
    /// Its match begins.
    Begins(Party<G>),
    /// There is no such room.
    NoRoom,
    /// Too many wait there, or the hub is closing.
    Full,
}

struct Queue<G> {
    room: Room,
    guests: VecDeque<(Ticket, G)>,
    /// When a match begins with the players present.
    due: Option<Instant>,
    began: u64,
}

/// All rooms.
pub(super) struct Lobby<G> {
    queues: Vec<Queue<G>>,
    wait: Duration,
    rng: Rng,
    closed: bool,
}

impl<G> Lobby<G> {
    pub(super) fn new(rooms: Vec<Room>, wait: Duration, seed: u64) -> Self {
        let queue = |room| Queue {
            room,
            guests: VecDeque::new(),
            due: None,
            began: 0,
        };
        Self {
            queues: rooms.into_iter().map(queue).collect(),
            wait,
            rng: Rng::new(seed, 0),
            closed: false,
        }
    }

    /// A player joins. With enough to play and room for more, a coin decides between beginning now and
    /// restarting the wait. A match that would begin now is due at once if it `may` not begin here.
    pub(super) fn join(
        &mut self,
        room: Option<&str>,
        ticket: Ticket,
        guest: G,
        may: bool,
        now: Instant,
    ) -> Joined<G> {
        let name = room.unwrap_or(USUAL_ROOM);
        let Some(queue) = self.queues.iter_mut().find(|queue| queue.room.name == name) else {
            return Joined::NoRoom;
        };
        if self.closed || queue.guests.len() >= QUEUED_MAX {
            return Joined::Full;
        }
        queue.guests.push_back((ticket, guest));
        let queued = queue.guests.len();
        let begins = queued >= queue.room.most
            || (queued >= queue.room.fewest && {
                let now_or_later = self.rng.chance(0.5);
                queue.due = Some(now + self.wait);
                now_or_later
            });
        if begins && may {
            return Joined::Begins(queue.begin(now));
        }
        if begins {
            queue.due = Some(now);
        }
        Joined::Waits(queued)
    }

    /// A waiting player has left.
    pub(super) fn leave(&mut self, ticket: Ticket) {
        for queue in &mut self.queues {
            queue.guests.retain(|(waiting, _)| *waiting != ticket);
            if queue.guests.len() < queue.room.fewest {
                queue.due = None;
            }
        }
    }

    /// A match that is due, if there is one.
    pub(super) fn due(&mut self, now: Instant) -> Option<Party<G>> {
        let due = |queue: &&mut Queue<G>| queue.due.is_some_and(|due| due <= now);
        let queue = self
            .queues
            .iter_mut()
            .filter(due)
            .min_by_key(|queue| queue.due)?;
        Some(queue.begin(now))
    }

    /// When the next match is due.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.queues.iter().filter_map(|queue| queue.due).min()
    }

    /// Dismisses all waiting players and admits no more.
    pub(super) fn close(&mut self) {
        self.closed = true;
        for queue in &mut self.queues {
            queue.guests.clear();
            queue.due = None;
        }
    }

    /// How many players wait.
    pub(super) fn waiting(&self) -> usize {
        self.queues.iter().map(|queue| queue.guests.len()).sum()
    }
}

impl<G> Queue<G> {
    fn begin(&mut self, now: Instant) -> Party<G> {
        let count = self.guests.len().min(self.room.most);
        let party = Party {
            room: self.room.clone(),
            guests: self.guests.drain(..count).map(|(_, guest)| guest).collect(),
            before: self.began,
        };
        self.began += 1;
        // Those left may already have waited long enough for a match.
        self.due = (self.guests.len() >= self.room.most).then_some(now);
        party
    }
}

#[cfg(test)]
mod tests {
    use super::{Joined, Lobby, Room};
    use std::time::Duration;
    use tokio::time::Instant;

    const WAIT: Duration = Duration::from_secs(4);

    fn lobby(seed: u64) -> Lobby<&'static str> {
        Lobby::new(Room::official(), WAIT, seed)
    }

    /// How many wait once this one has joined, if it waits.
    fn waits(
        lobby: &mut Lobby<&'static str>,
        room: Option<&str>,
        guest: (u64, &'static str),
        now: Instant,
    ) -> Option<usize> {
        match lobby.join(room, guest.0, guest.1, true, now) {
            Joined::Waits(queued) => Some(queued),
            _ => None,
        }
    }

    #[test]
    fn a_full_room_begins_in_the_order_of_arrival() {
        let (mut lobby, now) = (lobby(1), Instant::now());
        assert_eq!(waits(&mut lobby, Some("trio"), (1, "a"), now), Some(1));
        assert_eq!(waits(&mut lobby, Some("trio"), (2, "ghost"), now), Some(2));
        lobby.leave(2);
        assert_eq!(waits(&mut lobby, Some("trio"), (3, "b"), now), Some(2));
        let Joined::Begins(party) = lobby.join(Some("trio"), 4, "c", true, now) else {
            panic!("it does not begin");
        };
        assert_eq!((party.guests, party.before), (vec!["a", "b", "c"], 0));
        let Joined::Begins(party) = lobby.join(Some("solo"), 5, "d", true, now) else {
            panic!("it does not begin");
        };
        assert_eq!(party.guests, ["d"]);
        assert!(matches!(
            lobby.join(Some("sextet"), 6, "e", true, now),
            Joined::NoRoom
        ));
        assert_eq!((lobby.waiting(), lobby.next_due()), (0, None));
    }

    #[test]
    fn the_usual_room_begins_by_coin_or_after_its_wait() {
        let mut begun_at_once = 0;
        for seed in 0..200 {
            let (mut lobby, now) = (lobby(seed), Instant::now());
            assert_eq!(waits(&mut lobby, None, (1, "a"), now), Some(1));
            assert_eq!(lobby.next_due(), None, "one alone cannot play");
            match lobby.join(None, 2, "b", true, now) {
                Joined::Begins(party) => {
                    begun_at_once += 1;
                    assert_eq!(party.guests.len(), 2);
                    assert_eq!(lobby.next_due(), None);
                }
                Joined::Waits(2) => {
                    assert_eq!(lobby.next_due(), Some(now + WAIT));
                    assert!(lobby.due(now).is_none());
                    let party = lobby.due(now + WAIT).unwrap();
                    assert_eq!(party.guests, ["a", "b"]);
                }
                other => panic!("{other:?}"),
            }
        }
        assert!((70..130).contains(&begun_at_once), "{begun_at_once} of 200");
    }

    #[test]
    fn who_leaves_stops_the_wait() {
        let now = Instant::now();
        let mut seed = 0;
        let mut lobby = loop {
            let mut lobby = lobby(seed);
            lobby.join(None, 1, "a", true, now);
            if matches!(lobby.join(None, 2, "b", true, now), Joined::Waits(_)) {
                break lobby;
            }
            seed += 1;
        };
        lobby.leave(1);
        assert_eq!(lobby.next_due(), None);
        assert_eq!(lobby.waiting(), 1);
        lobby.close();
        assert_eq!(lobby.waiting(), 0);
    }

    #[test]
    fn what_may_not_begin_yet_is_due_and_who_leaves_is_out_of_it() {
        let (mut lobby, now) = (lobby(1), Instant::now());
        for (ticket, guest) in [(1, "a"), (2, "b"), (3, "c")] {
            let joined = lobby.join(Some("duet"), ticket, guest, false, now);
            assert!(matches!(joined, Joined::Waits(queued) if queued as u64 == ticket));
        }
        assert_eq!(lobby.next_due(), Some(now));
        lobby.leave(1);
        assert_eq!(lobby.due(now).unwrap().guests, ["b", "c"]);
        assert_eq!(lobby.next_due(), None);
        lobby.close();
        let late = lobby.join(Some("duet"), 9, "z", true, now);
        assert!(matches!(late, Joined::Full));
    }
}
