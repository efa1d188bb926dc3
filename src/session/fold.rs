//! Waking a session's dialogue: the same after a restart, a long rest or a panic.

use super::bot_address::BotAddress;
use super::core::SessionState;
use super::options::Dependencies;
use super::program::SessionOf;
use crate::replay::{self, Line};
use crate::simulated;
use crate::store::StoreError;
use crate::store::types::{Entry, NewEntry};
use crate::thinking::{Panicked, guarded};
use games::seat::Quarantine;
use games::{DialogueSetup, SetupError};
use tokio::time::Instant;

/// Entries that are replayed at once, on the caller's thread.
const AT_ONCE_MAX: usize = 64;

/// Why a transcript could not be folded.
#[derive(Debug, thiserror::Error)]
pub(super) enum FoldError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    Panicked(#[from] Panicked),
    #[error("its transcript could not be read in time")]
    Late,
}

impl FoldError {
    /// Whether the same transcript can never be folded by this version.
    pub(super) fn lasts(&self) -> bool {
        match self {
            FoldError::Setup(_)
            | FoldError::Panicked(_)
            | FoldError::Store(StoreError::Corrupt(_)) => true,
            FoldError::Store(_) | FoldError::Late => false,
        }
    }
}

/// Brings a session's dialogue in by its whole transcript, until `deadline`. After a restart the transcript itself is
/// waited for longer: a message that is sent again because of it must not be taken for the next.
pub(super) async fn wake(
    dependencies: &Dependencies,
    bot: &BotAddress,
    core: &mut SessionState,
    deadline: Instant,
) -> Result<(), FoldError> {
    let restarted = core.own.quarantine == Quarantine::Unread;
    let until = (!restarted).then_some(deadline);
    let entries = in_time(until, transcript(dependencies, core)).await?;
    note_last(core, &entries, None);
    let waking = wake_from(dependencies, bot, core, entries, None);
    in_time(Some(deadline), waking).await
}

/// The same with one more entry, which is about to be stored, and without a deadline.
pub(super) async fn wake_with(
    dependencies: &Dependencies,
    bot: &BotAddress,
    core: &mut SessionState,
    next: NewEntry,
) -> Result<(), FoldError> {
    let entries = transcript(dependencies, core).await?;
    note_last(core, &entries, Some(&next));
    wake_from(dependencies, bot, core, entries, Some(next)).await
}

async fn in_time<T>(
    deadline: Option<Instant>,
    work: impl Future<Output = Result<T, FoldError>>,
) -> Result<T, FoldError> {
    match deadline {
        Some(deadline) => tokio::time::timeout_at(deadline, work)
            .await
            .map_err(|_| FoldError::Late)?,
        None => work.await,
    }
}

async fn transcript(
    dependencies: &Dependencies,
    core: &mut SessionState,
) -> Result<Vec<Entry>, FoldError> {
    Ok(match core.head {
        Some(head) => dependencies.store.transcript(core.id, head).await?,
        None => Vec::new(),
    })
}

fn note_last(core: &mut SessionState, entries: &[Entry], next: Option<&NewEntry>) {
    let lines = entries.iter().map(Line::from).chain(next.map(Line::from));
    let last = replay::last_message(lines).map(Box::new);
    core.own.last = last.or_else(|| core.own.last.take());
}

async fn wake_from(
    dependencies: &Dependencies,
    bot: &BotAddress,
    core: &mut SessionState,
    entries: Vec<Entry>,
    next: Option<NewEntry>,
) -> Result<(), FoldError> {
    let (kit, store) = (bot.kit(), &*dependencies.store);
    if core.own.quarantine == Quarantine::Unread {
        core.own.quarantine = match store.has_fact(core.id, Quarantine::FACT).await? {
            true => Quarantine::Stored,
            false => Quarantine::Clear,
        };
    }
    let setup = dialogue_setup(dependencies, bot, core).await?;
    let entries_many = entries.len() > AT_ONCE_MAX;
    let mut dialogue = guarded(|| kit.dialogue(&setup))??;
    let replaying = move || {
        let lines = entries.iter().map(Line::from);
        let lines = lines.chain(next.iter().map(Line::from));
        guarded(move || (replay::replay(&mut *dialogue, lines), dialogue))
    };
    let (replayed, dialogue) = if entries_many {
        // Others' turns must not wait for it.
        let replaying = simulated::apart(replaying).await;
        replaying.map_err(|_| FoldError::Late)??
    } else {
        replaying()?
    };
    let facts = replayed.facts.into_iter();
    let stored_to = core.facts_stored_to;
    core.own.forget();
    core.own
        .learnt(facts.filter_map(|(step, fact)| (step >= stored_to).then_some(fact)));
    core.own.wake(dialogue);
    Ok(())
}

/// A session's setup as its dialogue is made from it: with the advice that it began with and what its program
/// has said.
async fn dialogue_setup(
    dependencies: &Dependencies,
    bot: &BotAddress,
    core: &mut SessionState,
) -> Result<DialogueSetup, FoldError> {
    let (kit, store) = (bot.kit(), &*dependencies.store);
    let spec = core.program.as_ref().map(|it| it.spec().to_owned());
    let bot = spec.as_deref().unwrap_or(bot.name());
    let mut stored = core.setup();
    if core.rows.is_some() {
        replay::note_advice(store, kit, bot, &mut stored).await?;
        core.set_setup(&stored);
    }
    if let Some(rows) = &mut core.rows {
        rows.session.setup.clone_from(&stored);
    }
    let mut setup = replay::dialogue_setup(store, kit, bot, core.seed, &stored).await?;
    if let (Some(program), Some(part)) = (&mut core.program, core.own.program()) {
        let of = SessionOf {
            id: core.id,
            match_id: &core.match_id,
            begun: core.seq > 0,
        };
        Box::pin(program.prepare(dependencies, kit, part, of, &mut setup)).await;
    }
    Ok(setup)
}

/// Lets a session's dialogue receive and say what came before its first message.
pub(super) fn replay_preamble(core: &mut SessionState, before: &[NewEntry]) {
    if before.is_empty() {
        return;
    }
    let lines = before.iter().map(Line::from);
    match core.own.with(|dialogue| replay::replay(dialogue, lines)) {
        Ok(Some(replayed)) => {
            let facts = replayed.facts.into_iter();
            core.own.learnt(facts.map(|(_, fact)| fact));
        }
        Ok(None) => {}
        Err(panic) => {
            tracing::error!(session = core.id.0, %panic, "a bot panicked before its first message");
            core.own.break_down();
        }
    }
}
