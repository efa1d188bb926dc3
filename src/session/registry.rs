//! All sessions of this process, by key.

use super::actor::Actor;
use super::answer::{Answer, Refusal};
use super::begins::{self, Origin, Rates};
use super::bot_address::{BotAddress, Key};
use super::core::SessionState;
use super::detach::DetachOnDrop;
use super::groups::Groups;
use super::mailbox::{Callback, Entered, Expiry, Message, Numbered, Opening, Session};
use super::meters::Meters;
use super::options::{Dependencies, SessionOptions, StoreError};
use super::sweep;
use crate::link::{Peer, Share, Shares};
use crate::store::SessionRow;
use crate::store::types::{Durability, EntryId, LiveSession, NewSession, SessionId, Side};
use games::{Cause, Wire};
use serde::Serialize;
use std::collections::HashMap;
use std::collections::hash_map::{Entry, RandomState};
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Sessions that ended so long before a start are not known any more after it: no referee repeats a
/// message after that, in microseconds.
const ENDED_SINCE_US: i64 = 10 * 60 * 1_000_000;
/// Parts of the registry that are locked apart.
const SHARDS: usize = 64;

/// Built-in bots by game, bot and referee; `None` where this version knows no such bot.
type KnownBots = HashMap<(String, String, String), Option<Arc<BotAddress>>>;

/// All sessions. Cheap to clone.
#[derive(Clone)]
pub struct Sessions {
    shared: Arc<Shared>,
}

/// What all actors share.
pub(super) struct Shared {
    pub(super) options: SessionOptions,
    pub(super) dependencies: Dependencies,
    pub(super) meters: Arc<Meters>,
    pub(super) shares: Arc<Shares>,
    pub(super) rates: Rates,
    pub(super) draining: AtomicBool,
    pub(super) tracker: TaskTracker,
    pub(super) stop: CancellationToken,
    started: Instant,
    started_us: i64,
    hasher: RandomState,
    pub(super) shards: Vec<Mutex<HashMap<Key, Arc<Session>>>>,
    groups: Mutex<Groups>,
}

/// A live session, as REST shows it.
#[derive(Clone, Debug, Serialize)]
pub struct SessionView {
    /// Its number.
    pub id: SessionId,
    /// The match it belongs to.
    pub match_id: String,
    /// The game's name.
    pub game: &'static str,
    /// The bot's name.
    pub bot: &'static str,
    /// Who referees.
    pub referee: String,
    /// The referee's number of the match.
    pub market: u64,
    /// The referee's number of the player.
    pub player: u64,
    /// The absolute seat, where known.
    pub seat: Option<u8>,
    /// How many entries its transcript has.
    pub entries: u64,
    /// Its last entry.
    pub head: Option<EntryId>,
    /// Whether its dialogue is in memory.
    pub awake: bool,
    /// Whether its bot hung and is not asked any more.
    pub quarantined: bool,
    /// Milliseconds since its last message.
    pub idle_ms: u64,
}

impl Sessions {
    /// Takes up all sessions that have not ended and starts sweeping. Each is folded when it is
    /// first needed.
    ///
    /// # Errors
    /// [`StoreError`] if the store cannot say which sessions are live.
    pub async fn open(
        options: SessionOptions,
        dependencies: Dependencies,
    ) -> Result<Self, StoreError> {
        let live = dependencies.store.live().await?;
        let shared = Arc::new(Shared::new(options, dependencies));
        let mut known = KnownBots::new();
        for found in live {
            if found.opened.side == Side::Player {
                shared.take_up(found, &mut known);
            }
        }
        let since_us = shared.now_us() - ENDED_SINCE_US;
        for row in shared
            .dependencies
            .store
            .ended_since(since_us)
            .await?
            .into_iter()
            .rev()
        {
            if row.opened.side == Side::Player {
                shared.remember_ended(row, &mut known);
            }
        }
        drop(known);
        shared.tracker.spawn(sweep::run(Arc::clone(&shared)));
        Ok(Self { shared })
    }

    /// One message for the session of this key, with the moment at which it was received. The answer
    /// is durable.
    ///
    /// # Errors
    /// [`Refusal`] if it begins a session and there is no room for one, or if all is stopping; nothing
    /// is stored then.
    pub async fn callback(
        &self,
        key: Key,
        begins: bool,
        text: String,
        received: Instant,
    ) -> Result<Answer, Refusal> {
        let nobody = Origin::default();
        self.callback_from(nobody, key, begins, text, received)
            .await
    }

