//! What one message leads to, before it is stored: the session's seat says what is due, and this waits for it.

use super::append::panicked;
use super::bot_address::BotAddress;
use super::core::SessionState;
use super::mailbox::micros;
use super::message::Local;
use super::registry::Registry;
use crate::simulated;
use crate::store::types::{EntryId, LedgerRow, NewEntry, Receipt};
use crate::thinking::{Job, Panicked, guarded};
use games::answer::Times;
use games::seat::{By, Due, Extent, Fallback, Question, Reply, Search, Taken, Unanswered};
use games::{Budget, Ending, Fact};
use serde_json::json;
use std::time::Duration;
use tokio::time::Instant;

/// A message that is new to its session.
pub(super) struct Incoming {
    /// Its exact text.
    pub(super) text: String,
    /// What was said before the session began, to be stored first.
    pub(super) before: Vec<NewEntry>,
    pub(super) via: Via,
    pub(super) time: Arrival,
}

/// When a message arrived.
#[derive(Clone, Copy)]
pub(super) struct Arrival {
    pub(super) received: Instant,
    /// How long it waited for its turn.
    pub(super) queued: Duration,
    /// When it was received, in microseconds since 1970-01-01 UTC.
    pub(super) at_us: i64,
}

/// How a message came.
pub(super) enum Via {
    /// From its referee, who does not wait for long; `begins`: the match begins with it.
    Referee { begins: bool },
    /// From an edge that has numbered it and can deliver it again.
    Edge,
    /// The same, answered without us.
    Local(Local),
}

/// What a message leads to, before it is stored.
pub(super) struct Turn {
    pub(super) before: Vec<NewEntry>,
    pub(super) via: Via,
    pub(super) time: Arrival,
    pub(super) text: String,
    pub(super) said: String,
    pub(super) ending: Option<Ending>,
    pub(super) decision: Option<Decision>,
    /// [`SessionState::facts_stored_to`] once this is stored, if the dialogue is not there to be asked.
    pub(super) facts_stored_to: u64,
}

/// What a decision adds to the ledger.
#[derive(Clone, Copy)]
pub(super) struct Decision {
    pub(super) fallback: Option<Fallback>,
    thought: Duration,
    limit: Duration,
}

impl Turn {
    /// Receives one message and has the decision made, if one is due.
    pub(super) async fn take(
        registry: &Registry,
        bot: &BotAddress,
        core: &mut SessionState,
        message: Incoming,
    ) -> Self {
        let (Incoming { via, time, .. }, text) = (&message, &message.text);
        let stored_to = core.seq * 2 + 2 * message.before.len() as u64;
        let unfolded_to = match core.own.is_absent() {
            true => core.facts_stored_to + 2 * message.before.len() as u64,
            false => stored_to,
        };
        let default = bot.kit().card().dialect.default_answer(text);
        let due = core.own.receive(text, default);
        if let Via::Local(local) = via {
            let said = local.said.clone();
            let ending = elsewhere(core, due, &said);
            return Self::new(message, said, ending, unfolded_to);
        }
        let reply = match due {
            Due::Answer(reply) => reply,
            due => Box::pin(decided(registry, bot, core, due, time.received)).await,
        };
        if let Some(panic) = reply.panic.clone().or(core.own.said(&reply.text).err()) {
            panicked(core, &panic);
        }
        if core.hangs() {
            core.own.hung();
        }
        note_default(registry, core, &reply.by);
        if let Some(program) = core.program.as_deref_mut() {
            program.answered(&reply, &mut core.own);
            program.keep_note(&registry.dependencies, &registry.tracker, bot.kit());
        }
        let decision = reply.limit.map(|limit| Decision {
            fallback: reply.fallback(),
            thought: time.received.elapsed(),
            limit,
        });
        let stored_to = unfolded_to + u64::from(decision.is_some());
        Self {
            decision,
            ..Self::new(message, reply.text, reply.ending, stored_to)
        }
    }

    fn new(message: Incoming, said: String, ending: Option<Ending>, stored_to: u64) -> Self {
        let Incoming {
            text,
            before,
            via,
            time,
        } = message;
        Self {
            before,
            via,
            time,
            text,
            said,
            ending,
            decision: None,
            facts_stored_to: stored_to,
        }
    }

    /// The row of its decision in the ledger, where `asked` is the entry that asked.
    pub(super) fn ledger_row(
        decision: &Decision,
        core: &SessionState,
        time: Arrival,
        asked: EntryId,
        receipt: Receipt,
    ) -> LedgerRow {
        LedgerRow {
            session: core.id,
            entry: asked,
            at_us: time.at_us,
            queued_us: micros(time.queued),
            thought_us: micros(decision.thought),
            committed_us: micros(receipt.committed.saturating_duration_since(time.received)),
            sent_us: 0,
            limit_us: micros(decision.limit),
            fallback: decision.fallback.is_some(),
        }
    }
}

/// A message that was answered without us: what was said then is what was said. How the match ended, if it has.
fn elsewhere(core: &mut SessionState, due: Due, said: &str) -> Option<Ending> {
    if let (Due::Think(_) | Due::Ask(_), Some(program)) = (&due, &core.program) {
        program.driver.account().took(Taken::Gone);
    }
    let (ending, panic) = match due {
        Due::Answer(reply) => (reply.ending, reply.panic),
        Due::Think(_) | Due::Ask(_) => (None, None),
    };
    if let Some(panic) = panic.or(core.own.said_elsewhere(said).err()) {
        panicked(core, &panic);
    }
    let fact = Fact::new("local", json!({ "entry": core.seq }));
    core.own.learnt([fact]);
    ending
}

