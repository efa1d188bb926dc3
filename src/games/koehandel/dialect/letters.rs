//! Amounts, cards, animals and places as letters.

use super::super::cards::{Animal, Compass, Note, Purse};
use super::super::message::History;

/// A bid with more letters than this is a pass (README.md 2.2.2).
pub const AMOUNT_LETTERS_MAX: usize = 400;
/// A foreign referee's amounts above this are read as this: no table holds a fifth of it.
pub const AMOUNT_MAX: u16 = 20_000;
/// The most bids read from one history.
const HISTORY_MAX: usize = 1_000;

/// The value of letters that need not be real cards, or `None` if one is not a money letter.
pub fn amount(text: &str) -> Option<u16> {
    text.chars().try_fold(0u16, |sum, letter| {
        let note = Note::from_letter(letter)?;
        Some(sum.saturating_add(note.value()).min(AMOUNT_MAX))
    })
}

/// Real cards, or `None` for letters that are not money and for more cards of a kind than exist.
pub fn cards(text: &str) -> Option<Purse> {
    let mut purse = Purse::EMPTY;
    for letter in text.chars() {
        let note = Note::from_letter(letter)?;
        let count = &mut purse.0[note as usize];
        *count += 1;
        if *count > Purse::ALL.count(note) {
            return None;
        }
    }
    Some(purse)
}

/// An amount in the fewest letters, largest first: the choice of letters must carry no signal (2.2.3).
pub fn push_amount(out: &mut String, mut amount: u16) {
    for note in Note::ALL.into_iter().skip(1).rev() {
        while amount >= note.value() {
            amount -= note.value();
            out.push(note.letter());
        }
    }
}

/// Real cards, least first, as in the worked example: `nntt`.
pub fn push_cards(out: &mut String, purse: Purse) {
    for note in Note::ALL {
        for _ in 0..purse.count(note) {
            out.push(note.letter());
        }
    }
}

/// Reads `H`, `HH`, `-H`, `-HH`: whether there is a minus, the animal, and how many.
pub fn goods(text: &str) -> Option<(bool, Animal, u8)> {
    let (minus, letters) = match text.strip_prefix('-') {
        Some(letters) => (true, letters),
        None => (false, text),
    };
    let mut letters = letters.chars();
    let first = letters.next()?;
    let animal = Animal::from_letter(first)?;
    let count = match (letters.next(), letters.next()) {
        (None, _) => 1,
        (Some(second), None) if second == first => 2,
        _ => return None,
    };
    Some((minus, animal, count))
}

/// Reads `S`, `W`, `N`, `E`.
pub fn place(text: &str) -> Option<Compass> {
    let mut letters = text.chars();
    let place = Compass::from_letter(letters.next()?)?;
    letters.next().is_none().then_some(place)
}

/// `-`, cards hidden or open, and the price of an auction: the money of an information row.
pub struct Shown {
    pub minus: bool,
    /// Hidden cards.
    pub hidden: u8,
    /// Open cards (I6).
    pub open: Purse,
    pub price: Option<u16>,
}

impl Shown {
    /// How many cards, hidden or open.
    pub fn cards(&self) -> u8 {
        self.hidden.saturating_add(self.open.cards())
    }
}

/// Reads `-QQ40`, `QQ`, `-0`, `-`, `ttf`.
pub fn shown(text: &str) -> Option<Shown> {
    let (minus, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let digits = rest.find(|letter: char| letter.is_ascii_digit());
    let (letters, digits) = rest.split_at_checked(digits.unwrap_or(rest.len()))?;
    let open = letters.trim_start_matches('Q');
    let hidden = u8::try_from(letters.len() - open.len()).unwrap_or(u8::MAX);
    Some(Shown {
        minus,
        hidden,
        open: cards(open)?,
        price: if digits.is_empty() {
            None
        } else {
            Some(number(digits)?)
        },
    })
}

/// Decimal digits, at most [`AMOUNT_MAX`].
fn number(digits: &str) -> Option<u16> {
    let all_digits = digits.bytes().all(|digit| digit.is_ascii_digit());
    (all_digits && !digits.is_empty()).then(|| digits.parse().unwrap_or(AMOUNT_MAX).min(AMOUNT_MAX))
}

/// Reads `W10N20E0`, `W750N2020E=500`: places with numbers, up to the first thing that is neither.
pub fn by_place(text: &str) -> impl Iterator<Item = (Compass, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let place = Compass::from_letter(rest.chars().next()?)?;
        let tail = rest.get(1..)?;
        let tail = tail.strip_prefix('=').unwrap_or(tail);
        let end = tail
            .find(|letter: char| !letter.is_ascii_digit())
            .unwrap_or(tail.len());
        let (digits, after) = tail.split_at_checked(end)?;
        rest = after;
        (!digits.is_empty()).then_some((place, digits))
    })
}

/// Reads the history of an auction.
pub fn history(text: &str) -> History {
    by_place(text)
        .take(HISTORY_MAX)
        .filter_map(|(place, digits)| Some((place, number(digits)?)))
        .collect()
}
