//! The actor: takes one message after the other, folds it, has the decision made, and answers once
//! the store has it all.

use super::answer::{Answer, Ledger, Refusal, Sending, micros};
use super::core::{Core, Last, Mind};
use super::deciding::{self, Asked, Decided};
use super::fold::{self, FoldError};
use super::mailbox::{Callback, Message, Session};
use super::opening;
use super::registry::Shared;
use crate::store::types::{Append, Close, Direction, LedgerRow, NewEntry, Receipt};
use crate::thinking::guarded;
use bytes::Bytes;
use games::{Cause, Ending, Fact, Next};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a dialogue that overran its time is waited for before it is folded anew.
const BACK_WAIT: Duration = Duration::from_millis(100);

/// Works on one session until its mailbox is empty.
pub(super) struct Actor {
    shared: Arc<Shared>,
    session: Arc<Session>,
    core: Option<Box<Core>>,
}

/// What a message leads to, before it is stored.
struct Turn {
    at_us: i64,
    text: String,
    said: String,
    ending: Option<Ending>,
    decision: Option<Decision>,
}

/// What a decision adds to the ledger.
struct Decision {
    fallback: Option<&'static str>,
    queued: Duration,
    thought: Duration,
    limit: Duration,
}

impl Actor {
    pub(super) fn new(shared: Arc<Shared>, session: Arc<Session>, core: Option<Box<Core>>) -> Self {
        Self {
            shared,
            session,
            core,
        }
    }

    /// Works on `message` and on all that came meanwhile.
    pub(super) async fn run(mut self, message: Message) {
        let mut message = message;
        loop {
            match message {
                Message::Callback(callback) => {
                    let Callback {
                        text,
                        begins,
                        received,
                        reply,
                    } = callback;
                    let answer = self.callback(text, begins, received).await;
                    // Whoever asked may have hung up: the same message again gets this answer.
                    drop(reply.send(answer));
                }
                Message::Close {
                    idle_since_ms,
                    cause,
                    detail,
                } => {
                    if self.session.touched_ms() <= idle_since_ms {
                        self.close(cause, detail).await;
                    }
                }
            }
            match self.session.next(&mut self.core) {
                Some(next) => message = next,
                None => return,
            }
        }
    }

    async fn callback(
        &mut self,
        text: String,
        begins: bool,
        received: Instant,
    ) -> Result<Answer, Refusal> {
        let queued = received.elapsed();
        let at_us = self.shared.wall_us(received);
        self.shared.meters.callbacks.increment(1);
        if self.core.as_ref().is_some_and(|core| core.ended) && !begins {
            self.shared.meters.defaulted("ended");
            return Ok(Answer::default_of_game());
        }
        if let Err(error) = self.wake().await {
            return Ok(self.unfolded(&error));
        }
        if let Some(answer) = self.repeated(&text) {
            return Ok(answer);
        }
        if begins || self.core.is_none() {
            self.begin(!begins, at_us).await?;
            if let Err(error) = self.wake().await {
                return Ok(self.unfolded(&error));
            }
        }
        let Some(core) = self.core.as_deref_mut() else {
            return Ok(Answer::default_of_game());
        };
        let turn = Self::turn(
            &self.shared,
            &self.session,
            core,
            (text, received, queued, at_us),
        )
        .await;
        Ok(self.commit(turn, received).await)
    }

