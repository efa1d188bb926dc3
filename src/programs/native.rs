//! The talk with a program that speaks its game's own protocol: it receives its seat's messages unchanged, and owes an
//! answer to each message that wants one. Answers come in the order of these messages; those that are no decision,
//! or come too late, are read and dropped.

use super::launch::Launch;
use games::neutral::Line;
use games::{Illegal, Kit, ReplyLine, StdioWire};
use std::collections::VecDeque;

/// Lines of a reply at most, blank ones before it included.
const REPLY_LINES_MAX: u32 = 10_000;
/// Letters of a message or a line that are shown.
const SHOWN_MAX: usize = 60;

/// What is said and owed between a program and its seat since it was started.
pub(super) struct Steps {
    kit: &'static dyn Kit,
    /// What it has not answered yet, oldest first.
    owed: VecDeque<Owed>,
    /// What has come of the next answer.
    reply: String,
    /// Lines since the last whole answer.
    lines: u32,
}

/// A message that wants an answer.
struct Owed {
    /// Its beginning.
    shown: String,
    /// The decision that it asks for, if it does.
    number: Option<u64>,
    /// Whether somebody waits for that, or did.
    asked: bool,
}

/// A whole answer.
pub(super) struct Answered {
    /// The decision that it is for, if its message asked for one.
    pub(super) number: Option<u64>,
    /// Whether somebody waits for that, or did.
    pub(super) asked: bool,
    /// Its exact text, lines separated by line feeds.
    pub(super) text: String,
}

impl Steps {
    /// Those of a program that has just been started; `None` if it speaks the neutral protocol.
    pub(super) fn for_launch(launch: &Launch, game: &str) -> Option<Self> {
        Some(Self {
            kit: games::find(game).filter(|_| launch.is_native())?,
            owed: VecDeque::new(),
            reply: String::new(),
            lines: 0,
        })
    }

    fn wire(&self) -> &'static StdioWire {
        &self.kit.card().stdio
    }

    /// Bytes in a line of it at most.
    pub(super) fn line_max(&self) -> usize {
        self.wire().reply_line_max
    }

    /// What it receives when it is no longer wanted, if the wire has a word for it.
    pub(super) fn farewell(&self) -> Option<&'static str> {
        self.wire().farewell
    }

    /// What the program receives of a line, if anything; notes what it owes for it.
    pub(super) fn text_of<'a>(&mut self, line: &'a Line) -> Option<&'a str> {
        match line {
            Line::Frame { text, answered } => {
                if *answered {
                    self.owed.push_back(Owed {
                        shown: shown(text),
                        number: None,
                        asked: false,
                    });
                }
                Some(text)
            }
            Line::Ask { number, .. } => {
                if let Some(owed) = self.owed.back_mut() {
                    owed.number = Some(*number);
                }
                None
            }
            Line::Plain(_) | Line::Played { .. } => None,
        }
    }

    /// Somebody waits for this decision.
    pub(super) fn asks(&mut self, number: u64) {
        let mut owed = self.owed.iter_mut().rev();
        if let Some(owed) = owed.find(|owed| owed.number == Some(number)) {
            owed.asked = true;
        }
    }

    /// Whether it has answered everything.
    pub(super) fn is_even(&self) -> bool {
        self.owed.is_empty()
    }

    /// The messages before this decision's that it has not answered, as words; `None`: there are none.
    pub(super) fn owes_before(&self, number: u64) -> Option<String> {
        let before = self.owed.iter();
        let before = before.take_while(|owed| owed.number != Some(number));
        let (many, first) = (before.count(), self.owed.front()?);
        let shown = &first.shown;
        (many > 0).then(|| format!("messages before it without an answer: {many}, first {shown:?}"))
    }

    /// Takes a line of it in; the answer that is whole by it.
    ///
    /// # Errors
    /// [`ReplyError`]: it is out of step, or says what no answer has.
    pub(super) fn reply(&mut self, line: &[u8]) -> Result<Option<Answered>, ReplyError> {
        self.lines = self.lines.saturating_add(1);
        if self.lines > REPLY_LINES_MAX {
            return Err(ReplyError::TooLong);
        }
        let text = String::from_utf8_lossy(line);
        let kind = self
            .kit
            .card()
            .dialect
            .reply_line(!self.reply.is_empty(), line);
        if self.owed.is_empty() && !matches!(kind, Ok(ReplyLine::Blank)) {
            return Err(ReplyError::Unasked(shown(&text)));
        }
        let kind = kind?;
        if kind != ReplyLine::Blank {
            if !self.reply.is_empty() {
                self.reply.push('\n');
            }
            self.reply.push_str(&text);
        }
        if kind != ReplyLine::Last {
            return Ok(None);
        }
        self.lines = 0;
        let text = std::mem::take(&mut self.reply);
        Ok(self.owed.pop_front().map(|owed| Answered {
            number: owed.number,
            asked: owed.asked,
            text,
        }))
    }
}

/// Why a line is of no answer.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum ReplyError {
    #[error("it sent more than {REPLY_LINES_MAX} lines for one answer")]
    TooLong,
    /// Its beginning.
    #[error("it said {0:?} before it was asked")]
    Unasked(String),
    /// The game has no such line.
    #[error(transparent)]
    Illegal(#[from] Illegal),
}

fn shown(text: &str) -> String {
    text.trim().chars().take(SHOWN_MAX).collect()
}

#[cfg(test)]
mod tests;
