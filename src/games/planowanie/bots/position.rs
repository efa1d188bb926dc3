//! A deal with all hands known, small enough to be copied and played out millions of times.

use crate::cards::{CARDS_MAX, CardSet, Deck};
use crate::rules::View;
use drover_game::game::Seat;
use std::ops::{BitAnd, BitOr, Not};

/// The most players in a game.
pub const SEATS_MAX: usize = 4;
/// The most cards played in one deal: every playout ends after this many, whatever position it starts from.
pub const PLIES_MAX: usize = CARDS_MAX;

/// A set of cards as one machine word: `u64` for decks of up to 64 cards, else `u128`.
pub trait Mask:
    Copy
    + Eq
    + Send
    + Sync
    + 'static
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Not<Output = Self>
{
    /// No card.
    const NONE: Self;
    /// The set of this card alone.
    fn card(card: u8) -> Self;
    /// How many cards.
    fn count(self) -> u32;
    /// The card with the lowest index; an unusable number for the empty set.
    fn lowest(self) -> u8;
    /// Iterates over the cards of a set.
    fn from_set(set: CardSet) -> Self;

    /// Whether it is empty.
    #[inline]
    fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// Removes and returns the lowest card.
    #[inline]
    fn pop(&mut self) -> Option<u8> {
        if self.is_none() {
            return None;
        }
        let card = self.lowest();
        *self = *self & !Self::card(card);
        Some(card)
    }
}

macro_rules! mask {
    ($word:ty) => {
        impl Mask for $word {
            const NONE: Self = 0;
            #[inline]
            fn card(card: u8) -> Self {
                1 << (u32::from(card) & (<$word>::BITS - 1))
            }
            #[inline]
            fn count(self) -> u32 {
                self.count_ones()
            }
            #[inline]
            fn lowest(self) -> u8 {
                self.trailing_zeros() as u8
            }
            #[inline]
            fn from_set(set: CardSet) -> Self {
                set.0 as $word
            }
        }
    };
}

mask!(u64);
mask!(u128);

/// Whether a deck's cards fit into a `u64`.
#[must_use]
pub fn narrow(deck: &Deck) -> bool {
    deck.len() <= 64
}

/// A deck's suits and rankings as masks.
#[derive(Clone)]
pub struct Layout<M> {
    suit_of: [u8; CARDS_MAX],
    suits: [M; CARDS_MAX],
    above: [M; CARDS_MAX],
    below: [M; CARDS_MAX],
    /// Every card.
    pub all: M,
    /// How many suits.
    pub suit_count: u8,
}

impl<M: Mask> Layout<M> {
    /// The masks of a deck.
    #[must_use]
    pub fn new(deck: &Deck) -> Self {
        let mut layout = Self {
            suit_of: [0; CARDS_MAX],
            suits: [M::NONE; CARDS_MAX],
            above: [M::NONE; CARDS_MAX],
            below: [M::NONE; CARDS_MAX],
            all: M::from_set(deck.all()),
            suit_count: deck.suit_count() as u8,
        };
        for suit in 0..layout.suit_count {
            let cards = M::from_set(deck.suit(suit));
            layout.suits[usize::from(suit)] = cards;
            let (mut rest, mut lower) = (cards, M::NONE);
            while let Some(card) = rest.pop() {
                let at = usize::from(card) & (CARDS_MAX - 1);
                layout.suit_of[at] = suit;
                layout.above[at] = rest;
                layout.below[at] = lower;
                lower = lower | M::card(card);
            }
        }
        layout
    }

    /// A card's suit; 0 is trump.
    #[inline]
    #[must_use]
    pub fn suit_of(&self, card: u8) -> u8 {
        self.suit_of[usize::from(card) & (CARDS_MAX - 1)]
    }

    /// The cards of a suit.
    #[inline]
    #[must_use]
    pub fn suit(&self, suit: u8) -> M {
        self.suits[usize::from(suit) & (CARDS_MAX - 1)]
    }

    /// The higher cards of the same suit.
    #[inline]
    #[must_use]
    pub fn above(&self, card: u8) -> M {
        self.above[usize::from(card) & (CARDS_MAX - 1)]
    }

    /// The lower cards of the same suit.
    #[inline]
    #[must_use]
    pub fn below(&self, card: u8) -> M {
        self.below[usize::from(card) & (CARDS_MAX - 1)]
    }

    /// The cards that would take the trick from `best`.
    #[inline]
    #[must_use]
    pub fn beating(&self, best: u8) -> M {
        let higher = self.above(best);
        if self.suit_of(best) == 0 {
            higher
        } else {
            higher | self.suit(0)
        }
    }
}

/// A deal in play with all hands known.
#[derive(Clone, Copy, Debug)]
pub struct Position<M> {
    /// Cards by seat.
    pub hands: [M; SEATS_MAX],
    /// Cards played in this deal.
    pub gone: M,
    /// Tricks declared and not yet taken, by seat; below 0 once too many are.
    pub need: [i8; SEATS_MAX],
    /// Tricks taken, by seat.
    pub taken: [i8; SEATS_MAX],
    /// The first eight suits, a bit each, that a seat is known not to have, by seat.
    pub voids: [u8; SEATS_MAX],
    /// The number of players.
    pub players: u8,
    /// Cards dealt to each player.
    pub cards: u8,
    /// Tricks not yet complete.
    pub left: u8,
    /// The player to move.
    pub turn: u8,
    /// Cards on the table.
    pub laid: u8,
    /// The suit that was led; meaningless with an empty table.
    pub led: u8,
    /// The card that is winning the trick; meaningless with an empty table.
    pub best: u8,
    /// The player that is winning the trick.
    pub holder: u8,
}