    /// As [`Sessions::callback`]; a session that this begins counts for whom it came from.
    ///
    /// # Errors
    /// As [`Sessions::callback`], and if that caller has its share while little is left.
    pub async fn callback_from(
        &self,
        origin: Origin,
        key: Key,
        begins: bool,
        text: String,
        received: Instant,
    ) -> Result<Answer, Refusal> {
        let callback = Callback {
            text,
            begins,
            opening: None,
            received,
            origin,
            permit: None,
            numbered: None,
        };
        self.tell(key, callback).await
    }

    /// A message that an edge has numbered: heard once, however often it comes, and answered the same
    /// each time. The first one begins the session.
    ///
    /// # Errors
    /// As [`Sessions::callback`]; [`Refusal::Gap`] if messages before it have not come.
    pub async fn numbered(
        &self,
        key: Key,
        numbered: Numbered,
        text: String,
        received: Instant,
    ) -> Result<Answer, Refusal> {
        let first = numbered.number == 1;
        let route = || key.bot.kit().route(text.as_bytes()).ok();
        let seating = first.then(route).flatten().and_then(|route| route.seating);
        let opening = seating.map(|seating| {
            Box::new(Opening {
                before: Vec::new(),
                words: serde_json::Value::Null,
                seating: Some(seating),
                line: None,
            })
        });
        let callback = Callback {
            text,
            begins: false,
            opening,
            received,
            origin: Origin::default(),
            permit: None,
            numbered: Some(numbered),
        };
        self.tell(key, callback).await
    }

    /// The first message of a session of which more is known. Otherwise as [`Sessions::callback`].
    ///
    /// # Errors
    /// As [`Sessions::callback`].
    pub async fn begin(
        &self,
        key: Key,
        opening: Opening,
        text: String,
        received: Instant,
    ) -> Result<Answer, Refusal> {
        let callback = Callback {
            text,
            begins: true,
            opening: Some(Box::new(opening)),
            received,
            origin: Origin::default(),
            permit: None,
            numbered: None,
        };
        self.tell(key, callback).await
    }

    /// Whether a session could begin now.
    ///
    /// # Errors
    /// [`Refusal`] says why not.
    pub fn admits(&self) -> Result<(), Refusal> {
        match self.refusal() {
            Some(refusal) => {
                self.shared.meters.refused(refusal.word());
                Err(refusal)
            }
            None => Ok(()),
        }
    }

    /// Why a session that began now would be refused to somebody who has none, if it would.
    #[must_use]
    pub fn refusal(&self) -> Option<Refusal> {
        begins::refusal(&self.shared)
    }

    /// Whether sessions or thinking are scarce: callers then get no more than their share.
    #[must_use]
    pub fn is_short(&self) -> bool {
        begins::is_short(&self.shared)
    }

    /// Ends the session of this key, if it lives, after the messages that wait for it.
    pub fn end(&self, key: &Key, cause: Cause, detail: String) {
        self.expire(key, cause, detail, false);
    }

    /// The other side of this key's session has hung up, after the messages that wait for it. On some
    /// wires that is how a match ends; on the others it is a [`Cause::Disconnect`].
    pub fn hung_up(&self, key: &Key, detail: String) {
        self.expire(key, Cause::Disconnect, detail, true);
    }

    fn expire(&self, key: &Key, cause: Cause, detail: String, hung_up: bool) {
        let found = lock(self.shared.shard(key)).get(key).map(Arc::clone);
        if let Some(session) = found {
            let expiry = Expiry {
                idle_since_ms: i64::MAX,
                cause,
                detail: detail.into(),
                hung_up,
            };
            session.expire(&self.shared, expiry);
        }
    }

    async fn tell(&self, key: Key, mut callback: Callback) -> Result<Answer, Refusal> {
        if self.shared.stop.is_cancelled() {
            return Err(self.shared.stopping());
        }
        let kit = key.bot.kit();
        let numbered = callback.numbered.is_some();
        let (session, permit) = self.shared.find_or_make(key, callback.origin)?;
        callback.permit = permit;
        let queue = |callback| {
            let (reply, answer) = oneshot::channel();
            (Message::Callback(callback, reply), answer)
        };
        match session.enter(callback, self.shared.options.mailbox_max, queue) {
            Entered::Idle(core, callback) => {
                let actor = Actor::new(Arc::clone(&self.shared), session, core);
                DetachOnDrop::new(&self.shared.tracker, actor.answer(callback)).await
            }
            // The actor answers every message it takes; without it the process is ending.
            Entered::Waits(answer) => answer.await.unwrap_or_else(|_| Err(self.shared.stopping())),
            // Whoever numbers his messages must not take one for heard that was not.
            Entered::Full if numbered => Err(Refusal::Busy),
            Entered::Full => {
                self.shared.meters.defaulted("mailbox_full");
                Ok(Answer::default_of_game(kit, ""))
            }
        }
    }

