//! What all sessions of this process share.

use super::bot_address::Key;
use super::core::SessionState;
use super::groups::Groups;
use super::mailbox::Session;
use super::message::Refusal;
use super::meters::Meters;
use super::options::{Dependencies, SessionOptions};
use super::program::Program;
use crate::link::{Peer, Shares};
use crate::seldom::Rates;
use crate::store::types::SessionId;
use games::seat::{OwnSeat, Settings as SeatSettings};
use games::{Cause, Kit};
use parking_lot::{Mutex, MutexGuard};
use std::collections::HashMap;
use std::collections::hash_map::{Entry, RandomState};
use std::hash::BuildHasher;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Under shortage a peer may begin this many sessions at once, and one more each time that this has passed. Fifty
/// matches at once of quick players stay below; their number is what shares bound.
const BEGINS_AT_ONCE: u32 = 1_000;
const ONE_MORE_BEGINS: Duration = Duration::from_millis(5);

/// Parts of the registry that are locked apart.
const SHARDS: usize = 64;

/// What all actors share.
pub(super) struct Registry {
    pub(super) options: SessionOptions,
    pub(super) dependencies: Dependencies,
    pub(super) meters: Arc<Meters>,
    pub(super) shares: Arc<Shares>,
    /// Of sessions that strangers have begun and of which nothing more was received.
    pub(super) begun: Arc<Shares>,
    /// Those of them that have ended and are to be removed from the store.
    pub(super) void: Mutex<Vec<i64>>,
    /// How fast each peer begins sessions.
    pub(super) rates: Rates<Peer>,
    pub(super) draining: AtomicBool,
    pub(super) tracker: TaskTracker,
    /// Where sessions work, for all callers.
    pub(super) runtime: Handle,
    pub(super) stop: CancellationToken,
    started: Instant,
    pub(super) started_us: i64,
    hasher: RandomState,
    pub(super) shards: Vec<Mutex<HashMap<Key, Arc<Session>>>>,
    groups: Mutex<Groups>,
}

impl Registry {
    pub(super) fn new(options: SessionOptions, dependencies: Dependencies) -> Self {
        // All replicas together have as many.
        let parts = dependencies.replica.as_ref();
        let parts = parts.map_or_else(Arc::default, |replica| replica.replicas());
        let begun = options.sessions_max.min(options.begun_max);
        Self {
            shares: Shares::among(options.sessions_max, usize::MAX, Arc::clone(&parts)),
            begun: Shares::among(begun, usize::MAX, parts),
            void: Mutex::default(),
            rates: Rates::new(BEGINS_AT_ONCE, ONE_MORE_BEGINS),
            options,
            dependencies,
            meters: Arc::new(Meters::new()),
            draining: AtomicBool::new(false),
            tracker: TaskTracker::new(),
            runtime: Handle::current(),
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
        self.groups.lock()
    }

    pub(super) fn shard(&self, key: &Key) -> &Mutex<HashMap<Key, Arc<Session>>> {
        let number = self.hasher.hash_one(key) as usize % SHARDS;
        self.shards
            .get(number)
            .expect("a remainder of the number of shards")
    }

    /// Whether this session is in play here.
    pub(super) fn is_live_here(&self, key: &Key, id: SessionId) -> bool {
        let session = self.shard(key).lock().get(key).map(Arc::clone);
        let same = |core: &SessionState| core.id == id && !core.ended;
        // One that is being worked on is.
        session.is_some_and(|session| session.peek(same).unwrap_or(true))
    }

    /// The session of this key, which is touched.
    pub(super) fn find_or_make(&self, key: Key) -> Arc<Session> {
        let now_ms = self.clock_ms();
        match self.shard(&key).lock().entry(key) {
            Entry::Occupied(at) => {
                at.get().touch(now_ms);
                Arc::clone(at.get())
            }
            Entry::Vacant(at) => {
                let session = Arc::new(Session::new(at.key().clone(), None, now_ms));
                Arc::clone(at.insert(session))
            }
        }
    }

    /// Everything but the store's part of ending a session.
    pub(super) fn end(&self, key: &Key, core: &mut SessionState, cause: Cause) {
        core.ended = true;
        core.normal = cause == Cause::Normal;
        core.permit = None;
        core.void = core.begun.take().is_some() && cause == Cause::Unterminated;
        if core.void {
            self.void.lock().push(core.id.0);
        }
        if core.head.is_some() {
            let (session, match_id) = (core.id.0, &core.match_id);
            tracing::info!(session, match_id, cause = cause.word(), "a session ended");
            self.dependencies.identities.forget_rivals(key.player());
        }
        if let Some(program) = core.program.take() {
            let (kit, part) = (key.bot.kit(), core.own.program());
            program.end(&self.dependencies, &self.tracker, kit, core.id, part, cause);
        }
        core.sleep();
        core.set_setup(&serde_json::Value::Null);
        self.groups().leave(key, &core.match_id);
        self.meters.live.decrement(1.0);
        self.meters.ended(cause.word());
    }

    /// The seat of a session that plays this game; `program`: its program, if its bot is one.
    pub(super) fn own_seat(&self, kit: &dyn Kit, program: Option<&Program>) -> OwnSeat {
        let settings = SeatSettings {
            limits: kit.card().limits,
            margin: self.options.margin,
            ceiling: self.options.ceiling(kit.card().name),
            nodes: self.options.nodes.unwrap_or(u64::MAX),
        };
        OwnSeat::new(settings, program.map(|program| program.driver.part(None)))
    }

    /// Nothing can be stored any more, so nothing may be acknowledged.
    pub(super) fn stopping(&self) -> Refusal {
        self.meters.refused(Refusal::Draining.word());
        Refusal::Draining
    }
}
