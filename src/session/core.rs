//! What a session keeps between messages. At rest and asleep it is small: where its transcript ends
//! and what the fold starts from.

use super::behind::Behind;
use super::program::Program;
use crate::history::SessionRow;
use crate::link::Share;
use crate::replay::LastMessage;
use crate::store::types::{EntryId, LiveSession, MatchRow, NewSession, SessionId};
use crate::thinking::Pending;
use games::{Cause, Dialogue, Fact};
use serde_json::Value;

/// One session.
pub(super) struct SessionState {
    pub(super) id: SessionId,
    pub(super) match_id: Box<str>,
    pub(super) seed: u64,
    pub(super) seat: Option<u8>,
    /// What else the fold starts from, as it was stored.
    pub(super) setup: Value,
    /// Rows that the first append still has to write.
    pub(super) rows: Option<Box<Rows>>,
    pub(super) head: Option<EntryId>,
    /// How many entries it has, with those that are [`Self::behind`].
    pub(super) seq: u64,
    pub(super) behind: Behind,
    pub(super) mind: DialogueState,
    /// Its bot's program, if that is a user's.
    pub(super) program: Option<Box<Program>>,
    /// A decision that was answered for and has not come back, while the dialogue was folded anew.
    pub(super) stray: Option<Box<Pending>>,
    pub(super) quarantine: Quarantine,
    /// The last message and what was answered; unknown while asleep.
    pub(super) last: Option<Box<LastMessage>>,
    /// How far facts are stored, in half steps: hearing entry `n` is step `2n`, saying what answers
    /// it step `2n + 1`. Facts of later steps come to light when it is folded.
    pub(super) facts_stored_to: u64,
    /// Facts of stored entries that are not stored yet; empty while asleep.
    pub(super) pending_facts: Vec<Fact>,
    pub(super) ended: bool,
    /// Whether it ended as games do.
    pub(super) normal: bool,
    /// Whether nothing was heard but its first message.
    pub(super) fresh: bool,
    pub(super) permit: Option<Share>,
    /// Its place among those that strangers have begun, until more is received.
    pub(super) begun: Option<Share>,
    /// Whether it ended as one of these: nothing of it is kept.
    pub(super) void: bool,
}

/// Whether its bot hung: then it still hears and is told everything, and is asked nothing any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quarantine {
    /// The session is of an earlier run: the store knows.
    Unread,
    /// It did not hang.
    Clear,
    /// It hung, and that is not stored yet.
    Due,
    /// It hung, and the store knows.
    Stored,
}

impl Quarantine {
    /// The kind of the fact that says so.
    pub(super) const FACT: &str = "quarantined";

    pub(super) fn impose(&mut self) {
        if *self != Self::Stored {
            *self = Self::Due;
        }
    }

    pub(super) fn holds(self) -> bool {
        matches!(self, Self::Due | Self::Stored)
    }
}

/// Rows of a session that no append has written yet.
#[derive(Clone)]
pub(super) struct Rows {
    pub(super) session: NewSession,
    pub(super) match_: MatchRow,
}

/// Where the dialogue is.
pub(super) enum DialogueState {
    /// Nowhere: it is folded from the transcript when needed.
    Asleep,
    /// Here.
    Awake(Box<dyn Dialogue>),
    /// Still in the pool; `said` was answered in its stead.
    Away { pending: Pending, said: String },
    /// It cannot be folded, now or ever: the game's default is answered from now on.
    Broken,
}

impl SessionState {
    /// A session that start-up found.
    pub(super) fn found(live: LiveSession, permit: Option<Share>) -> Self {
        Self {
            id: live.id,
            match_id: live.opened.match_id.into_boxed_str(),
            seed: live.opened.seed,
            seat: live.opened.seat,
            setup: live.opened.setup,
            rows: None,
            head: live.head,
            seq: live.seq,
            behind: Behind::default(),
            mind: DialogueState::Asleep,
            program: None,
            stray: None,
            quarantine: Quarantine::Unread,
            last: None,
            facts_stored_to: live.seq * 2,
            pending_facts: Vec::new(),
            ended: false,
            normal: false,
            fresh: live.seq <= 1,
            permit,
            begun: None,
            void: false,
        }
    }

    /// Notes that more was received than the first message.
    pub(super) fn goes_on(&mut self) {
        (self.fresh, self.begun) = (false, None);
    }

    /// A session that had ended before the start.
    pub(super) fn over(row: SessionRow) -> Self {
        let normal = row.cause == Some(Cause::Normal);
        let live = LiveSession {
            id: row.id,
            opened: row.opened,
            head: row.last_entry,
            seq: row.entries.unwrap_or(0),
            last_us: row.ended_us.unwrap_or(0),
        };
        Self {
            ended: true,
            normal,
            setup: Value::Null,
            ..Self::found(live, None)
        }
    }

    /// Keeps only what it takes to fold it again.
    pub(super) fn sleep(&mut self) {
        if self.head.is_some() && self.behind.is_empty() {
            self.give_up();
            self.mind = DialogueState::Asleep;
            self.last = None;
            self.pending_facts.clear();
        }
    }

    /// Whether its bot is at a decision that was answered for and hangs.
    pub(super) fn hangs(&self) -> bool {
        matches!(&self.mind, DialogueState::Away { pending, .. } if pending.hangs())
    }

    /// A decision that did not come back in time is not waited for any more. The first one may still
    /// be late; a second one beside it, or one that hangs, is the last that the bot is asked for.
    pub(super) fn give_up(&mut self) {
        let pending = match std::mem::replace(&mut self.mind, DialogueState::Asleep) {
            DialogueState::Away { pending, .. } => pending,
            here => {
                self.mind = here;
                return;
            }
        };
        pending.cancel();
        let twice = self.stray.as_mut().is_some_and(|stray| stray.is_out());
        if twice || pending.hangs() {
            self.quarantine.impose();
        }
        self.stray = Some(Box::new(pending));
    }
}
