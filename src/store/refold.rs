//! Folding a stored match again: our own sides by their dialogues, our referee's matches by playing
//! them again from the recorded replies.

use super::fold::{dialogue_setup, said_reply};
use super::open::KitOf;
use super::records::{FactRow, MatchEntry, MatchRow, SessionRow};
use super::types::{Direction, NewMatch, Side};
use super::verify::{Checked, Difference};
use games::{Call, Ending, Fact, Kit, Next, Seat, Table, Wire};
use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// Facts about how an answer came about, not about what was said: no fold can give them.
const THOUGHT_FACTS: [&str; 4] = ["fallback", "local", "quarantined", "refused"];
/// Differences reported of one session; further ones follow from the first.
const DIFFERENCES_MAX: usize = 5;
/// A session with its transcript.
pub(super) struct Transcript {
    pub(super) session: SessionRow,
    pub(super) entries: Vec<MatchEntry>,
    /// How many entries lie in its range, whatever their links say.
    pub(super) counted: Option<u64>,
}

/// Folds every session of a match again and says what differs.
pub(super) fn fold_match(
    row: &MatchRow,
    opened: Option<&NewMatch>,
    transcripts: &[Transcript],
    facts: &[FactRow],
    kit: KitOf,
) -> Checked {
    let mut checked = Checked {
        match_id: row.id.clone(),
        sessions: transcripts.len() as u64,
        entries: transcripts
            .iter()
            .map(|transcript| transcript.entries.len() as u64)
            .sum(),
        differences: Vec::new(),
    };
    let Some(kit) = kit(&row.game) else {
        let what = format!("no game is called {}", row.game);
        checked.differences.push(Difference {
            session: None,
            what,
        });
        return checked;
    };
    for transcript in transcripts {
        let mut found = transcript.links();
        if transcript.session.opened.side == Side::Player {
            found.append(&mut unless_panicked(|| fold_player(transcript, facts, kit)));
        }
        found.truncate(DIFFERENCES_MAX);
        let session = Some(transcript.session.id.0);
        checked
            .differences
            .extend(found.into_iter().map(|what| Difference { session, what }));
    }
    if let Some(opened) = opened
        && transcripts
            .iter()
            .any(|transcript| transcript.session.opened.side == Side::Referee)
    {
        let mut found = unless_panicked(|| fold_referee(row, opened, transcripts, kit));
        found.truncate(DIFFERENCES_MAX);
        checked
            .differences
            .extend(found.into_iter().map(|what| Difference {
                session: None,
                what,
            }));
    }
    checked
}

/// What `fold` finds; that a game panicked on a transcript is a finding as well.
fn unless_panicked(fold: impl FnOnce() -> Vec<String>) -> Vec<String> {
    catch_unwind(AssertUnwindSafe(fold)).unwrap_or_else(|panic| {
        let said = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("it said nothing");
        vec![format!("folding it panics: {said}")]
    })
}

impl Transcript {
    fn links(&self) -> Vec<String> {
        let walked = self.entries.len() as u64;
        let mut found = Vec::new();
        if self.session.ended_us.is_some() && self.session.entries.unwrap_or(0) != walked {
            found.push(format!(
                "{:?} entries are stored, {walked} are linked",
                self.session.entries
            ));
        }
        if let Some(counted) = self.counted.filter(|counted| *counted != walked) {
            found.push(format!(
                "{counted} entries lie in its range, {walked} are linked"
            ));
        }
        found
    }
}

