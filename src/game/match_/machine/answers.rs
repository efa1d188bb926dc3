//! What players say, and what they fail to say.

use super::{Attendance, Failure, Match, Open, Waiting};
use crate::game::{Cause, Seat};
use crate::match_::clock::between;
use crate::match_::conduct::{Came, Closed};
use crate::match_::effect::{Called, Effect, Replied};
use crate::match_::reply::RecordedReply;
use crate::wire::{Blame, Reply};
use std::time::Duration;

/// Bytes kept of a reply that the match did not wait for.
const UNWANTED_LEN_MAX: usize = 512;

impl Match {
    /// A player said this line, which was read at `at_us`.
    pub fn line(&mut self, seat: Seat, line: &[u8], at_us: i64) {
        let line = plain(line, self.rules.replacement);
        if self.rules.unasked {
            self.line_unasked(seat, &line, at_us);
        } else {
            self.line_of_reply(seat, &line, at_us);
        }
    }

    fn line_unasked(&mut self, seat: Seat, line: &str, at_us: i64) {
        let chair = self.chairs.get_mut(seat.index());
        let Some(chair) = chair.filter(|chair| !chair.out) else {
            return;
        };
        chair.line_us = Some(at_us);
        chair.lines += 1;
        let clock = chair.clock.as_ref();
        let is_late = clock.is_some_and(|clock| clock.is_late(at_us));
        if chair.lines > self.rules.lines_max {
            let gone = RecordedReply::Failed(String::new());
            self.ends_part(seat, &gone, "said too much in one turn", at_us);
        } else if is_late {
            self.late(seat, at_us);
        } else {
            self.journal.line(&mut self.effects, seat, line, at_us);
            self.table.answer(seat, Reply::Text(line.as_bytes()));
            self.settle();
            self.go_on(at_us);
        }
    }

    fn line_of_reply(&mut self, seat: Seat, line: &str, at_us: i64) {
        if !self.charge(seat, at_us) {
            return;
        }
        let Some(chair) = self.chairs.get_mut(seat.index()) else {
            return;
        };
        if chair.said.len() + line.len() >= self.rules.reply_bytes_max {
            let why = Some("its reply is longer than 16 MiB");
            self.effects.push_back(Effect::End { seat, why });
            self.failed(seat, Failure::Gone(String::new()), at_us);
            return;
        }
        if chair.lines > 0 {
            chair.said.push('\n');
        }
        chair.lines += 1;
        chair.said.push_str(line);
        self.table.answer(seat, Reply::Text(line.as_bytes()));
        if !self.table.waits(seat) {
            let since_us = self.close_reply(seat, None, at_us);
            self.ends_if_blamed(seat, since_us.map(|since| (since, at_us)), true);
        }
        self.go_on(at_us);
    }

    /// A player has answered its message in whole. `note`: why what came is no answer.
    pub fn answered(&mut self, seat: Seat, text: &str, note: Option<String>, at_us: i64) {
        if self.rules.one_at_a_time {
            self.close_call(seat, RecordedReply::said(text), note, at_us);
        } else if self.charge(seat, at_us)
            && let Some(chair) = self.chairs.get_mut(seat.index())
        {
            text.clone_into(&mut chair.said);
            self.table.answer(seat, Reply::Text(text.as_bytes()));
            self.close_reply(seat, None, at_us);
        }
        self.go_on(at_us);
    }

    /// A player has failed to answer.
    pub fn failed(&mut self, seat: Seat, failure: Failure, at_us: i64) {
        if self.rules.one_at_a_time {
            let reply = match failure {
                Failure::Late => RecordedReply::Late,
                Failure::Gone(why) => RecordedReply::Failed(why),
                Failure::TooLong(_) => RecordedReply::Failed(String::new()),
            };
            self.close_call(seat, reply, None, at_us);
        } else if self.rules.unasked {
            self.gone(seat, at_us);
        } else {
            self.failed_reply(seat, failure, at_us);
        }
        self.go_on(at_us);
    }

    fn failed_reply(&mut self, seat: Seat, failure: Failure, at_us: i64) {
        let is_late = failure == Failure::Late;
        let mut since_us = None;
        if self.charge(seat, at_us) {
            since_us = match failure {
                Failure::TooLong(beginning) => self.too_long(seat, &beginning, at_us),
                Failure::Late => self.close_reply(seat, Some(&RecordedReply::Late), at_us),
                Failure::Gone(_) => {
                    let gone = RecordedReply::Failed(String::new());
                    self.close_reply(seat, Some(&gone), at_us)
                }
            };
        }
        if !is_late || since_us.is_none() {
            self.effects.push_back(Effect::End { seat, why: None });
        }
        if since_us.is_some() {
            let late = since_us.filter(|_| is_late).map(|since| (since, at_us));
            self.ends_if_blamed(seat, late, false);
        }
    }

