//! Animals, money and places at the table (README.md, sections 1.2 and 1.3).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How many players sit at a table, fillers included.
pub const PLAYERS: usize = 4;
/// Different animals; four cards of each.
pub const ANIMALS: usize = 10;
/// Cards in the deck at the start.
pub const DECK: usize = 40;
/// All money that can exist at one table, in points: no higher bid is meaningful.
pub const MONEY_MAX: u16 = 3_760;

/// One of the ten kinds of animal, `A` to `J`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(into = "char", try_from = "char")]
#[schemars(with = "char")]
pub struct Animal(u8);

impl Animal {
    /// The money donkey, `G`.
    pub const DONKEY: Animal = Animal(6);
    const VALUES: [u16; ANIMALS] = [10, 40, 90, 160, 250, 350, 500, 650, 800, 1000];

    /// The animal with this number, from 0 for `A` to 9 for `J`.
    #[must_use]
    pub const fn new(number: u8) -> Option<Self> {
        if (number as usize) < ANIMALS {
            Some(Self(number))
        } else {
            None
        }
    }

    /// All ten, cheapest first.
    pub fn all() -> impl DoubleEndedIterator<Item = Animal> + Clone {
        (0..ANIMALS as u8).map(Animal)
    }

    /// The animal with this letter.
    #[must_use]
    pub fn from_letter(letter: char) -> Option<Self> {
        ('A'..='J')
            .contains(&letter)
            .then(|| Self(letter as u8 - b'A'))
    }

    /// `A` to `J`.
    #[must_use]
    pub const fn letter(self) -> char {
        (b'A' + self.0) as char
    }

    /// The value of its quartet, in points.
    #[must_use]
    pub const fn value(self) -> u16 {
        Self::VALUES[self.0 as usize]
    }

    /// What people call it: `rooster` to `horse`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        const NAMES: [&str; ANIMALS] = [
            "rooster", "goose", "cat", "dog", "sheep", "goat", "donkey", "pig", "cow", "horse",
        ];
        NAMES[self.0 as usize]
    }

    /// A number of it, in words.
    #[must_use]
    pub fn counted(self, count: u8) -> String {
        let name = self.name();
        match (count, name) {
            (1, _) => format!("a {name}"),
            (_, "goose") => format!("{count} geese"),
            (_, "sheep") => format!("{count} sheep"),
            _ => format!("{count} {name}s"),
        }
    }

    /// Its index in arrays by animal.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Animal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

impl From<Animal> for char {
    fn from(animal: Animal) -> char {
        animal.letter()
    }
}

impl TryFrom<char> for Animal {
    type Error = CardError;
    fn try_from(letter: char) -> Result<Self, CardError> {
        Self::from_letter(letter).ok_or(CardError::NoAnimal(letter))
    }
}

/// Why cards cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CardError {
    /// This letter stands for none.
    #[error("{0:?} is not an animal from A to J")]
    NoAnimal(char),
    /// More money of a kind than a table ever holds.
    #[error("{0:?} are more cards than there are")]
    TooMuch([u8; 6]),
}

/// A kind of money card.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[repr(u8)]
#[serde(rename_all = "snake_case")]
pub enum Note {
    /// `n`, worth 0.
    Zero,
    /// `t`, worth 10.
    Ten,
    /// `f`, worth 50.
    Fifty,
    /// `h`, worth 100.
    Hundred,
    /// `T`, worth 200.
    TwoHundred,
    /// `F`, worth 500.
    FiveHundred,
}

impl Note {
    /// All kinds, from the least.
    pub const ALL: [Note; 6] = [
        Note::Zero,
        Note::Ten,
        Note::Fifty,
        Note::Hundred,
        Note::TwoHundred,
        Note::FiveHundred,
    ];
    /// What the first, second, third and fourth donkey give to each player.
    pub const DONKEYS: [Note; 4] = [
        Note::Fifty,
        Note::Hundred,
        Note::TwoHundred,
        Note::FiveHundred,
    ];

    /// Its value in points.
    #[must_use]
    pub const fn value(self) -> u16 {
        [0, 10, 50, 100, 200, 500][self as usize]
    }

    /// Its letter on the wire. Case matters.
    #[must_use]
    pub const fn letter(self) -> char {
        ['n', 't', 'f', 'h', 'T', 'F'][self as usize]
    }

    /// The kind with this letter.
    #[must_use]
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|note| note.letter() == letter)
    }
}

/// A number of money cards of each kind: a hand, an offer, a payment.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "[u8; 6]", into = "[u8; 6]")]
pub struct Purse(pub [u8; 6]);

impl TryFrom<[u8; 6]> for Purse {
    type Error = CardError;

    fn try_from(cards: [u8; 6]) -> Result<Self, CardError> {
        let purse = Self(cards);
        let all = Self::ALL.holds(purse);
        all.then_some(purse).ok_or(CardError::TooMuch(cards))
    }
}

impl From<Purse> for [u8; 6] {
    fn from(purse: Purse) -> Self {
        purse.0
    }
}

