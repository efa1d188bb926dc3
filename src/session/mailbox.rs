//! A session as others see it: a bounded mailbox. While messages wait, one actor works on them in
//! order; without any there is no actor, only the [`SessionState`].

use super::actor::Actor;
use super::answer::{Answer, Refusal};
use super::begins::Origin;
use super::bot_address::Key;
use super::core::SessionState;
use super::registry::Shared;
use crate::link::Share;
use crate::store::types::NewEntry;
use games::{Cause, Seating};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;
use tokio::sync::oneshot;

/// What a session is told.
pub(super) enum Message {
    /// A message of the referee, and who waits for its answer.
    Callback(Callback, oneshot::Sender<Result<Answer, Refusal>>),
    /// The session has been left alone for too long.
    Expire(Expiry),
}

/// A message of the referee.
pub(super) struct Callback {
    pub(super) text: String,
    pub(super) begins: bool,
    /// What else is known of a session that begins.
    pub(super) opening: Option<Box<Opening>>,
    pub(super) received: Instant,
    pub(super) origin: Origin,
    /// The place of the session that it begins, where none was known.
    pub(super) permit: Option<Box<Share>>,
    /// Where an edge numbers its messages: the number, and how it was answered without us.
    pub(super) numbered: Option<Numbered>,
}

/// A message that an edge has numbered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbered {
    /// Its number in its session, from 1.
    pub number: u64,
    /// What the edge answered by itself while we were away.
    pub local: Option<Local>,
}

/// An answer that was given without us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Local {
    /// Its exact text; may be empty.
    pub said: String,
    /// When, in microseconds since 1970-01-01 UTC.
    pub at_us: i64,
}

/// What is known of a session that begins, beside its first message.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// What was said before, oldest first.
    pub before: Vec<NewEntry>,
    /// What the dialogue's opening words were made of ([`games::DialogueSetup::opening`]).
    pub words: Value,
    /// The own seat and how many there are, where the wire tells.
    pub seating: Option<Seating>,
    /// Our own end of the line, if it is one to a hub: our own hub knows it.
    pub line: Option<SocketAddr>,
}

/// An end, unless something came meanwhile: the last message must be older than this.
pub(super) struct Expiry {
    pub(super) idle_since_ms: i64,
    pub(super) cause: Cause,
    pub(super) detail: Cow<'static, str>,
    /// Whether the other side has hung up, which on some wires is the only word for the end.
    pub(super) hung_up: bool,
}

/// One session's place in the registry. Outlives its sessions: a new match of the same key lives here too.
pub(super) struct Session {
    pub(super) key: Key,
    /// How far answers are known to have been handed to the transport.
    handed: AtomicU64,
    /// When the last message came, in milliseconds on the registry's clock.
    touched_ms: AtomicI64,
    mailbox: Mutex<Mailbox>,
}

/// Waiting messages, and the core while nobody works on it.
#[derive(Default)]
struct Mailbox {
    waiting: VecDeque<Message>,
    busy: bool,
    core: Option<Box<SessionState>>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Session({:?}/{}/{})",
            self.key.bot, self.key.market, self.key.id
        )
    }
}

/// How a message came into a session.
pub(super) enum Entered<M, T> {
    /// Nobody is at work: whoever brought the message works on it, with the session's core.
    Idle(Option<Box<SessionState>>, M),
    /// It waits for the actor.
    Waits(T),
    /// Too many messages wait.
    Full,
}

/// A core at rest, as the sweep finds it.
pub(super) enum Rest {
    /// Messages are being worked on.
    Busy,
    /// No session was opened here.
    Empty,
    /// It has ended.
    Ended,
    /// It is live.
    Live,
}

impl Session {
    pub(super) fn new(key: Key, core: Option<Box<SessionState>>, touched_ms: i64) -> Self {
        Self {
            key,
            handed: AtomicU64::new(0),
            touched_ms: AtomicI64::new(touched_ms),
            mailbox: Mutex::new(Mailbox {
                core,
                ..Mailbox::default()
            }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Mailbox> {
        self.mailbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets a message in. While an actor is at work, it goes into the mailbox as what `wrap` makes of
    /// it, if fewer than `max` wait there.
    pub(super) fn enter<M, T>(
        &self,
        message: M,
        max: usize,
        wrap: impl FnOnce(M) -> (Message, T),
    ) -> Entered<M, T> {
        let mut mailbox = self.lock();
        if !mailbox.busy {
            mailbox.busy = true;
            return Entered::Idle(mailbox.core.take(), message);
        }
        if mailbox.waiting.len() >= max {
            return Entered::Full;
        }
        let (message, waits) = wrap(message);
        mailbox.waiting.push_back(message);
        Entered::Waits(waits)
    }

    /// Ends the session unless something comes: a full mailbox means that much came.
    pub(super) fn expire(self: &Arc<Self>, shared: &Arc<Shared>, expiry: Expiry) {
        let max = shared.options.mailbox_max;
        let entered = self.enter(expiry, max, |expiry| (Message::Expire(expiry), ()));
        if let Entered::Idle(core, expiry) = entered {
            let actor = Actor::new(Arc::clone(shared), Arc::clone(self), core);
            shared.tracker.spawn(actor.run(Message::Expire(expiry)));
        }
    }

    /// The actor's next message, or `None` after it gave the core back.
    pub(super) fn next(&self, core: &mut Option<Box<SessionState>>) -> Option<Message> {
        let mut mailbox = self.lock();
        let next = mailbox.waiting.pop_front();
        if next.is_none() {
            mailbox.busy = false;
            mailbox.core = core.take();
            if mailbox.waiting.capacity() > 0 {
                mailbox.waiting = VecDeque::new();
            }
        }
        next
    }

    pub(super) fn touch(&self, now_ms: i64) {
        self.touched_ms.store(now_ms, Ordering::Relaxed);
    }

    pub(super) fn touched_ms(&self) -> i64 {
        self.touched_ms.load(Ordering::Relaxed)
    }

    /// Notes that the answer to the message before `mark` reached the transport.
    pub(super) fn hand(&self, mark: u64) {
        self.handed.fetch_max(mark, Ordering::Relaxed);
    }

    pub(super) fn handed(&self, mark: u64) -> bool {
        self.handed.load(Ordering::Relaxed) >= mark
    }

    /// A new session begins under this key: nothing of it was handed over yet.
    pub(super) fn unhand(&self) {
        self.handed.store(0, Ordering::Relaxed);
    }

    /// How the session stands; a live one at rest is put to sleep if `sleep`.
    pub(super) fn rest(&self, sleep: bool) -> Rest {
        let mut mailbox = self.lock();
        if mailbox.busy {
            return Rest::Busy;
        }
        match mailbox.core.as_mut() {
            None => Rest::Empty,
            Some(core) if core.ended => Rest::Ended,
            Some(core) => {
                if sleep {
                    core.sleep();
                }
                Rest::Live
            }
        }
    }

    /// Looks at the core, if it is at rest.
    pub(super) fn peek<T>(&self, look: impl FnOnce(&SessionState) -> T) -> Option<T> {
        self.lock().core.as_deref().map(look)
    }
}
