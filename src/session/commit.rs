//! The last step of a turn: it is stored, or acknowledged to an edge that can deliver it again, and answered.

use super::append;
use super::core::SessionState;
use super::mailbox::{Answer, Sending, Session};
use super::message::{Ended, Refusal};
use super::ownership;
use super::registry::Registry;
use super::turn::{Arrival, Decision, Turn, Via};
use crate::store::StoreError;
use crate::store::types::{Close, Direction, EntryId, NewEntry, Receipt};
use bytes::Bytes;
use games::Cause;
use games::seat::LastMessage;
use std::sync::Arc;

/// What a turn is stored as and answered with.
struct Outcome {
    via: Via,
    time: Arrival,
    text: String,
    said: String,
    decision: Option<Decision>,
    /// The message's index in the transcript, plus one.
    mark: u64,
    ended: Option<Ended>,
    facts_stored_to: u64,
    /// Whether nothing of its session was stored before.
    first: bool,
}

/// Stores a turn and gives its answer; if the store cannot, the game's default, and none to a beginning; if
/// it has ended, no answer at all.
pub(super) async fn commit(
    registry: &Registry,
    session: &Arc<Session>,
    core: &mut Option<Box<SessionState>>,
    mut turn: Turn,
) -> Result<Answer, Refusal> {
    let kit = session.key.bot.kit();
    let Some(state) = core.as_deref_mut() else {
        return Ok(Answer::default_of_game(kit, &turn.text));
    };
    let entries = entries(registry, &mut turn);
    // The answer, if there is one, stands last.
    let answers = usize::from(!turn.said.is_empty());
    let mark = state.seq + (entries.len() - answers) as u64;
    let ending = turn.ending.take();
    let close = ending.map(|ending| append::closing(registry, state, ending));
    let fallback = turn.decision.and_then(|decision| decision.fallback);
    let facts = append::facts(registry, kit, state, fallback);
    let outcome = Outcome {
        mark,
        ended: close.as_deref().map(ended),
        via: turn.via,
        time: turn.time,
        text: turn.text,
        said: turn.said,
        decision: turn.decision,
        facts_stored_to: turn.facts_stored_to,
        first: state.head.is_none(),
    };
    if facts.is_empty() && outcome.may_wait(registry, session, state, entries.len()) {
        return Ok(acknowledge(state, entries, outcome));
    }
    match append::append(registry, state, entries, facts, close).await {
        Ok(receipt) => Ok(stored(registry, session, state, outcome, receipt)),
        Err(error) => not_stored(registry, session, core, outcome, &error),
    }
}

/// The entries of a turn: what was said before, the message, and its answer.
fn entries(registry: &Registry, turn: &mut Turn) -> Vec<NewEntry> {
    let (mut in_us, mut out_us) = (turn.time.at_us, None);
    if let Via::Local(local) = &turn.via {
        (in_us, out_us) = (local.at_us, Some(local.at_us));
    }
    let mut entries = std::mem::take(&mut turn.before);
    entries.reserve_exact(2);
    entries.push(NewEntry::new(in_us, Direction::In, turn.text.clone()));
    if !turn.said.is_empty() {
        let at_us = out_us.unwrap_or_else(|| registry.now_us());
        entries.push(NewEntry::new(at_us, Direction::Out, turn.said.clone()));
    }
    entries
}

fn ended(close: &Close) -> Ended {
    Ended {
        cause: close.cause,
        detail: close.detail.clone(),
    }
}

impl Outcome {
    /// Whether it is a plain acknowledgement, which its edge can deliver again, so that it is answered before it is stored.
    fn may_wait(
        &self,
        registry: &Registry,
        session: &Session,
        core: &SessionState,
        entries: usize,
    ) -> bool {
        let plain = || {
            session
                .key
                .bot
                .kit()
                .card()
                .dialect
                .default_answer(&self.text)
        };
        matches!(self.via, Via::Edge)
            && !self.first
            && self.decision.is_none()
            && self.ended.is_none()
            && self.said == plain()
            && core.behind.has_room(entries)
            && core.own.is_awake()
            && !registry.options.unstored
    }
}

