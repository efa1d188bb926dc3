//! The actor: takes one message after the other, folds it, has the decision made, and answers once
//! the store has it all.

use super::begins;
use super::core::{DialogueState, SessionState};
use super::deciding::{self, Asked, Decided};
use super::fold::{self, FoldError};
use super::mailbox::{Answer, Callback, Entered, Message, Sending, Session};
use super::message::{Expiry, Local, Opening, Origin, Place, Refusal};
use super::numbering::{self, MessageOrder};
use super::opening;
use super::registry::Registry;
use super::turn::{Decision, Turn};
use crate::programs::Launch;
use crate::replay::Naming;
use crate::store::StoreError;
use crate::store::types::Close;
use crate::thinking::guarded;
use games::answer::{Bounds, Times};
use games::{Cause, Ending, Next};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Facts of a turn with their bluff columns.
type Facts = Vec<(games::Fact, Option<games::Bluff>)>;

/// How long a session may take to be folded where nobody waits for an answer.
pub(super) const FOLD_WITHIN: Duration = Duration::from_secs(30);
/// How long a dialogue that overran its time is waited for before it is folded anew.
const BACK_WAIT: Duration = Duration::from_millis(100);

/// Works on one session until its mailbox is empty.
pub(super) struct Actor {
    pub(super) registry: Arc<Registry>,
    pub(super) session: Arc<Session>,
    pub(super) core: Option<Box<SessionState>>,
}

impl Actor {
    pub(super) fn new(
        registry: Arc<Registry>,
        session: Arc<Session>,
        core: Option<Box<SessionState>>,
    ) -> Self {
        Self {
            registry,
            session,
            core,
        }
    }

    /// Works on a message for whoever brought it; a task works on what came meanwhile.
    pub(super) async fn answer(mut self, callback: Callback) -> Result<Answer, Refusal> {
        let answer = self.callback(callback).await;
        if let Some(next) = self.session.next(&mut self.core) {
            let tracker = self.registry.tracker.clone();
            tracker.spawn(self.run(next));
        }
        answer
    }

    /// Works on `message` and on all that came meanwhile.
    pub(super) async fn run(mut self, message: Message) {
        let mut message = message;
        loop {
            match message {
                Message::Callback(callback, reply) => {
                    let answer = self.callback(callback).await;
                    // Whoever asked may have hung up: the same message again gets this answer.
                    drop(reply.send(answer));
                }
                Message::Expire(expiry) => self.expire(expiry).await,
                Message::Look => self.look(),
                // Whoever gave the names may have gone.
                Message::Name(rivals, told) => {
                    drop(told.send(Box::pin(self.name(rivals)).await));
                }
            }
            match self.session.next(&mut self.core) {
                Some(next) => message = next,
                None => return,
            }
        }
    }

    fn look(&mut self) {
        if let Some(core) = self.core.as_deref_mut() {
            self.registry.look(core);
            self.registry.send_on(&self.session, core);
        }
    }

    async fn expire(&mut self, mut expiry: Expiry) {
        if self.session.touched_ms() > expiry.idle_since_ms {
            return;
        }
        let waiting = expiry.stored.take();
        let ended = self.leave(&expiry, waiting.is_some()).await;
        if let Some(waiting) = waiting {
            // Whoever brought it may have gone.
            let _ = waiting.send(ended);
        }
    }

    /// Ends the session. If `again`, one whose end cannot be stored stays live: it is sent again.
    async fn leave(&mut self, expiry: &Expiry, again: bool) -> Result<(), Refusal> {
        if again {
            self.wake(Instant::now() + FOLD_WITHIN).await?;
            self.has_all(expiry.messages)?;
        }
        let ending = if expiry.hung_up { self.hung_up() } else { None };
        let (facts, close) = match (ending, self.core.as_deref_mut()) {
            (Some(ending), Some(core)) => {
                let facts = self.registry.facts(&self.session.key.bot, core, None);
                (facts, Some(self.registry.closing(core, ending)))
            }
            _ => (Vec::new(), None),
        };
        match close {
            Some(close) => self.finish(facts, close, again).await,
            None => self.close(expiry.cause, &expiry.detail, again).await,
        }
    }

