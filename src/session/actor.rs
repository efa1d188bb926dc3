//! The actor: takes one message after the other, has the session's seat answer it, and answers once
//! the store has it all.

mod waking;

use super::append::{self, Facts};
use super::begins;
use super::commit::commit;
use super::core::SessionState;
use super::fold;
use super::mailbox::{Answer, Callback, Entered, Message, Named, Sending, Session, micros};
use super::message::{Expiry, Held, Refusal};
use super::naming;
use super::numbering::{self, MessageOrder};
use super::opening::{self, Beginning};
use super::ownership;
use super::registry::Registry;
use super::turn::{Arrival, Incoming, Turn, Via};
use crate::programs::Launch;
use crate::replay::{self, Line, Naming};
use crate::store::StoreError;
use crate::store::types::{Close, Direction, Entry, Follows};
use games::answer::{Bounds, Times};
use games::{Cause, Ending};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How long a session may take to be folded where nobody waits for an answer.
const FOLD_WITHIN: Duration = Duration::from_secs(30);
/// How far the clocks of replicas may be apart, in microseconds.
const CLOCKS_DIFFER_US: i64 = 20_000;

/// Works on one session until its mailbox is empty.
pub(super) struct Actor {
    registry: Arc<Registry>,
    session: Arc<Session>,
    core: Option<Box<SessionState>>,
}

/// What happens to a session whose end cannot be stored.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unstored {
    /// It stays live: its caller sends the end again.
    Stays,
    /// It stays live while that may pass, and the end is tried again.
    Retries,
}

/// How a message stands to its session.
enum Standing {
    /// It was answered before.
    Known(Answer),
    /// The match begins with it.
    Begins,
    /// Its match began before, and nothing of it was received.
    Joins,
    /// The session's next one.
    Next,
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

