//! The team one by one, if there are too many players for a mask: each word names one member and how many
//! steps it is before the receiver.

use super::word::{RELAY, word};
use crate::rules::TEAM_MAX;

/// A reported member: its place in the list of players, and how often it was reported in a row.
#[derive(Clone, Copy, Debug)]
struct Member {
    place: usize,
    received: u32,
}

/// How often a member at the same distance must be reported before it is believed.
const BELIEVED: u32 = 3;

/// What is known from words about single members.
///
/// Words not yet believed are passed on at once, so that each member's own comes back after as many turns as
/// there are members; otherwise one's own and the believed ones are sent in turn. All are believed when one's
/// own has come back and there is a member at every shorter distance.
#[derive(Clone, Debug)]
pub(super) struct Relay {
    own: Option<usize>,
    players: usize,
    /// Members by their distance minus 1.
    before: [Option<Member>; TEAM_MAX - 1],
    /// Whose turn it is if nothing new arrives; 0 is oneself, else the distance.
    cursor: usize,
    say: u32,
    /// Number of members of the whole team, once proven.
    size: Option<usize>,
}

fn named(place: usize, distance: usize) -> u32 {
    word(RELAY, (place as u32) << 17 | (distance as u32) << 12)
}

impl Relay {
    /// For one of this many players, at this place among them.
    pub(super) fn new(players: usize, own: Option<usize>) -> Self {
        Self {
            own,
            players,
            before: [None; TEAM_MAX - 1],
            cursor: 0,
            say: own.map_or(0, |own| named(own, 1)),
            size: None,
        }
    }

    /// Place and distance of a word that may name a member.
    fn member(&self, received: Option<(u8, u32)>) -> Option<(usize, usize)> {
        let (_, body) = received.filter(|(opcode, body)| *opcode == RELAY && body & 0xFFF == 0)?;
        let (place, distance) = ((body >> 17) as usize, (body >> 12 & 0x1F) as usize);
        (place < self.players && (1..=TEAM_MAX).contains(&distance)).then_some((place, distance))
    }

    pub(super) fn receive(&mut self, received: Option<(u8, u32)>) {
        let fresh = match self.member(received) {
            Some((place, distance)) if Some(place) == self.own => {
                self.close(distance);
                None
            }
            Some((place, distance)) => self
                .note(place, distance)
                .then_some(named(place, distance + 1)),
            None => None,
        };
        self.say = fresh.unwrap_or_else(|| self.next());
    }

    /// Records a member; returns whether to pass it on.
    fn note(&mut self, place: usize, distance: usize) -> bool {
        let Some(slot) = self.before.get_mut(distance - 1) else {
            return false;
        };
        if self.size.is_some() {
            return false;
        }
        match slot {
            Some(member) if member.place == place => {
                member.received = member.received.saturating_add(1);
                member.received <= BELIEVED && distance < TEAM_MAX
            }
            _ => {
                *slot = Some(Member { place, received: 1 });
                distance < TEAM_MAX
            }
        }
    }

    /// One's own word has come back from this distance.
    fn close(&mut self, distance: usize) {
        if self.size.is_some() {
            return;
        }
        let others = self.before.iter().take(distance - 1);
        let mut places: Vec<usize> = others.flatten().map(|member| member.place).collect();
        places.sort_unstable();
        places.dedup();
        if places.len() == distance - 1 {
            self.size = Some(distance);
        }
    }

    fn is_sure(&self, distance: usize, member: &Member) -> bool {
        match self.size {
            Some(size) => distance < size,
            None => member.received >= BELIEVED,
        }
    }

    fn sure(&self) -> impl Iterator<Item = (usize, usize)> {
        let members = (1..).zip(&self.before);
        members.filter_map(|(distance, member)| {
            let member = member.as_ref()?;
            self.is_sure(distance, member)
                .then_some((distance, member.place))
        })
    }

    /// The next word to send, from one's own and the believed ones in turn.
    fn next(&mut self) -> u32 {
        let own = self.own.map(|own| (0, own));
        let all: Vec<(usize, usize)> = own.into_iter().chain(self.sure()).collect();
        let after = all.iter().find(|(distance, _)| *distance > self.cursor);
        let Some((distance, place)) = after.or(all.first()).copied() else {
            return 0;
        };
        self.cursor = distance;
        named(place, distance + 1)
    }

    pub(super) fn say(&self) -> u32 {
        self.say
    }

    pub(super) fn complete(&self) -> bool {
        self.size.is_some()
    }

    pub(super) fn is_member(&self, place: usize) -> bool {
        self.own == Some(place) || self.sure().any(|(_, other)| other == place)
    }
}