    /// Whether what is stored of this game survives a power cut.
    #[must_use]
    pub fn survives_power_cuts(&self, game: &str) -> bool {
        self.shared.options.durability(game) == Durability::Power
    }

    /// How many sessions have not ended.
    #[must_use]
    pub fn live(&self) -> usize {
        self.shared.shares.taken()
    }

    /// How many sessions may live at once.
    #[must_use]
    pub fn max(&self) -> usize {
        self.shared.shares.max()
    }

    /// Live sessions at rest, in no particular order, at most `limit`.
    #[must_use]
    pub fn list(&self, limit: usize) -> Vec<SessionView> {
        let now_ms = self.shared.clock_ms();
        let mut found = Vec::new();
        for shard in &self.shared.shards {
            for session in lock(shard).values() {
                if found.len() >= limit {
                    return found;
                }
                let view = session.peek(|core| (!core.ended).then(|| view(session, core, now_ms)));
                found.extend(view.flatten());
            }
        }
        found
    }

    /// No new sessions from now on; those that live go on.
    pub fn drain(&self) {
        self.shared.draining.store(true, Ordering::Relaxed);
    }

    /// Whether [`Sessions::drain`] was called.
    #[must_use]
    pub fn draining(&self) -> bool {
        self.shared.draining.load(Ordering::Relaxed)
    }

    /// Ends sweeping and waits for the messages that are being worked on. Live sessions stay live in
    /// the store: the next start takes them up.
    pub async fn close(&self) {
        self.drain();
        self.shared.stop.cancel();
        self.shared.tracker.close();
        self.shared.tracker.wait().await;
    }
}