/// Folds one of our own bot's sessions; says where facts, scores or cause differ.
pub(super) fn fold_player(
    transcript: &Transcript,
    facts: &[FactRow],
    kit: &dyn Kit,
) -> Vec<String> {
    let session = &transcript.session;
    let mut found = Vec::new();
    let mut dialogue = match kit.dialogue(&dialogue_setup(&session.opened)) {
        Ok(dialogue) => dialogue,
        Err(error) => return vec![format!("its dialogue cannot be opened: {error}")],
    };
    // What must be said next, if it is not free; whether anything may be said.
    let mut due = dialogue.open();
    let mut may_say = due.is_some();
    let mut ending = None;
    let mut learnt = dialogue.facts();
    let mut entries = transcript.entries.iter().peekable();
    while let Some(entry) = entries.next() {
        // Of several answers the last one was given: an edge overruled the others.
        let overruled = entry.direction == Direction::Out
            && entries
                .peek()
                .is_some_and(|next| next.direction == Direction::Out);
        match entry.direction {
            Direction::Out if overruled && entry.seq > 0 => {}
            Direction::In => {
                if may_say && due.is_none() {
                    // An empty answer leaves no entry.
                    dialogue.said("");
                    learnt.append(&mut dialogue.facts());
                }
                (due, may_say) = (None, false);
                match dialogue.receive(entry.text.as_bytes()) {
                    Ok(Next::Send(frame)) => (due, may_say) = (Some(frame), true),
                    Ok(Next::Think { .. }) => may_say = true,
                    Ok(Next::Over(over)) => ending = Some(over),
                    Ok(Next::Wait) | Err(_) => {}
                }
            }
            Direction::Out if may_say => {
                if let Some(frame) = due.take().filter(|frame| *frame != entry.text) {
                    found.push(format!(
                        "entry {}: {:?} was due, {:?} is stored",
                        entry.seq, frame, entry.text
                    ));
                }
                dialogue.said(&entry.text);
                may_say = false;
            }
            // The transport's own answer to something that needs none.
            Direction::Out => {}
        }
        learnt.append(&mut dialogue.facts());
    }
    if ending.is_none() && session.cause == Some(games::Cause::Normal) {
        // Where the transport's end is the only word for it.
        ending = dialogue.hung_up();
        learnt.append(&mut dialogue.facts());
    }
    found.append(&mut compare_facts(session, &learnt, facts));
    found.append(&mut compare_ending(session, ending.as_ref()));
    found
}

fn compare_facts(session: &SessionRow, learnt: &[Fact], stored: &[FactRow]) -> Vec<String> {
    let mut found = Vec::new();
    let mine: Vec<&FactRow> = stored
        .iter()
        .filter(|fact| fact.session == session.id)
        .filter(|fact| !THOUGHT_FACTS.contains(&fact.kind.as_str()))
        .collect();
    // A session that goes on may have grown between the reading of its facts and of its entries.
    if mine.len() > learnt.len() || (session.ended_us.is_some() && mine.len() < learnt.len()) {
        found.push(format!(
            "{} facts are stored, folding gives {}",
            mine.len(),
            learnt.len()
        ));
    }
    for (at, (stored, learnt)) in mine.iter().zip(learnt).enumerate() {
        if stored.kind != learnt.kind || stored.data != learnt.data {
            found.push(format!(
                "fact {at}: {} {} is stored, folding gives {} {}",
                stored.kind, stored.data, learnt.kind, learnt.data
            ));
        }
    }
    found
}

fn compare_ending(session: &SessionRow, ending: Option<&Ending>) -> Vec<String> {
    let mut found = Vec::new();
    if session.ended_us.is_none() {
        return found;
    }
    match (ending, session.cause) {
        (Some(ending), Some(cause)) if ending.cause == cause && ending.scores == session.scores => {
        }
        (Some(ending), cause) => found.push(format!(
            "it is stored as ended by {cause:?} with scores {:?}, folding gives {:?} with {:?}",
            session.scores, ending.cause, ending.scores
        )),
        (None, Some(games::Cause::Normal)) => {
            found.push("it is stored as ended normally, and its transcript has no end".into());
        }
        (None, _) => {}
    }
    found
}

