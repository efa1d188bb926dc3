//! A match is led along its stored transcripts.

use super::{Due, Match, Open};
use crate::game::Seat;
use crate::match_::clock::between;
use crate::match_::reply::RecordedReply;
use crate::wire::{Call, Frame};

/// How a stored call differs from the table's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// None was due to this seat.
    NotDue,
    /// Another one was due.
    Other(Frame),
}

impl Match {
    /// Makes what the table calls due, without sending it.
    pub fn follow(&mut self) {
        let mut calls = std::mem::take(&mut self.fresh);
        self.table.calls(&mut calls);
        for call in calls.drain(..) {
            let stored = false;
            let chair = self.chair(call.seat);
            chair.due.push_back(Due { call, stored });
        }
        self.fresh = calls;
    }

    /// Whether a call to this seat is yet to go out.
    #[must_use]
    pub fn is_due(&self, seat: Seat) -> bool {
        let chair = self.chairs.get(seat.index());
        chair.is_some_and(|chair| !chair.due.is_empty())
    }

    /// This call went out then, as it is stored.
    ///
    /// # Errors
    /// [`Difference`] from what was due. The stored call takes its place.
    pub fn stored_call(&mut self, seat: Seat, text: &str, at_us: i64) -> Result<(), Difference> {
        self.journal.follow(at_us);
        let acknowledged = self.rules.acknowledged;
        let chair = self.chair(seat);
        let due = chair.due.pop_front().ok_or(Difference::NotDue)?;
        let call = due.call;
        let same = match call.text == text {
            true => Ok(()),
            false => Err(Difference::Other(call.text.clone())),
        };
        if call.answer_within.is_some() || acknowledged {
            chair.open.push_back(Open {
                call,
                stamp_us: at_us,
                since_us: at_us,
            });
        }
        same
    }

    /// This came back then, as it is stored.
    pub fn stored_reply(&mut self, seat: Seat, text: &str, at_us: i64) {
        self.journal.follow(at_us);
        let reply = RecordedReply::decode(text);
        let chair = self.chair(seat);
        match reply.alive() {
            Some(true) => chair.failures = 0,
            _ => chair.failures = chair.failures.saturating_add(1),
        }
        let open = chair.open.pop_front();
        let wanted = |open: &Open| open.call.answer_within.is_some();
        // A player at a hub may send as many lines as it likes.
        if !self.rules.unasked && !open.as_ref().is_some_and(wanted) {
            return;
        }
        if let Some(open) = open {
            self.table.spent(seat, between(open.stamp_us, at_us));
        }
        self.table.answer(seat, reply.reply());
        self.follow();
    }

    /// The calls that are open or due, by seat, in order for each; whether each went out.
    pub fn pending(&self) -> impl Iterator<Item = (&Call, bool)> {
        self.chairs.iter().flat_map(|chair| {
            let open = chair.open.iter().map(|open| (&open.call, true));
            open.chain(chair.due.iter().map(|due| (&due.call, false)))
        })
    }

    fn chair(&mut self, seat: Seat) -> &mut super::Chair {
        if self.chairs.len() <= seat.index() {
            self.chairs
                .resize_with(seat.index() + 1, super::Chair::default);
        }
        &mut self.chairs[seat.index()]
    }
}
