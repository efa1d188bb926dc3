//! A disturbed match received by a fresh dialogue, as a session would let it receive it.

use super::disturbance::{Received, undisturbed};
use super::tape::Tape;
use drover_game::game::{Budget, Progress};
use drover_game::scene::Names;
use drover_game::wire::{Dialogue, Fact, Next, WireError};
use serde_json::Value;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};

/// Slices of one decision at most.
const SLICES_MAX: u64 = 3;
/// So often a bot may ask whether it must stop before it must.
const POLLS_MAX: u64 = 20_000;
/// So often it may ask after that: more is a hang.
const POLLS_AFTER_STOP_MAX: u64 = 2_000;

/// The fact of an answer that was thought of and not given.
const THOUGHT_FACT: &str = "refused";

/// What a dialogue is notified of having said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Said {
    /// What it has said.
    Own,
    /// To whole messages what was said in the recorded match, as when an edge overruled it.
    Recorded,
}

/// What came of one disturbed match.
#[derive(Clone, Debug, Default)]
pub struct Trial {
    /// Answers that are not legal in form: message, answer, and why.
    pub illegal: Vec<String>,
    /// Messages that were found out to be unsound.
    pub unsound: u64,
    /// Why it ended early: a panic.
    pub panic: Option<String>,
    /// Decisions that did not end when they had to: 0 or 1, for it is the last one.
    pub hangs: u64,
    /// Where a second fold of the same messages and answers differs from the first, as after a restart.
    pub differs: Option<String>,
    /// What the seat knows in the end, without counters of messages.
    pub view: Value,
}

/// What one message called for, what was said to it, and what was learnt of both.
#[derive(Debug, PartialEq)]
struct Step {
    next: Result<Next, WireError>,
    said: Option<String>,
    facts: Vec<Fact>,
}

impl Step {
    /// Facts about how an answer came about are left out: no fold can give them.
    fn new(next: Result<Next, WireError>, said: Option<String>, mut facts: Vec<Fact>) -> Self {
        facts.retain(|fact| fact.kind != THOUGHT_FACT);
        Self { next, said, facts }
    }
}

/// Is thrown by a stop that was asked too often.
struct Hang;

impl Trial {
    /// Lets a fresh dialogue of `bot` receive these messages of the tape's match.
    #[must_use]
    pub fn run(tape: &Tape, bot: &str, received: &[Received], said: Said) -> Self {
        let mut trial = Self::default();
        let run = catch_unwind(AssertUnwindSafe(|| {
            trial.receive_all(tape, bot, received, said)
        }));
        if let Err(thrown) = run {
            if thrown.is::<Hang>() {
                trial.hangs = 1;
            } else {
                let text = thrown.downcast_ref::<String>().cloned();
                let text = text.or_else(|| thrown.downcast_ref::<&str>().map(|&text| text.into()));
                trial.panic = Some(text.unwrap_or_else(|| "a panic without words".into()));
            }
        }
        trial
    }

    /// The same without any disturbance.
    #[must_use]
    pub fn plain(tape: &Tape, bot: &str, said: Said) -> Self {
        Self::run(tape, bot, &undisturbed(tape), said)
    }

    /// Whether the seat knows in the end what it would know had nothing been disturbed. Counters of
    /// messages do not count: a wire without numbers cannot correct them.
    #[must_use]
    pub fn recovered(&self, plain: &Self) -> bool {
        self.view == plain.view
    }

    fn receive_all(&mut self, tape: &Tape, bot: &str, received: &[Received], said: Said) {
        let mut dialogue = match tape.kit.dialogue(&tape.setup(bot)) {
            Ok(dialogue) => dialogue,
            Err(why) => {
                self.panic = Some(why.to_string());
                return;
            }
        };
        if let Some(word) = dialogue.open() {
            self.check(tape, b"", &word);
            dialogue.said(&word);
        }
        let mut steps = Vec::with_capacity(received.len());
        for message in received {
            let (next, said) = self.receive(tape, &mut *dialogue, message, said);
            let facts = dialogue.facts();
            self.note(&facts);
            steps.push(Step::new(next, said, facts));
        }
        self.differs = fold_again(tape, bot, received, &steps, &*dialogue);
        self.view = dialogue.view();
        forget_counters(&mut self.view);
        let _ = dialogue.hung_up();
        self.note(&dialogue.facts());
    }