    /// Whether this number of messages has come to the session, if it is live.
    fn has_all(&self, messages: Option<u64>) -> Result<(), Refusal> {
        let Some(core) = self.core.as_deref().filter(|core| !core.ended) else {
            return Ok(());
        };
        match (&core.mind, &core.last) {
            (DialogueState::Asleep | DialogueState::Away { .. }, _) => Err(Refusal::Unfit),
            (DialogueState::Awake(_), Some(last)) if messages > Some(last.number) => {
                Err(Refusal::Gap(last.number))
            }
            _ => Ok(()),
        }
    }

    /// The other side has hung up: how the match ended, if that is how matches end.
    fn hung_up(&mut self) -> Option<Ending> {
        let core = self.core.as_deref_mut().filter(|core| !core.ended)?;
        let DialogueState::Awake(dialogue) = &mut core.mind else {
            return None;
        };
        guarded(|| dialogue.hung_up()).unwrap_or_else(|panic| {
            tracing::error!(session = core.id.0, %panic, "a bot panicked at the end");
            None
        })
    }

    /// Stores the live session's end. If `again`, one that cannot be stored does not end it.
    async fn finish(
        &mut self,
        facts: Facts,
        close: Box<Close>,
        again: bool,
    ) -> Result<(), Refusal> {
        let Some(core) = self.core.as_deref_mut() else {
            return Ok(());
        };
        let cause = close.cause;
        let closed = self
            .registry
            .append(core, Vec::new(), facts, Some(close))
            .await;
        if let Err(error) = closed {
            tracing::warn!(session = core.id.0, %error, "a session's end could not be stored");
            self.registry.meters.appends_failed.increment(1);
            if again {
                // Facts of the end are found again when it is sent again.
                core.mind = DialogueState::Asleep;
                core.pending_facts.clear();
                return Err(match error {
                    StoreError::Closed => self.registry.stopping(),
                    _ => Refusal::Unfit,
                });
            }
        }
        self.registry.end(&self.session.key, core, cause);
        Ok(())
    }

    async fn callback(&mut self, callback: Callback) -> Result<Answer, Refusal> {
        let Callback {
            text,
            begins,
            opening,
            received,
            origin,
            place,
            numbered,
        } = callback;
        let kit = self.session.key.bot.kit();
        if Naming::is_forged(&text) {
            return Ok(Answer::default_of_game(kit, &text));
        }
        let queued = received.elapsed();
        let at_us = self.registry.wall_us(received);
        self.registry.meters.callbacks.increment(1);
        if let Some(core) = self.core.as_deref_mut() {
            self.registry.look(core);
        }
        if let (Some(core), Some(numbered)) = (&self.core, &numbered)
            && core.ended
            && !core.normal
        {
            // What was answered without us after its end is nobody's any more.
            return match numbered.local {
                Some(_) => Ok(Answer::nothing()),
                None => Err(Refusal::Over),
            };
        }
        if self.core.as_ref().is_some_and(|core| core.ended) && !begins {
            self.registry.meters.defaulted("ended");
            return Ok(Answer::default_of_game(kit, &text));
        }
        let local = numbered.as_ref().is_some_and(|n| n.local.is_some());
        let deadline = if local {
            // Answered already: nobody's clock runs.
            Instant::now() + FOLD_WITHIN
        } else {
            self.deadline(received)
        };
        self.wake(deadline).await?;
        let begins = match &numbered {
            Some(numbered) => {
                let core = self.core.as_deref_mut();
                let bot = &self.session.key.bot;
                let order = numbering::number(&self.registry, core, bot, numbered, &text);
                match Box::pin(order).await? {
                    MessageOrder::Before(answer) => return Box::pin(self.again(answer)).await,
                    MessageOrder::First => true,
                    MessageOrder::Next => false,
                }
            }
            None => begins,
        };
        if let Some(answer) = self.repeated(&text).filter(|_| numbered.is_none()) {
            return Ok(answer);
        }
        let late = !begins && self.core.is_none();
        if begins || late {
            let place = place.map(|place| *place);
            Box::pin(self.begin(late, at_us, opening.as_deref(), origin, place)).await?;
            self.wake(deadline).await?;
        }
        let Some(core) = self.core.as_deref_mut() else {
            return Ok(Answer::default_of_game(kit, &text));
        };
        match core.mind {
            DialogueState::Broken if numbered.is_some() => return Err(Refusal::Over),
            DialogueState::Asleep | DialogueState::Away { .. } if numbered.is_some() => {
                return Err(Refusal::Unfit);
            }
            _ => {}
        }
        let numbers = numbered.is_some();
        let before = opening.map_or_else(Vec::new, |opening| opening.before);
        fold::replay_preamble(core, &before);
        let mut turn = Self::turn(
            &self.registry,
            &self.session,
            core,
            (text, received, queued, at_us),
            numbered.and_then(|numbered| numbered.local),
        )
        .await;
        if late && turn.ending.is_some() {
            self.forget(turn.ending);
            return Ok(Answer::default_of_game(kit, &turn.text));
        }
        turn.facts_stored_to += 2 * before.len() as u64;
        turn.before = before;
        (turn.numbered, turn.begins) = (numbers, begins);
        self.commit(turn, received).await
    }