    /// Works on a message for the caller that brought it; a task works on what came meanwhile.
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
                    // The caller may have hung up: the same message again gets this answer.
                    drop(reply.send(answer));
                }
                Message::Expire(expiry) => self.expire(expiry).await,
                Message::Look => self.look(),
                // The caller may have gone.
                Message::Name(rivals, reply) => {
                    drop(reply.send(Box::pin(self.name(&rivals)).await));
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
            append::look(&self.registry, core);
        }
        self.send_on();
    }

    /// Sends on what was acknowledged before it is stored, unless something is on its way already; once that has arrived,
    /// the session looks.
    fn send_on(&mut self) {
        let Some(core) = self.core.as_deref_mut() else {
            return;
        };
        let Some((append, stored)) = core.take_waiting() else {
            return;
        };
        let (registry, session) = (Arc::clone(&self.registry), Arc::clone(&self.session));
        self.registry.tracker.spawn(async move {
            let outcome = registry.dependencies.store.append(append).await;
            // A session that waits for it has it now; another one looks.
            drop(stored.send(outcome));
            look(&registry, &session);
        });
    }

    async fn name(&mut self, rivals: &[(u8, String)]) -> Named {
        // A dialogue that cannot be woken learns them when it is folded.
        let _ = self.wake(Instant::now() + FOLD_WITHIN).await;
        let core = self.core.as_deref_mut();
        naming::take_in(&self.registry, &self.session.key, core, rivals).await
    }

    async fn expire(&mut self, mut expiry: Expiry) {
        if self.session.touched_ms() > expiry.idle_since_ms {
            return;
        }
        let waiting = expiry.stored.take();
        if let Some(held) = expiry.held {
            if let Err(refusal) = self.refresh(held).await {
                let _ = waiting.map(|waiting| waiting.send(Err(refusal)));
                return;
            }
        } else if !ownership::owns(&self.registry, &self.session) {
            return ownership::let_go(&self.registry, &self.session, &mut self.core);
        }
        let unstored = match &waiting {
            Some(_) => Unstored::Stays,
            None => Unstored::Retries,
        };
        let ended = self.leave(&expiry, unstored).await;
        match waiting {
            // The caller may have gone.
            Some(waiting) => drop(waiting.send(ended)),
            // A sweep finds the session idle again.
            None if ended.is_err() && expiry.idle_since_ms == i64::MAX => self.expire_again(expiry),
            None => {}
        }
    }

    /// Has the same session ended again after a while.
    fn expire_again(&self, expiry: Expiry) {
        let (registry, session) = (Arc::clone(&self.registry), Arc::clone(&self.session));
        let id = self.core.as_deref().map(|core| core.id);
        self.registry.tracker.spawn(async move {
            tokio::select! {
                biased;
                () = registry.stop.cancelled() => {}
                () = tokio::time::sleep(append::END_AGAIN) => {
                    // One that is busy has not been replaced by another match, or it soon shows.
                    let same = session.peek(|core| Some(core.id) == id);
                    if same.unwrap_or(true) {
                        expire(&registry, &session, expiry);
                    }
                }
            }
        });
    }

    /// Ends the session, whose dialogue is asked how if the caller waits for it.
    async fn leave(&mut self, expiry: &Expiry, unstored: Unstored) -> Result<(), Refusal> {
        if unstored == Unstored::Stays {
            self.wake(Instant::now() + FOLD_WITHIN).await?;
            self.has_all(expiry.messages)?;
        }
        let ending = if expiry.hung_up { self.hung_up() } else { None };
        let (facts, close) = match (ending, self.core.as_deref_mut()) {
            (Some(ending), Some(core)) => {
                let kit = self.session.key.bot.kit();
                let facts = append::facts(&self.registry, kit, core, None);
                let close = append::closing(&self.registry, core, ending);
                (facts, Some(close))
            }
            _ => (Vec::new(), None),
        };
        match close {
            Some(close) => self.finish(facts, close, unstored).await,
            None => self.close(expiry.cause, &expiry.detail, unstored).await,
        }
    }

    /// Whether this number of messages has come to the session, if it is live.
    fn has_all(&self, messages: Option<u64>) -> Result<(), Refusal> {
        let Some(core) = self.core.as_deref().filter(|core| !core.ended) else {
            return Ok(());
        };
        match &core.own.last {
            _ if core.own.is_absent() => Err(Refusal::Unfit),
            Some(last) if core.own.is_awake() && messages > Some(last.number) => {
                Err(Refusal::Gap(last.number))
            }
            _ => Ok(()),
        }
    }

    /// The other side has hung up: how the match ended, if that is how matches end.
    fn hung_up(&mut self) -> Option<Ending> {
        let core = self.core.as_deref_mut().filter(|core| !core.ended)?;
        let ending = core.own.with(|dialogue| dialogue.hung_up());
        ending.map(Option::flatten).unwrap_or_else(|panic| {
            tracing::error!(session = core.id.0, %panic, "a bot panicked at the end");
            None
        })
    }

    /// Stores the live session's end.
    async fn finish(
        &mut self,
        facts: Facts,
        close: Box<Close>,
        unstored: Unstored,
    ) -> Result<(), Refusal> {
        let Some(core) = self.core.as_deref_mut() else {
            return Ok(());
        };
        let cause = close.cause;
        let closed = append::append(&self.registry, core, Vec::new(), facts, Some(close)).await;
        if let Err(StoreError::Fenced) = closed {
            ownership::let_go(&self.registry, &self.session, &mut self.core);
            return Err(Refusal::Fenced);
        }
        if let Err(error) = closed {
            tracing::warn!(session = core.id.0, %error, "a session's end could not be stored");
            self.registry.meters.appends_failed.increment(1);
            let stays = match unstored {
                Unstored::Stays => true,
                Unstored::Retries => matches!(error, StoreError::Unwritable(_)),
            };
            if stays {
                // Facts of the end are found again when it is sent again.
                core.unlearn();
                return Err(match error {
                    StoreError::Closed => self.registry.stopping(),
                    _ => Refusal::Unfit,
                });
            }
        }
        self.registry.end(&self.session.key, core, cause);
        Ok(())
    }

    async fn callback(&mut self, mut callback: Callback) -> Result<Answer, Refusal> {
        let kit = self.session.key.bot.kit();
        if Naming::is_forged(&callback.text) {
            return Ok(Answer::default_of_game(kit, &callback.text));
        }
        let received = callback.received;
        let time = Arrival {
            received,
            queued: received.elapsed(),
            at_us: self.registry.wall_us(received),
        };
        self.registry.meters.callbacks.increment(1);
        if let Some(held) = callback.held {
            callback.match_id = self.refresh(held).await?;
        }
        if let Some(core) = self.core.as_deref_mut() {
            append::look(&self.registry, core);
        }
        if let Some(answer) = self.after_its_end(&callback) {
            return answer;
        }
        let deadline = self.deadline(&callback);
        self.wake(deadline).await?;
        let joins = match self.standing(&callback).await? {
            Standing::Known(answer) => return Ok(answer),
            Standing::Next => None,
            Standing::Begins => Some(false),
            Standing::Joins => Some(true),
        };
        if let Some(joins) = joins {
            let begun = Box::pin(self.begin(joins, time.at_us, &mut callback)).await;
            begun.inspect_err(|_| self.session.hold(None))?;
            self.wake(deadline).await?;
        }
        let Some(core) = self.core.as_deref_mut() else {
            return Ok(Answer::default_of_game(kit, &callback.text));
        };
        if callback.numbered.is_some() {
            takes_numbered(core)?;
        }
        let message = incoming(callback, joins == Some(false), time);
        fold::replay_preamble(core, &message.before);
        let turn = Turn::take(&self.registry, &self.session.key.bot, core, message).await;
        if joins == Some(true) && turn.ending.is_some() {
            self.forget(turn.ending);
            return Ok(Answer::default_of_game(kit, &turn.text));
        }
        let answer = commit(&self.registry, &self.session, &mut self.core, turn).await;
        self.send_on();
        answer
    }

    /// Reads the session again, if another replica may have gone on with it.
    async fn refresh(&mut self, held: Held) -> Result<Option<String>, Refusal> {
        let refreshing =
            ownership::refresh(&self.registry, &self.session, &mut self.core, held.epoch);
        Box::pin(refreshing).await
    }

    /// What is answered after the session's end to a message that begins no other one.
    fn after_its_end(&self, callback: &Callback) -> Option<Result<Answer, Refusal>> {
        let core = self.core.as_deref().filter(|core| core.ended)?;
        match &callback.numbered {
            // What was answered without us after its end is nobody's any more.
            Some(numbered) if !core.normal => Some(match numbered.local {
                Some(_) => Ok(Answer::nothing()),
                None => Err(Refusal::Over),
            }),
            _ if callback.begins => None,
            _ => {
                self.registry.meters.defaulted("ended");
                let kit = self.session.key.bot.kit();
                Some(Ok(Answer::default_of_game(kit, &callback.text)))
            }
        }
    }

    /// How a message stands to the session, whose dialogue is there if it can be.
    async fn standing(&mut self, callback: &Callback) -> Result<Standing, Refusal> {
        if let Some(numbered) = &callback.numbered {
            let (core, bot) = (self.core.as_deref_mut(), &self.session.key.bot);
            let order = numbering::number(&self.registry, core, bot, numbered, &callback.text);
            return Ok(match Box::pin(order).await? {
                MessageOrder::Before(answer) => {
                    Standing::Known(Box::pin(self.again(answer)).await?)
                }
                MessageOrder::First => Standing::Begins,
                MessageOrder::Next => Standing::Next,
            });
        }
        let repeated = match self.repeated(&callback.text) {
            Some(answer) => Some(answer),
            None => self.handled(callback).await?,
        };
        Ok(match repeated {
            Some(answer) => Standing::Known(answer),
            None if callback.begins => Standing::Begins,
            None if self.core.is_none() => Standing::Joins,
            None => Standing::Next,
        })
    }

    /// An answer that was given before; it is stored when it is given again.
    async fn again(&mut self, answer: Answer) -> Result<Answer, Refusal> {
        if let Some(core) = self.core.as_deref_mut() {
            let stored = append::catch_up(&self.registry, core).await;
            stored.map_err(|_| Refusal::Unfit)?;
        }
        Ok(answer)
    }

    /// When a message must be answered at the latest.
    fn deadline(&self, callback: &Callback) -> Instant {
        let numbered = callback.numbered.as_ref();
        if numbered.is_some_and(|numbered| numbered.local.is_some()) {
            // Answered already: nobody's clock runs.
            return Instant::now() + FOLD_WITHIN;
        }
        let limits = self.session.key.bot.kit().card().limits;
        let asked = Bounds {
            limit: match &self.core {
                Some(_) => limits.answer,
                None => limits.open,
            },
            target: None,
        };
        callback.received + Times::new(asked, self.registry.options.margin).deadline
    }

    /// Takes back a session that has received nothing but its own end: it ended before the last start
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
        let last = self.core.as_deref()?.own.last.as_deref()?;
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
            ..Answer::new(last.answer.clone())
        })
    }

    /// The logged answer to a message that may have been handled before, wherever in the log it stands: then that is in it
    /// since the message arrived first. (An earlier one may have had the same text: the referee had its answer by then.)
    async fn handled(&mut self, callback: &Callback) -> Result<Option<Answer>, Refusal> {
        let resent = callback.held.and_then(|held| held.resent);
        let stored = self.core.as_deref();
        let Some((age, (id, head))) =
            resent.zip(stored.and_then(|core| Some((core.id, core.head?))))
        else {
            return Ok(None);
        };
        let store = &self.registry.dependencies.store;
        let entries = store.transcript(id, head).await;
        let entries = entries.map_err(|_| Refusal::Unstored)?;
        let since_us = self.registry.now_us() - i64::from(micros(age)) - CLOCKS_DIFFER_US;
        let is_message = |entry: &Entry| entry.direction == Direction::In;
        let same = |entry: &Entry| {
            is_message(entry) && entry.at_us >= since_us && entry.text == callback.text
        };
        let Some(at) = entries.iter().rposition(same) else {
            return Ok(None);
        };
        let later = entries.iter().skip(at + 1);
        let answered = 1 + later.take_while(|entry| !is_message(entry)).count();
        let until = entries.iter().take(at + answered).map(Line::from);
        Ok(replay::last_message(until).map(|found| Answer::new(found.answer)))
    }

    /// Opens a session; the one that was live under this key ends first. `late`: its first messages were not received.
    async fn begin(
        &mut self,
        late: bool,
        at_us: i64,
        callback: &mut Callback,
    ) -> Result<(), Refusal> {
        if self.core.as_ref().is_some_and(|core| !core.ended) {
            let why = "the referee began a new match under the same numbers";
            let closed = self.close(Cause::Unterminated, why, Unstored::Retries);
            let closed = closed.await;
            if let Err(Refusal::Fenced) = closed {
                return Err(Refusal::Fenced);
            }
            if let (Err(_), Some(core)) = (closed, self.core.as_deref_mut()) {
                self.registry
                    .end(&self.session.key, core, Cause::Unterminated);
                append::close_later(&self.registry, core, Cause::Unterminated, why);
            }
        }
        let place = match callback.place.take() {
            Some(place) => *place,
            None => begins::admit(&self.registry, &self.session.key, callback.origin)?,
        };
        let launch = Self::launch(&self.registry, &self.session).await?;
        let left = self.core.take();
        self.session.unhand();
        let beginning = Beginning {
            place,
            at_us,
            late,
            left: left.as_deref().map(|core| &*core.match_id),
            live: callback.match_id.as_deref(),
            follows: callback
                .held
                .map(|_| Follows(left.as_deref().map(|core| core.id))),
            opening: callback.opening.as_deref(),
            launch,
        };
        let core = opening::open(&self.registry, &self.session.key, beginning);
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
        let launch = registry.dependencies.bots.look(name).await;
        let launch = launch.filter(|launch| launch.plays(bot.kit().card().name));
        if launch.is_none() {
            registry.meters.refused(Refusal::NoBot.word());
            return Err(Refusal::NoBot);
        }
        Ok(launch)
    }

    /// Ends the session without a word from its referee.
    async fn close(
        &mut self,
        cause: Cause,
        detail: &str,
        unstored: Unstored,
    ) -> Result<(), Refusal> {
        let Some(core) = self.core.as_deref_mut().filter(|core| !core.ended) else {
            return Ok(());
        };
        if core.head.is_none() {
            self.registry.end(&self.session.key, core, cause);
            return Ok(());
        }
        let close = Close {
            detail: detail.to_owned(),
            ..Close::new(self.registry.now_us(), cause)
        };
        self.finish(Vec::new(), Box::new(close), unstored).await
    }
}

/// Whether the session can take the next message of an edge, which can answer alone otherwise.
fn takes_numbered(core: &SessionState) -> Result<(), Refusal> {
    match core.own.is_broken() {
        true => Err(Refusal::Over),
        false if core.own.is_absent() => Err(Refusal::Unfit),
        false => Ok(()),
    }
}

fn incoming(callback: Callback, begins: bool, time: Arrival) -> Incoming {
    Incoming {
        text: callback.text,
        before: callback
            .opening
            .map_or_else(Vec::new, |opening| opening.before),
        via: match callback.numbered.map(|numbered| numbered.local) {
            None => Via::Referee { begins },
            Some(None) => Via::Edge,
            Some(Some(local)) => Via::Local(local),
        },
        time,
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
