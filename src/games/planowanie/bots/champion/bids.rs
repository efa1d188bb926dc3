//! The learnt model of declarations: what a player with a hand is likely to declare.

use super::entries::as_entry;
use crate::bots::position::{Layout, Mask};

/// Cards per player in a deal, in thirteenths of the deck's share: the classes of deals.
pub const SIZES: usize = 13;
const HIGHER: usize = 9;
const LENGTHS: usize = 5;
const SHORT: usize = 7;
const TRUMPS: usize = 6;
const TURNS: usize = 4;

const CARDS: usize = SIZES * 2 * LENGTHS * HIGHER;
const SUITS: usize = SIZES * SHORT * TRUMPS;
/// How many entries the model has.
pub const ENTRIES: usize = CARDS + SUITS + SIZES * TURNS;

/// The entry value that stands for one trick.
pub const UNIT: f32 = 1024.0;
/// The most entries that a hand activates.
pub const CALLED_MAX: usize = 160;

/// The model: a mean as a sum of entries, and the spread of declarations by size of deal.
#[derive(Clone)]
pub struct Bids {
    entries: Vec<i16>,
    spreads: [f32; SIZES],
}

/// A deal's class, and who declares.
#[derive(Clone, Copy, Debug)]
pub struct Occasion {
    size: usize,
    cards: u8,
}

impl Occasion {
    /// The class of a deal of `cards` cards for each of `players`.
    #[must_use]
    pub fn new<M: Mask>(layout: &Layout<M>, players: u8, cards: u8) -> Self {
        let dealt = usize::from(players) * usize::from(cards) * SIZES;
        let deck = layout.all.count().max(1) as usize;
        Self {
            size: ((dealt + deck / 2) / deck).clamp(1, SIZES) - 1,
            cards,
        }
    }

    /// The class's index.
    #[must_use]
    pub fn size(self) -> usize {
        self.size
    }
}

/// A seat's distance from the leader's.
#[must_use]
pub fn turn(seat: usize, leader: usize, players: usize) -> usize {
    let players = players.max(1);
    (seat + players - leader % players) % players
}

/// Visits every entry whose sum is a hand's declaration. `turn` is the seat's distance from the leader.
#[inline]
pub fn each_entry<M: Mask>(
    layout: &Layout<M>,
    occasion: Occasion,
    turn: usize,
    hand: M,
    mut call: impl FnMut(usize),
) {
    let size = occasion.size;
    let trumps = ((hand & layout.suit(0)).count() as usize).min(TRUMPS - 1);
    for suit in 0..layout.suit_count {
        let of_suit = layout.suit(suit);
        let own = hand & of_suit;
        let length = own.count() as usize;
        if suit > 0 {
            let short = length.min(SHORT - 1);
            call(CARDS + (size * SHORT + short) * TRUMPS + trumps);
        }
        let mut rest = own;
        while let Some(card) = rest.pop() {
            let higher = (layout.above(card) & !hand).count() as usize;
            let length = length.clamp(1, LENGTHS) - 1;
            let trump = usize::from(suit == 0);
            call(((size * 2 + trump) * LENGTHS + length) * HIGHER + higher.min(HIGHER - 1));
        }
    }
    call(CARDS + SUITS + size * TURNS + turn.min(TURNS - 1));
}

impl Bids {
    /// The model with these entries; missing ones are 0.
    #[must_use]
    pub fn new(mut entries: Vec<i16>, spreads: [f32; SIZES]) -> Self {
        entries.resize(ENTRIES, 0);
        Self { entries, spreads }
    }

    /// All entries.
    #[must_use]
    pub fn entries(&self) -> &[i16] {
        &self.entries
    }

    /// Sets an entry, in tricks.
    pub fn set(&mut self, entry: usize, tricks: f32) {
        if let Some(slot) = self.entries.get_mut(entry) {
            *slot = as_entry(tricks * UNIT);
        }
    }

    /// The mean declaration with a hand, in tricks.
    #[inline]
    #[must_use]
    pub fn mean<M: Mask>(
        &self,
        layout: &Layout<M>,
        occasion: Occasion,
        turn: usize,
        hand: M,
    ) -> f32 {
        let mut sum = 0;
        each_entry(layout, occasion, turn, hand, |entry| {
            sum += i32::from(self.entries[entry]);
        });
        (sum as f32 / UNIT).clamp(0.0, f32::from(occasion.cards))
    }

    /// The spreads of all classes of deals, in tricks.
    #[must_use]
    pub fn spreads(&self) -> &[f32; SIZES] {
        &self.spreads
    }

    /// The spread of declarations around the mean, in tricks.
    #[must_use]
    pub fn spread(&self, occasion: Occasion) -> f32 {
        self.spreads[occasion.size]
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::SHIPPED;
    use super::*;
    use crate::cards::Deck;

    #[test]
    fn the_leader_is_at_no_distance() {
        let turns = |leader| [0, 1, 2, 3].map(|seat| turn(seat, leader, 4));
        assert_eq!(turns(0), [0, 1, 2, 3]);
        assert_eq!(turns(3), [1, 2, 3, 0]);
    }

    #[test]
    fn deals_are_of_a_size_by_their_share_of_the_deck() {
        let (large, small) = (Deck::contest(), Deck::new("789TJQKA", "CDHS").unwrap());
        let (large, small) = (Layout::<u64>::new(&large), Layout::<u64>::new(&small));
        assert_eq!(Occasion::new(&large, 4, 1).size(), 0);
        assert_eq!(Occasion::new(&large, 4, 13).size(), 12);
        assert_eq!(Occasion::new(&small, 4, 8).size(), 12);
        assert_eq!(Occasion::new(&small, 4, 4).size(), 6);
    }

    #[test]
    fn better_hands_declare_more() {
        let layout = Layout::<u64>::new(&Deck::contest());
        let occasion = Occasion::new(&layout, 4, 5);
        let mean = |hand| SHIPPED.bids.mean(&layout, occasion, 0, hand);
        let hand = |cards: [u8; 5]| {
            cards
                .into_iter()
                .fold(0, |hand, card| hand | u64::card(card))
        };
        // Thirteen cards a suit, clubs are trump: AC KC AD AH 3S, and 2D 3D 2H 4H 3S.
        let good = mean(hand([12, 11, 25, 38, 40]));
        let bad = mean(hand([13, 14, 26, 28, 40]));
        assert!(good > bad + 2.0, "{good} {bad}");
    }
}
