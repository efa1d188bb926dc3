//! A decision: thought about in time, or answered for.

use super::bot_address::BotAddress;
use super::core::DialogueState;
use super::registry::Registry;
use crate::thinking::{Job, Pending, Thought, guarded};
use games::answer::{Bounds, Times, think};
use games::{Budget, Dialogue, Frame, Kit};
use std::time::{Duration, Instant};

/// What is asked for.
pub(super) struct Asked {
    pub(super) fallback: Frame,
    /// What the wire allows, from receipt to answer.
    pub(super) limit: Duration,
    /// How long it should take, where a clock runs over many decisions.
    pub(super) target: Option<Duration>,
    pub(super) received: Instant,
}

/// What is answered.
pub(super) struct Decided {
    pub(super) said: Frame,
    /// Why it is the fallback, if it is.
    pub(super) fallback: Option<&'static str>,
    pub(super) mind: DialogueState,
}

/// Decides before the wire's limit less the margin, come what may.
pub(super) async fn decide(
    registry: &Registry,
    bot: &BotAddress,
    dialogue: Box<dyn Dialogue>,
    asked: Asked,
) -> Decided {
    let kit = bot.kit();
    let limits = kit.card().limits;
    let limit = asked.limit.min(limits.answer.max(limits.open));
    let target = asked.target;
    let times = Times::new(Bounds { limit, target }, registry.options.margin);
    let thinks = bot.card().is_some_and(|card| card.thinks);
    by_card(registry, (kit, thinks), dialogue, asked, times).await
}

/// The same at these moments; `thinks`: whether the bot uses a budget.
pub(super) async fn by_card(
    registry: &Registry,
    (kit, thinks): (&'static dyn Kit, bool),
    dialogue: Box<dyn Dialogue>,
    asked: Asked,
    times: Times,
) -> Decided {
    if !thinks {
        let deadline = asked.received + times.deadline;
        let nodes = registry.options.nodes.unwrap_or(u64::MAX);
        return at_once(dialogue, asked.fallback, nodes, deadline);
    }
    Box::pin(thought_about(registry, kit, dialogue, asked, times)).await
}

impl Decided {
    /// What the bot decided.
    pub(super) fn given(dialogue: Box<dyn Dialogue>, said: Frame) -> Self {
        Self {
            mind: told(dialogue, &said),
            said,
            fallback: None,
        }
    }

    /// What is said in its stead.
    pub(super) fn instead(dialogue: Box<dyn Dialogue>, said: Frame, why: &'static str) -> Self {
        Self {
            fallback: Some(why),
            ..Self::given(dialogue, said)
        }
    }

    /// The same for a dialogue that panicked.
    pub(super) fn lost(said: Frame) -> Self {
        Self {
            said,
            fallback: Some("panic"),
            mind: DialogueState::Asleep,
        }
    }
}

/// What the pool's threads make of it.
async fn thought_about(
    registry: &Registry,
    kit: &'static dyn Kit,
    dialogue: Box<dyn Dialogue>,
    asked: Asked,
    times: Times,
) -> Decided {
    let deadline = asked.received + times.deadline;
    let nodes = registry.options.nodes.unwrap_or(u64::MAX);
    let ceiling = registry.options.ceiling(kit.card().name);
    let mut pending = registry.dependencies.pool.submit(Job {
        dialogue,
        fallback: asked.fallback.clone(),
        ceiling: asked.target.map_or(ceiling, |target| target.min(ceiling)),
        nodes,
        received: asked.received,
        deadline: asked.received + times.stop,
    });
    match tokio::time::timeout_at(deadline.into(), pending.thought()).await {
        Ok(Some(thought)) => thought_out(thought),
        Ok(None) => Decided {
            said: asked.fallback,
            fallback: Some("pool_closed"),
            mind: DialogueState::Asleep,
        },
        Err(_) => overdue(registry, pending, asked.fallback),
    }
}

/// The fallback for a bot that is not asked any more.
pub(super) fn unasked(dialogue: Box<dyn Dialogue>, fallback: Frame) -> Decided {
    Decided::instead(dialogue, fallback, "quarantined")
}

/// Bots that use no budget answer in microseconds: a thread of their own would only cost time.
fn at_once(
    mut dialogue: Box<dyn Dialogue>,
    fallback: Frame,
    nodes: u64,
    deadline: Instant,
) -> Decided {
    let stop = || Instant::now() >= deadline;
    let mut best = fallback.clone();
    let thinking = guarded(move || {
        think(dialogue.as_mut(), Budget { nodes, stop: &stop }, &mut best);
        (dialogue, best)
    });
    match thinking {
        Ok((dialogue, best)) => Decided::given(dialogue, best),
        Err(panic) => {
            tracing::error!(%panic, "a decision is answered by the fallback");
            Decided::lost(fallback)
        }
    }
}

fn thought_out(thought: Thought) -> Decided {
    let Thought {
        dialogue,
        best,
        thought,
        panic,
        ..
    } = thought;
    let fallback = match &panic {
        Some(panic) => {
            tracing::error!(%panic, "a bot panicked while thinking");
            (!thought).then_some("panic")
        }
        None => (!thought).then_some("late"),
    };
    let mind = dialogue.map_or(DialogueState::Asleep, |dialogue| told(dialogue, &best));
    Decided {
        said: best,
        fallback,
        mind,
    }
}

/// The time is up and the dialogue is not back: the best it published is answered, else the fallback.
fn overdue(registry: &Registry, pending: Pending, fallback: Frame) -> Decided {
    pending.cancel();
    registry.dependencies.pool.replace_stuck();
    let best = pending.best();
    let cause = best.is_none().then_some("late");
    let said = best.unwrap_or(fallback);
    Decided {
        said: said.clone(),
        fallback: cause,
        mind: DialogueState::Away { pending, said },
    }
}

/// Tells a dialogue what was said.
pub(super) fn told(mut dialogue: Box<dyn Dialogue>, said: &str) -> DialogueState {
    match guarded(|| dialogue.said(said)) {
        Ok(()) => DialogueState::Awake(dialogue),
        Err(panic) => {
            tracing::error!(%panic, "a bot panicked on hearing what it said");
            DialogueState::Asleep
        }
    }
}
