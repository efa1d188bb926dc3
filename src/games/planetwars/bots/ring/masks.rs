//! The team as a mask that circulates: each member adds itself to what it received and passes it on.

use super::word::{DONE, HELLO, word};
use crate::rules::TEAM_MAX;

/// The most players that fit in a mask.
pub(super) const PLAYERS_MAX: usize = 24;

/// What is known from masks.
///
/// An honest mask only grows from turn to turn. So a member is believed if it appears in two consecutive
/// words of which the second contains the first; a bit that appeared and is gone did not come from the team
/// and is not passed on until it is believed. A single wrong word thus circulates at most once and is
/// believed by no member, and honest words lose no turn, since they are passed on at once.
#[derive(Clone, Debug)]
pub(super) struct Masks {
    /// One's own bit; 0 for a player that began without a planet.
    own: u32,
    /// All bits that stand for a player.
    all: u32,
    /// The mask received last turn.
    last: Option<u32>,
    /// Bits that were received once and then not.
    doubtful: u32,
    /// Bits that are believed, including one's own.
    sure: u32,
    complete: bool,
}

impl Masks {
    /// For one of this many players, at this place among them.
    pub(super) fn new(players: usize, own: Option<usize>) -> Self {
        let own = own.map_or(0, |own| 1 << own);
        Self {
            own,
            all: (1 << players.min(PLAYERS_MAX)) - 1,
            last: None,
            doubtful: 0,
            sure: own,
            complete: false,
        }
    }

    /// The mask of a word, if it may be one of a team's.
    fn mask(&self, received: Option<(u8, u32)>) -> Option<(u8, u32)> {
        received.filter(|(opcode, mask)| {
            let size = (mask | self.own).count_ones() as usize;
            matches!(*opcode, HELLO | DONE)
                && *mask != 0
                && mask & !self.all == 0
                && size <= TEAM_MAX
        })
    }

    pub(super) fn receive(&mut self, received: Option<(u8, u32)>) {
        let received = self.mask(received);
        match (self.last, received) {
            (Some(before), Some((opcode, now))) if before & !now == 0 => {
                self.believe(before);
                let whole = now | self.own;
                let round = now & self.own != 0 || opcode == DONE;
                if round && before | self.own == whole && self.sure & !whole == 0 {
                    self.close(whole);
                }
            }
            (Some(before), Some((_, now))) => self.doubtful |= before & !now,
            // A member that receives only its own bit is alone. By chance no word says this.
            (None, Some((_, now))) if now == self.own && self.sure == self.own => self.close(now),
            _ => {}
        }
        self.last = received.map(|(_, mask)| mask);
    }

    fn believe(&mut self, mask: u32) {
        if (self.sure | mask).count_ones() as usize <= TEAM_MAX {
            self.sure |= mask;
        }
    }

    /// Later words may still add to the team: if garbage made a mate doubtful, a proof may come too early.
    fn close(&mut self, team: u32) {
        self.sure = team;
        self.complete = true;
    }

    pub(super) fn say(&self) -> u32 {
        let opcode = if self.complete { DONE } else { HELLO };
        let received = self.last.unwrap_or_default() & !self.doubtful;
        match self.sure | received {
            0 => 0,
            mask => word(opcode, mask),
        }
    }

    pub(super) fn complete(&self) -> bool {
        self.complete
    }

    pub(super) fn is_member(&self, place: usize) -> bool {
        place < PLAYERS_MAX && self.sure & 1 << place != 0
    }
}
