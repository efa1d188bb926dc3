//! One player's team, learnt word by word.

use super::guests::Guests;
use super::masks::{Masks, PLAYERS_MAX};
use super::relay::Relay;
use super::word::read;
use crate::rules::{PlayerId, View, owners};

/// From this turn on a team not known for certain is used as it is known.
const FALLBACK_TURN: u32 = 13;
/// Turns without a new member that must have passed by then.
const FALLBACK_UNCHANGED: u32 = 3;
/// The same for a team with members that do not speak our words, whose numbers come round slowly.
const GUESTS_UNCHANGED: u32 = 8;
/// Turns after which a player that received no word at all, not even 0, assumes there are none.
const SILENCE_TURN: u32 = 1;

#[derive(Clone, Debug)]
enum Way {
    Masks(Masks),
    Relay(Box<Relay>),
}

/// What one player knows about its own team. Garbage never makes a stranger pass for a mate; a mate whose
/// words never come through stays unknown.
#[derive(Clone, Debug)]
pub struct Ring {
    you: PlayerId,
    players: Vec<PlayerId>,
    mates: Vec<PlayerId>,
    guests: Guests,
    way: Way,
    /// States received.
    states: u32,
    /// Consecutive turns in which no mate was found.
    unchanged: u32,
    /// Whether there ever was a word.
    spoken: bool,
}

impl Ring {
    /// Starts with the first state: the players are those that own a planet then, the same for all.
    #[must_use]
    pub fn new(view: &View) -> Ring {
        let players = owners(&view.planets);
        let own = players.binary_search(&view.you).ok();
        let way = if players.len() <= PLAYERS_MAX {
            Way::Masks(Masks::new(players.len(), own))
        } else {
            Way::Relay(Box::new(Relay::new(players.len(), own)))
        };
        Ring {
            you: view.you,
            players,
            mates: vec![view.you],
            guests: Guests::default(),
            way,
            states: 0,
            unchanged: 0,
            spoken: false,
        }
    }

    /// Takes in the word of a state. Call it once a turn; the first state's word is ignored, unless it is a
    /// player's number.
    pub fn receive(&mut self, view: &View) {
        self.states = self.states.saturating_add(1);
        self.spoken |= view.message.is_some();
        let before = self.guests.known().len();
        let foreign = self
            .guests
            .receive(view.message, self.states, self.you, &self.players);
        let found = self.guests.known().len() > before;
        if foreign || self.states == 1 {
            self.waited(found);
            return;
        }
        let received = view.message.and_then(read);
        match &mut self.way {
            Way::Masks(masks) => masks.receive(received),
            Way::Relay(relay) => relay.receive(received),
        }
        let members = self.players.iter().enumerate();
        let members = members.filter(|(place, player)| {
            let reported = match &self.way {
                Way::Masks(masks) => masks.is_member(*place),
                Way::Relay(relay) => relay.is_member(*place),
            };
            reported || **player == self.you
        });
        let mut mates: Vec<PlayerId> = members.map(|(_, player)| *player).collect();
        if let Err(place) = mates.binary_search(&self.you) {
            mates.insert(place, self.you);
        }
        self.waited(found || mates != self.mates);
        self.mates = mates;
    }

    fn waited(&mut self, found: bool) {
        self.unchanged = if found || self.states == 1 {
            0
        } else {
            self.unchanged.saturating_add(1)
        };
    }

    /// The word to send this turn, after [`Ring::receive`].
    #[must_use]
    pub fn say(&self) -> u32 {
        if let Some(word) = self.guests.say() {
            return word;
        }
        match &self.way {
            Way::Masks(masks) => masks.say(),
            Way::Relay(relay) => relay.say(),
        }
    }

    /// Whether it is proven that the whole team is known, except members that began without a planet. Where
    /// words arrive two rounds late, early garbage may make the proof come too soon; the team still grows to
    /// the whole, a few turns later.
    #[must_use]
    pub fn complete(&self) -> bool {
        let complete = match &self.way {
            Way::Masks(masks) => masks.complete(),
            Way::Relay(relay) => relay.complete(),
        };
        complete && !self.guests.mixed()
    }

    /// Whether the team has members that do not speak our words and has grown lately, so that players who
    /// are unknown may still be mates.
    #[must_use]
    pub fn grows(&self) -> bool {
        self.guests.mixed() && self.unchanged < GUESTS_UNCHANGED
    }

    /// Whether to play with the team as known: it is complete, or has not grown for long, as when a mate has
    /// failed or the game has no words at all. More mates may still be found later.
    #[must_use]
    pub fn settled(&self) -> bool {
        let turn = self.states.saturating_sub(1);
        let waited = turn >= FALLBACK_TURN && self.unchanged >= FALLBACK_UNCHANGED;
        self.complete() || waited || self.silent()
    }

    /// Whether the game seems to have no words at all.
    #[must_use]
    pub fn silent(&self) -> bool {
        !self.spoken && self.states > SILENCE_TURN
    }

    /// Whether this player is known to be in the team; true for oneself.
    #[must_use]
    pub fn is_mate(&self, player: PlayerId) -> bool {
        self.mates.binary_search(&player).is_ok() || self.guests().binary_search(&player).is_ok()
    }

    /// Mates by number that have only said their numbers: they may be programs of other authors. Some may be
    /// among [`Ring::mates`] too.
    #[must_use]
    pub fn guests(&self) -> &[PlayerId] {
        self.guests.known()
    }

    /// The team by number as far as it speaks our words, oneself included.
    #[must_use]
    pub fn mates(&self) -> &[PlayerId] {
        &self.mates
    }

    /// The owners in the first state by number: the same list for all. Players that began without a planet
    /// are not in it.
    #[must_use]
    pub fn players(&self) -> &[PlayerId] {
        &self.players
    }
}
