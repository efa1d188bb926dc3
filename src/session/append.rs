//! What every turn stores: entries, facts, endings, and the ledger's row.

use super::core::{DialogueState, Quarantine, SessionState};
use super::mailbox::Ledger;
use super::registry::Registry;
use crate::store::StoreError;
use crate::store::types::{Append, Close, LedgerRow, NewEntry, NewSession, Receipt};
use crate::thinking::guarded;
use games::{Ending, Fact};
use serde_json::json;
use std::sync::Arc;
use std::time::Instant;

impl Registry {
    /// What a session's dialogue has to say at its end.
    pub(super) fn closing(&self, core: &mut SessionState, ending: Ending) -> Box<Close> {
        if let Some(program) = core.program.as_deref_mut() {
            program.ends(&ending);
        }
        let lessons = match &core.mind {
            DialogueState::Awake(dialogue) => guarded(|| dialogue.lessons()).unwrap_or_default(),
            DialogueState::Asleep | DialogueState::Away { .. } | DialogueState::Broken => {
                Vec::new()
            }
        };
        Box::new(Close {
            at_us: self.now_us(),
            cause: ending.cause,
            detail: ending.detail,
            scores: ending.scores,
            wins: ending.wins,
            lessons,
            facts: Vec::new(),
        })
    }

    /// Facts found by this turn, with their bluff columns.
    pub(super) fn facts(
        &self,
        bot: &super::bot_address::BotAddress,
        core: &mut SessionState,
        fallback: Option<&'static str>,
    ) -> Vec<(Fact, Option<games::Bluff>)> {
        let mut facts = std::mem::take(&mut core.pending_facts);
        if let DialogueState::Awake(dialogue) = &mut core.mind {
            facts.append(&mut guarded(|| dialogue.facts()).unwrap_or_default());
        }
        if core.quarantine == Quarantine::Due {
            tracing::warn!(
                session = core.id.0,
                "a bot hung while it was thinking: the fallback answers for it from now on"
            );
            facts.push(Fact {
                kind: Quarantine::FACT.to_owned(),
                data: json!({ "why": "its thinking did not end; the fallback answers for it" }),
            });
        }
        if let Some(cause) = fallback {
            self.meters.fallback(cause);
            facts.push(Fact::new("fallback", json!({ "cause": cause })));
        }
        facts
            .into_iter()
            .map(|fact| {
                let bluff = guarded(|| bot.kit().card().bluff(&fact)).unwrap_or_default();
                (fact, bluff)
            })
            .collect()
    }

    /// Adds to a session's transcript, after all that was acknowledged before; its head moves on once that is
    /// durable.
    pub(super) async fn append(
        &self,
        core: &mut SessionState,
        mut entries: Vec<NewEntry>,
        facts: Vec<(Fact, Option<games::Bluff>)>,
        close: Option<Box<Close>>,
    ) -> Result<Receipt, StoreError> {
        let added = entries.len() as u64;
        self.land(core).await?;
        let behind = core.behind.waiting.len() as u64;
        if behind > 0 {
            let after = std::mem::take(&mut entries);
            entries = std::mem::take(&mut core.behind.waiting);
            entries.extend(after);
        }
        if self.options.unstored {
            core.seq += added;
            return Ok(Receipt {
                last: core.head,
                committed: Instant::now(),
            });
        }
        let quarantined = core.quarantine == Quarantine::Due
            && facts.iter().any(|(fact, _)| fact.kind == Quarantine::FACT);
        let rows = core.rows.as_deref().cloned();
        let (open, match_) = match rows {
            Some(rows) => (Some(Box::new(rows.session)), Some(Box::new(rows.match_))),
            None => (None, None),
        };
        let append = Append {
            session: core.id,
            previous: core.head,
            seq: core.seq - behind,
            open,
            match_,
            entries,
            facts,
            close,
        };
        let appended = self.dependencies.store.append(append).await;
        if appended.is_err() && behind > 0 {
            core.lose(behind);
        }
        let receipt = appended?;
        if quarantined {
            core.quarantine = Quarantine::Stored;
        }
        if let Some(rows) = core.rows.take() {
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
        core.head = receipt.last.or(core.head);
        core.seq += added;
        Ok(receipt)
    }

    pub(super) fn ledger(
        &self,
        core: &SessionState,
        row: LedgerRow,
        received: Instant,
    ) -> Box<Ledger> {
        self.meters.decisions.increment(1);
        debug_assert_eq!(row.session, core.id);
        let store = self.dependencies.store.clone();
        Box::new(Ledger {
            row,
            received,
            store,
            meters: Arc::clone(&self.meters),
        })
    }
}
