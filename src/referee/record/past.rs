//! What a match's seats have heard and said before a restart.

use super::transcript::Kept;
use crate::store::types::{Direction, Entry};
use games::{Seat, Seats};
use std::collections::VecDeque;

/// One call of the past.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::referee) struct PastCall {
    /// Its exact text.
    pub(in crate::referee) text: String,
    /// When its reply came and what it was; `None` if the stop cut it.
    pub(in crate::referee) reply: Option<(i64, Kept)>,
}

/// Each seat's calls of the past that the match has not come to again yet.
#[derive(Clone, Debug, Default)]
pub(in crate::referee) struct Past {
    calls: Seats<VecDeque<PastCall>>,
    failures: Seats<u16>,
    /// The latest stamp in it, in microseconds since 1970-01-01 UTC.
    pub(in crate::referee) last_us: i64,
}

impl Past {
    /// A match that begins now.
    pub(in crate::referee) fn none(seats: usize) -> Self {
        Self::new(&Seats::from_fn(seats, |_| Vec::new()))
    }

    /// Reads the seats' transcripts.
    pub(in crate::referee) fn new(entries: &Seats<Vec<Entry>>) -> Self {
        let calls: Seats<VecDeque<PastCall>> = entries
            .values()
            .iter()
            .map(|entries| calls(entries))
            .collect();
        let failures = calls.values().iter().map(trailing_failures).collect();
        let stamps = entries.values().iter().flatten().map(|entry| entry.at_us);
        Self {
            calls,
            failures,
            last_us: stamps.max().unwrap_or_default(),
        }
    }

    /// The seat's next call of the past.
    pub(in crate::referee) fn next(&mut self, seat: Seat) -> Option<PastCall> {
        if self.calls.get(seat).is_some() {
            self.calls[seat].pop_front()
        } else {
            None
        }
    }

    /// How often in a row the seat had failed at the end.
    pub(in crate::referee) fn failures(&self, seat: Seat) -> u16 {
        self.failures.get(seat).copied().unwrap_or_default()
    }
}

fn calls(entries: &[Entry]) -> VecDeque<PastCall> {
    let mut calls: VecDeque<PastCall> = VecDeque::new();
    for entry in entries {
        match (entry.direction, calls.back_mut()) {
            (Direction::Out, _) => {
                calls.push_back(PastCall {
                    text: entry.text.clone(),
                    reply: None,
                });
            }
            (Direction::In, Some(call)) => {
                call.reply = Some((entry.at_us, Kept::decode(&entry.text)));
            }
            (Direction::In, None) => {}
        }
    }
    calls
}

fn trailing_failures(calls: &VecDeque<PastCall>) -> u16 {
    let mut failures = 0u16;
    for alive in calls
        .iter()
        .rev()
        .filter_map(|call| call.reply.as_ref()?.1.alive())
    {
        if alive {
            break;
        }
        failures = failures.saturating_add(1);
    }
    failures
}
