//! The machine: what is due to whom, when, and how it ends.

pub mod answers;
pub mod replay;
#[cfg(test)]
mod tests;

use super::clock::{Clock, micros};
use super::conduct::{Came, Closed, Conduct};
use super::effect::{Effect, Message};
use super::journal::Journal;
use super::reply::RecordedReply;
use super::rules::Rules;
use crate::game::{Outcome, Seat};
use crate::wire::{Blame, Call, Table};
use std::collections::VecDeque;
use std::time::Duration;

/// Who has a seat, as far as the match must know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Attendance {
    /// A player outside this process.
    #[default]
    Outside,
    /// A bot in this process.
    Inside,
    /// Nobody, on a wire where that is no fault: every message is answered by nothing.
    Filler,
    /// A player that did not come.
    Absent,
}

/// A seat and its player.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Place {
    /// The player's name, as faults show it; may be empty.
    pub name: String,
    /// Who it is.
    pub attendance: Attendance,
    /// Failures in a row before the match.
    pub failures: u16,
}

impl Place {
    /// A player without a name.
    #[must_use]
    pub fn new(attendance: Attendance) -> Self {
        Self {
            attendance,
            ..Self::default()
        }
    }
}

/// What a player did instead of answering.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It took too long.
    Late,
    /// It is gone, or could not be reached; why, as the log shows it.
    Gone(String),
    /// It sent more than a reply may hold without a line end; the beginning.
    TooLong(Vec<u8>),
}

/// Why a match cannot go on, as a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stuck {
    /// It waits for nothing.
    #[error("the referee waits for nobody and yet has no result")]
    Stalled,
    /// It makes too many calls.
    #[error("the match was cut after {0} calls")]
    Endless(u64),
    /// Its table calls a seat that it does not have.
    #[error("seat {0} does not exist in this match")]
    NoSeat(u8),
}

/// A call that is yet to go out.
#[derive(Debug)]
struct Due {
    call: Call,
    /// Whether it went out, and was stored, before a restart.
    stored: bool,
}

/// A call that has gone out, on a wire where each is answered before the next.
#[derive(Debug)]
struct Open {
    call: Call,
    stamp_us: i64,
    since_us: i64,
}

/// A seat.
#[derive(Debug, Default)]
struct Chair {
    place: Place,
    due: VecDeque<Due>,
    open: VecDeque<Open>,
    /// Until when what is due waits.
    rests_until_us: Option<i64>,
    clock: Option<Clock>,
    /// When its last line was read.
    line_us: Option<i64>,
    /// Its lines since it was asked.
    lines: usize,
    /// These lines together, where one reply may have several.
    said: String,
    /// Failures in a row.
    failures: u16,
    /// Whether it is out of the match.
    out: bool,
    conduct: Conduct,
}

/// What waits until something is stored.
#[derive(Debug)]
enum Waiting {
    Message(Message),
    Reply(Seat, RecordedReply),
}

/// One match.
pub struct Match {
    table: Box<dyn Table>,
    rules: Rules,
    chairs: Vec<Chair>,
    journal: Journal,
    effects: VecDeque<Effect>,
    /// Messages that follow once all that the table says at once is recorded.
    outgoing: Vec<Effect>,
    /// With how many lines must be stored before.
    waiting: VecDeque<(u64, Waiting)>,
    /// Whether the table is over, and what it still sends is held back.
    holds: bool,
    faults: Vec<Blame>,
    calls: u64,
    /// Whether several were asked for decisions at once.
    together: bool,
    stuck: Option<Stuck>,
    /// From when to when a player was waited for in vain that lost for it.
    vain: Vec<(i64, i64)>,
    /// Calls that the table has just made.
    fresh: Vec<Call>,
}

impl Match {
    /// A match at this table, played by these rules, among nobody yet.
    #[must_use]
    pub fn new(table: Box<dyn Table>, rules: Rules) -> Self {
        Self {
            table,
            rules,
            chairs: Vec::new(),
            journal: Journal::default(),
            effects: VecDeque::new(),
            outgoing: Vec::new(),
            waiting: VecDeque::new(),
            holds: false,
            faults: Vec::new(),
            calls: 0,
            together: false,
            stuck: None,
            vain: Vec::new(),
            fresh: Vec::new(),
        }
    }