    /// The beginning of a line without an end is an answer, and stays too long even where bytes of it were replaced.
    fn too_long(&mut self, seat: Seat, beginning: &[u8], at_us: i64) -> Option<i64> {
        let mut line = plain(beginning, self.rules.replacement);
        let missing = beginning.len().saturating_sub(line.len());
        line.extend(std::iter::repeat_n('?', missing));
        let chair = self.chairs.get_mut(seat.index())?;
        if chair.lines > 0 {
            chair.said.push('\n');
        }
        chair.said.push_str(&line);
        self.table.answer(seat, Reply::Text(line.as_bytes()));
        self.close_reply(seat, None, at_us)
    }

    /// A player had said this before the message that was to be sent last ([`crate::match_::Message::quiet`]), which was not sent.
    pub fn early(&mut self, seat: Seat, said: &[u8], at_us: i64) {
        let early = RecordedReply::Early(plain(said, self.rules.replacement));
        self.close_reply(seat, Some(&early), at_us);
        self.ends_if_blamed(seat, None, true);
        self.go_on(at_us);
    }

    /// A player's line is gone, or it has not come.
    pub fn gone(&mut self, seat: Seat, at_us: i64) {
        let came = self.attendance(seat) != Some(Attendance::Absent);
        let what = if came { "left" } else { "did not come" };
        let gone = RecordedReply::Failed(String::new());
        self.ends_part(seat, &gone, what, at_us);
    }

    /// All lines are gone.
    pub fn all_gone(&mut self, at_us: i64) {
        for seat in (0u8..).map(Seat).take(self.chairs.len()) {
            let gone = RecordedReply::Failed(String::new());
            self.ends_part(seat, &gone, "left", at_us);
        }
    }

    /// A player's time is over.
    pub(super) fn late(&mut self, seat: Seat, now_us: i64) {
        match self.rules.unasked {
            true => self.ends_part(seat, &RecordedReply::Late, OUT_OF_TIME, now_us),
            false => self.failed_reply(seat, Failure::Late, now_us),
        }
    }

    /// A player's part is over by its first fault.
    fn ends_part(&mut self, seat: Seat, reply: &RecordedReply, what: &str, now_us: i64) {
        let Some(chair) = self.chairs.get_mut(seat.index()) else {
            return;
        };
        if chair.out || self.table.outcome().is_some() {
            return;
        }
        chair.out = true;
        chair.clock = None;
        let is_late = *reply == RecordedReply::Late;
        chair.conduct.missed += u32::from(is_late);
        chair.conduct.late |= is_late;
        chair.conduct.falls_now();
        let fault = fault(seat, &chair.place.name, what, is_late);
        self.faults.push(fault);
        if self.rules.records {
            let replied = replied(reply.clone(), Duration::ZERO);
            self.journal.reply(&mut self.effects, seat, replied, now_us);
        }
        self.table.answer(seat, reply.reply());
        self.go_on(now_us);
        if self.table.outcome().is_none() {
            self.effects.push_back(Effect::End { seat, why: None });
        }
    }

    /// Charges the further time of an answer at the table; false if none is waited for.
    fn charge(&mut self, seat: Seat, at_us: i64) -> bool {
        let chair = self.chairs.get_mut(seat.index());
        let Some(clock) = chair.and_then(|chair| chair.clock.as_mut()) else {
            return false;
        };
        let fresh = clock.charge(at_us);
        if self.rules.charged {
            self.table.spent(seat, fresh);
        }
        true
    }

    /// A reply of one or more lines is complete, or `instead` of it this came; when it was asked for.
    fn close_reply(
        &mut self,
        seat: Seat,
        instead: Option<&RecordedReply>,
        at_us: i64,
    ) -> Option<i64> {
        let chair = self.chairs.get_mut(seat.index())?;
        let clock = chair.clock.take()?;
        let said = std::mem::take(&mut chair.said);
        let came = match instead {
            Some(RecordedReply::Late) => Came::Late,
            _ => Came::Answer,
        };
        chair.conduct.closed(Closed {
            came,
            decides: clock.decides,
            took: clock.charged,
        });
        if let Some(instead) = instead {
            self.table.answer(seat, instead.reply());
        }
        if self.rules.records {
            let reply = instead.cloned().unwrap_or(RecordedReply::Said(said));
            let replied = replied(reply, clock.charged);
            self.journal.reply(&mut self.effects, seat, replied, at_us);
        }
        if self.rules.rests && !self.together {
            let answered = true;
            self.effects.push_back(Effect::Rest { seat, answered });
        }
        Some(clock.since_us)
    }