    fn receive(
        &mut self,
        tape: &Tape,
        dialogue: &mut dyn Dialogue,
        message: &Received,
        said: Said,
    ) -> (Result<Next, WireError>, Option<String>) {
        let line = tape.lines.get(message.line).filter(|_| message.whole);
        let recorded = line.and_then(|line| line.reply.as_deref());
        let text = String::from_utf8_lossy(&message.text);
        let next = dialogue.receive(&message.text);
        let (answer, reported) = match next.clone() {
            Err(_) => (
                tape.kit.card().dialect.default_answer(&text).to_owned(),
                false,
            ),
            Ok(Next::Wait) => (String::new(), false),
            Ok(Next::Send(answer)) => (answer, true),
            Ok(Next::Over(ending)) => (ending.last_word, false),
            Ok(Next::Think { fallback, .. }) => {
                self.check(tape, &message.text, &fallback);
                (think(dialogue, fallback), true)
            }
        };
        // Over HTTP nothing is an answer, too.
        if answer.is_empty()
            && recorded.is_some_and(|reply| !reply.is_empty())
            && tape.kit.card().wire != drover_game::Wire::Callbacks
        {
            self.illegal.push(format!("{text:?} was not answered"));
        }
        self.check(tape, &message.text, &answer);
        if message.line.is_multiple_of(16) {
            let _ = (dialogue.view(), dialogue.lessons());
            let scene = dialogue.scene();
            let _ =
                scene.and_then(|scene| (tape.kit.card().picture)(&scene.state, &Names::default()));
        }
        let recorded = recorded.filter(|_| said == Said::Recorded);
        let said = reported.then(|| recorded.map_or(answer, str::to_owned));
        if let Some(said) = &said {
            dialogue.said(said);
        }
        (next, said)
    }

    fn check(&mut self, tape: &Tape, message: &[u8], answer: &str) {
        if let Err(why) = tape.kit.card().in_form(message, answer) {
            let text = String::from_utf8_lossy(message);
            self.illegal.push(format!("{text:?} got {answer:?}: {why}"));
        }
    }

    fn note(&mut self, facts: &[Fact]) {
        let unsound = facts.iter().filter(|fact| fact.kind == "unsound");
        self.unsound += unsound.count() as u64;
    }
}

/// Lets another dialogue receive and say the same; returns the first difference.
fn fold_again(
    tape: &Tape,
    bot: &str,
    received: &[Received],
    steps: &[Step],
    live: &dyn Dialogue,
) -> Option<String> {
    let mut dialogue = tape.kit.dialogue(&tape.setup(bot)).ok()?;
    if let Some(word) = dialogue.open() {
        dialogue.said(&word);
    }
    for (message, step) in received.iter().zip(steps) {
        let next = dialogue.receive(&message.text);
        if let Some(said) = &step.said {
            dialogue.said(said);
        }
        let again = Step::new(next, step.said.clone(), dialogue.facts());
        if again != *step {
            let text = String::from_utf8_lossy(&message.text);
            return Some(format!("{text:?}: {step:?}, folded again {again:?}"));
        }
    }
    let (known, again) = (live.view(), dialogue.view());
    if known != again {
        return Some(format!("{known} is known, folded again {again}"));
    }
    if live.scene() != dialogue.scene() {
        return Some("scenes differ".to_owned());
    }
    (live.lessons() != dialogue.lessons()).then(|| "lessons differ".to_owned())
}

/// Thinks for a few slices of the fewest nodes there are.
fn think(dialogue: &mut dyn Dialogue, fallback: String) -> String {
    let polls = Cell::new(0);
    let stop = || {
        polls.set(polls.get() + 1);
        if polls.get() > POLLS_MAX + POLLS_AFTER_STOP_MAX {
            panic_any(Hang);
        }
        polls.get() > POLLS_MAX
    };
    let mut best = fallback;
    for nodes in 1..=SLICES_MAX {
        let slice = Budget { nodes, stop: &stop };
        if dialogue.think(slice, &mut best) == Progress::Done {
            break;
        }
    }
    best
}

/// Takes out of a view what only counts messages, on wires that do not number them.
fn forget_counters(view: &mut Value) {
    if let Some(fields) = view.as_object_mut() {
        for counter in ["turn", "round"] {
            fields.remove(counter);
        }
    }
}