impl<M: Mask> Position<M> {
    /// The deal as a player sees it: only its own hand is filled in. Declarations not yet revealed count as
    /// 0.
    #[must_use]
    pub fn seen(layout: &Layout<M>, view: &View) -> Self {
        let round = &view.round;
        let mut position = Self::fresh(round.players(), round.cards(), round.leader());
        position.gone = M::from_set(round.gone());
        position.left = round.cards().saturating_sub(round.tricks_done() as u8);
        for (seat, taken) in round.taken().iter() {
            let declared = round.declared().get(seat).copied().flatten().unwrap_or(0);
            position.taken[seat.index() & 3] = *taken as i8;
            position.need[seat.index() & 3] = declared as i8 - *taken as i8;
        }
        for (seat, led) in round.strays(view.game.deck()) {
            if led < 8 {
                position.voids[seat.index() & 3] |= 1 << led;
            }
        }
        for card in round.trick() {
            position.lay(layout, card.0);
            position.pass();
        }
        position.hands[view.seat.index() & 3] = M::from_set(view.hand);
        position
    }

    /// A deal before its first card, without hands and declarations.
    #[must_use]
    pub fn fresh(players: usize, cards: u8, leader: Seat) -> Self {
        Self {
            hands: [M::NONE; SEATS_MAX],
            gone: M::NONE,
            need: [0; SEATS_MAX],
            taken: [0; SEATS_MAX],
            voids: [0; SEATS_MAX],
            players: players.clamp(1, SEATS_MAX) as u8,
            cards,
            left: cards,
            turn: leader.0 & 3,
            laid: 0,
            led: 0,
            best: 0,
            holder: 0,
        }
    }

    /// The hand of the player to move.
    #[inline]
    #[must_use]
    pub fn hand(&self) -> M {
        self.hands[usize::from(self.turn) & 3]
    }

    /// The tricks that the player to move still needs.
    #[inline]
    #[must_use]
    pub fn wanted(&self) -> i8 {
        self.need[usize::from(self.turn) & 3]
    }

    /// The legal cards.
    #[inline]
    #[must_use]
    pub fn playable(&self, layout: &Layout<M>) -> M {
        let hand = self.hand();
        if self.laid == 0 {
            return hand;
        }
        let following = hand & layout.suit(self.led);
        if following.is_none() { hand } else { following }
    }

    /// The legal cards without those equal to a lower one: cards of a suit with no other player's card
    /// between them are as good as each other, and the lowest represents them.
    #[inline]
    #[must_use]
    pub fn distinct(&self, layout: &Layout<M>) -> M {
        let hand = self.hand();
        // Cards on the table can still be beaten, so they keep their ranks.
        let mut others = layout.all & !hand & !self.gone;
        if self.laid > 0 {
            others = others | M::card(self.best);
        }
        let mut rest = self.playable(layout);
        let mut kept = M::NONE;
        while let Some(card) = rest.pop() {
            kept = kept | M::card(card);
            let mut next = rest & layout.above(card);
            if let Some(higher) = next.pop() {
                let between = layout.above(card) & layout.below(higher);
                if (between & others).is_none() {
                    // Adjacent to the card below: skip it and continue from it.
                    rest = Self::skip_joined(layout, others, card, rest);
                }
            }
        }
        kept
    }

    #[inline]
    fn skip_joined(layout: &Layout<M>, others: M, card: u8, mut rest: M) -> M {
        let mut from = card;
        loop {
            let mut next = rest & layout.above(from);
            let Some(higher) = next.pop() else {
                return rest;
            };
            let between = layout.above(from) & layout.below(higher);
            if !(between & others).is_none() {
                return rest;
            }
            rest = rest & !M::card(higher);
            from = higher;
        }
    }

    #[inline]
    fn lay(&mut self, layout: &Layout<M>, card: u8) {
        let suit = layout.suit_of(card);
        let takes = if self.laid == 0 {
            self.led = suit;
            true
        } else {
            if suit != self.led && self.led < 8 {
                self.voids[usize::from(self.turn) & 3] |= 1 << self.led;
            }
            let best_suit = layout.suit_of(self.best);
            if suit == best_suit {
                card > self.best
            } else {
                suit == 0
            }
        };
        if takes {
            self.best = card;
            self.holder = self.turn;
        }
        self.laid += 1;
    }

    #[inline]
    fn pass(&mut self) {
        self.turn += 1;
        if self.turn >= self.players {
            self.turn = 0;
        }
    }

    /// Plays a card for the player to move.
    #[inline]
    pub fn play(&mut self, layout: &Layout<M>, card: u8) {
        let one = M::card(card);
        let seat = usize::from(self.turn) & 3;
        self.hands[seat] = self.hands[seat] & !one;
        self.gone = self.gone | one;
        self.lay(layout, card);
        if self.laid < self.players {
            self.pass();
            return;
        }
        let holder = usize::from(self.holder) & 3;
        self.taken[holder] += 1;
        self.need[holder] -= 1;
        self.turn = self.holder;
        self.laid = 0;
        self.left = self.left.saturating_sub(1);
    }

    /// Whether every card has been played.
    #[inline]
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.left == 0
    }

    /// What a seat would score for the deal if it ended now.
    #[inline]
    #[must_use]
    pub fn points(&self, seat: usize) -> i32 {
        let bonus = if self.need[seat & 3] == 0 {
            i32::from(self.cards)
        } else {
            0
        };
        i32::from(self.taken[seat & 3]) + bonus
    }
}
