//! Decks of any size, cards and sets of cards (README.md, section 1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The most cards that a deck may have.
pub const CARDS_MAX: usize = 128;

/// One card of a deck, by index: suit after suit, the lowest value first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "u8", into = "u8")]
pub struct Card(pub u8);

impl TryFrom<u8> for Card {
    type Error = NoCard;

    fn try_from(index: u8) -> Result<Self, NoCard> {
        let known = usize::from(index) < CARDS_MAX;
        known.then_some(Self(index)).ok_or(NoCard(index))
    }
}

/// No deck has a card of this index.
#[derive(Debug, thiserror::Error)]
#[error("there is no card {0}")]
pub struct NoCard(u8);

impl From<Card> for u8 {
    fn from(card: Card) -> Self {
        card.0
    }
}

impl Card {
    /// Its index in arrays by card.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A set of cards of one deck.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(from = "Vec<Card>", into = "Vec<Card>")]
pub struct CardSet(pub u128);

impl CardSet {
    /// No card.
    pub const EMPTY: CardSet = CardSet(0);

    /// How many cards.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the card is in the set.
    #[must_use]
    pub const fn has(self, card: Card) -> bool {
        self.0 >> card.0 & 1 == 1
    }

    /// With one more card.
    #[must_use]
    pub const fn with(self, card: Card) -> Self {
        Self(self.0 | 1 << card.0)
    }

    /// Without a card.
    #[must_use]
    pub const fn without(self, card: Card) -> Self {
        Self(self.0 & !(1 << card.0))
    }

    /// The cards of both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The cards of either.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The cards of this set that are not in the other.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The card with the lowest index.
    #[must_use]
    pub const fn first(self) -> Option<Card> {
        if self.0 == 0 {
            None
        } else {
            Some(Card(self.0.trailing_zeros() as u8))
        }
    }

    /// The card with the highest index.
    #[must_use]
    pub const fn last(self) -> Option<Card> {
        if self.0 == 0 {
            None
        } else {
            Some(Card(127 - self.0.leading_zeros() as u8))
        }
    }

    /// All cards, the lowest index first.
    pub fn iter(self) -> impl Iterator<Item = Card> {
        let mut rest = self;
        std::iter::from_fn(move || {
            let card = rest.first()?;
            rest = rest.without(card);
            Some(card)
        })
    }
}

impl From<Vec<Card>> for CardSet {
    fn from(cards: Vec<Card>) -> Self {
        cards.into_iter().collect()
    }
}

impl From<CardSet> for Vec<Card> {
    fn from(cards: CardSet) -> Self {
        cards.iter().collect()
    }
}

impl FromIterator<Card> for CardSet {
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> Self {
        cards.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl fmt::Debug for CardSet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.iter()).finish()
    }
}

/// Values from low to high, and suits of which the first is trump.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Letters", into = "Letters")]
pub struct Deck {
    values: Vec<char>,
    suits: Vec<char>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Letters {
    values: String,
    suits: String,
}

impl TryFrom<Letters> for Deck {
    type Error = DeckError;