    /// An answer that was given before; it is stored when it is given again.
    async fn again(&mut self, answer: Answer) -> Result<Answer, Refusal> {
        if let Some(core) = self.core.as_deref_mut() {
            let stored = self.registry.catch_up(core).await;
            stored.map_err(|_| Refusal::Unfit)?;
        }
        Ok(answer)
    }

    /// When a message must be answered at the latest.
    fn deadline(&self, received: Instant) -> Instant {
        let kit = self.session.key.bot.kit();
        let within = match &self.core {
            Some(_) => kit.card().limits.answer,
            None => kit.card().limits.open,
        };
        let asked = Bounds {
            limit: within,
            target: None,
        };
        received + Times::new(asked, self.registry.options.margin).deadline
    }

    /// Brings the dialogue in, if a session is live. If that fails, the message is stored all the
    /// same and answered by the game's default, so that the transcript stays whole.
    pub(super) async fn wake(&mut self, deadline: Instant) -> Result<(), Refusal> {
        let sleeps = self.core.as_deref().is_some_and(|core| {
            let mind = &core.mind;
            !core.ended && matches!(mind, DialogueState::Asleep | DialogueState::Away { .. })
        });
        if !sleeps {
            return Ok(());
        }
        // What is rare is boxed: every message that waits for the store keeps room for all the rest.
        let Err(error) = Box::pin(self.try_wake(deadline)).await else {
            return Ok(());
        };
        if let FoldError::Store(StoreError::Closed) = error {
            return Err(self.registry.stopping());
        }
        // Its number here, not those on the wire: who knows these could speak for its referee.
        let session = self.core.as_deref().map(|core| core.id.0);
        tracing::error!(session, %error, "a session could not be folded");
        if let Some(core) = self.core.as_deref_mut().filter(|_| error.lasts()) {
            core.mind = DialogueState::Broken;
        }
        Ok(())
    }

    async fn try_wake(&mut self, deadline: Instant) -> Result<(), FoldError> {
        let Some(core) = self.core.as_deref_mut() else {
            return Ok(());
        };
        if let DialogueState::Away { pending, said } = &mut core.mind {
            let back = tokio::time::timeout(BACK_WAIT, pending.thought()).await;
            match back.map(|thought| thought.and_then(|thought| thought.dialogue)) {
                Ok(Some(dialogue)) => core.mind = deciding::told(dialogue, said),
                Ok(None) => core.mind = DialogueState::Asleep,
                Err(_) => core.give_up(),
            }
        }
        if matches!(core.mind, DialogueState::Asleep) {
            let waking = fold::wake(&self.registry.dependencies, &self.session.key.bot, core);
            tokio::time::timeout_at(deadline.into(), waking)
                .await
                .map_err(|_| FoldError::Late)??;
        }
        Ok(())
    }