    /// The same, by other rules from here on.
    #[must_use]
    pub fn with_rules(self, rules: Rules) -> Self {
        Self { rules, ..self }
    }

    /// Seats the players.
    #[must_use]
    pub fn among(mut self, places: Vec<Place>) -> Self {
        self.chairs.resize_with(places.len(), Chair::default);
        for (chair, place) in self.chairs.iter_mut().zip(places) {
            chair.failures = chair.failures.max(place.failures);
            chair.place = place;
        }
        self
    }

    /// Begins, or goes on from where the stored transcripts end: what they leave unanswered is sent again, and not recorded
    /// again.
    pub fn start(&mut self, now_us: i64) {
        for chair in &mut self.chairs {
            while let Some(Open { call, .. }) = chair.open.pop_back() {
                chair.due.push_front(Due { call, stored: true });
            }
        }
        self.send_due(now_us);
        self.go_on(now_us);
        for seat in (0u8..).map(Seat).take(self.chairs.len()) {
            if self.attendance(seat) == Some(Attendance::Absent) {
                self.gone(seat, now_us);
            }
        }
    }

    /// The next effect. The clock of a message that asks for an answer starts here: what recording took is no player's
    /// time.
    pub fn next(&mut self, now_us: i64) -> Option<Effect> {
        let effect = self.effects.pop_front()?;
        if let Effect::Send(message) = &effect
            && let Some(chair) = self.chairs.get_mut(message.seat.index())
        {
            if let Some(open) = chair.open.front_mut() {
                open.since_us = now_us;
            } else if message.wanted && !chair.out {
                chair.decided();
                chair.lines = 0;
                chair.said.clear();
                chair.clock = Some(Clock {
                    since_us: now_us,
                    within: message.within,
                    decides: message.decides,
                    charged: Duration::ZERO,
                });
            }
        }
        Some(effect)
    }

    /// The moment at which [`Match::time`] is to be called, if nothing comes before.
    #[must_use]
    pub fn wakes_us(&self) -> Option<i64> {
        let timed = self.rules.timed;
        let chairs = self.chairs.iter();
        chairs
            .flat_map(|chair| {
                let clock = chair.clock.as_ref().filter(|_| timed);
                [clock.map(Clock::deadline_us), chair.rests_until_us]
            })
            .flatten()
            .min()
    }

    /// It is this late, and everything was passed in that had come by then.
    pub fn time(&mut self, now_us: i64) {
        self.send_due(now_us);
        let seats = (0u8..).map(Seat).zip(&self.chairs);
        let over = |chair: &Chair| {
            let clock = chair.clock.as_ref();
            clock.is_some_and(|clock| clock.deadline_us() <= now_us)
        };
        let late = seats.filter(|(_, chair)| self.rules.timed && over(chair));
        let late: Vec<Seat> = late.map(|(seat, _)| seat).collect();
        for seat in late {
            // The one before may have ended its part.
            if self.chairs[seat.index()].clock.is_some() {
                self.late(seat, now_us);
            }
        }
        self.go_on(now_us);
    }

    /// This many of the lines that were to be recorded are stored: what waited for that goes on.
    pub fn stored(&mut self, lines: u64, now_us: i64) {
        while let Some((_, waiting)) = self.waiting.pop_front_if(|(after, _)| *after <= lines) {
            match waiting {
                Waiting::Message(message) => self.effects.push_back(Effect::Send(message)),
                Waiting::Reply(seat, reply) => {
                    self.table.answer(seat, reply.reply());
                    self.go_on(now_us);
                }
            }
        }
    }