    fn try_from(letters: Letters) -> Result<Self, DeckError> {
        Self::new(&letters.values, &letters.suits)
    }
}

impl From<Deck> for Letters {
    fn from(deck: Deck) -> Self {
        Self {
            values: deck.values(),
            suits: deck.suits(),
        }
    }
}

/// Why letters make no deck: what they are, `values` or `suits`, and the one that cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeckError {
    /// A letter is blank.
    #[error("{1:?} cannot be one of the {0}: cards are written without blanks")]
    Blank(&'static str, char),
    /// A letter is repeated.
    #[error("{1:?} stands twice among the {0}, so its cards could not be distinguished")]
    Twice(&'static str, char),
    /// There is no letter.
    #[error("the deck has no {0}")]
    Empty(&'static str),
    /// That many cards are too many.
    #[error("the deck has {0} cards; at most {CARDS_MAX} can be played with")]
    TooLarge(usize),
}

fn distinct(what: &'static str, text: &str) -> Result<Vec<char>, DeckError> {
    let mut letters = Vec::new();
    for letter in text.chars() {
        if letter.is_whitespace() || letter.is_control() {
            return Err(DeckError::Blank(what, letter));
        }
        if letters.contains(&letter) {
            return Err(DeckError::Twice(what, letter));
        }
        letters.push(letter);
    }
    if letters.is_empty() {
        return Err(DeckError::Empty(what));
    }
    Ok(letters)
}

impl Deck {
    /// The values of tournament games, low to high.
    pub const CONTEST_VALUES: &'static str = "23456789TJQKA";
    /// The suits of tournament games; clubs are trump.
    pub const CONTEST_SUITS: &'static str = "CDHS";

    /// The deck of these values, low to high, and these suits, the first one trump.
    ///
    /// # Errors
    /// [`DeckError`] for no values or suits, repeated or blank letters, and more than 128 cards.
    pub fn new(values: &str, suits: &str) -> Result<Self, DeckError> {
        let (values, suits) = (distinct("values", values)?, distinct("suits", suits)?);
        let cards = values.len().saturating_mul(suits.len());
        if cards > CARDS_MAX {
            return Err(DeckError::TooLarge(cards));
        }
        Ok(Self { values, suits })
    }

    /// The deck of tournament games: 52 cards, clubs trump.
    #[must_use]
    pub fn contest() -> Self {
        Self {
            values: Self::CONTEST_VALUES.chars().collect(),
            suits: Self::CONTEST_SUITS.chars().collect(),
        }
    }

    /// The values as in `set_deck`.
    #[must_use]
    pub fn values(&self) -> String {
        self.values.iter().collect()
    }

    /// The suits as in `set_deck`.
    #[must_use]
    pub fn suits(&self) -> String {
        self.suits.iter().collect()
    }

    /// How many suits there are.
    #[must_use]
    pub fn suit_count(&self) -> usize {
        self.suits.len()
    }

    /// How many cards there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len() * self.suits.len()
    }

    /// Always false: every deck has a card.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Every card.
    #[must_use]
    pub fn all(&self) -> CardSet {
        CardSet(u128::MAX >> (CARDS_MAX - self.len()))
    }

    /// The cards of a suit; 0 is trump.
    #[must_use]
    pub fn suit(&self, suit: u8) -> CardSet {
        let values = self.values.len();
        CardSet((u128::MAX >> (CARDS_MAX - values)) << (usize::from(suit) * values))
    }

    /// A card's suit; 0 is trump.
    #[must_use]
    pub fn suit_of(&self, card: Card) -> u8 {
        (card.index() / self.values.len()) as u8
    }

    /// A card's value, 0 the lowest.
    #[must_use]
    pub fn value_of(&self, card: Card) -> u8 {
        (card.index() % self.values.len()) as u8
    }

    /// The card written this way. Case matters.
    #[must_use]
    pub fn read(&self, text: &str) -> Option<Card> {
        let mut letters = text.chars();
        let (value, suit) = (letters.next()?, letters.next()?);
        if letters.next().is_some() {
            return None;
        }
        let value = self.values.iter().position(|letter| *letter == value)?;
        let suit = self.suits.iter().position(|letter| *letter == suit)?;
        u8::try_from(suit * self.values.len() + value)
            .ok()
            .map(Card)
    }

    /// The card as text: its value, then its suit.
    #[must_use]
    pub fn text(&self, card: Card) -> String {
        let value = self.values.get(usize::from(self.value_of(card)));
        let suit = self.suits.get(usize::from(self.suit_of(card)));
        value.into_iter().chain(suit).collect()
    }

    /// What may be played from a hand if a card of the suit `led` lies on the table, or nothing does.
    #[must_use]
    pub fn playable(&self, hand: CardSet, led: Option<u8>) -> CardSet {
        let following = led.map_or(CardSet::EMPTY, |suit| hand.and(self.suit(suit)));
        if following.is_empty() {
            hand
        } else {
            following
        }
    }

    /// Whether `card` takes the trick from `best`, which is winning it so far.
    #[must_use]
    pub fn beats(&self, card: Card, best: Card) -> bool {
        let (suit, best_suit) = (self.suit_of(card), self.suit_of(best));
        if suit == best_suit {
            card > best
        } else {
            suit == 0
        }
    }

    /// Which of the cards, in the order they were played, takes the trick. `None` for no cards.
    #[must_use]
    pub fn winner(&self, cards: &[Card]) -> Option<usize> {
        let mut best: Option<(usize, Card)> = None;
        for (at, card) in cards.iter().enumerate() {
            if best.is_none_or(|(_, holds)| self.beats(*card, holds)) {
                best = Some((at, *card));
            }
        }
        best.map(|(at, _)| at)
    }
}