impl Purse {
    /// What each player starts with: `nnttttf`, 90 points.
    pub const START: Purse = Purse([2, 4, 1, 0, 0, 0]);
    /// All money that one table can ever hold.
    pub const ALL: Purse = Purse([8, 16, 8, 4, 4, 4]);
    /// No cards.
    pub const EMPTY: Purse = Purse([0; 6]);

    /// All money at a table once n donkeys have been turned up.
    #[must_use]
    pub const fn issued(donkeys: u8) -> Purse {
        match donkeys {
            0 => Purse([8, 16, 4, 0, 0, 0]),
            1 => Purse([8, 16, 8, 0, 0, 0]),
            2 => Purse([8, 16, 8, 4, 0, 0]),
            3 => Purse([8, 16, 8, 4, 4, 0]),
            _ => Purse::ALL,
        }
    }

    /// The value in points.
    #[must_use]
    pub const fn value(self) -> u16 {
        let [_, t, f, h, big_t, big_f] = self.0;
        t as u16 * 10 + f as u16 * 50 + h as u16 * 100 + big_t as u16 * 200 + big_f as u16 * 500
    }

    /// How many cards.
    #[must_use]
    pub const fn cards(self) -> u8 {
        let [n, t, f, h, big_t, big_f] = self.0;
        n + t + f + h + big_t + big_f
    }

    /// How many cards of one kind.
    #[must_use]
    pub const fn count(self, note: Note) -> u8 {
        self.0[note as usize]
    }

    /// Whether every card of `part` is here.
    #[must_use]
    pub fn holds(self, part: Purse) -> bool {
        self.0
            .iter()
            .zip(part.0)
            .all(|(mine, wanted)| *mine >= wanted)
    }

    /// With the cards of `other` added.
    #[must_use]
    pub fn plus(mut self, other: Purse) -> Purse {
        for (mine, more) in self.0.iter_mut().zip(other.0) {
            *mine += more;
        }
        self
    }

    /// Limited to the cards of each kind that exist: sums stay in range whatever a foreign referee says.
    #[must_use]
    pub fn capped(mut self) -> Purse {
        for (mine, most) in self.0.iter_mut().zip(Self::ALL.0) {
            *mine = (*mine).min(most);
        }
        self
    }

    /// Without those cards of `part` that are here; for what foreign referees report.
    #[must_use]
    pub fn less(mut self, part: Purse) -> Purse {
        for (mine, less) in self.0.iter_mut().zip(part.0) {
            *mine = mine.saturating_sub(less);
        }
        self
    }

    /// Without the cards of `part`, which must all be here.
    #[must_use]
    pub fn minus(mut self, part: Purse) -> Purse {
        debug_assert!(self.holds(part), "{self:?} does not hold {part:?}");
        for (mine, less) in self.0.iter_mut().zip(part.0) {
            *mine -= less;
        }
        self
    }

    /// One card of `note`.
    #[must_use]
    pub const fn single(note: Note) -> Purse {
        let mut counts = [0; 6];
        counts[note as usize] = 1;
        Purse(counts)
    }

    /// What the server takes for `price` from this hand: the least total that covers it, then the fewest
    /// cards, never `n` (README.md A7). `None` if the hand is worth less.
    #[must_use]
    pub fn exact_payment(self, price: u16) -> Option<Purse> {
        if self.value() < price {
            return None;
        }
        let mut best = Purse::EMPTY;
        let mut best_cost = (u16::MAX, u8::MAX);
        let [_, tens, fifties, hundreds, two_hundreds, five_hundreds] = self.0;
        // What the smaller notes are worth together gives the least number needed of this one.
        let with_fifties = u16::from(tens) * 10 + u16::from(fifties) * 50;
        let with_hundreds = with_fifties + u16::from(hundreds) * 100;
        let with_two_hundreds = with_hundreds + u16::from(two_hundreds) * 200;
        let counts = |rest: u16, smaller: u16, have: u8, worth: u16| {
            let least = rest.saturating_sub(smaller).div_ceil(worth);
            least as u8..=have.min(rest.div_ceil(worth) as u8)
        };
        for big_f in counts(price, with_two_hundreds, five_hundreds, 500) {
            let rest = price.saturating_sub(u16::from(big_f) * 500);
            for big_t in counts(rest, with_hundreds, two_hundreds, 200) {
                let rest = rest.saturating_sub(u16::from(big_t) * 200);
                for h in counts(rest, with_fifties, hundreds, 100) {
                    let rest = rest.saturating_sub(u16::from(h) * 100);
                    for f in counts(rest, u16::from(tens) * 10, fifties, 50) {
                        let rest = rest.saturating_sub(u16::from(f) * 50);
                        let t = rest.div_ceil(10) as u8;
                        let paid = Purse([0, t, f, h, big_t, big_f]);
                        let cost = (paid.value(), paid.cards());
                        if cost < best_cost {
                            (best, best_cost) = (paid, cost);
                        }
                    }
                }
            }
        }
        Some(best)
    }

