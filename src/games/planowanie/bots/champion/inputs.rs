//! What the net sees: inputs, each a yes or no or a count of cards or suits, that depend only on what the player to
//! move knows, some of its situation and some of the card whose value is asked. They count and compare, so that they
//! suit any deck.

use super::policy::{Context, GOALS};
use crate::bots::position::{Layout, Mask, Position, SEATS_MAX};

const LEFTS: usize = 13;
const DENSITIES: usize = 17;
const NEEDS: usize = 8;
const OTHER_NEEDS: usize = 7;
const DECLARATIONS: usize = 7;
const SPARES: usize = 4;
const OTHER: usize = OTHER_NEEDS * SPARES + DECLARATIONS + 2 + 2 + 4;
const OVERS: usize = 11;
const HIGHER: usize = 10;
const LENGTHS: usize = 7;
const CROWDS: usize = 6;
const SUIT_KINDS: usize = 3;
const KINDS: usize = 9;

/// Cards laid in a trick of four players, by the policy's place: with fewer players, as many still play after it.
const LAID_OF_PLACE: [usize; 4] = [0, 2, 1, 3];

/// The first input of each group, by what it describes.
const LEFT: usize = 0;
const SIZE: usize = LEFT + LEFTS;
const DENSITY: usize = SIZE + LEFTS;
const LAID: usize = DENSITY + DENSITIES;
const NEED: usize = LAID + SEATS_MAX;
const SLACK: usize = NEED + NEEDS;
const OTHERS: usize = SLACK + NEEDS;
const OVER: usize = OTHERS + (SEATS_MAX - 1) * OTHER;
const HELD: usize = OVER + OVERS;
const SUIT: usize = HELD + SUIT_KINDS * HIGHER * 4;
const TABLE: usize = SUIT + SUIT_KINDS * LENGTHS * CROWDS;
/// How many inputs describe the situation.
pub(super) const SITUATION: usize = TABLE + 2 + HIGHER + 4;

const KIND: usize = SITUATION;
const ABOVE: usize = KIND + KINDS * GOALS * SEATS_MAX;
const BELOW: usize = ABOVE + 2 * GOALS * HIGHER;
const RATIO: usize = BELOW + 2 * GOALS * HIGHER;
const OWN_ABOVE: usize = RATIO + 2 * DENSITIES;
const OWN_BELOW: usize = OWN_ABOVE + 5;
const LENGTH: usize = OWN_BELOW + 5;
const CROWD: usize = LENGTH + 2 * LENGTHS;
const VOID: usize = CROWD + CROWDS;
const EXTREME: usize = VOID + 3 * (SEATS_MAX - 1);
/// How many inputs there are.
pub const INPUTS: usize = EXTREME + 4;

/// What is the same for all cards of a decision.
pub struct Features<'a, M> {
    layout: &'a Layout<M>,
    position: &'a Position<M>,
    seen: &'a Context<M>,
    goal_place: usize,
}

/// A number in `low..=high`, counted from 0.
#[inline]
fn class(number: i32, low: i32, high: i32) -> usize {
    (number.clamp(low, high) - low) as usize
}

#[inline]
fn crowd(unseen: u32) -> usize {
    match unseen {
        0 => 0,
        1..=2 => 1,
        3..=4 => 2,
        5..=7 => 3,
        8..=10 => 4,
        _ => 5,
    }
}

impl<'a, M: Mask> Features<'a, M> {
    /// What the player to move sees.
    #[inline]
    #[must_use]
    pub fn new(layout: &'a Layout<M>, position: &'a Position<M>, seen: &'a Context<M>) -> Self {
        Self {
            layout,
            position,
            seen,
            goal_place: seen.goal() * SEATS_MAX + LAID_OF_PLACE[seen.place() & 3],
        }
    }

    /// Trump, the suit led, and the rest.
    #[inline]
    fn class(&self, suit: u8) -> usize {
        match suit {
            0 => 0,
            suit if self.position.laid > 0 && suit == self.position.led => 1,
            _ => 2,
        }
    }

    /// Visits the inputs of the situation.
    #[inline]
    pub fn situation(&self, mut call: impl FnMut(usize)) {
        let Self {
            layout, position, ..
        } = *self;
        let left = i32::from(position.left);
        let need = i32::from(position.wanted());
        call(LEFT + class(left, 1, LEFTS as i32));
        call(SIZE + class(i32::from(position.cards), 1, LEFTS as i32));
        call(DENSITY + self.seen.density as usize);
        call(LAID + LAID_OF_PLACE[self.seen.place() & 3]);
        call(NEED + class(need, -1, NEEDS as i32 - 2));
        call(SLACK + class(left - need, -1, NEEDS as i32 - 2));
        self.others(&mut call);
        self.suits(&mut call);
        if position.laid > 0 {
            let trump = layout.suit_of(position.best) == 0;
            call(TABLE + usize::from(trump));
            let above = (layout.above(position.best) & self.seen.unseen).count();
            call(TABLE + 2 + (above as usize).min(HIGHER - 1));
            let wanted = position.need[usize::from(position.holder) & 3];
            call(TABLE + 2 + HIGHER + class(i32::from(wanted), -1, 2));
        }
    }

