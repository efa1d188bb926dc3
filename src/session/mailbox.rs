//! A session as others see it: a bounded mailbox. While messages wait, one actor works on them in
//! order; without any there is no actor, only the [`SessionState`].

use super::bot_address::Key;
use super::core::SessionState;
use super::message::{Ended, Expiry, Held, Numbered, Opening, Origin, Place, Refusal, TakenIn};
use super::meters::Meters;
pub(super) use crate::clock::micros;
use crate::cluster::Epoch;
use crate::store::types::LedgerRow;
use crate::store::{Storage, StoreError};
use bytes::Bytes;
use games::Kit;
use parking_lot::{Mutex, MutexGuard};
use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use tokio::sync::oneshot;
use tokio::time::Instant;

/// What a session receives.
pub(super) enum Message {
    /// A message of the referee, and who waits for its answer.
    Callback(Callback, oneshot::Sender<Result<Answer, Refusal>>),
    /// The session has been left alone for too long.
    Expire(Expiry),
    /// Who sits where, by how many seats clockwise, and who waits for it to be stored.
    Name(Vec<(u8, String)>, oneshot::Sender<Named>),
    /// What was on its way to the store has arrived there, or has not.
    Look,
}

/// The live session that took names in, once they are stored; `None`: it had ended.
pub(super) type Named = Result<Option<TakenIn>, StoreError>;

/// A message of the referee.
pub(super) struct Callback {
    pub(super) text: String,
    pub(super) begins: bool,
    /// What else is known of a session that begins.
    pub(super) opening: Option<Box<Opening>>,
    pub(super) received: Instant,
    pub(super) origin: Origin,
    /// The place of the session that it begins, where none was known.
    pub(super) place: Option<Box<Place>>,
    /// Where an edge numbers its messages: the number, and how it was answered without us.
    pub(super) numbered: Option<Numbered>,
    /// Where several replicas share the store: that its session is owned here.
    pub(super) held: Option<Held>,
    /// The match that is live under its market, as the store has just said.
    pub(super) match_id: Option<String>,
}

impl Callback {
    pub(super) fn new(text: String, received: Instant) -> Self {
        Self {
            text,
            begins: false,
            opening: None,
            received,
            origin: Origin::default(),
            place: None,
            numbered: None,
            held: None,
            match_id: None,
        }
    }
}

/// One session's place in the registry. Outlives its sessions: a new match of the same key lives here too.
pub(super) struct Session {
    pub(super) key: Key,
    /// How far answers are known to have been handed to the transport.
    handed: AtomicU64,
    /// When the last message came, in milliseconds on the registry's clock.
    touched_ms: AtomicI64,
    /// The epoch in which it was read from a store that others write to, too; 0: none.
    epoch: AtomicU64,
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
    /// Nobody is at work: the caller that brought the message works on it, with the session's core.
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
            epoch: AtomicU64::new(0),
            mailbox: Mutex::new(Mailbox {
                core,
                ..Mailbox::default()
            }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Mailbox> {
        self.mailbox.lock()
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

    /// In which epoch it was read from a store that others write to, too.
    pub(super) fn epoch(&self) -> Option<Epoch> {
        let epoch = self.epoch.load(Ordering::Relaxed);
        (epoch > 0).then_some(Epoch(epoch))
    }

    pub(super) fn hold(&self, epoch: Option<Epoch>) {
        self.epoch
            .store(epoch.map_or(0, |epoch| epoch.0), Ordering::Relaxed);
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

/// An answer.
#[derive(Debug)]
pub struct Answer {
    /// Its exact text; empty where there is nothing to say.
    pub text: Bytes,
    /// To be notified once the answer is handed to the transport.
    pub sending: Option<Sending>,
    /// Whether it is stored. If not, the message is to be delivered again unless a later answer is stored.
    pub stored: bool,
    /// How the session came to its end, if it has.
    pub ended: Option<Ended>,
}

impl Answer {
    /// An answer whose handing over nobody need report.
    pub(super) fn new(text: impl Into<Bytes>) -> Self {
        Self {
            text: text.into(),
            sending: None,
            stored: true,
            ended: None,
        }
    }

    /// An answer without a word.
    pub(super) fn nothing() -> Self {
        Self::new(Bytes::new())
    }

    /// What the game's player says to this message when nothing better is known.
    pub(super) fn default_of_game(kit: &dyn Kit, message: &str) -> Self {
        Self::new(kit.card().dialect.default_answer(message).as_bytes())
    }
}

/// An answer's way to the transport. Dropped without [`Sending::handed`], the answer counts as not
/// sent: the same message again is a repetition and gets the same answer.
#[must_use = "call handed() once the transport has the answer"]
pub struct Sending {
    pub(super) session: Arc<Session>,
    /// The answered message's place in the transcript, plus one.
    pub(super) mark: u64,
    pub(super) ledger: Option<Box<Ledger>>,
}

impl fmt::Debug for Sending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Sending({:?}, {})", self.session, self.mark)
    }
}

/// A decision's timings, complete but for the last.
pub(super) struct Ledger {
    pub(super) row: LedgerRow,
    pub(super) received: Instant,
    pub(super) store: Arc<dyn Storage>,
    pub(super) meters: Arc<Meters>,
}

impl Sending {
    /// The transport has the answer.
    pub fn handed(self) {
        self.session.hand(self.mark);
        if let Some(mut ledger) = self.ledger {
            ledger.row.sent_us = micros(ledger.received.elapsed());
            ledger.meters.ledger(&ledger.row);
            ledger.store.note_ledger(ledger.row);
        }
    }
}
