//! The last step of a turn: it is stored, or acknowledged to an edge that can deliver it again, and answered.

use super::actor::Actor;
use super::core::DialogueState;
use super::mailbox::{Answer, Sending};
use super::message::{Ended, Refusal};
use super::turn::Turn;
use crate::replay::LastMessage;
use crate::store::StoreError;
use crate::store::types::{Direction, EntryId, NewEntry};
use bytes::Bytes;
use games::Cause;
use std::sync::Arc;
use std::time::Instant;

impl Actor {
    /// Stores a turn and gives its answer; if the store cannot, the game's default, and none to a beginning; if
    /// it has ended, no answer at all.
    pub(super) async fn commit(
        &mut self,
        turn: Turn,
        received: Instant,
    ) -> Result<Answer, Refusal> {
        let Some(core) = self.core.as_deref_mut() else {
            let kit = self.session.key.bot.kit();
            return Ok(Answer::default_of_game(kit, &turn.text));
        };
        let Turn {
            local,
            numbered,
            begins,
            before,
            at_us,
            text,
            said,
            ending,
            decision,
            facts_stored_to,
        } = turn;
        let mut entries = before;
        entries.reserve_exact(2);
        entries.push(NewEntry::new(at_us, Direction::In, text.clone()));
        let mark = core.seq + entries.len() as u64;
        if !said.is_empty() {
            entries.push(NewEntry::new(
                if local { at_us } else { self.registry.now_us() },
                Direction::Out,
                said.clone(),
            ));
        }
        let close = ending.map(|ending| self.registry.closing(core, ending));
        let ends = close.as_ref().map(|close| Ended {
            cause: close.cause,
            detail: close.detail.clone(),
        });
        let facts = self.registry.facts(
            &self.session.key.bot,
            core,
            decision.as_ref().and_then(|d| d.fallback),
        );
        let first = core.head.is_none();
        let plain = numbered && !local && !first && decision.is_none() && close.is_none();
        if plain
            && facts.is_empty()
            && said
                == self
                    .session
                    .key
                    .bot
                    .kit()
                    .card()
                    .dialect
                    .default_answer(&text)
            && core.behind.has_room(entries.len())
            && matches!(core.mind, DialogueState::Awake(_))
            && !self.registry.options.unstored
        {
            return Ok(self.acknowledge(entries, (text, said, mark)));
        }
        match self.registry.append(core, entries, facts, close).await {
            Ok(receipt) => {
                if !first {
                    core.goes_on();
                }
                core.facts_stored_to = match core.mind {
                    DialogueState::Awake(_) => core.seq * 2,
                    DialogueState::Asleep | DialogueState::Away { .. } | DialogueState::Broken => {
                        facts_stored_to
                    }
                };
                // The answer, if there is one, was stored right after what asked for it.
                let last = receipt.last.map_or(0, |last| last.0);
                let asked = EntryId(last - i64::from(!said.is_empty()));
                let ledger = decision.map(|decision| {
                    let row = decision.row(core, (asked, receipt), at_us, received);
                    self.registry.ledger(core, row, received)
                });
                let number = 1 + core.last.as_ref().map_or(0, |last| last.number);
                core.last = Some(Box::new(LastMessage {
                    text,
                    answer: said.clone(),
                    mark,
                    number,
                }));
                if let Some(ended) = &ends {
                    self.registry.end(&self.session.key, core, ended.cause);
                }
                let session = Arc::clone(&self.session);
                Ok(Answer {
                    text: Bytes::from(said),
                    sending: Some(Sending {
                        session,
                        mark,
                        ledger,
                    }),
                    stored: true,
                    ended: ends,
                })
            }
            Err(error) => {
                tracing::debug!(session = core.id.0, %error, "a message could not be stored");
                self.registry.meters.appends_failed.increment(1);
                // Whatever was heard is not in the transcript: it is folded anew without it.
                core.mind = DialogueState::Asleep;
                core.pending_facts.clear();
                if let StoreError::Closed = error {
                    return Err(self.registry.stopping());
                }
                if numbered {
                    return Err(Refusal::Unfit);
                }
                if begins {
                    // A match that is not on record from its beginning is none.
                    self.registry.end(&self.session.key, core, Cause::Cancelled);
                    self.core = None;
                    self.registry.meters.refused(Refusal::Unstored.word());
                    return Err(Refusal::Unstored);
                }
                self.registry.meters.defaulted("not_stored");
                let kit = self.session.key.bot.kit();
                Ok(Answer::default_of_game(kit, &text))
            }
        }
    }

    /// Answers a message that its edge can deliver again before it is stored.
    fn acknowledge(
        &mut self,
        entries: Vec<NewEntry>,
        (text, answer, mark): (String, String, u64),
    ) -> Answer {
        let said = Answer {
            stored: false,
            ..Answer::of(answer.clone())
        };
        if let Some(core) = self.core.as_deref_mut() {
            core.seq += entries.len() as u64;
            core.goes_on();
            core.facts_stored_to = core.seq * 2;
            core.behind.waiting.extend(entries);
            let number = 1 + core.last.as_ref().map_or(0, |last| last.number);
            core.last = Some(Box::new(LastMessage {
                text,
                answer,
                mark,
                number,
            }));
            self.registry.send_on(&self.session, core);
        }
        said
    }
}
