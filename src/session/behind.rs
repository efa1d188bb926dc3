//! What a session has acknowledged before it is stored: plain acknowledgements, and only to an edge that can
//! deliver the messages again. Whatever is decided or learnt waits until all before it is stored.

use super::actor;
use super::core::{DialogueState, SessionState};
use super::mailbox::Session;
use super::registry::Registry;
use crate::store::StoreError;
use crate::store::types::{Append, NewEntry, Receipt};
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio::sync::oneshot::error::TryRecvError;

/// Entries that may wait for those on their way; a message that would be one more waits itself.
const WAITING_MAX: usize = 64;

/// Entries that are acknowledged and not known to be stored.
#[derive(Default)]
pub(super) struct Behind {
    /// Those on their way to the store.
    flight: Option<Flight>,
    /// Those after them.
    pub(super) waiting: Vec<NewEntry>,
}

struct Flight {
    entries: u64,
    stored: oneshot::Receiver<Result<Receipt, StoreError>>,
}

impl Behind {
    /// Whether everything is stored.
    pub(super) fn is_empty(&self) -> bool {
        self.flight.is_none() && self.waiting.is_empty()
    }

    /// Whether so many more entries may be acknowledged before they are stored.
    pub(super) fn has_room(&self, more: usize) -> bool {
        self.waiting.len() + more <= WAITING_MAX
    }
}

impl Registry {
    /// Sends on what waits, unless something is on its way already; once that has arrived, the session is told.
    pub(super) fn send_on(self: &Arc<Self>, session: &Arc<Session>, core: &mut SessionState) {
        if core.behind.flight.is_some() || core.behind.waiting.is_empty() {
            return;
        }
        let entries = std::mem::take(&mut core.behind.waiting);
        let count = entries.len() as u64;
        let append = Append {
            session: core.id,
            previous: core.head,
            seq: core.seq - count,
            open: None,
            match_: None,
            entries,
            facts: Vec::new(),
            close: None,
        };
        let (tell, stored) = oneshot::channel();
        let entries = count;
        core.behind.flight = Some(Flight { entries, stored });
        let (registry, session) = (Arc::clone(self), Arc::clone(session));
        self.tracker.spawn(async move {
            let outcome = registry.dependencies.store.append(append).await;
            // A session that waits for it has it now; otherwise it is still to be told.
            drop(tell.send(outcome));
            actor::look(&registry, &session);
        });
    }

    /// Takes note of what has arrived meanwhile.
    pub(super) fn look(&self, core: &mut SessionState) {
        let Some(mut flight) = core.behind.flight.take() else {
            return;
        };
        match flight.stored.try_recv() {
            Err(TryRecvError::Empty) => core.behind.flight = Some(flight),
            Ok(outcome) => drop(self.landed(core, flight.entries, outcome)),
            Err(TryRecvError::Closed) => {
                drop(self.landed(core, flight.entries, Err(StoreError::Closed)));
            }
        }
    }

    /// Waits for what is on its way.
    ///
    /// # Errors
    /// It could not be stored: the session is as it was before.
    pub(super) async fn land(&self, core: &mut SessionState) -> Result<(), StoreError> {
        let Some(flight) = core.behind.flight.take() else {
            return Ok(());
        };
        let outcome = flight.stored.await.unwrap_or(Err(StoreError::Closed));
        self.landed(core, flight.entries, outcome)
    }

    /// Waits until everything that was acknowledged is stored; errors as [`Self::land`].
    pub(super) async fn catch_up(&self, core: &mut SessionState) -> Result<(), StoreError> {
        self.land(core).await?;
        if core.behind.waiting.is_empty() {
            return Ok(());
        }
        let stored = self.append(core, Vec::new(), Vec::new(), None).await;
        stored.map(drop)
    }

    fn landed(
        &self,
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
                self.meters.appends_failed.increment(1);
                let waiting = std::mem::take(&mut core.behind.waiting);
                core.lose(entries + waiting.len() as u64);
                Err(error)
            }
        }
    }
}

impl SessionState {
    /// Its last entries are not in the transcript: it is folded anew without them.
    pub(super) fn lose(&mut self, entries: u64) {
        self.seq -= entries;
        self.facts_stored_to = self.facts_stored_to.min(self.seq * 2);
        self.mind = DialogueState::Asleep;
        self.last = None;
        self.pending_facts.clear();
    }
}
