//! The part of a user's program in a seat: what it is to be sent, asked and refused. The process itself is the caller's.

use crate::answer::{Bounds, ProgramTimes};
use crate::card::Limits;
use crate::game::Illegal;
use crate::neutral::{Line, Post, TooMuch};
use serde_json::Value;
use std::time::Duration;

/// A program in the place of a seat's bot, which is its fallback.
#[derive(Debug, Default)]
pub struct ProgramPart {
    post: Post,
    /// Lines that it was sent, and how many of them the dialogue is about to give again.
    sent: usize,
    skip: usize,
    /// Whether it speaks its game's own protocol.
    native: bool,
    /// Whether it was ever late: until then one that keeps its own clock is trusted with it.
    was_late: bool,
    /// Whether the next decision may have been asked before, by a process that ended meanwhile.
    again: bool,
    /// The longest that it may take for a decision, where that is bounded beyond the wire.
    within: Option<Duration>,
    refused: Option<(u64, String)>,
}

impl ProgramPart {
    /// The part of a program that was sent nothing yet. `native`: it speaks its game's own protocol; `within`: the longest
    /// that it may take for a decision, besides what the wire allows.
    #[must_use]
    pub fn new(native: bool, within: Option<Duration>) -> Self {
        Self {
            native,
            within,
            ..Self::default()
        }
    }

    /// The post for a fresh dialogue that is about to receive the whole match ([`crate::DialogueSetup::post`]): what the
    /// program was sent of it before, it is not sent again.
    pub fn attend(&mut self) -> Post {
        self.post = match self.native {
            true => Post::native(),
            false => Post::default(),
        };
        self.skip = self.sent;
        self.post.clone()
    }

    /// Its process is started again, and is sent everything that the dialogue gives.
    pub const fn start_again(&mut self) {
        (self.sent, self.skip) = (0, 0);
    }

    /// The next decision may have been asked before, and its asker may have waited since then: it is answered soon.
    pub const fn asked_before(&mut self) {
        self.again = true;
    }

    /// The lines that it is to be sent, in order.
    ///
    /// # Errors
    /// [`TooMuch`]: it cannot follow the match any more.
    pub fn lines(&mut self) -> Result<Vec<Line>, TooMuch> {
        let lines = self.post.take()?;
        let skipped = self.skip.min(lines.len());
        self.skip -= skipped;
        self.sent += lines.len() - skipped;
        Ok(lines.into_iter().skip(skipped).collect())
    }

    /// The answer that was not legal, by its decision's number, and why: the program is to be notified, once.
    pub const fn refusal(&mut self) -> Option<(u64, String)> {
        self.refused.take()
    }

    /// The number of the decision that is due.
    pub(super) fn due(&self) -> Option<u64> {
        self.post.due()
    }

    /// The moments of a decision; `None`: only one answer is legal.
    pub(super) fn times(
        &mut self,
        asked: Bounds,
        limits: Limits,
        margin: Duration,
    ) -> Option<ProgramTimes> {
        // Who asked before has been waiting since then; how long is not known.
        let again = std::mem::take(&mut self.again);
        let mut times = ProgramTimes::new(limits, asked, margin)?;
        if self.native && !self.was_late {
            times = times.on_own_clock(asked);
        }
        if again {
            times = times.again();
        }
        if let Some(within) = self.within {
            times = times.within(within);
        }
        Some(times)
    }

    /// It has answered: the bot acts so when it thinks next, if that is legal.
    pub(super) fn answered(&self, number: u64, act: Value) {
        self.post.answer(number, act);
    }

    pub(super) const fn was_late(&mut self) {
        self.was_late = true;
    }

    /// Whether the answer to this decision was legal; if not, the program is to be notified of the reason.
    pub(super) fn is_legal(&mut self, number: u64) -> bool {
        let verdict = self.post.verdict();
        if verdict == Some(Ok(())) {
            return true;
        }
        let why = verdict.and_then(Result::err).map(|Illegal(why)| why);
        let why = why.unwrap_or_else(|| "it was not looked at".to_owned());
        self.refused = Some((number, why));
        false
    }
}
