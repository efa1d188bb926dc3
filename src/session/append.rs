//! What every turn stores: entries, facts, endings, and the ledger's row.

use super::core::SessionState;
use super::mailbox::Ledger;
use super::registry::Registry;
use crate::store::StoreError;
use crate::store::types::{Append, Close, LedgerRow, NewEntry, NewSession, Receipt};
use crate::thinking::{Panicked, guarded};
use games::seat::{Fallback, Quarantine};
use games::{Bluff, Cause, Ending, Fact, Kit};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot::error::TryRecvError;
use tokio::time::Instant;

/// The wait before an end that could not be stored is tried again.
pub(super) const END_AGAIN: Duration = Duration::from_secs(1);

/// Facts of a turn with their bluff columns.
pub(super) type Facts = Vec<(Fact, Option<Bluff>)>;

/// What a session's dialogue has to say at its end.
pub(super) fn closing(registry: &Registry, core: &mut SessionState, ending: Ending) -> Box<Close> {
    if let Some(program) = core.program.as_deref_mut() {
        program.ends(&ending);
    }
    let lessons = core.own.lessons().unwrap_or_else(|panic| {
        panicked(core, &panic);
        Vec::new()
    });
    Box::new(Close {
        at_us: registry.now_us(),
        cause: ending.cause,
        detail: ending.detail,
        scores: ending.scores,
        wins: ending.wins,
        lessons,
        facts: Vec::new(),
    })
}

/// A bot has panicked, and is lost.
pub(super) fn panicked(core: &SessionState, panic: &Panicked) {
    tracing::error!(session = core.id.0, %panic, "a bot panicked");
}

/// Facts found by this turn, with their bluff columns; `fallback`: why the fallback decided, if it did.
pub(super) fn facts(
    registry: &Registry,
    kit: &dyn Kit,
    core: &mut SessionState,
    fallback: Option<Fallback>,
) -> Facts {
    if core.own.quarantine == Quarantine::Due {
        tracing::warn!(
            session = core.id.0,
            "a bot hung while it was thinking: the fallback answers for it from now on"
        );
    }
    if let Some(why) = fallback {
        registry.meters.fallback(why.word());
    }
    let facts = core.own.facts().or_else(|panic| {
        panicked(core, &panic);
        core.own.facts()
    });
    let facts = facts.into_iter().flatten();
    let bluff = |fact: &Fact| guarded(|| kit.card().bluff(fact)).unwrap_or_default();
    facts
        .map(|fact| {
            let bluff = bluff(&fact);
            (fact, bluff)
        })
        .collect()
}

/// Adds to a session's transcript, after all that was acknowledged before; its head moves on once that is
/// durable.
pub(super) async fn append(
    registry: &Registry,
    core: &mut SessionState,
    entries: Vec<NewEntry>,
    facts: Facts,
    close: Option<Box<Close>>,
) -> Result<Receipt, StoreError> {
    let added = entries.len() as u64;
    land(registry, core).await?;
    let behind = core.behind.waiting.len() as u64;
    let mut all = std::mem::take(&mut core.behind.waiting);
    all.extend(entries);
    if registry.options.unstored {
        core.seq += added;
        return Ok(Receipt {
            last: core.head,
            committed: Instant::now(),
        });
    }
    let quarantined = core.own.quarantine == Quarantine::Due
        && facts.iter().any(|(fact, _)| fact.kind == Quarantine::FACT);
    let append = rows(core, behind, all, facts, close);
    let appended = registry.dependencies.store.append(append).await;
    if appended.is_err() && behind > 0 {
        core.lose(behind);
    }
    let receipt = appended?;
    if quarantined {
        core.own.quarantine = Quarantine::Stored;
    }
    note_opened(core);
    core.head = receipt.last.or(core.head);
    core.seq += added;
    Ok(receipt)
}

/// These entries, of which `behind` were acknowledged before, with the rows that are due with them.
fn rows(
    core: &SessionState,
    behind: u64,
    entries: Vec<NewEntry>,
    facts: Facts,
    close: Option<Box<Close>>,
) -> Append {
    let rows = core.rows.as_deref().cloned();
    let follows = rows.as_ref().and_then(|rows| rows.follows);
    let (open, match_) = match rows {
        Some(rows) => (Some(Box::new(rows.session)), Some(Box::new(rows.match_))),
        None => (None, None),
    };
    Append {
        follows,
        session: core.id,
        previous: core.head,
        seq: core.seq - behind,
        open,
        match_,
        entries,
        facts,
        close,
    }
}

