//! A dialogue whose messages go to a program as they stand: the program speaks its game's own protocol.

use crate::explain::Explanation;
use crate::game::{Budget, Progress};
use crate::neutral::{Line, Post};
use crate::scene::Scene;
use crate::wire::{Dialogue, Ending, Fact, Frame, Lesson, Next, WireError};
use serde_json::Value;

/// The dialogue. What it cannot read itself is not forwarded: whether such a message is answered is not known, and
/// program and dialogue must stay in step.
pub(super) struct Forwarding {
    dialogue: Box<dyn Dialogue>,
    post: Post,
}

impl Forwarding {
    /// A dialogue whose messages go to `post`.
    pub(super) fn new(dialogue: Box<dyn Dialogue>, post: Post) -> Self {
        Self { dialogue, post }
    }
}

impl Dialogue for Forwarding {
    fn open(&mut self) -> Option<Frame> {
        self.dialogue.open()
    }

    fn receive(&mut self, frame: &[u8]) -> Result<Next, WireError> {
        let next = self.dialogue.receive(frame)?;
        let answered = match &next {
            Next::Wait => false,
            Next::Send(_) | Next::Think { .. } => true,
            Next::Over(ending) => !ending.last_word.is_empty(),
        };
        let text = String::from_utf8_lossy(frame).into_owned();
        self.post.push(Line::Frame { text, answered });
        Ok(next)
    }

    fn think(&mut self, slice: Budget<'_>, best: &mut Frame) -> Progress {
        self.dialogue.think(slice, best)
    }

    fn explain(&self, budget: Budget<'_>) -> Option<Explanation> {
        self.dialogue.explain(budget)
    }

    fn scored(&mut self, points: i64) {
        self.dialogue.scored(points);
    }

    fn hung_up(&mut self) -> Option<Ending> {
        self.dialogue.hung_up()
    }

    fn named(&mut self, rival: &str, name: &str, model: Option<&Value>) {
        self.dialogue.named(rival, name, model);
    }

    fn said(&mut self, frame: &str) {
        self.dialogue.said(frame);
    }

    fn facts(&mut self) -> Vec<Fact> {
        self.dialogue.facts()
    }

    fn lessons(&self) -> Vec<Lesson> {
        self.dialogue.lessons()
    }

    fn view(&self) -> Value {
        self.dialogue.view()
    }

    fn scene(&self) -> Option<Scene> {
        self.dialogue.scene()
    }
}