    /// Takes back a session that has heard nothing but its own end: it ended before the last start
    /// and its referee did not get the answer. Nothing of it is stored.
    fn forget(&mut self, ending: Option<Ending>) {
        if let Some((mut core, ending)) = self.core.take().zip(ending) {
            self.registry.meters.defaulted("ended");
            self.registry
                .end(&self.session.key, &mut core, ending.cause);
        }
    }

    /// The logged answer, if this is the last message again: always in games whose messages differ
    /// from one to the next, else if its answer may not have arrived.
    fn repeated(&self, text: &str) -> Option<Answer> {
        let last = self.core.as_deref()?.last.as_deref()?;
        let resent = self.session.key.bot.kit().card().repeats || !self.session.handed(last.mark);
        if last.text != text || !resent {
            return None;
        }
        self.registry.meters.repeated.increment(1);
        let session = Arc::clone(&self.session);
        let (mark, ledger) = (last.mark, None);
        Some(Answer {
            sending: Some(Sending {
                session,
                mark,
                ledger,
            }),
            ..Answer::of(last.answer.clone())
        })
    }

    /// Opens a session; the one that was live under this key ends first.
    async fn begin(
        &mut self,
        late: bool,
        at_us: i64,
        told: Option<&Opening>,
        origin: Origin,
        place: Option<Place>,
    ) -> Result<(), Refusal> {
        if self.core.as_ref().is_some_and(|core| !core.ended) {
            let why = "the referee began a new match under the same numbers";
            let _ = self.close(Cause::Unterminated, why, false).await;
        }
        let admit = || begins::admit(&self.registry, &self.session.key, origin);
        let place = place.map_or_else(admit, Ok)?;
        let launch = Self::launch(&self.registry, &self.session).await?;
        let left = self.core.take();
        let left = left.as_deref().map(|core| &*core.match_id);
        self.session.unhand();
        let core = opening::open(
            &self.registry,
            &self.session.key,
            place,
            at_us,
            late,
            left,
            (told, launch),
        );
        self.core = Some(Box::new(core));
        self.registry.meters.live.increment(1.0);
        Ok(())
    }

    /// The program that a new match begins with; `None` for a built-in bot.
    async fn launch(
        registry: &Registry,
        session: &Session,
    ) -> Result<Option<Arc<Launch>>, Refusal> {
        let bot = &session.key.bot;
        let Some(name) = bot.program() else {
            return Ok(None);
        };
        let game = bot.kit().card().name;
        let launch = registry.dependencies.bots.look(name).await;
        let launch = launch.filter(|launch| launch.plays(game));
        if launch.is_none() {
            registry.meters.refused(Refusal::NoBot.word());
            return Err(Refusal::NoBot);
        }
        Ok(launch)
    }