    #[inline]
    fn others(&self, call: &mut impl FnMut(usize)) {
        let position = self.position;
        let players = usize::from(position.players);
        let left = i32::from(position.left);
        let mut wanted = i32::from(position.wanted()).max(0);
        for at in 1..players.min(SEATS_MAX) {
            let seat = ((usize::from(position.turn) + at) % players) & 3;
            let first = OTHERS + (at - 1) * OTHER;
            let need = i32::from(position.need[seat]);
            wanted += need.max(0);
            let spare = class(left - need, -1, SPARES as i32 - 2);
            call(first + class(need, -1, OTHER_NEEDS as i32 - 2) * SPARES + spare);
            let first = first + OTHER_NEEDS * SPARES;
            let declared = need + i32::from(position.taken[seat]);
            call(first + class(declared, 0, DECLARATIONS as i32 - 1));
            let first = first + DECLARATIONS;
            if at + usize::from(position.laid) >= players {
                call(first);
            }
            if position.laid > 0 && usize::from(position.holder) == seat {
                call(first + 1);
            }
            let voids = u32::from(position.voids[seat]);
            if voids & 1 != 0 {
                call(first + 2);
            }
            let led = if position.laid > 0 && position.led < 8 {
                1 << position.led
            } else {
                1
            };
            if voids & led & !1 != 0 {
                call(first + 3);
            }
            call(first + 4 + ((voids & !led & !1).count_ones() as usize).min(3));
        }
        call(OVER + class(wanted - left, -5, 5));
    }

    #[inline]
    fn suits(&self, call: &mut impl FnMut(usize)) {
        let layout = self.layout;
        for suit in 0..layout.suit_count {
            let of_suit = layout.suit(suit);
            let class = self.class(suit);
            let own = self.seen.hand & of_suit;
            let length = own.count() as usize;
            let unseen = (self.seen.unseen & of_suit).count();
            call(SUIT + (class * LENGTHS + length.min(LENGTHS - 1)) * CROWDS + crowd(unseen));
            let mut rest = own;
            while let Some(card) = rest.pop() {
                let above = (layout.above(card) & self.seen.unseen).count() as usize;
                let long = length.clamp(1, 4) - 1;
                call(HELD + (class * HIGHER + above.min(HIGHER - 1)) * 4 + long);
            }
        }
    }

    /// Visits the inputs of a card.
    #[inline]
    pub fn card(&self, card: u8, mut call: impl FnMut(usize)) {
        let Self {
            layout, position, ..
        } = *self;
        let suit = layout.suit_of(card);
        let trump = usize::from(suit == 0);
        let of_suit = layout.suit(suit);
        let goal = self.seen.goal();
        let wins = !(self.seen.beating & M::card(card)).is_none();
        let kind = if position.laid == 0 {
            trump
        } else if suit == position.led {
            2 + 2 * trump + usize::from(wins)
        } else if trump == 1 {
            6 + usize::from(wins)
        } else {
            8
        };
        call(KIND + self.goal_place * KINDS + kind);
        let above = (layout.above(card) & self.seen.unseen).count();
        let below = (layout.below(card) & self.seen.unseen).count();
        let strength =
            |number: u32| (trump * GOALS + goal) * HIGHER + (number as usize).min(HIGHER - 1);
        call(ABOVE + strength(above));
        call(BELOW + strength(below));
        let ratio = (above * self.seen.density / 4).min(DENSITIES as u32 - 1);
        call(RATIO + trump * DENSITIES + ratio as usize);
        let own = self.seen.hand & of_suit;
        call(OWN_ABOVE + ((own & layout.above(card)).count() as usize).min(4));
        call(OWN_BELOW + ((own & layout.below(card)).count() as usize).min(4));
        let length = (own.count() as usize).min(LENGTHS - 1);
        call(LENGTH + trump * LENGTHS + length);
        call(CROWD + crowd(above + below));
        self.voids(suit, &mut call);
        if (self.seen.playable & layout.below(card)).is_none() {
            call(EXTREME);
        }
        if (self.seen.playable & layout.above(card)).is_none() {
            call(EXTREME + 1);
        }
        if (self.seen.hand & layout.below(card)).is_none() {
            call(EXTREME + 2);
        }
        if (self.seen.hand & layout.above(card)).is_none() {
            call(EXTREME + 3);
        }
    }

    /// Who is known to have none of the card's suit, may ruff it, and comes after it in the trick.
    #[inline]
    fn voids(&self, suit: u8, call: &mut impl FnMut(usize)) {
        let position = self.position;
        let players = usize::from(position.players);
        for at in 1..players.min(SEATS_MAX) {
            let seat = ((usize::from(position.turn) + at) % players) & 3;
            let voids = position.voids[seat];
            if suit > 7 || voids & (1 << suit) == 0 {
                continue;
            }
            let first = VOID + (at - 1) * 3;
            call(first);
            if at + usize::from(position.laid) < players {
                call(first + 1);
                if voids & 1 == 0 {
                    call(first + 2);
                }
            }
        }
    }
}