/// Notes why nothing better than the game's default was answered, if nothing was.
fn note_default(registry: &Registry, core: &SessionState, by: &By) {
    let By::Default(why) = by else { return };
    registry.meters.defaulted(match why {
        Unanswered::Absent => "unfolded",
        Unanswered::Broken => "broken",
        Unanswered::NotUnderstood(error) => {
            tracing::debug!(session = core.id.0, %error, "a message was not understood");
            "not_understood"
        }
        Unanswered::Panicked => "panic",
    });
}

/// Does what is due until the answer is ready: before the wire's limit less the margin, come what may.
async fn decided(
    registry: &Registry,
    bot: &BotAddress,
    core: &mut SessionState,
    mut due: Due,
    received: Instant,
) -> Reply {
    let thinks = match (&core.program, bot.card()) {
        (Some(program), _) => program.thinks,
        (None, card) => card.is_some_and(|card| card.thinks),
    };
    loop {
        due = match due {
            Due::Answer(reply) => return reply,
            Due::Ask(question) => ask(core, question, received).await,
            Due::Think(Extent::Ready) if thinks => get_ready(registry, core, received).await,
            Due::Think(Extent::Ready) => core.own.think(&|| received.elapsed()),
            Due::Think(Extent::Search(search)) if thinks => {
                think_apart(registry, core, search, received).await
            }
            Due::Think(Extent::Search(search)) => think_at_once(core, search, received),
        };
    }
}

async fn ask(core: &mut SessionState, question: Question, received: Instant) -> Due {
    let (Some(program), Some(part)) = (core.program.as_deref_mut(), core.own.program()) else {
        return core.own.lose(None, Fallback::ProgramGone);
    };
    let reply = program
        .driver
        .ask(part, question, received.into_std())
        .await;
    core.own.answered(reply, received.elapsed())
}

/// Bots that use no budget answer in microseconds: a thread of their own would only cost time.
fn think_at_once(core: &mut SessionState, search: Search, received: Instant) -> Due {
    let deadline = received + search.deadline;
    match core.own.search(&|| Instant::now() >= deadline) {
        Ok(()) => core.own.settle(received.elapsed()),
        Err(panic) => {
            panicked(core, &panic);
            core.own.lose(None, Fallback::Panic)
        }
    }
}

/// A fallback that searches says what it has ready, which it is not asked on the runtime's threads.
async fn get_ready(registry: &Registry, core: &mut SessionState, received: Instant) -> Due {
    let Some(asked) = core.own.asked() else {
        return core.own.lose(None, Fallback::Panic);
    };
    let deadline = received + Times::new(asked, registry.options.margin).deadline;
    let Some((mut dialogue, mut best)) = core.own.lend() else {
        return core.own.lose(None, Fallback::Panic);
    };
    let thinking = move || {
        guarded(move || {
            let _ = dialogue.think(Budget::SPENT, &mut best);
            (dialogue, best)
        })
    };
    match tokio::time::timeout_at(deadline, simulated::apart(thinking)).await {
        Ok(Ok(Ok((dialogue, best)))) => {
            core.own.take_back(dialogue, Some(best), received.elapsed())
        }
        Ok(Ok(Err(panic))) => {
            panicked(core, &panic);
            core.own.lose(None, Fallback::Panic)
        }
        Ok(Err(_)) => core.own.lose(None, Fallback::Panic),
        Err(_) => {
            // It was not even to think.
            core.own.hung();
            core.own.lose(None, Fallback::Late)
        }
    }
}

/// The pool's threads think. Once the time is up the dialogue is not waited for.
async fn think_apart(
    registry: &Registry,
    core: &mut SessionState,
    search: Search,
    received: Instant,
) -> Due {
    let Some((dialogue, fallback)) = core.own.lend() else {
        return core.own.lose(None, Fallback::Panic);
    };
    let pool = &registry.dependencies.pool;
    let mut pending = pool.submit(Job {
        dialogue,
        fallback,
        ceiling: search.ceiling,
        nodes: search.nodes,
        received: match search.instead {
            None => received.into_std(),
            Some(_) => Instant::now().into_std(),
        },
        deadline: (received + search.stop).into_std(),
    });
    let deadline = received + search.deadline;
    match tokio::time::timeout_at(deadline, pending.thought()).await {
        Ok(Some(thought)) => {
            if let Some(panic) = thought.panic {
                panicked(core, &Panicked(panic));
            }
            let best = thought.thought.then_some(thought.best);
            match thought.dialogue {
                Some(dialogue) => core.own.take_back(dialogue, best, received.elapsed()),
                None => core.own.lose(best, Fallback::Panic),
            }
        }
        Ok(None) => core.own.lose(None, Fallback::PoolClosed),
        Err(_) => {
            pending.cancel();
            pool.replace_stuck();
            let best = pending.best();
            core.away = Some(Box::new(pending));
            core.own.overdue(best)
        }
    }
}
