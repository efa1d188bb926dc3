//! A referee's table in a constructed position, driven by the exact text of every reply.

use crate::cards::{Animal, Note, PLAYERS, Purse};
use crate::options::Options;
use crate::referee::{Referee, RefereeSetup};
use crate::rules::{Koehandel, Setup};
use drover_game::game::{Game, Seat};
use drover_game::wire::{Reply, Table};

/// The table and all messages sent at it.
pub struct Hall {
    table: Referee,
    /// Everything sent so far: seat and query without market and id.
    said: Vec<(usize, String)>,
}

fn purse(letters: &str) -> Purse {
    letters.chars().fold(Purse::EMPTY, |sum, letter| {
        sum.plus(Purse::single(Note::from_letter(letter).unwrap()))
    })
}

/// A position with seat 0 on turn: `deck` is turned up first, then the unowned animals in order; after `END`
/// there is no deck. Each player has the money it would have been given, unless `purses` says otherwise.
pub fn position(
    options: Options,
    deck: &str,
    herds: [&str; PLAYERS],
    purses: Option<[&str; PLAYERS]>,
) -> Setup {
    let mut owned = [[0u8; 10]; PLAYERS];
    for (herd, letters) in owned.iter_mut().zip(herds) {
        for letter in letters.chars() {
            herd[Animal::from_letter(letter).unwrap().index()] += 1;
        }
    }
    let ended = deck == END;
    let mut cards: Vec<Animal> = deck
        .chars()
        .filter(|_| !ended)
        .filter_map(Animal::from_letter)
        .collect();
    for animal in Animal::all() {
        let out: u8 = owned.iter().map(|herd| herd[animal.index()]).sum();
        let shown = cards.iter().filter(|card| **card == animal).count() as u8;
        let left = 4 - out - shown;
        if ended {
            assert!(
                left == 0 || left == 4,
                "all of {animal:?} or none has an owner"
            );
            owned[3][animal.index()] += left;
        } else {
            cards.extend((0..left).map(|_| animal));
        }
    }
    let donkeys: u8 = owned.iter().map(|herd| herd[Animal::DONKEY.index()]).sum();
    let given = Note::DONKEYS
        .into_iter()
        .take(usize::from(donkeys))
        .fold(Purse::START, |sum, note| sum.plus(Purse::single(note)));
    Setup {
        options,
        deck: cards,
        first: 0,
        purses: purses.map_or([given; PLAYERS], |letters| letters.map(purse)),
        herds: owned,
        donkeys,
    }
}

/// The default options with a change.
pub fn with(change: impl FnOnce(&mut Options)) -> Options {
    let mut options = Options::default();
    change(&mut options);
    options
}

/// In place of a deck: none is left.
pub const END: &str = "END";

impl Hall {
    pub fn new(setup: Setup) -> Self {
        let mut hall = Self {
            table: Referee::new(RefereeSetup {
                position: setup,
                market: 1,
                ids: [1, 2, 3, 4],
            })
            .unwrap(),
            said: Vec::new(),
        };
        hall.listen();
        hall
    }

    /// With the default options and the usual money.
    pub fn with_deck(deck: &str, herds: [&str; PLAYERS]) -> Self {
        Self::new(position(Options::default(), deck, herds, None))
    }

    fn listen(&mut self) {
        let mut calls = Vec::new();
        self.table.calls(&mut calls);
        let plain = |text: &str| text.splitn(3, '&').nth(2).unwrap_or_default().to_owned();
        self.said.extend(
            calls
                .iter()
                .map(|call| (call.seat.index(), plain(&call.text))),
        );
    }

    pub fn game(&self) -> &Koehandel {
        self.table.game()
    }

    /// The seat that is asked.
    pub fn asked(&self) -> Option<usize> {
        self.game().asked().map(|(seat, _)| seat)
    }

    /// `seat`, which must be the one asked, replies.
    #[track_caller]
    pub fn reply(&mut self, seat: usize, text: &str) -> &mut Self {
        assert_eq!(
            self.asked(),
            Some(seat),
            "asked instead of {seat}; said so far: {:#?}",
            self.said
        );
        self.table
            .answer(Seat(seat as u8), Reply::Text(text.as_bytes()));
        self.listen();
        self
    }

    /// How many answers of each seat were refused.
    pub fn refused(&self) -> [u32; PLAYERS] {
        std::array::from_fn(|seat| self.table.noted(Seat(seat as u8)).refused)
    }

    /// The seat asked gives no usable answer.
    pub fn silent(&mut self, reply: Reply<'_>) -> &mut Self {
        let seat = self.asked().expect("somebody is asked");
        self.table.answer(Seat(seat as u8), reply);
        self.listen();
        self
    }

    /// These seats pass one after the other.
    #[track_caller]
    pub fn pass(&mut self, seats: &[usize]) -> &mut Self {
        for seat in seats {
            self.reply(*seat, "");
        }
        self
    }

    /// The last message to `seat` is this.
    #[track_caller]
    pub fn receives(&self, seat: usize, text: &str) {
        assert_eq!(self.last(seat), text);
    }

    /// The last message to `seat`.
    pub fn last(&self, seat: usize) -> &str {
        self.nth_last(seat, 0)
    }

    /// The message to `seat` that came `back` messages before the last.
    pub fn nth_last(&self, seat: usize, back: usize) -> &str {
        let mut received = self.said.iter().rev().filter(|(at, _)| *at == seat);
        received.nth(back).map_or("", |(_, text)| text)
    }

    /// How often `seat` received exactly this.
    pub fn count(&self, seat: usize, text: &str) -> usize {
        self.said
            .iter()
            .filter(|(at, said)| *at == seat && said == text)
            .count()
    }

    /// All messages to all seats since the last call, in order, as `seat text`.
    pub fn since(&mut self) -> Vec<String> {
        self.said
            .drain(..)
            .map(|(seat, text)| format!("{seat} {text}"))
            .collect()
    }

    pub fn purse(&self, seat: usize) -> String {
        let mut letters: Vec<char> = self.game().purses()[seat].to_string().chars().collect();
        letters.reverse();
        letters.into_iter().collect()
    }

    /// Seats 0 and 1 hold these cards.
    #[track_caller]
    pub fn hold(&self, purses: [&str; 2]) {
        assert_eq!([self.purse(0), self.purse(1)], purses);
    }

    pub fn owns(&self, seat: usize, letter: char) -> u8 {
        self.game().herds()[seat][Animal::from_letter(letter).unwrap().index()]
    }

    pub fn over(&self) -> bool {
        self.game().outcome().is_some()
    }
}
