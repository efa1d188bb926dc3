//! Following one seat of a game, for a person.

use games::{Dialogue, DialogueSetup, Kit, Next, Seat};
use serde_json::Value;
use std::time::{Duration, Instant};

/// What is sent and received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Spoken {
    /// To the program.
    To(String),
    /// By the program, with the time since the last message to it.
    By(String, Duration),
    /// Something that happened, as a sentence.
    Note(String),
}

/// Follows one seat: what it receives and says, and what that means in its game.
pub(super) struct Watch<'a> {
    pub(super) seat: Seat,
    show: &'a mut (dyn FnMut(Spoken) + Send),
    /// Receives what the seat receives.
    dialogue: Option<Box<dyn Dialogue>>,
    /// What of its view is shown, and as it was shown last.
    shown: &'static [&'static str],
    last: Vec<Value>,
    /// Whether the last message asks for an answer.
    asked: bool,
    /// When it was sent.
    since: Instant,
}

impl<'a> Watch<'a> {
    pub(super) fn new(kit: &dyn Kit, seat: Seat, show: &'a mut (dyn FnMut(Spoken) + Send)) -> Self {
        // It only listens: any bot does.
        let bot = kit.card().bots.first().map_or("", |card| card.name);
        Self {
            seat,
            show,
            dialogue: kit.dialogue(&DialogueSetup::new(bot, 0)).ok(),
            shown: kit.card().stdio.watched,
            last: Vec::new(),
            asked: false,
            since: Instant::now(),
        }
    }

    /// The seat receives this. What it means is shown once the seat has answered.
    pub(super) fn called(&mut self, text: &str) {
        self.since = Instant::now();
        (self.show)(Spoken::To(text.to_owned()));
        if let Some(dialogue) = &mut self.dialogue {
            let next = dialogue.receive(text.as_bytes());
            self.asked = matches!(next, Ok(Next::Send(_) | Next::Think { .. }));
        }
    }

    /// The seat has said a line.
    pub(super) fn line(&mut self, line: &str) {
        (self.show)(Spoken::By(line.to_owned(), self.since.elapsed()));
    }

    /// The seat has answered.
    pub(super) fn answered(&mut self, text: &str) {
        if let Some(dialogue) = self.dialogue.as_mut().filter(|_| self.asked) {
            self.asked = false;
            dialogue.said(text);
        }
        self.report();
    }

    /// Shows what is new.
    fn report(&mut self) {
        let Some(dialogue) = &mut self.dialogue else {
            return;
        };
        for fact in dialogue.facts() {
            (self.show)(Spoken::Note(format!("{}: {}", fact.kind, fact.data)));
        }
        let view = dialogue.view();
        let now: Vec<Value> = self.shown.iter().map(|key| view[*key].clone()).collect();
        if now != self.last {
            let changed = self.shown.iter().zip(&now);
            let changed = changed.filter(|(_, value)| !value.is_null());
            let changed: Vec<String> = changed
                .map(|(key, value)| format!("{key} {value}"))
                .collect();
            if !changed.is_empty() {
                (self.show)(Spoken::Note(changed.join(", ")));
            }
            self.last = now;
        }
    }
}