/// Plays a match of our own referee again from its setup and the recorded replies.
fn fold_referee(
    row: &MatchRow,
    opened: &NewMatch,
    transcripts: &[Transcript],
    kit: &dyn Kit,
) -> Vec<String> {
    let mut table = match kit.reopen(&opened.setup) {
        Ok(table) => table,
        Err(error) => return vec![format!("its table cannot be opened again: {error}")],
    };
    let mut entries: Vec<&MatchEntry> = transcripts
        .iter()
        .filter(|transcript| transcript.session.opened.side == Side::Referee)
        .flat_map(|transcript| &transcript.entries)
        .collect();
    // Stamps rise in the order in which the table heard its answers.
    entries.sort_unstable_by_key(|entry| (entry.at_us, entry.id));
    let mut replay = Replay {
        silent_tells: kit.wire() == Wire::Stdio,
        ..Replay::default()
    };
    replay.hear(&mut *table);
    for entry in entries {
        let Some(seat) = entry.seat.map(Seat) else {
            replay
                .found
                .push(format!("session {} has no seat", entry.session.0));
            break;
        };
        match entry.direction {
            // The seats of a match that goes on are read at different moments.
            Direction::Out if row.ended_us.is_none() && !replay.is_due(seat) => break,
            Direction::Out => replay.called(seat, entry),
            Direction::In => {
                // A player at a hub says as many lines as he likes.
                let call = replay.open.get_mut(&seat).and_then(VecDeque::pop_front);
                let heard =
                    kit.wire() == Wire::Hub || call.as_ref().is_some_and(|call| call.wanted);
                if heard {
                    if let Some(call) = call {
                        let took = entry.at_us.saturating_sub(call.at_us);
                        let took = u64::try_from(took).unwrap_or_default();
                        table.spent(seat, Duration::from_micros(took));
                    }
                    table.answer(seat, said_reply(&entry.text));
                    replay.hear(&mut *table);
                }
            }
        }
        if replay.found.len() >= DIFFERENCES_MAX {
            break;
        }
    }
    replay.compare_result(row, &*table);
    replay.found
}

/// Calls that the table has made and the transcript has not come to, and what was found.
#[derive(Default)]
struct Replay {
    due: BTreeMap<Seat, VecDeque<Call>>,
    /// Calls that are out.
    open: BTreeMap<Seat, VecDeque<OpenCall>>,
    /// Whether nobody answers what he is only told.
    silent_tells: bool,
    found: Vec<String>,
}

/// A call that is out.
struct OpenCall {
    /// Whether the match waits for its answer.
    wanted: bool,
    /// When it went out, in microseconds since 1970-01-01 UTC.
    at_us: i64,
}

impl Replay {
    fn hear(&mut self, table: &mut dyn Table) {
        let mut calls = Vec::new();
        table.calls(&mut calls);
        for call in calls {
            self.due.entry(call.seat).or_default().push_back(call);
        }
    }

    fn is_due(&self, seat: Seat) -> bool {
        self.due.get(&seat).is_some_and(|due| !due.is_empty())
    }

    fn called(&mut self, seat: Seat, entry: &MatchEntry) {
        let wanted = self.due_as_called(seat, entry);
        // Over pipes nobody answers what he is only told.
        if wanted || !self.silent_tells {
            let at_us = entry.at_us;
            let call = OpenCall { wanted, at_us };
            self.open.entry(seat).or_default().push_back(call);
        }
    }

    /// Compares a call with the one that is due; whether an answer is waited for.
    fn due_as_called(&mut self, seat: Seat, entry: &MatchEntry) -> bool {
        match self.due.get_mut(&seat).and_then(VecDeque::pop_front) {
            Some(call) => {
                if call.text != entry.text {
                    let (due, stored) = (&call.text, &entry.text);
                    self.found.push(format!(
                        "seat {}, entry {}: {due:?} was due, {stored:?} is stored",
                        seat.0, entry.seq
                    ));
                }
                call.answer_within.is_some()
            }
            None => {
                let stored = &entry.text;
                self.found.push(format!(
                    "seat {}, entry {}: {stored:?} is stored and was not due",
                    seat.0, entry.seq
                ));
                false
            }
        }
    }

    fn compare_result(&mut self, row: &MatchRow, table: &dyn Table) {
        let normal = row.cause == Some(games::Cause::Normal);
        match table.outcome() {
            Some(outcome) if row.ended_us.is_some() => {
                let scores = outcome.scores.values();
                if row.cause != Some(outcome.cause) || scores != row.scores {
                    self.found.push(format!(
                        "the match is stored as ended by {:?} with scores {:?}, playing it again gives {:?} with {scores:?}",
                        row.cause, row.scores, outcome.cause
                    ));
                }
            }
            None if normal => {
                self.found.push(
                    "the match is stored as ended normally, and playing it again does not end it"
                        .into(),
                );
            }
            _ => {}
        }
    }
}
