//! One player's team, learnt word by word.

use super::masks::{Masks, PLAYERS_MAX};
use super::relay::Relay;
use super::word::read;
use crate::planetwars::rules::{PlayerId, View, owners};

/// From this turn on a team not known for certain is used as it is known.
const FALLBACK_TURN: u32 = 13;
/// Turns without a new member that must have passed by then.
const FALLBACK_UNCHANGED: u32 = 3;
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
            way,
            states: 0,
            unchanged: 0,
            spoken: false,
        }
    }

    /// Takes in the word of a state. Call it once a turn; the first state's word is ignored.
    pub fn hear(&mut self, view: &View) {
        self.states = self.states.saturating_add(1);
        self.spoken |= view.message.is_some();
        if self.states == 1 {
            return;
        }
        let heard = view.message.and_then(read);
        match &mut self.way {
            Way::Masks(masks) => masks.hear(heard),
            Way::Relay(relay) => relay.hear(heard),
        }
        let members = self.players.iter().enumerate();
        let members = members.filter(|(place, player)| {
            let told = match &self.way {
                Way::Masks(masks) => masks.is_member(*place),
                Way::Relay(relay) => relay.is_member(*place),
            };
            told || **player == self.you
        });
        let mut mates: Vec<PlayerId> = members.map(|(_, player)| *player).collect();
        if let Err(place) = mates.binary_search(&self.you) {
            mates.insert(place, self.you);
        }
        self.unchanged = if mates == self.mates {
            self.unchanged.saturating_add(1)
        } else {
            0
        };
        self.mates = mates;
    }

    /// The word to send this turn, after [`Ring::hear`].
    #[must_use]
    pub fn say(&self) -> u32 {
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
        match &self.way {
            Way::Masks(masks) => masks.complete(),
            Way::Relay(relay) => relay.complete(),
        }
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
        self.mates.binary_search(&player).is_ok()
    }

    /// The known team by number, oneself included.
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
