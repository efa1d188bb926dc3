//! The referee's side: leads a match along its stored transcripts.

use crate::store::types::{Direction, Entry};
use games::match_::{Difference, Rules};
use games::{Match, Seat, Table, Wire};
use std::ops::ControlFlow;

/// The maximum number of differences reported; further ones follow from the first.
pub(super) const DIFFERENCES_MAX: usize = 5;

/// A match at the end of its transcripts.
pub struct ReplayedMatch {
    /// The match, whose calls that are open or yet to be sent go out when it starts.
    pub match_: Match,
    /// Where the transcripts differ from the table's calls, in sentences; the first seat is 1.
    pub differences: Vec<String>,
}

/// Leads the match of this table along the transcripts of all its seats. `growing`: the match is still running or was cut,
/// so that the transcripts end at different moments.
#[must_use]
pub fn replay_match(
    table: Box<dyn Table>,
    wire: Wire,
    entries: Vec<(Seat, &Entry)>,
    growing: bool,
) -> ReplayedMatch {
    watch_match(table, wire, entries, growing, |_, _| {
        ControlFlow::Continue(())
    })
}

/// For a table that was set up otherwise than the match: however its calls differ, it receives all that was
/// answered.
#[must_use]
pub fn lead_match(
    table: Box<dyn Table>,
    wire: Wire,
    entries: Vec<(Seat, &Entry)>,
) -> ReplayedMatch {
    walk(table, wire, entries, true, |_, _| ControlFlow::Continue(()))
}

/// As [`replay_match`], with an observer that sees the table before the first entry and after each one, and may end it.
pub(super) fn watch_match(
    table: Box<dyn Table>,
    wire: Wire,
    entries: Vec<(Seat, &Entry)>,
    growing: bool,
    mut seen: impl FnMut(&dyn Table, Option<(Seat, &Entry)>) -> ControlFlow<()>,
) -> ReplayedMatch {
    walk(table, wire, entries, growing, |replayed, entry| {
        seen(replayed.match_.table(), entry)?;
        match replayed.differences.len() >= DIFFERENCES_MAX {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    })
}

fn walk(
    table: Box<dyn Table>,
    wire: Wire,
    mut entries: Vec<(Seat, &Entry)>,
    growing: bool,
    mut seen: impl FnMut(&ReplayedMatch, Option<(Seat, &Entry)>) -> ControlFlow<()>,
) -> ReplayedMatch {
    // Stamps rise in the order in which the table received its answers.
    entries.sort_unstable_by_key(|(_, entry)| (entry.at_us, entry.id));
    let mut replayed = ReplayedMatch {
        match_: Match::new(table, Rules::of_wire(wire)),
        differences: Vec::new(),
    };
    replayed.match_.follow();
    let mut flow = seen(&replayed, None);
    for (seat, entry) in entries {
        let is_due = || replayed.match_.is_due(seat);
        if flow.is_break() || growing && entry.direction == Direction::Out && !is_due() {
            break;
        }
        replayed.take(seat, entry);
        flow = seen(&replayed, Some((seat, entry)));
    }
    replayed
}

impl ReplayedMatch {
    fn take(&mut self, seat: Seat, entry: &Entry) {
        let Entry { text, at_us, .. } = entry;
        if entry.direction == Direction::In {
            self.match_.stored_reply(seat, text, *at_us);
            return;
        }
        let what = match self.match_.stored_call(seat, text, *at_us) {
            Ok(()) => return,
            Err(Difference::NotDue) => format!("{text:?} is stored and was not due"),
            Err(Difference::Other(due)) => format!("{due:?} was due, {text:?} is stored"),
        };
        let (number, seq) = (u16::from(seat.0) + 1, entry.seq);
        self.differences
            .push(format!("seat {number}, entry {seq}: {what}"));
    }
}
