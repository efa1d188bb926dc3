//! What a match starts from: a seeded deal or a constructed position, stored whole with the match.

use crate::cards::{Animal, DECK, Note, PLAYERS, Purse};
use crate::options::Options;
use crate::view::Herd;
use drover_game::rng::Rng;
use serde::{Deserialize, Serialize};

/// The seed's random stream that shuffles the deck and draws the first player.
const DEAL_STREAM: u64 = 0;

/// A position in which a player's turn is about to begin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The referee's options.
    #[serde(default)]
    pub options: Options,
    /// Animals still to be turned up, next one first.
    pub deck: Vec<Animal>,
    /// Whose turn it is, 0 to 3.
    pub first: u8,
    /// All players' money as letters, by seat.
    #[serde(with = "purses")]
    pub purses: [Purse; PLAYERS],
    /// All players' animals, by seat and animal.
    pub herds: [Herd; PLAYERS],
    /// Donkeys turned up so far.
    #[serde(default)]
    pub donkeys: u8,
}

/// Why no play reaches a position.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreachable {
    /// The seat on turn.
    #[error("first: seat {0} does not exist; seats are 0 to 3")]
    First(u8),
    /// An animal, and how many of it there are.
    #[error("herds and deck hold {1} of {0:?}, not 4")]
    Cards(Animal, u32),
    /// Donkeys that were paid for, and those that have left the deck.
    #[error("donkeys: {0} were paid for but {1} are out of the deck")]
    Donkeys(u8, usize),
    /// A kind of money, how many of it are held, and how many were given out.
    #[error("purses hold {1} of {letter}, but {2} were given out", letter = .0.letter())]
    Money(Note, u32, u8),
}

impl Setup {
    /// A new match: shuffled deck, starting money, and a random first player unless the options set one.
    #[must_use]
    pub fn deal(seed: u64, options: Options) -> Self {
        let mut rng = Rng::new(seed, DEAL_STREAM);
        let mut deck: Vec<Animal> = Animal::all().flat_map(|animal| [animal; 4]).collect();
        rng.shuffle(&mut deck);
        let drawn = rng.below(PLAYERS as u32) as u8;
        Self {
            options,
            deck,
            first: options.first_seat.unwrap_or(drawn) % PLAYERS as u8,
            purses: [Purse::START; PLAYERS],
            herds: [[0; 10]; PLAYERS],
            donkeys: 0,
        }
    }

    /// Checks that play could reach this position: four cards of each animal, donkeys out and paid for agree,
    /// no more money than was given out.
    ///
    /// # Errors
    /// [`Unreachable`] says what does not fit.
    pub fn check(&self) -> Result<(), Unreachable> {
        if usize::from(self.first) >= PLAYERS {
            return Err(Unreachable::First(self.first));
        }
        for animal in Animal::all() {
            let open: u32 = self
                .herds
                .iter()
                .map(|herd| u32::from(herd[animal.index()]))
                .sum();
            let hidden = self.deck.iter().filter(|card| **card == animal).count() as u32;
            if open + hidden != 4 {
                return Err(Unreachable::Cards(animal, open + hidden));
            }
        }
        let donkeys_out = 4 - self
            .deck
            .iter()
            .filter(|card| **card == Animal::DONKEY)
            .count();
        if donkeys_out != usize::from(self.donkeys) || self.deck.len() > DECK {
            return Err(Unreachable::Donkeys(self.donkeys, donkeys_out));
        }
        let issued = Purse::issued(self.donkeys);
        for note in Note::ALL {
            let held: u32 = self
                .purses
                .iter()
                .map(|purse| u32::from(purse.count(note)))
                .sum();
            let given = issued.count(note);
            if held != u32::from(given) {
                return Err(Unreachable::Money(note, held, given));
            }
        }
        Ok(())
    }
}

mod purses {
    use super::{Note, PLAYERS, Purse};
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub fn serialize<S: Serializer>(purses: &[Purse; PLAYERS], s: S) -> Result<S::Ok, S::Error> {
        purses.map(|purse| purse.to_string()).serialize(s)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<[Purse; PLAYERS], D::Error> {
        let texts = <[String; PLAYERS]>::deserialize(d)?;
        let mut purses = [Purse::EMPTY; PLAYERS];
        for (purse, text) in purses.iter_mut().zip(texts) {
            for letter in text.chars() {
                let note = Note::from_letter(letter)
                    .ok_or_else(|| D::Error::custom(format!("{letter:?} is not a money letter")))?;
                let count = &mut purse.0[note as usize];
                *count = count
                    .checked_add(1)
                    .ok_or_else(|| D::Error::custom("too many cards"))?;
            }
        }
        Ok(purses)
    }
}