    /// How it ended, once everything that is due is done; or why it cannot go on.
    #[must_use]
    pub fn over(&self) -> Option<Result<Outcome, Stuck>> {
        if let Some(stuck) = self.stuck {
            return Some(Err(stuck));
        }
        let busy = |chair: &Chair| !chair.open.is_empty() || !chair.due.is_empty();
        if !self.effects.is_empty() || !self.waiting.is_empty() || self.chairs.iter().any(busy) {
            return None;
        }
        if let Some(outcome) = self.table.outcome() {
            return Some(Ok(outcome));
        }
        let waits = self.rules.unasked || self.chairs.iter().any(|chair| chair.clock.is_some());
        (!waits).then_some(Err(Stuck::Stalled))
    }

    /// Nothing more comes: records what may have had more to come.
    pub fn finish(&mut self) {
        self.journal.flush(&mut self.effects);
    }

    /// The table.
    #[must_use]
    pub fn table(&self) -> &dyn Table {
        &*self.table
    }

    /// Whether an answer of this seat is waited for.
    #[must_use]
    pub fn asks(&self, seat: Seat) -> bool {
        let chair = self.chairs.get(seat.index());
        chair.is_some_and(|chair| chair.clock.is_some() || !chair.open.is_empty())
    }

    /// Whether a player is called no more, after too many failures.
    #[must_use]
    pub fn is_dead(&self, seat: Seat) -> bool {
        let chair = self.chairs.get(seat.index());
        chair.is_some_and(|chair| chair.failures >= self.rules.failures_max)
    }

    /// The players at fault for the end or for their own part in it, and how it showed.
    #[must_use]
    pub fn blames(&self) -> Vec<Blame> {
        match self.rules.one_fault {
            true => self.faults.clone(),
            false => self.table.blames(),
        }
    }

    /// How each seat kept its time, by seat.
    #[must_use]
    pub fn conduct(&self) -> Vec<Conduct> {
        let seats = (0u8..).map(Seat).zip(&self.chairs);
        let conduct = seats.map(|(seat, chair)| {
            let noted = self.table.noted(seat);
            let missed = match self.rules.table_counts_late {
                true => noted.late,
                false => chair.conduct.missed,
            };
            let mut conduct = chair.conduct.clone();
            (conduct.refused, conduct.missed) = (noted.refused, missed);
            conduct
        });
        conduct.collect()
    }

    /// From when to when players were waited for in vain that lost for it.
    #[must_use]
    pub fn vain(&self) -> &[(i64, i64)] {
        &self.vain
    }

    fn attendance(&self, seat: Seat) -> Option<Attendance> {
        let chair = self.chairs.get(seat.index())?;
        Some(chair.place.attendance)
    }

    /// Makes the table's calls go out, until it makes no more.
    fn go_on(&mut self, now_us: i64) {
        loop {
            let mut calls = std::mem::take(&mut self.fresh);
            self.table.calls(&mut calls);
            self.holds = self.rules.holds_end && self.table.outcome().is_some();
            if self.rules.asks_last {
                let inside = |seat| self.attendance(seat) == Some(Attendance::Inside);
                calls.sort_by_key(|call| (call.answer_within.is_some(), !inside(call.seat)));
            }
            self.together |= calls.iter().filter(|call| call.decides).count() > 1;
            for call in calls.drain(..) {
                let at = call.seat.index();
                let Some(chair) = self.chairs.get_mut(at) else {
                    self.stuck = Some(Stuck::NoSeat(call.seat.0));
                    continue;
                };
                let stored = false;
                chair.due.push_back(Due { call, stored });
                if !self.rules.one_at_a_time {
                    while self.pump(at, now_us) {}
                }
            }
            self.fresh = calls;
            // Who is not called is answered for at once, and then the table may have more to say.
            let moved = self.rules.one_at_a_time && self.send_due(now_us);
            if !moved {
                break;
            }
        }
        self.effects.extend(self.outgoing.drain(..));
        if self.rules.unasked && !self.holds {
            self.settle();
        }
    }

    /// Sends what is due to each seat and may go out now; whether there was something.
    fn send_due(&mut self, now_us: i64) -> bool {
        let mut moved = false;
        for at in 0..self.chairs.len() {
            while self.pump(at, now_us) {
                moved = true;
            }
        }
        moved
    }

