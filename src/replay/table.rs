//! The referee's side: replays transcripts through a table.

use super::reply::RecordedReply;
use crate::store::types::{Direction, Entry};
use games::{Call, Seat, Table, Wire};
use std::collections::{BTreeMap, VecDeque};
use std::ops::ControlFlow;
use std::time::Duration;

/// The maximum number of differences reported; further ones follow from the first.
pub(super) const DIFFERENCES_MAX: usize = 5;

/// A call that is still to be answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingCall {
    /// The call.
    pub call: Call,
    /// When it was sent, in microseconds since 1970-01-01 UTC; `None`: not sent yet.
    pub sent_us: Option<i64>,
}

/// The findings of replaying a match.
#[derive(Debug, Default)]
pub struct ReplayedTable {
    /// Calls that are open or yet to be sent, by seat, in order for each.
    pub pending: Vec<PendingCall>,
    /// Where the transcripts differ from the table's calls, in sentences.
    pub differences: Vec<String>,
}

/// Replays the transcripts of all seats through a table that starts a match. `growing`: the match is still
/// running or was cut, so that the transcripts end at different moments.
pub fn replay_table(
    table: &mut dyn Table,
    wire: Wire,
    entries: Vec<(Seat, &Entry)>,
    growing: bool,
) -> ReplayedTable {
    watch_table(table, wire, entries, growing, |_, _| {
        ControlFlow::Continue(())
    })
}

/// For a table that was set up otherwise than the match: however its calls differ, it receives all that was
/// answered.
pub fn lead_table(
    table: &mut dyn Table,
    wire: Wire,
    entries: Vec<(Seat, &Entry)>,
) -> ReplayedTable {
    let go_on = |_: &dyn Table, _: Option<(Seat, &Entry)>| ControlFlow::Continue(());
    walk(table, wire, entries, true, usize::MAX, go_on)
}

/// The same, with an observer that sees the table before the first entry and after each one, and may end it.
pub(super) fn watch_table(
    table: &mut dyn Table,
    wire: Wire,
    entries: Vec<(Seat, &Entry)>,
    growing: bool,
    seen: impl FnMut(&dyn Table, Option<(Seat, &Entry)>) -> ControlFlow<()>,
) -> ReplayedTable {
    walk(table, wire, entries, growing, DIFFERENCES_MAX, seen)
}

fn walk(
    table: &mut dyn Table,
    wire: Wire,
    mut entries: Vec<(Seat, &Entry)>,
    growing: bool,
    differences_max: usize,
    mut seen: impl FnMut(&dyn Table, Option<(Seat, &Entry)>) -> ControlFlow<()>,
) -> ReplayedTable {
    // Stamps rise in the order in which the table received its answers.
    entries.sort_unstable_by_key(|(_, entry)| (entry.at_us, entry.id));
    let mut replay = Replay::new(table, wire);
    let mut flow = seen(replay.table, None);
    for (seat, entry) in entries {
        if flow.is_break() {
            break;
        }
        match entry.direction {
            Direction::Out if growing && !replay.is_due(seat) => break,
            Direction::Out => replay.call(seat, entry),
            Direction::In => replay.answer(seat, entry),
        }
        flow = seen(replay.table, Some((seat, entry)));
        if replay.differences.len() >= differences_max {
            break;
        }
    }
    let seats = replay.seats.into_values();
    ReplayedTable {
        pending: seats
            .flat_map(|calls| calls.open.into_iter().chain(calls.due))
            .collect(),
        differences: replay.differences,
    }
}

/// A seat's calls.
#[derive(Default)]
struct SeatCalls {
    /// Calls that the table has made and the transcript has not reached.
    due: VecDeque<PendingCall>,
    /// Open calls.
    open: VecDeque<PendingCall>,
}

struct Replay<'a> {
    table: &'a mut dyn Table,
    wire: Wire,
    seats: BTreeMap<Seat, SeatCalls>,
    differences: Vec<String>,
}

impl<'a> Replay<'a> {
    fn new(table: &'a mut dyn Table, wire: Wire) -> Self {
        let mut replay = Self {
            table,
            wire,
            seats: BTreeMap::new(),
            differences: Vec::new(),
        };
        replay.take_calls();
        replay
    }

    fn take_calls(&mut self) {
        let mut calls = Vec::new();
        self.table.calls(&mut calls);
        for call in calls {
            let due = &mut self.seats.entry(call.seat).or_default().due;
            let sent_us = None;
            due.push_back(PendingCall { call, sent_us });
        }
    }

    fn is_due(&self, seat: Seat) -> bool {
        self.seats
            .get(&seat)
            .is_some_and(|calls| !calls.due.is_empty())
    }

    /// A call was sent.
    fn call(&mut self, seat: Seat, entry: &Entry) {
        let (number, seq, stored) = (seat.0, entry.seq, &entry.text);
        let calls = self.seats.entry(seat).or_default();
        let Some(mut due) = calls.due.pop_front() else {
            let what = format!("seat {number}, entry {seq}: {stored:?} is stored and was not due");
            self.differences.push(what);
            return;
        };
        if due.call.text != *stored {
            self.differences.push(format!(
                "seat {number}, entry {seq}: {:?} was due, {stored:?} is stored",
                due.call.text
            ));
        }
        // Over pipes, a message that asks for no answer gets none.
        if due.call.answer_within.is_some() || self.wire != Wire::Stdio {
            due.sent_us = Some(entry.at_us);
            calls.open.push_back(due);
        }
    }

    /// A reply was received.
    fn answer(&mut self, seat: Seat, entry: &Entry) {
        let calls = self.seats.get_mut(&seat);
        let answered = calls.and_then(|calls| calls.open.pop_front());
        let wanted = |open: &PendingCall| open.call.answer_within.is_some();
        // A player at a hub may send as many lines as it likes.
        if self.wire != Wire::Hub && !answered.as_ref().is_some_and(wanted) {
            return;
        }
        if let Some(sent_us) = answered.and_then(|open| open.sent_us) {
            let took = u64::try_from(entry.at_us.saturating_sub(sent_us)).unwrap_or_default();
            self.table.spent(seat, Duration::from_micros(took));
        }
        let reply = RecordedReply::decode(&entry.text);
        self.table.answer(seat, reply.reply());
        self.take_calls();
    }
}