fn view(session: &Session, core: &SessionState, now_ms: i64) -> SessionView {
    let bot = &session.key.bot;
    SessionView {
        id: core.id,
        match_id: core.match_id.to_string(),
        game: bot.kit().game(),
        bot: bot.card().name,
        referee: bot.referee().to_owned(),
        market: session.key.market,
        player: session.key.id,
        seat: core.seat,
        entries: core.seq,
        head: core.head,
        awake: core.awake(),
        quarantined: core.quarantine.holds() || core.hangs(),
        idle_ms: u64::try_from(now_ms - session.touched_ms()).unwrap_or(0),
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn new(options: SessionOptions, dependencies: Dependencies) -> Self {
        Self {
            shares: Shares::new(options.sessions_max),
            rates: Rates::new(),
            options,
            dependencies,
            meters: Arc::new(Meters::new()),
            draining: AtomicBool::new(false),
            tracker: TaskTracker::new(),
            stop: CancellationToken::new(),
            started: Instant::now(),
            started_us: crate::clock::now_us(),
            hasher: RandomState::new(),
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            groups: Mutex::default(),
        }
    }

    /// Milliseconds on the registry's own clock, which never goes back.
    pub(super) fn clock_ms(&self) -> i64 {
        i64::try_from(self.started.elapsed().as_millis()).unwrap_or(i64::MAX)
    }

    /// A moment in microseconds since 1970-01-01 UTC. Steady: later moments never have lower numbers.
    pub(super) fn wall_us(&self, at: Instant) -> i64 {
        let since = at.saturating_duration_since(self.started);
        self.started_us
            .saturating_add(i64::try_from(since.as_micros()).unwrap_or(0))
    }

    pub(super) fn now_us(&self) -> i64 {
        self.wall_us(Instant::now())
    }

    pub(super) fn groups(&self) -> MutexGuard<'_, Groups> {
        lock(&self.groups)
    }

    fn shard(&self, key: &Key) -> &Mutex<HashMap<Key, Arc<Session>>> {
        let number = self.hasher.hash_one(key) as usize % SHARDS;
        self.shards
            .get(number)
            .expect("a remainder of the number of shards")
    }

    /// The session of this key; with a share for one that was not known.
    fn find_or_make(
        &self,
        key: Key,
        origin: Origin,
    ) -> Result<(Arc<Session>, Option<Box<Share>>), Refusal> {
        let shard = self.shard(&key);
        let now_ms = self.clock_ms();
        if let Some(session) = lock(shard).get(&key) {
            // Touched under the lock, so that the sweep does not forget it meanwhile.
            session.touch(now_ms);
            return Ok((Arc::clone(session), None));
        }
        // Refused keys stay out of the registry.
        let permit = begins::admit(self, &key, origin)?;
        let session = match lock(shard).entry(key) {
            Entry::Occupied(at) => Arc::clone(at.get()),
            Entry::Vacant(at) => {
                let session = Arc::new(Session::new(at.key().clone(), None, now_ms));
                Arc::clone(at.insert(session))
            }
        };
        Ok((session, Some(Box::new(permit))))
    }

    fn take_up(self: &Arc<Self>, found: LiveSession, known: &mut KnownBots) {
        let opened = &found.opened;
        let Some(bot) = self.known_bot(opened, known) else {
            tracing::warn!(
                session = found.id.0,
                game = opened.game,
                bot = opened.bot,
                "a live session's game or bot is unknown to this version: it is left alone"
            );
            return;
        };
        let key = Key {
            bot,
            market: opened.market,
            id: opened.player,
        };
        self.groups().join_known(&key, &opened.match_id);
        // Who began it is known where its address is the referee's name; else it is nobody's share.
        let peer = key.bot.referee().parse().ok().map(Peer::of);
        let permit = self.shares.take_again(peer).ok();
        let idle_ms = (self.started_us - found.last_us) / 1000;
        let core = Box::new(SessionState::found(found, permit));
        self.meters.live.increment(1.0);
        let session = Arc::new(Session::new(key.clone(), Some(core), -idle_ms));
        if key.bot.kit().wire() == Wire::Hub {
            let expiry = Expiry {
                idle_since_ms: i64::MAX,
                cause: Cause::Disconnect,
                detail: "the daemon was stopped in mid-game".into(),
                hung_up: false,
            };
            session.expire(self, expiry);
        }
        let former = lock(self.shard(&key)).insert(key, session);
        if let Some(former) = former {
            // Its end could not be stored when the next match of its key began.
            let expiry = Expiry {
                idle_since_ms: i64::MAX,
                cause: Cause::Unterminated,
                detail: "the referee began a new match under the same numbers".into(),
                hung_up: false,
            };
            former.expire(self, expiry);
        }
    }

    /// A session that ended before the start: what its referee repeats gets the default, as before.
    fn remember_ended(&self, row: SessionRow, known: &mut KnownBots) {
        let Some(bot) = self.known_bot(&row.opened, known) else {
            return;
        };
        let key = Key {
            bot,
            market: row.opened.market,
            id: row.opened.player,
        };
        let idle_ms = (self.started_us - row.ended_us.unwrap_or(self.started_us)) / 1000;
        let core = Box::new(SessionState::over(row));
        let session = || Arc::new(Session::new(key.clone(), Some(core), -idle_ms));
        lock(self.shard(&key))
            .entry(key.clone())
            .or_insert_with(session);
    }

    fn known_bot(&self, opened: &NewSession, known: &mut KnownBots) -> Option<Arc<BotAddress>> {
        let names = (
            opened.game.clone(),
            opened.bot.clone(),
            opened.referee.clone(),
        );
        let bot = known
            .entry(names)
            .or_insert_with_key(|(game, bot, referee)| {
                let kit = (self.dependencies.find)(game)?;
                BotAddress::new(kit, bot, referee).map(Arc::new)
            });
        bot.clone()
    }

    /// Everything but the store's part of ending a session.
    pub(super) fn end(&self, key: &Key, core: &mut SessionState, cause: Cause) {
        core.ended = true;
        core.normal = cause == Cause::Normal;
        core.permit = None;
        core.sleep();
        core.setup = serde_json::Value::Null;
        self.groups().leave(key, &core.match_id);
        self.meters.live.decrement(1.0);
        self.meters.ended(cause.word());
    }

    /// Nothing can be stored any more, so nothing may be acknowledged.
    pub(super) fn stopping(&self) -> Refusal {
        self.meters.refused(Refusal::Draining.word());
        Refusal::Draining
    }

    /// After how long without a message an ended session is forgotten.
    pub(super) fn forget_after(&self) -> Duration {
        self.options.idle_limit
    }
}