    /// The cards of this hand that pay a price, if there is only one way to do so with n cards.
    #[must_use]
    pub fn only_payment(self, cards: u8, price: u16) -> Option<Purse> {
        let (mut dearest, mut rest) = (Purse::EMPTY, self);
        for note in Note::ALL.into_iter().rev() {
            let count = rest.count(note).min(cards - dearest.cards());
            dearest.0[note as usize] = count;
            rest.0[note as usize] -= count;
        }
        let changes = Note::ALL.into_iter().filter(|out| dearest.count(*out) > 0);
        let changes = changes.flat_map(|out| {
            let cheaper = move |into: &Note| *into < out && rest.count(*into) > 0;
            let loss = move |into: Note| out.value() - into.value();
            Note::ALL.into_iter().filter(cheaper).map(loss)
        });
        let value = dearest.value();
        let pays = dearest.cards() == cards && value >= price;
        let others = changes.min().is_some_and(|least| value - least >= price);
        (pays && !others).then_some(dearest)
    }
}

impl fmt::Display for Purse {
    /// Letters, largest first: `FThftn`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for note in Note::ALL.into_iter().rev() {
            for _ in 0..self.count(note) {
                fmt::Write::write_char(f, note.letter())?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Purse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

/// A place from one player's point of view: the player is `S`, then clockwise `W`, `N`, `E` (section 1.2).
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[repr(u8)]
pub enum Compass {
    /// The viewer.
    S,
    /// To the viewer's left: next in turn.
    W,
    /// Opposite.
    N,
    /// To the viewer's right.
    E,
}

impl Compass {
    /// The three rivals, clockwise.
    pub const RIVALS: [Compass; 3] = [Compass::W, Compass::N, Compass::E];
    /// All four places, starting with the viewer.
    pub const ALL: [Compass; 4] = [Compass::S, Compass::W, Compass::N, Compass::E];

    /// What `viewer` calls `subject`; both are absolute seats 0..4.
    #[must_use]
    pub const fn from_seats(viewer: usize, subject: usize) -> Compass {
        Self::ALL[(subject + PLAYERS - viewer) % PLAYERS]
    }

    /// The absolute seat that `viewer` means by this place.
    #[must_use]
    pub const fn seat(self, viewer: usize) -> usize {
        (viewer + self as usize) % PLAYERS
    }

    /// Its index in arrays by compass.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// `S`, `W`, `N` or `E`.
    #[must_use]
    pub const fn letter(self) -> char {
        ['S', 'W', 'N', 'E'][self as usize]
    }

    /// The place with this letter.
    #[must_use]
    pub fn from_letter(letter: char) -> Option<Self> {
        Self::ALL.into_iter().find(|place| place.letter() == letter)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every subset of a hand, by counting.
    fn subsets(hand: Purse) -> Vec<Purse> {
        let mut all = vec![Purse::EMPTY];
        for note in Note::ALL {
            let grown: Vec<Purse> = all
                .iter()
                .flat_map(|part| {
                    (0..=hand.count(note)).map(move |count| {
                        let mut part = *part;
                        part.0[note as usize] = count;
                        part
                    })
                })
                .collect();
            all = grown;
        }
        all
    }

    #[test]
    fn exact_payment_is_the_best_of_all_subsets() {
        let mut rng = drover_game::rng::Rng::new(5, 0);
        for _ in 0..300 {
            let hand = Purse(std::array::from_fn(|kind| {
                rng.below([3, 6, 5, 4, 5, 5][kind]) as u8
            }));
            let price = 10 * (1 + rng.below(u32::from(MONEY_MAX) / 10) as u16);
            let best = subsets(hand)
                .into_iter()
                .filter(|part| part.count(Note::Zero) == 0 && part.value() >= price)
                .min_by_key(|part| (part.value(), part.cards()));
            let cost = |part: Purse| (part.value(), part.cards());
            assert_eq!(
                hand.exact_payment(price).map(cost),
                best.map(cost),
                "{hand:?} for {price}"
            );
        }
    }

    #[test]
    fn a_payment_is_the_only_one_if_no_other_subset_pays() {
        let mut rng = drover_game::rng::Rng::new(6, 0);
        let mut only = 0;
        for _ in 0..3_000 {
            let hand = Purse(std::array::from_fn(|kind| {
                rng.below([3, 5, 3, 2, 2, 2][kind]) as u8
            }));
            let (cards, price) = (rng.below(9) as u8, 10 * rng.below(60) as u16);
            let mut ways = subsets(hand);
            ways.retain(|part| part.cards() == cards && part.value() >= price);
            let expected = ways.first().filter(|_| ways.len() == 1);
            assert_eq!(
                hand.only_payment(cards, price).as_ref(),
                expected,
                "{hand:?}: {cards} for {price}"
            );
            only += u32::from(expected.is_some());
        }
        assert!(only > 100, "{only}");
    }

    #[test]
    fn places_turn_with_the_viewer() {
        for viewer in 0..PLAYERS {
            for subject in 0..PLAYERS {
                assert_eq!(Compass::from_seats(viewer, subject).seat(viewer), subject);
            }
        }
        assert_eq!(Compass::from_seats(2, 3), Compass::W);
    }
}
