//! A bot's side of the wire: text in, fold, decision, text out.

use super::cards::{Animal, Compass, Purse};
use super::dialect::{ANSWER_WITHIN, Fields, read, read_answer, write_answer};
use super::facts::Facts;
use super::fold::Fold;
use super::guard::{fallback, is_in_order};
use super::message::Message;
use super::models::Observer;
use super::rules::{Act, Ask, Koehandel};
use super::view::{Bounds, View};
use crate::game::{Bot, Budget, Cause, Progress};
use crate::wire::{Dialogue, Ending, Fact, Frame, Lesson, Next, WireError};
use serde_json::{Value, json};

/// One seat's side of one match, played by any bot.
pub struct Player {
    fold: Fold,
    facts: Facts,
    observer: Observer,
    bot: Box<dyn Bot<Koehandel>>,
}

impl Player {
    /// A player before the first message.
    #[must_use]
    pub fn new(bot: Box<dyn Bot<Koehandel>>) -> Self {
        Self::of(Fold::new(), bot)
    }

    /// A player in the middle of a match.
    #[must_use]
    pub fn of(fold: Fold, bot: Box<dyn Bot<Koehandel>>) -> Self {
        Self {
            fold,
            facts: Facts::default(),
            observer: Observer::new(),
            bot,
        }
    }

    fn hear(&mut self, message: &Message) {
        let before = *self.fold.view();
        let settled = self.fold.hear(message).map(Message::Settled);
        self.facts.hear(message, &before, &self.fold);
        let first = matches!(message, Message::PaidByServer { .. });
        let (before, after) = if first {
            (None, settled)
        } else {
            (settled, None)
        };
        for message in before.iter().chain([message]).chain(&after) {
            self.bot.observe(message);
            self.observer.hear(message, self.fold.view());
        }
    }
}

impl Dialogue for Player {
    fn open(&mut self) -> Option<Frame> {
        None
    }

    fn receive(&mut self, frame: &[u8]) -> Result<Next, WireError> {
        let fields = Fields::cut(frame)?;
        let Some(message) = read(&fields, &self.fold)? else {
            return Ok(Next::Wait);
        };
        self.hear(&message);
        if let Message::End(scores) = message {
            return Ok(Next::Over(Ending {
                cause: Cause::Normal,
                detail: String::new(),
                scores: scores.to_vec(),
                wins: Vec::new(),
                last_word: String::new(),
            }));
        }
        Ok(self.fold.ask().map_or(Next::Wait, |ask| Next::Think {
            within: ANSWER_WITHIN,
            worth: None,
            fallback: write_answer(&fallback(self.fold.view(), &ask)),
        }))
    }

    fn think(&mut self, slice: Budget<'_>, best: &mut Frame) -> Progress {
        let Some(ask) = self.fold.ask() else {
            return Progress::Done;
        };
        let view = self.fold.view();
        let (act, progress) = self.bot.ponder(view, &ask, slice);
        let act = if is_in_order(view, &ask, &act) {
            act
        } else {
            if progress == Progress::Done {
                self.facts.refused(&ask, &act);
            }
            fallback(view, &ask)
        };
        *best = write_answer(&act);
        progress
    }

    fn said(&mut self, frame: &str) {
        let Some(ask) = self.fold.ask() else { return };
        let act = read_answer(&ask, frame.as_bytes()).unwrap_or(match ask {
            Ask::Turn => Act::Auction,
            _ => Act::PASS,
        });
        self.facts.said(&ask, &act);
        self.fold.said(&act);
    }

    fn facts(&mut self) -> Vec<Fact> {
        self.facts.take()
    }

    fn lessons(&self) -> Vec<Lesson> {
        self.observer.lessons()
    }

    fn view(&self) -> Value {
        show_view(self.fold.view())
    }
}

/// A view as JSON: players by `S`, `W`, `N`, `E`, money by letters, cash in points.
fn show_view(view: &View) -> Value {
    let player = |place: Compass| {
        let Bounds { low, high } = view.cash[place.index()];
        let animals: serde_json::Map<String, Value> = Animal::all()
            .filter(|animal| view.owns(place, *animal) > 0)
            .map(|animal| {
                let count = view.owns(place, animal);
                (animal.letter().to_string(), count.into())
            })
            .collect();
        json!({
            "animals": animals,
            "score": super::rules::score(&view.herds[place.index()]),
            "money_cards": view.cards[place.index()],
            "cash": {"low": low, "high": high, "guess": view.guess[place.index()]},
            "exposed": view.exposed[place.index()],
            "barred": view.barred[place.index()],
        })
    };
    let players: serde_json::Map<String, Value> = Compass::ALL
        .into_iter()
        .map(|place| (place.letter().to_string(), player(place)))
        .collect();
    json!({
        "purse": show_purse(view.purse),
        "players": players,
        "deck_left": view.deck_left,
        "donkeys": view.donkeys,
        "rivals_cash": view.rivals_cash(),
    })
}

fn show_purse(purse: Purse) -> String {
    purse.to_string()
}