    /// Brings the dialogue in, if a session is live.
    async fn wake(&mut self) -> Result<(), FoldError> {
        let Some(core) = self.core.as_deref_mut() else {
            return Ok(());
        };
        if core.ended {
            return Ok(());
        }
        if let Mind::Away { pending, said } = &mut core.mind {
            let back = tokio::time::timeout(BACK_WAIT, pending.thought()).await;
            core.mind = match back.ok().flatten().and_then(|thought| thought.dialogue) {
                Some(dialogue) => {
                    core.owes = false;
                    deciding::told(dialogue, said)
                }
                None => Mind::Asleep,
            };
        }
        if matches!(core.mind, Mind::Asleep) {
            match fold::fold(&self.shared.parts, &self.session.key.place, core).await {
                Ok(folded) => {
                    if std::mem::take(&mut core.owes) {
                        core.owed = folded.learnt;
                    }
                    core.mind = Mind::Awake(folded.dialogue);
                    core.last = folded.last.or_else(|| core.last.take());
                }
                Err(error @ FoldError::Panicked(_)) => {
                    tracing::error!(session = core.id.0, %error, "a session is answered for from now on");
                    core.mind = Mind::Broken;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn unfolded(&self, error: &FoldError) -> Answer {
        tracing::error!(session = ?self.session, %error, "a session could not be folded");
        self.shared.meters.defaulted("unfolded");
        Answer::default_of_game()
    }

    /// The logged answer, if this is the last message again and its answer may not have arrived.
    fn repeated(&self, text: &str) -> Option<Answer> {
        let last = self.core.as_deref()?.last.as_deref()?;
        if last.text != text || self.session.handed(last.mark) {
            return None;
        }
        self.shared.meters.repeated.increment(1);
        let session = Arc::clone(&self.session);
        Some(Answer {
            text: Bytes::from(last.answer.clone()),
            sending: Some(Sending {
                session,
                mark: last.mark,
                ledger: None,
            }),
        })
    }

    /// Opens a session; the one that was live under this key ends first.
    async fn begin(&mut self, late: bool, at_us: i64) -> Result<(), Refusal> {
        if self.core.as_ref().is_some_and(|core| !core.ended) {
            self.close(
                Cause::Unterminated,
                "the referee began a new match under the same numbers",
            )
            .await;
        }
        let permit = opening::admit(&self.shared)?;
        let left = self.core.take();
        let left = left.as_deref().map(|core| &*core.match_id);
        self.session.unhand();
        let core = opening::open(&self.shared, &self.session.key, permit, at_us, late, left);
        self.core = Some(Box::new(core));
        self.shared.meters.live.increment(1.0);
        Ok(())
    }

    /// Hears one message and has the decision made, if one is asked for.
    async fn turn(
        shared: &Shared,
        session: &Session,
        core: &mut Core,
        (text, received, queued, at_us): (String, Instant, Duration, i64),
    ) -> Turn {
        let mut turn = Turn {
            at_us,
            text,
            said: String::new(),
            ending: None,
            decision: None,
        };
        let Mind::Awake(mut dialogue) = std::mem::replace(&mut core.mind, Mind::Asleep) else {
            core.mind = Mind::Broken;
            shared.meters.defaulted("broken");
            return turn;
        };
        let heard = guarded(|| dialogue.receive(turn.text.as_bytes()));
        match heard {
            Ok(Ok(Next::Wait)) => core.mind = Mind::Awake(dialogue),
            Ok(Ok(Next::Send(said))) => {
                core.mind = deciding::told(dialogue, &said);
                turn.said = said;
            }
            Ok(Ok(Next::Over(ending))) => {
                core.mind = Mind::Awake(dialogue);
                turn.ending = Some(ending);
            }
            Ok(Ok(Next::Think { within, fallback })) => {
                // Before thinking, for that may cost us the dialogue.
                core.owed
                    .append(&mut guarded(|| dialogue.facts()).unwrap_or_default());
                let asked = Asked {
                    fallback,
                    within,
                    received,
                };
                let decided = deciding::decide(shared, &session.key.place, dialogue, asked).await;
                let Decided {
                    said,
                    fallback,
                    mind,
                } = decided;
                core.owes = !matches!(mind, Mind::Awake(_));
                core.mind = mind;
                turn.said = said;
                let thought = received.elapsed();
                turn.decision = Some(Decision {
                    fallback,
                    queued,
                    thought,
                    limit: within,
                });
            }
            Ok(Err(error)) => {
                core.mind = Mind::Awake(dialogue);
                tracing::debug!(session = core.id.0, %error, "a message was not understood");
                shared.meters.defaulted("not_understood");
            }
            Err(panic) => {
                tracing::error!(session = core.id.0, %panic, "a bot panicked on a message");
                shared.meters.defaulted("panic");
            }
        }
        turn
    }

    /// Stores a turn and gives its answer; if the store cannot, the game's default.
    async fn commit(&mut self, turn: Turn, received: Instant) -> Answer {
        let Some(core) = self.core.as_deref_mut() else {
            return Answer::default_of_game();
        };
        let Turn {
            at_us,
            text,
            said,
            ending,
            decision,
        } = turn;
        let mut entries = Vec::with_capacity(2);
        entries.push(NewEntry {
            at_us,
            direction: Direction::In,
            text: text.clone(),
        });
        if !said.is_empty() {
            let at_us = self.shared.now_us();
            entries.push(NewEntry {
                at_us,
                direction: Direction::Out,
                text: said.clone(),
            });
        }
        let mark = core.seq + 1;
        let close = ending.map(|ending| self.shared.closing(core, ending));
        let ends = close.as_ref().map(|close| close.cause);
        let facts = self.shared.facts(
            &self.session.key.place,
            core,
            decision.as_ref().and_then(|d| d.fallback),
        );
        match self.shared.append(core, entries, facts, close).await {
            Ok(receipt) => {
                let ledger = decision.map(|decision| {
                    self.shared
                        .ledger(core, decision.row(core, receipt, at_us, received), received)
                });
                core.last = Some(Box::new(Last {
                    text,
                    answer: said.clone(),
                    mark,
                }));
                if let Some(cause) = ends {
                    self.shared.end(&self.session.key, core, cause);
                }
                let session = Arc::clone(&self.session);
                Answer {
                    text: Bytes::from(said),
                    sending: Some(Sending {
                        session,
                        mark,
                        ledger,
                    }),
                }
            }
            Err(error) => {
                tracing::debug!(session = core.id.0, %error, "a message could not be stored");
                self.shared.meters.appends_failed.increment(1);
                self.shared.meters.defaulted("not_stored");
                core.mind = Mind::Asleep;
                Answer::default_of_game()
            }
        }
    }

    /// Ends the session without a word from its referee.
    async fn close(&mut self, cause: Cause, detail: &str) {
        let Some(core) = self.core.as_deref_mut().filter(|core| !core.ended) else {
            return;
        };
        if core.head.is_some() {
            let close = Close {
                at_us: self.shared.now_us(),
                cause,
                detail: detail.to_owned(),
                scores: Vec::new(),
                lessons: Vec::new(),
            };
            let closed = self
                .shared
                .append(core, Vec::new(), Vec::new(), Some(Box::new(close)))
                .await;
            if let Err(error) = closed {
                tracing::warn!(session = core.id.0, %error, "a session's end could not be stored");
                self.shared.meters.appends_failed.increment(1);
            }
        }
        self.shared.end(&self.session.key, core, cause);
    }
}

impl Decision {
    fn row(&self, core: &Core, receipt: Receipt, at_us: i64, received: Instant) -> LedgerRow {
        LedgerRow {
            session: core.id,
            entry: receipt.last.unwrap_or(crate::store::types::EntryId(0)),
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

impl Shared {
    /// What a session's dialogue has to say at its end.
    fn closing(&self, core: &Core, ending: Ending) -> Box<Close> {
        let lessons = match &core.mind {
            Mind::Awake(dialogue) => guarded(|| dialogue.lessons()).unwrap_or_default(),
            Mind::Asleep | Mind::Away { .. } | Mind::Broken => Vec::new(),
        };
        Box::new(Close {
            at_us: self.now_us(),
            cause: ending.cause,
            detail: String::new(),
            scores: ending.scores,
            lessons,
        })
    }

    /// Facts found by this turn, with their bluff columns.
    fn facts(
        &self,
        place: &super::place::Place,
        core: &mut Core,
        fallback: Option<&'static str>,
    ) -> Vec<(Fact, Option<games::Bluff>)> {
        let mut facts = std::mem::take(&mut core.owed);
        if let Mind::Awake(dialogue) = &mut core.mind {
            facts.append(&mut guarded(|| dialogue.facts()).unwrap_or_default());
        }
        if let Some(cause) = fallback {
            self.meters.fallback(cause);
            facts.push(Fact {
                kind: "fallback".to_owned(),
                data: json!({ "cause": cause }),
            });
        }
        facts
            .into_iter()
            .map(|fact| {
                let bluff = place.kit().bluff(&fact);
                (fact, bluff)
            })
            .collect()
    }

    /// Adds to a session's transcript; its head moves on once that is durable.
    async fn append(
        &self,
        core: &mut Core,
        entries: Vec<NewEntry>,
        facts: Vec<(Fact, Option<games::Bluff>)>,
        close: Option<Box<Close>>,
    ) -> Result<Receipt, crate::store::StoreError> {
        let added = entries.len() as u64;
        if self.options.unstored {
            core.seq += added;
            return Ok(Receipt {
                last: core.head,
                committed: Instant::now(),
            });
        }
        let rows = core.rows.as_deref().cloned();
        let (open, match_) = match rows {
            Some(rows) => (Some(Box::new(rows.session)), Some(Box::new(rows.match_))),
            None => (None, None),
        };
        let append = Append {
            session: core.id,
            previous: core.head,
            seq: core.seq,
            open,
            match_,
            entries,
            facts,
            close,
        };
        let receipt = self.parts.store.append(append).await?;
        core.rows = None;
        core.head = receipt.last.or(core.head);
        core.seq += added;
        Ok(receipt)
    }

    fn ledger(&self, core: &Core, row: LedgerRow, received: Instant) -> Box<Ledger> {
        self.meters.decisions.increment(1);
        debug_assert_eq!(row.session, core.id);
        let store = self.parts.store.clone();
        Box::new(Ledger {
            row,
            received,
            store,
            meters: Arc::clone(&self.meters),
        })
    }
}