    /// Ends a player that the table blames: its silence must not cost others time. If it was `late` for what it was asked
    /// then, the machine may have made it so; `answered`: it has said something all the same.
    fn ends_if_blamed(&mut self, seat: Seat, late: Option<(i64, i64)>, answered: bool) {
        let blames = self.table.blames();
        let Some(blame) = blames.iter().find(|blame| blame.seat == seat) else {
            return;
        };
        let of_time = match blame.cause {
            Cause::TimeForfeit => true,
            Cause::InitFailure => !answered,
            _ => false,
        };
        self.vain.extend(late.filter(|_| of_time));
        if let Some(chair) = self.chairs.get_mut(seat.index()) {
            chair.conduct.falls();
        }
        self.effects.push_back(Effect::End { seat, why: None });
    }

    /// A call is answered, on a wire where each is answered before the next.
    pub(super) fn close_call(
        &mut self,
        seat: Seat,
        reply: RecordedReply,
        note: Option<String>,
        at_us: i64,
    ) {
        let chair = self.chairs.get_mut(seat.index());
        let Some(open) = chair.and_then(|chair| chair.open.pop_front()) else {
            return;
        };
        let Open {
            call,
            stamp_us,
            since_us,
        } = open;
        self.count_failures(seat, &reply);
        let wanted = call.answer_within.is_some();
        let took = between(since_us, at_us);
        let reply = match wanted {
            true => reply,
            false => reply.beginning(UNWANTED_LEN_MAX),
        };
        if wanted {
            self.note_conduct(seat, came(&reply, note.as_deref()), took);
        }
        if self.rules.records {
            let replied = Replied {
                reply: reply.clone(),
                took,
                wanted,
                note,
                call: Some(Called {
                    text: call.text,
                    at_us: stamp_us,
                }),
            };
            self.journal.reply(&mut self.effects, seat, replied, at_us);
        }
        if wanted && self.rules.durable {
            let after = self.journal.recorded();
            self.waiting.push_back((after, Waiting::Reply(seat, reply)));
        } else if wanted {
            self.table.answer(seat, reply.reply());
        }
    }

    /// Counts failures in a row.
    fn count_failures(&mut self, seat: Seat, reply: &RecordedReply) {
        let Some(chair) = self.chairs.get_mut(seat.index()) else {
            return;
        };
        match reply.alive() {
            Some(true) => chair.failures = 0,
            Some(false) => {
                chair.failures = chair.failures.saturating_add(1);
                if chair.failures == self.rules.failures_max {
                    self.effects.push_back(Effect::End { seat, why: None });
                }
            }
            None => {}
        }
    }

    fn note_conduct(&mut self, seat: Seat, came: Came, took: Duration) {
        let chair = self.chairs.get_mut(seat.index());
        let played = |attendance| attendance != Attendance::Filler;
        if let Some(chair) = chair.filter(|chair| played(chair.place.attendance)) {
            chair.conduct.missed += u32::from(came != Came::Answer);
            chair.conduct.closed(Closed {
                came,
                decides: true,
                took,
            });
        }
    }
}

/// What came for a call that asked.
fn came(reply: &RecordedReply, note: Option<&str>) -> Came {
    match (reply, note) {
        (RecordedReply::Late, _) => Came::Late,
        (RecordedReply::Said(_) | RecordedReply::Early(_), None) => Came::Answer,
        (RecordedReply::Said(_) | RecordedReply::Early(_), Some(_)) => Came::Improper,
        _ => Came::Nothing,
    }
}

/// What a player has done that was late.
const OUT_OF_TIME: &str = "was out of time";

/// The fault of a player of this name, which may be empty.
fn fault(seat: Seat, name: &str, what: &str, is_late: bool) -> Blame {
    let number = seat.0 + 1;
    Blame {
        seat,
        cause: match is_late {
            true => Cause::TimeForfeit,
            false => Cause::Disconnect,
        },
        detail: match name {
            "" => format!("player {number} {what}"),
            name => format!("player {number} ({name}) {what}"),
        },
    }
}

/// The fault of a player that was late, where the first such fault ends its part.
#[must_use]
pub fn out_of_time(seat: Seat, name: &str) -> Blame {
    fault(seat, name, OUT_OF_TIME, true)
}

fn replied(reply: RecordedReply, took: Duration) -> Replied {
    Replied {
        reply,
        took,
        wanted: true,
        note: None,
        call: None,
    }
}

/// A line as it is both recorded and processed, so that the two are equal: invalid bytes become question marks, and the
/// character that marks a missing answer its replacement.
fn plain(line: &[u8], replacement: char) -> String {
    let mut text = String::with_capacity(line.len());
    for chunk in line.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    if text.contains('\u{1}') {
        text = text.replace('\u{1}', replacement.encode_utf8(&mut [0; 4]));
    }
    text
}
