//! Our bot's side: replays a transcript through a dialogue.

use super::naming::Naming;
use crate::store::types::{Direction, Entry, NewEntry};
use games::seat::LastMessage;
use games::{Dialogue, Ending, Fact, Frame, Next};
use std::ops::ControlFlow;
use std::time::Duration;

/// One line of a seat's transcript, seen from its bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its direction.
    pub direction: Direction,
    /// Its exact text.
    pub text: &'a str,
}

impl<'a> From<&'a Entry> for Line<'a> {
    fn from(entry: &'a Entry) -> Self {
        let (direction, text) = (entry.direction, entry.text.as_str());
        Self { direction, text }
    }
}

impl<'a> From<&'a NewEntry> for Line<'a> {
    fn from(entry: &'a NewEntry) -> Self {
        let (direction, text) = (entry.direction, entry.text.as_str());
        Self { direction, text }
    }
}

/// The findings of replaying a transcript.
#[derive(Debug, Default)]
pub struct Replayed {
    /// Facts with the half step that produced them: receiving entry `n` is step `2n`, giving its answer step
    /// `2n + 1`.
    pub facts: Vec<(u64, Fact)>,
    /// The entries that asked for a decision, each with the wire's limit.
    pub decisions: Vec<(u64, Duration)>,
    /// How the match ended, if its end was received.
    pub ending: Option<Ending>,
    /// Where the transcript holds a different answer from the one that the dialogue must give, in sentences.
    pub differences: Vec<String>,
}

/// Replays a whole transcript through a new dialogue. Decisions are taken from the transcript, never
/// recomputed.
pub fn replay<'a>(
    dialogue: &mut dyn Dialogue,
    lines: impl IntoIterator<Item = Line<'a>>,
) -> Replayed {
    watch(dialogue, lines, |_, _| ControlFlow::Continue(()))
}

/// What an observer of a replay is shown after a line.
pub(super) struct Seen<'a> {
    /// The line's index.
    pub(super) line: u64,
    /// The facts found by it, each with its half step.
    pub(super) facts: &'a [(u64, Fact)],
    /// What the dialogue wants to do next, if the line is a message that it understands.
    pub(super) next: Option<&'a Next>,
}

/// The same, with an observer that sees the dialogue after each line that it took in, and may end the replay. It may
/// let the dialogue think.
pub(super) fn watch<'a>(
    dialogue: &mut dyn Dialogue,
    lines: impl IntoIterator<Item = Line<'a>>,
    mut seen: impl FnMut(&mut dyn Dialogue, Seen<'_>) -> ControlFlow<()>,
) -> Replayed {
    let mut replayed = Replayed::default();
    let mut shown = 0;
    let mut see = |dialogue: &mut dyn Dialogue, line, replayed: &Replayed, next: Option<&Next>| {
        let facts = replayed.facts.get(shown..).unwrap_or_default();
        shown = replayed.facts.len();
        seen(dialogue, Seen { line, facts, next })
    };
    let mut lines = (0..).zip(lines).peekable();
    while let Some((seq, line)) = lines.next() {
        if line.direction == Direction::Out {
            // An opening line, sent unasked.
            let due = if seq == 0 { dialogue.open() } else { None };
            replayed.compare(seq, due, line.text);
            replayed.say(dialogue, line.text, seq * 2);
            if see(dialogue, seq, &replayed, None).is_break() {
                break;
            }
            continue;
        }
        if let Some(naming) = Naming::decode(line.text) {
            dialogue.named(&naming.rival, &naming.name, naming.model.as_ref());
            replayed.learn(dialogue, seq * 2);
            if see(dialogue, seq, &replayed, None).is_break() {
                break;
            }
            continue;
        }
        // Of several answers, the last was the one given: an edge overrode the others.
        let mut answer = None;
        while let Some(next) = lines.next_if(|(_, next)| next.direction == Direction::Out) {
            answer = Some(next);
        }
        let said = answer.map_or("", |(_, answer)| answer.text);
        let next = dialogue.receive(line.text.as_bytes());
        replayed.learn(dialogue, seq * 2);
        let mut flow = see(dialogue, seq, &replayed, next.as_ref().ok());
        match next {
            Ok(Next::Send(due)) => {
                if let Some((at, answer)) = answer {
                    replayed.compare(at, Some(due), answer.text);
                }
                replayed.say(dialogue, said, seq * 2 + 1);
            }
            Ok(Next::Think { limit, .. }) => {
                replayed.decisions.push((seq, limit));
                replayed.say(dialogue, said, seq * 2 + 1);
            }
            Ok(Next::Over(ending)) => replayed.ending = Some(ending),
            // Any answer was the transport's own.
            Ok(Next::Wait) | Err(_) => {}
        }
        if flow.is_continue()
            && let Some((at, _)) = answer
        {
            flow = see(dialogue, at, &replayed, None);
        }
        if flow.is_break() {
            break;
        }
    }
    replayed
}

/// The last message of a transcript. Of several answers, the last was the one given.
pub fn last_message<'a>(lines: impl IntoIterator<Item = Line<'a>>) -> Option<LastMessage> {
    let (mut last, mut number, mut answers) = (None, 0, false);
    for (seq, line) in (0..).zip(lines) {
        match (line.direction, &mut last) {
            (Direction::Out, Some((_, answer, _))) if answers => *answer = line.text,
            (Direction::Out, _) => {}
            (Direction::In, _) if Naming::decode(line.text).is_some() => answers = false,
            (Direction::In, _) => {
                (last, answers) = (Some((line.text, "", seq)), true);
                number += 1;
            }
        }
    }
    last.map(|(text, answer, seq): (&str, &str, u64)| LastMessage {
        text: text.to_owned(),
        answer: answer.to_owned(),
        mark: seq + 1,
        number,
    })
}

impl Replayed {
    fn say(&mut self, dialogue: &mut dyn Dialogue, text: &str, step: u64) {
        dialogue.said(text);
        self.learn(dialogue, step);
    }

    fn learn(&mut self, dialogue: &mut dyn Dialogue, step: u64) {
        let facts = dialogue.facts().into_iter();
        self.facts.extend(facts.map(|fact| (step, fact)));
    }

    fn compare(&mut self, seq: u64, due: Option<Frame>, stored: &str) {
        if let Some(due) = due.filter(|due| due != stored) {
            let what = format!("entry {seq}: {due:?} was due, {stored:?} is stored");
            self.differences.push(what);
        }
    }
}
