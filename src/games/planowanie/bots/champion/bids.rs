//! The learnt model of declarations: what a player with a hand is likely to declare.

use super::table::as_entry;
use crate::planowanie::bots::position::{Layout, Mask};

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
    strays: [f32; SIZES],
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
    pub fn new(mut entries: Vec<i16>, strays: [f32; SIZES]) -> Self {
        entries.resize(ENTRIES, 0);
        Self { entries, strays }
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

    /// The spread of declarations around the mean, in tricks.
    #[must_use]
    pub fn stray(&self, occasion: Occasion) -> f32 {
        self.strays[occasion.size]
    }
}
