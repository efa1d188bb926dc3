//! What one message leads to, before it is stored.

use super::core::{DialogueState, SessionState};
use super::deciding;
use super::mailbox::micros;
use crate::store::types::{EntryId, LedgerRow, NewEntry, Receipt};
use crate::thinking::Panicked;
use games::{Dialogue, Ending, Fact, Next, WireError};
use serde_json::json;
use std::time::{Duration, Instant};

/// What a message leads to, before it is stored.
pub(super) struct Turn {
    /// Whether it was answered without us.
    pub(super) local: bool,
    /// Whether an edge has numbered the message.
    pub(super) numbered: bool,
    /// Whether the match begins with it.
    pub(super) begins: bool,
    /// What was said before the session began, to be stored first.
    pub(super) before: Vec<NewEntry>,
    pub(super) at_us: i64,
    pub(super) text: String,
    pub(super) said: String,
    pub(super) ending: Option<Ending>,
    pub(super) decision: Option<Decision>,
    /// [`SessionState::facts_stored_to`] once this is stored, if the dialogue is not there to be asked.
    pub(super) facts_stored_to: u64,
}

/// What a decision adds to the ledger.
pub(super) struct Decision {
    pub(super) fallback: Option<&'static str>,
    pub(super) queued: Duration,
    pub(super) thought: Duration,
    pub(super) limit: Duration,
}

impl Turn {
    /// A message that was answered without us: what was said then is what was said.
    pub(super) fn taken_over(
        mut self,
        core: &mut SessionState,
        dialogue: Box<dyn Dialogue>,
        heard: Result<Result<Next, WireError>, Panicked>,
        said: String,
    ) -> Self {
        core.mind = match heard {
            Ok(Ok(Next::Think { .. } | Next::Send(_))) => deciding::told(dialogue, &said),
            Ok(Ok(Next::Over(ending))) => {
                self.ending = Some(ending);
                DialogueState::Awake(dialogue)
            }
            Ok(Ok(Next::Wait) | Err(_)) => DialogueState::Awake(dialogue),
            Err(panic) => {
                tracing::error!(session = core.id.0, %panic, "a bot panicked on a message");
                DialogueState::Asleep
            }
        };
        core.pending_facts
            .push(Fact::new("local", json!({ "entry": core.seq })));
        self.said = said;
        self
    }
}

impl Decision {
    pub(super) fn row(
        &self,
        core: &SessionState,
        (asked, receipt): (EntryId, Receipt),
        at_us: i64,
        received: Instant,
    ) -> LedgerRow {
        LedgerRow {
            session: core.id,
            entry: asked,
            at_us,
            queued_us: micros(self.queued),
            thought_us: micros(self.thought),
            committed_us: micros(receipt.committed.saturating_duration_since(received)),
            sent_us: 0,
            limit_us: micros(self.limit),
            fallback: self.fallback.is_some(),
        }
    }
}