    /// Sends what is due to a seat next, if it may go out now.
    fn pump(&mut self, at: usize, now_us: i64) -> bool {
        let Some(chair) = self.chairs.get_mut(at) else {
            return false;
        };
        let waits = self.rules.one_at_a_time && !chair.open.is_empty() || self.stuck.is_some();
        let Some(due) = chair.due.front().filter(|_| !waits) else {
            return false;
        };
        let own = match chair.place.attendance {
            Attendance::Outside => due.call.pause,
            _ => Duration::ZERO,
        };
        let asks = due.call.answer_within.is_some();
        let watched = asks && chair.place.attendance != Attendance::Filler;
        let pause = own.max(self.rules.pause * u32::from(watched));
        if !pause.is_zero() {
            let until = now_us.saturating_add(micros(pause));
            if now_us < *chair.rests_until_us.get_or_insert(until) {
                return false;
            }
        }
        chair.rests_until_us = None;
        let Some(due) = chair.due.pop_front() else {
            return false;
        };
        self.send(due, now_us);
        true
    }

    fn send(&mut self, Due { call, stored }: Due, now_us: i64) {
        self.calls += 1;
        if self.calls > self.rules.calls_max {
            self.stuck = Some(Stuck::Endless(self.rules.calls_max));
        }
        let (seat, at) = (call.seat, call.seat.index());
        let Some(chair) = self.chairs.get_mut(at) else {
            return;
        };
        let stamp_us = match self.rules.records && !stored {
            true => {
                let text = call.text.clone();
                self.journal.call(&mut self.effects, seat, text, now_us)
            }
            false => self.journal.stamp(now_us),
        };
        if self.holds {
            let text = call.text;
            self.outgoing.push(Effect::Hold { seat, text });
            return;
        }
        let inside = chair.place.attendance == Attendance::Inside;
        let called = chair.place.attendance != Attendance::Filler
            && chair.failures < self.rules.failures_max;
        let wanted = call.answer_within.is_some();
        let mut message = Message {
            seat,
            text: String::new(),
            within: call.answer_within.unwrap_or(self.rules.acknowledged_within),
            wanted,
            decides: call.decides,
            quiet: wanted && !inside && self.table.lock_step(),
        };
        if self.rules.one_at_a_time {
            if called {
                message.text.clone_from(&call.text);
            }
            chair.open.push_back(Open {
                call,
                stamp_us,
                since_us: now_us,
            });
        } else {
            message.text = call.text;
        }
        if !called {
            self.answer_for(seat, now_us);
        } else if self.rules.durable && !stored {
            let after = self.journal.recorded();
            self.waiting.push_back((after, Waiting::Message(message)));
        } else {
            self.outgoing.push(Effect::Send(message));
            if !wanted && self.rules.rests && !self.together {
                let answered = false;
                self.outgoing.push(Effect::Rest { seat, answered });
            }
        }
    }

    /// Answers for a seat that is not called.
    fn answer_for(&mut self, seat: Seat, now_us: i64) {
        let reply = match self.attendance(seat) {
            Some(Attendance::Filler) => RecordedReply::Said(String::new()),
            _ => RecordedReply::Dead,
        };
        self.close_call(seat, reply, None, now_us);
    }

    /// Stops the clocks of players that are not waited for any more.
    fn settle(&mut self) {
        for (seat, chair) in (0u8..).map(Seat).zip(&mut self.chairs) {
            if chair.clock.is_some() && !self.table.waits(seat) {
                chair.decided();
            }
        }
    }
}

impl Chair {
    /// What it was asked is decided: with its last line, where others are waited for still.
    fn decided(&mut self) {
        if let (Some(clock), Some(line_us)) = (self.clock.take(), self.line_us) {
            self.conduct.closed(Closed {
                came: Came::Answer,
                decides: true,
                took: clock.took(line_us),
            });
        }
    }
}