/// Answers a message that its edge can deliver again before it is stored.
fn acknowledge(core: &mut SessionState, entries: Vec<NewEntry>, outcome: Outcome) -> Answer {
    core.seq += entries.len() as u64;
    core.behind.waiting.extend(entries);
    core.goes_on();
    core.facts_stored_to = core.seq * 2;
    let answer = Answer {
        stored: false,
        ..Answer::new(outcome.said.clone())
    };
    note_last(core, outcome.text, outcome.said, outcome.mark);
    answer
}

fn note_last(core: &mut SessionState, text: String, answer: String, mark: u64) {
    let number = 1 + core.own.last.as_ref().map_or(0, |last| last.number);
    core.own.last = Some(Box::new(LastMessage {
        text,
        answer,
        mark,
        number,
    }));
}

/// The turn is stored: its answer.
fn stored(
    registry: &Registry,
    session: &Arc<Session>,
    core: &mut SessionState,
    outcome: Outcome,
    receipt: Receipt,
) -> Answer {
    if !outcome.first {
        core.goes_on();
    }
    core.facts_stored_to = match core.own.is_awake() {
        true => core.seq * 2,
        false => outcome.facts_stored_to,
    };
    // The answer, if there is one, was stored right after what asked for it.
    let last = receipt.last.map_or(0, |last| last.0);
    let asked = EntryId(last - i64::from(!outcome.said.is_empty()));
    let ledger = outcome.decision.map(|decision| {
        let row = Turn::ledger_row(&decision, core, outcome.time, asked, receipt);
        append::ledger(registry, core, row, outcome.time.received)
    });
    let (said, mark) = (outcome.said, outcome.mark);
    note_last(core, outcome.text, said.clone(), mark);
    if let Some(ended) = &outcome.ended {
        registry.end(&session.key, core, ended.cause);
    }
    Answer {
        text: Bytes::from(said),
        sending: Some(Sending {
            session: Arc::clone(session),
            mark,
            ledger,
        }),
        stored: true,
        ended: outcome.ended,
    }
}

/// The turn could not be stored: what was received is not in the transcript.
fn not_stored(
    registry: &Registry,
    session: &Session,
    core: &mut Option<Box<SessionState>>,
    outcome: Outcome,
    error: &StoreError,
) -> Result<Answer, Refusal> {
    if let StoreError::Fenced = error {
        ownership::let_go(registry, session, core);
        return Err(Refusal::Fenced);
    }
    if let Some(state) = core.as_deref_mut() {
        tracing::debug!(session = state.id.0, %error, "a message could not be stored");
        state.unlearn();
    }
    registry.meters.appends_failed.increment(1);
    if let StoreError::Closed = error {
        return Err(registry.stopping());
    }
    match outcome.via {
        Via::Edge | Via::Local(_) => Err(Refusal::Unfit),
        Via::Referee { begins: true } => {
            // A match that is not on record from its beginning is none; whether another has begun is read again.
            session.hold(None);
            if let Some(mut state) = core.take() {
                registry.end(&session.key, &mut state, Cause::Cancelled);
            }
            registry.meters.refused(Refusal::Unstored.word());
            Err(Refusal::Unstored)
        }
        // Another replica, or a later try, may reach the server.
        Via::Referee { begins: false }
            if matches!(error, StoreError::Unwritable(_))
                && registry.dependencies.store.is_remote() =>
        {
            registry.meters.refused(Refusal::Unstored.word());
            Err(Refusal::Unstored)
        }
        Via::Referee { begins: false } => {
            registry.meters.defaulted("not_stored");
            let kit = session.key.bot.kit();
            Ok(Answer::default_of_game(kit, &outcome.text))
        }
    }
}