/// The first rows are stored.
fn note_opened(core: &mut SessionState) {
    let Some(rows) = core.rows.take() else { return };
    let NewSession {
        match_id,
        game,
        bot,
        referee,
        ..
    } = &rows.session;
    let session = core.id.0;
    tracing::info!(session, match_id, game, bot, referee, "a session begins");
}

/// Stores the end of a session that has ended as soon as it can be stored.
pub(super) fn close_later(
    registry: &Arc<Registry>,
    core: &SessionState,
    cause: Cause,
    detail: &'static str,
) {
    let (session, previous, seq, void) = (core.id, core.head, core.seq, core.void);
    let (registry, at_us) = (Arc::clone(registry), registry.now_us());
    let tracker = registry.tracker.clone();
    tracker.spawn(async move {
        loop {
            tokio::select! {
                biased;
                // It is live at the next start, and ends by itself.
                () = registry.stop.cancelled() => return,
                () = tokio::time::sleep(END_AGAIN) => {}
            }
            let close = Close {
                detail: detail.to_owned(),
                ..Close::new(at_us, cause)
            };
            let append = Append {
                close: Some(Box::new(close)),
                ..Append::after(session, previous, seq)
            };
            let stored = registry.dependencies.store.append(append).await;
            if void && stored.is_ok() {
                // It was passed over while it had not ended.
                registry.void.lock().push(session.0);
            }
            if !matches!(stored, Err(StoreError::Unwritable(_))) {
                return;
            }
        }
    });
}

/// A decision's row in the ledger, complete but for its last time.
pub(super) fn ledger(
    registry: &Registry,
    core: &SessionState,
    row: LedgerRow,
    received: Instant,
) -> Box<Ledger> {
    registry.meters.decisions.increment(1);
    debug_assert_eq!(row.session, core.id);
    let store = registry.dependencies.store.clone();
    Box::new(Ledger {
        row,
        received,
        store,
        meters: Arc::clone(&registry.meters),
    })
}

/// Takes note of what has arrived in the store meanwhile.
pub(super) fn look(registry: &Registry, core: &mut SessionState) {
    let Some(mut flight) = core.behind.flight.take() else {
        return;
    };
    match flight.stored.try_recv() {
        Err(TryRecvError::Empty) => core.behind.flight = Some(flight),
        Ok(outcome) => drop(landed(registry, core, flight.entries, outcome)),
        Err(TryRecvError::Closed) => {
            let outcome = Err(StoreError::Closed);
            drop(landed(registry, core, flight.entries, outcome));
        }
    }
}

/// Waits for what is on its way.
///
/// # Errors
/// It could not be stored: the session is as it was before.
pub(super) async fn land(registry: &Registry, core: &mut SessionState) -> Result<(), StoreError> {
    let Some(flight) = core.behind.flight.take() else {
        return Ok(());
    };
    let outcome = flight.stored.await.unwrap_or(Err(StoreError::Closed));
    landed(registry, core, flight.entries, outcome)
}

/// Waits until everything that was acknowledged is stored; errors as [`land`].
pub(super) async fn catch_up(
    registry: &Registry,
    core: &mut SessionState,
) -> Result<(), StoreError> {
    land(registry, core).await?;
    if core.behind.waiting.is_empty() {
        return Ok(());
    }
    let stored = append(registry, core, Vec::new(), Vec::new(), None).await;
    stored.map(drop)
}

fn landed(
    registry: &Registry,
    core: &mut SessionState,
    entries: u64,
    outcome: Result<Receipt, StoreError>,
) -> Result<(), StoreError> {
    match outcome {
        Ok(receipt) => {
            core.head = receipt.last.or(core.head);
            Ok(())
        }
        Err(error) => {
            tracing::debug!(session = core.id.0, %error, "messages could not be stored");
            registry.meters.appends_failed.increment(1);
            let waiting = std::mem::take(&mut core.behind.waiting);
            core.lose(entries + waiting.len() as u64);
            Err(error)
        }
    }
}