    /// Hears one message and has the decision made, if one is asked for.
    async fn turn(
        registry: &Registry,
        session: &Session,
        core: &mut SessionState,
        (text, received, queued, at_us): (String, Instant, Duration, i64),
        local: Option<Local>,
    ) -> Turn {
        let mut turn = Turn {
            before: Vec::new(),
            numbered: false,
            begins: false,
            at_us: local.as_ref().map_or(at_us, |local| local.at_us),
            local: local.is_some(),
            // What is said unless something better comes of it.
            said: session
                .key
                .bot
                .kit()
                .card()
                .dialect
                .default_answer(&text)
                .to_owned(),
            text,
            ending: None,
            decision: None,
            facts_stored_to: core.seq * 2,
        };
        let mut dialogue = match std::mem::replace(&mut core.mind, DialogueState::Asleep) {
            DialogueState::Awake(dialogue) => dialogue,
            DialogueState::Asleep | DialogueState::Away { .. } => {
                registry.meters.defaulted("unfolded");
                turn.facts_stored_to = core.facts_stored_to;
                return turn;
            }
            DialogueState::Broken => {
                core.mind = DialogueState::Broken;
                registry.meters.defaulted("broken");
                return turn;
            }
        };
        let heard = guarded(|| dialogue.receive(turn.text.as_bytes()));
        if let Some(Local { said, .. }) = local {
            return turn.taken_over(core, dialogue, heard, said);
        }
        match heard {
            Ok(Ok(Next::Wait)) => {
                core.mind = DialogueState::Awake(dialogue);
                turn.said.clear();
            }
            Ok(Ok(Next::Send(said))) => {
                core.mind = deciding::told(dialogue, &said);
                turn.said = said;
            }
            Ok(Ok(Next::Over(ending))) => {
                core.mind = DialogueState::Awake(dialogue);
                turn.said.clone_from(&ending.last_word);
                turn.ending = Some(ending);
            }
            Ok(Ok(Next::Think {
                limit,
                target,
                fallback,
            })) => {
                // Before thinking, for that may cost us the dialogue.
                core.pending_facts
                    .append(&mut guarded(|| dialogue.facts()).unwrap_or_default());
                let asked = Asked {
                    fallback,
                    limit,
                    target,
                    received,
                };
                let decided = if core.quarantine.holds() {
                    deciding::unasked(dialogue, asked.fallback)
                } else if let Some(program) = core.program.as_deref_mut() {
                    let kit = session.key.bot.kit();
                    Box::pin(program.decide(registry, kit, dialogue, asked)).await
                } else {
                    deciding::decide(registry, &session.key.bot, dialogue, asked).await
                };
                let Decided {
                    said,
                    fallback,
                    mind,
                } = decided;
                turn.facts_stored_to += 1;
                core.mind = mind;
                if core.hangs() {
                    core.quarantine.impose();
                }
                turn.said = said;
                let thought = received.elapsed();
                turn.decision = Some(Decision {
                    fallback,
                    queued,
                    thought,
                    limit,
                });
            }
            Ok(Err(error)) => {
                core.mind = DialogueState::Awake(dialogue);
                tracing::debug!(session = core.id.0, %error, "a message was not understood");
                registry.meters.defaulted("not_understood");
            }
            Err(panic) => {
                tracing::error!(session = core.id.0, %panic, "a bot panicked on a message");
                registry.meters.defaulted("panic");
            }
        }
        if let Some(program) = core.program.as_deref_mut() {
            program.tell(registry, session.key.bot.kit());
        }
        turn
    }

    /// Ends the session without a word from its referee.
    async fn close(&mut self, cause: Cause, detail: &str, again: bool) -> Result<(), Refusal> {
        let Some(core) = self.core.as_deref_mut().filter(|core| !core.ended) else {
            return Ok(());
        };
        if core.head.is_none() {
            self.registry.end(&self.session.key, core, cause);
            return Ok(());
        }
        let close = Close {
            detail: detail.to_owned(),
            ..Close::of(self.registry.now_us(), cause)
        };
        self.finish(Vec::new(), Box::new(close), again).await
    }
}

/// Gives the session a message for which nobody waits here. Whether there was room for it.
pub(super) fn send(registry: &Arc<Registry>, session: &Arc<Session>, message: Message) -> bool {
    let max = registry.options.mailbox_max;
    match session.enter(message, max, |message| (message, ())) {
        Entered::Idle(core, message) => {
            let actor = Actor::new(Arc::clone(registry), Arc::clone(session), core);
            let runtime = &registry.runtime;
            registry.tracker.spawn_on(actor.run(message), runtime);
            true
        }
        Entered::Waits(()) => true,
        Entered::Full => false,
    }
}

/// Ends the session unless something comes: a full mailbox means that much came.
pub(super) fn expire(registry: &Arc<Registry>, session: &Arc<Session>, expiry: Expiry) {
    send(registry, session, Message::Expire(expiry));
}

/// Has the session take note of what has arrived in the store: a full mailbox means that it soon will.
pub(super) fn look(registry: &Arc<Registry>, session: &Arc<Session>) {
    send(registry, session, Message::Look);
}
