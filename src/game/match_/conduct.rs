//! How a seat kept its time, and how it took part in its match.

use crate::histogram::Histogram;
use crate::participation::{Part, Participation, is_earned};
use crate::wire::Blame;
use std::time::Duration;

/// What came for a message that asked for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// An answer.
    Answer,
    /// Something that is no answer, such as a status other than 200.
    Improper,
    /// Nothing in time.
    Late,
    /// Nothing: the player could not be reached, or was not called any more.
    Nothing,
}

/// An answer that the match waited for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closed {
    pub(super) came: Came,
    /// Whether it is a decision.
    pub(super) decides: bool,
    pub(super) took: Duration,
}

/// How a seat kept its time.
#[derive(Clone, Debug, Default)]
pub struct Conduct {
    /// How long its decisions took.
    pub took: Histogram,
    /// Answers that were late, missing or none.
    pub missed: u32,
    /// Answers that the rules refused.
    pub refused: u32,
    /// The decision at which its part ended; from 1.
    pub fell: Option<u32>,
    /// Whether it was once asked in vain.
    pub late: bool,
    decisions: u32,
    /// Whether what was closed last is one.
    decided_last: bool,
    /// Decisions without an answer.
    left: u32,
    /// Those for which something came that is none.
    improper: u32,
    /// The first decision without an answer, from 1, and what came for it.
    first_left: Option<(u32, Came)>,
    /// The decision since which it has answered none.
    silent: Option<(u32, Came)>,
}

impl Conduct {
    pub(super) fn closed(&mut self, closed: Closed) {
        self.decided_last = closed.decides;
        self.late |= closed.came == Came::Late;
        if !closed.decides {
            return;
        }
        self.took.add(closed.took);
        self.decisions += 1;
        if closed.came == Came::Answer {
            self.silent = None;
            return;
        }
        let here = (self.decisions, closed.came);
        self.left += 1;
        self.improper += u32::from(closed.came == Came::Improper);
        self.first_left.get_or_insert(here);
        self.silent.get_or_insert(here);
    }

    /// Its part ends with what was closed last.
    pub(super) fn falls(&mut self) {
        let turn = self.decisions + u32::from(!self.decided_last);
        self.fell.get_or_insert(turn);
    }

    /// Its part ends with the decision that it has not made.
    pub(super) fn falls_now(&mut self) {
        self.fell.get_or_insert(self.decisions + 1);
    }

    /// The same after a match of which no more is known.
    #[must_use]
    pub fn of_times(took: Histogram, refused: u32, missed: u32) -> Self {
        Self {
            took,
            refused,
            late: missed > 0,
            missed,
            ..Self::default()
        }
    }

    /// Whether it was asked, and nothing ever came.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.decisions > 0 && self.left - self.improper == self.decisions
    }

    /// Whether each of its decisions was without an answer; also if there was none.
    #[must_use]
    pub fn never_answered(&self) -> bool {
        self.left == self.decisions
    }

    /// How a seat took part whose player has an account of its own, or none; `blame`: its fault.
    #[must_use]
    pub fn participation(
        &self,
        account: Option<Participation>,
        blame: Option<&Blame>,
    ) -> Participation {
        let played = account.unwrap_or_else(Participation::played);
        if let Some(blame) = blame {
            return Participation {
                how: Part::of_fault(blame.cause),
                turn: self.fell,
                detail: blame.detail.clone(),
                ..played
            };
        }
        let lasts = |since: u32| !is_earned(0, u64::from(self.decisions + 1 - since));
        match self.silent {
            Some((turn, Came::Late)) if lasts(turn) => Participation {
                how: Part::Silent,
                turn: Some(turn),
                detail: LATE.to_owned(),
                ..played
            },
            _ => played,
        }
    }

    /// The same of a player that is called: what it missed, answered in no proper form or against the rules, the game's
    /// default answer decided.
    #[must_use]
    pub fn participation_called(&self) -> Participation {
        let fallback = (self.left + self.refused).min(self.decisions);
        let earned = is_earned(u64::from(self.decisions), u64::from(fallback));
        let run = |since: u32| u64::from(self.decisions + 1 - since);
        let first = match self.silent {
            Some(silent) if !is_earned(0, run(silent.0)) => Some(silent),
            _ if earned => None,
            _ => self.first_left,
        };
        let (how, detail) = match first {
            None if earned => (Part::Played, ""),
            None => (Part::Refused, "its answers were refused by the rules"),
            Some((_, Came::Improper)) => (Part::Refused, "what it answered was no answer"),
            Some((_, Came::Late)) => (Part::Silent, LATE),
            Some(_) => (Part::Dropped, "it could not be called"),
        };
        Participation {
            how,
            turn: first.map(|(turn, _)| turn),
            detail: detail.to_owned(),
            decisions: Some(self.decisions),
            fallback: Some(fallback),
        }
    }
}

const LATE: &str = "it did not answer in time";
