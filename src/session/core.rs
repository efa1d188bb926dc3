//! What a session keeps between messages. At rest and asleep it is small: where its transcript ends
//! and what the fold starts from.

use super::behind::{Behind, Flight, Storing};
use super::program::Program;
use crate::link::Share;
use crate::store::types::{
    Append, EntryId, Follows, LiveSession, MatchRow, NewSession, SessionId, SessionRow,
};
use crate::thinking::Pending;
use games::Cause;
use games::seat::{OwnSeat, Quarantine, Settings};
use serde_json::Value;
use tokio::sync::oneshot;

/// One session.
pub(super) struct SessionState {
    pub(super) id: SessionId,
    pub(super) match_id: Box<str>,
    pub(super) seed: u64,
    pub(super) seat: Option<u8>,
    /// What else the fold starts from, as it was stored: JSON as text, which takes a fraction of the room. Empty: nothing.
    setup: Box<str>,
    /// Rows that the first append still has to write.
    pub(super) rows: Option<Box<Rows>>,
    pub(super) head: Option<EntryId>,
    /// How many entries it has, with those that are [`Self::behind`].
    pub(super) seq: u64,
    pub(super) behind: Behind,
    /// Dialogue, decisions, what is said and what is to be recorded.
    pub(super) own: OwnSeat,
    /// The process of its bot's program, if that is a user's.
    pub(super) program: Option<Box<Program>>,
    /// A decision that was answered for and has the dialogue still in the pool.
    pub(super) away: Option<Box<Pending>>,
    /// A decision that was answered for and has not come back, while the dialogue was folded again.
    pub(super) stray: Option<Box<Pending>>,
    /// How far facts are stored, in half steps: receiving entry `n` is step `2n`, saying what answers
    /// it step `2n + 1`. Facts of later steps come to light when it is folded.
    pub(super) facts_stored_to: u64,
    pub(super) ended: bool,
    /// Whether it ended as games do.
    pub(super) normal: bool,
    /// Whether nothing was received but its first message.
    pub(super) fresh: bool,
    pub(super) permit: Option<Share>,
    /// Its place among those that strangers have begun, until more is received.
    pub(super) begun: Option<Share>,
    /// Whether it ended as one of these: nothing of it is kept.
    pub(super) void: bool,
}

/// Rows of a session that no append has written yet.
#[derive(Clone)]
pub(super) struct Rows {
    pub(super) session: NewSession,
    pub(super) match_: MatchRow,
    pub(super) follows: Option<Follows>,
}

impl SessionState {
    /// A session that start-up found.
    pub(super) fn found(live: LiveSession, permit: Option<Share>, mut own: OwnSeat) -> Self {
        own.quarantine = Quarantine::Unread;
        Self {
            id: live.id,
            match_id: live.opened.match_id.into_boxed_str(),
            seed: live.opened.seed,
            seat: live.opened.seat,
            setup: packed(&live.opened.setup),
            rows: None,
            head: live.head,
            seq: live.seq,
            behind: Behind::default(),
            own,
            program: None,
            away: None,
            stray: None,
            facts_stored_to: live.seq * 2,
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
            setup: Box::default(),
            ..Self::found(live, None, OwnSeat::new(Settings::nodes(0), None))
        }
    }

    /// What else the fold starts from, as it was stored.
    pub(super) fn setup(&self) -> Value {
        // It was written by `packed`.
        serde_json::from_str(&self.setup).unwrap_or_default()
    }

    /// It starts from this.
    pub(super) fn set_setup(&mut self, setup: &Value) {
        self.setup = packed(setup);
    }

    /// Keeps only what it takes to fold it again.
    pub(super) fn sleep(&mut self) {
        if self.head.is_some() && self.behind.is_empty() {
            self.give_up();
            self.own.forget();
            self.own.last = None;
        }
    }

    /// What waits behind what is stored, if nothing is on its way already, and where its outcome goes.
    pub(super) fn take_waiting(&mut self) -> Option<(Append, Storing)> {
        if self.behind.flight.is_some() || self.behind.waiting.is_empty() {
            return None;
        }
        let entries = std::mem::take(&mut self.behind.waiting);
        let count = entries.len() as u64;
        let append = Append {
            entries,
            ..Append::after(self.id, self.head, self.seq - count)
        };
        let (storing, stored) = oneshot::channel();
        self.behind.flight = Some(Flight {
            entries: count,
            stored,
        });
        Some((append, storing))
    }

    /// What was received last is not in the transcript: the dialogue is folded again without it.
    pub(super) fn unlearn(&mut self) {
        self.away = None;
        self.own.forget();
        if let (Some(program), Some(part)) = (&mut self.program, self.own.program()) {
            program.start_again(part);
        }
    }

    /// Its last entries are not in the transcript: it is folded again without them.
    pub(super) fn lose(&mut self, entries: u64) {
        self.seq -= entries;
        self.facts_stored_to = self.facts_stored_to.min(self.seq * 2);
        self.unlearn();
        self.own.last = None;
    }

    /// Whether its bot is at a decision that was answered for and hangs.
    pub(super) fn hangs(&self) -> bool {
        self.away.as_ref().is_some_and(|pending| pending.hangs())
    }

    /// A decision that did not come back in time is not waited for any more. The first one may still
    /// be late; a second one at the same time, or one that hangs, is the last that the bot is asked for.
    pub(super) fn give_up(&mut self) {
        let Some(pending) = self.away.take() else {
            return;
        };
        pending.cancel();
        let twice = self.stray.as_mut().is_some_and(|stray| stray.is_out());
        self.own.give_up(twice || pending.hangs());
        self.stray = Some(pending);
    }
}

fn packed(setup: &Value) -> Box<str> {
    match setup.is_null() {
        true => Box::default(),
        false => setup.to_string().into(),
    }
}
