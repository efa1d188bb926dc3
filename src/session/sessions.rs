//! All sessions of this process, by key.

use super::actor::{self, Actor};
use super::begins;
use super::bot_address::{BotAddress, Key};
use super::detach::DetachOnDrop;
use super::mailbox::{Answer, Callback, Entered, Message, Rest, Session};
use super::message::{Expiry, Held, Leaving, Numbered, Opening, Origin, Refusal, TakenIn};
use super::naming::NamingError;
use super::options::{Dependencies, SessionOptions, StoreError};
use super::registry::Registry;
use super::restore::{self, KnownBots};
use super::sweep;
use crate::cluster::Replica;
use crate::identities::Names;
use crate::programs::Bots;
use crate::store::types::{Durability, Side};
use games::{Cause, Kit, Wire};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// Sessions that ended so long before a start are not known any more after it: no referee repeats a
/// message after that, in microseconds.
const ENDED_SINCE_US: i64 = 10 * 60 * 1_000_000;

/// All sessions. Cheap to clone.
#[derive(Clone)]
pub struct Sessions {
    pub(super) registry: Arc<Registry>,
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
        let registry = Arc::new(Registry::new(options, dependencies));
        // What several processes share is taken up when a message needs it.
        if !registry.dependencies.store.is_remote() {
            Self::take_up(&registry).await?;
        }
        registry.tracker.spawn(sweep::run(Arc::clone(&registry)));
        Ok(Self { registry })
    }

    /// None: nothing is taken up, ended or expected. For those who only read.
    #[must_use]
    pub fn idle(options: SessionOptions, dependencies: Dependencies) -> Self {
        let registry = Arc::new(Registry::new(options, dependencies));
        Self { registry }
    }

    async fn take_up(registry: &Arc<Registry>) -> Result<(), StoreError> {
        let live = registry.dependencies.store.live().await?;
        let mut known = KnownBots::new();
        for found in live {
            if found.opened.side == Side::Player {
                restore::take_up(registry, found, &mut known);
            }
        }
        let since_us = registry.now_us() - ENDED_SINCE_US;
        for row in registry
            .dependencies
            .store
            .ended_since(since_us)
            .await?
            .into_iter()
            .rev()
        {
            if row.opened.side == Side::Player {
                restore::remember_ended(registry, row, &mut known);
            }
        }
        Ok(())
    }

    /// One message for the session of this key, with the moment at which it was received. The answer
    /// is durable. A session that this begins counts for whom it came from.
    ///
    /// # Errors
    /// [`Refusal`] if it begins a session and there is no room for one, or if all is stopping, and if that
    /// caller has its share while little is left; nothing is stored then.
    pub async fn callback(
        &self,
        origin: Origin,
        key: Key,
        begins: bool,
        text: String,
        received: Instant,
    ) -> Result<Answer, Refusal> {
        self.callback_held(None, origin, key, begins, text, received)
            .await
    }

    /// The same; `held`: where several replicas share the store, that this one owns the session.
    ///
    /// # Errors
    /// As [`Sessions::callback`]; [`Refusal::Fenced`] if it is owned no more.
    pub async fn callback_held(
        &self,
        held: Option<Held>,
        origin: Origin,
        key: Key,
        begins: bool,
        text: String,
        received: Instant,
    ) -> Result<Answer, Refusal> {
        let callback = Callback {
            begins,
            origin,
            held,
            ..Callback::new(text, received)
        };
        self.deliver(key, callback).await
    }

    /// Owns this key's session, where several replicas share the store: nobody else can be reached by whom it plays.
    async fn take_over(&self, key: &Key) -> Result<Option<Held>, Refusal> {
        let Some(replica) = &self.registry.dependencies.replica else {
            return Ok(None);
        };
        let epoch = replica.take_over(&key.resource()).await;
        let epoch = epoch.map_err(|_| Refusal::Unfit)?;
        Ok(Some(Held {
            epoch,
            resent: None,
        }))
    }

    /// A message that an edge has numbered: received once, however often it comes, and answered the same
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
        let route = || key.bot.kit().card().dialect.route(text.as_bytes()).ok();
        let seating = first.then(route).flatten().and_then(|route| route.seating);
        let opening = seating.map(|seating| {
            Box::new(Opening {
                seating: Some(seating),
                ..Opening::default()
            })
        });
        let callback = Callback {
            opening,
            numbered: Some(numbered),
            held: self.take_over(&key).await?,
            ..Callback::new(text, received)
        };
        self.deliver(key, callback).await
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
            begins: true,
            opening: Some(Box::new(opening)),
            ..Callback::new(text, received)
        };
        self.deliver(key, callback).await
    }

    /// Whether a session could begin now.
    ///
    /// # Errors
    /// [`Refusal`] says why not.
    pub fn admits(&self) -> Result<(), Refusal> {
        match self.refusal() {
            Some(refusal) => {
                self.registry.meters.refused(refusal.word());
                Err(refusal)
            }
            None => Ok(()),
        }
    }

    /// Why a session that began now would be refused to somebody who has none, if it would.
    #[must_use]
    pub fn refusal(&self) -> Option<Refusal> {
        begins::refusal(&self.registry)
    }

    /// Whether sessions or thinking are scarce: callers then get no more than their share.
    #[must_use]
    pub fn is_short(&self) -> bool {
        begins::is_short(&self.registry)
    }

    /// Ends the session of this key, if it lives, after the messages that wait for it.
    pub fn end(&self, key: &Key, cause: Cause, detail: String) {
        if let Some(session) = self.find(key) {
            actor::expire(&self.registry, &session, Expiry::now(cause, detail));
        }
    }

    /// The other side of this key's session has gone, after the messages that wait for it: a
    /// [`Cause::Disconnect`], unless its hanging up is how a match ends on its wire. The end is stored when this
    /// returns; of a session that is not known there is none.
    ///
    /// # Errors
    /// [`Refusal`]: the end is not stored, and can be sent again; [`Refusal::Gap`] if messages before it have not come.
    pub async fn leave(&self, key: &Key, leaving: Leaving) -> Result<(), Refusal> {
        let Leaving {
            messages,
            detail,
            hung_up,
        } = leaving;
        let held = self.take_over(key).await?;
        let session = match held {
            Some(_) => self.find_or_make(key.clone()),
            None => match self.find(key) {
                Some(session) => session,
                None => return Ok(()),
            },
        };
        let (stored, outcome) = oneshot::channel();
        let expiry = Expiry {
            hung_up,
            messages,
            held,
            stored: Some(stored),
            ..Expiry::now(Cause::Disconnect, detail)
        };
        actor::expire(&self.registry, &session, expiry);
        // Nobody took it where too many messages wait.
        outcome.await.unwrap_or(Err(Refusal::Busy))
    }

    /// Names rivals at somebody else's referee: for the session that is live, whose decisions are advised by their
    /// models from then on, or, while none is, for the one that begins later. With names given before they are merged
    /// as [`crate::identities::seat_name`] does.
    ///
    /// # Errors
    /// [`NamingError`].
    pub async fn name(&self, names: Names) -> Result<Option<TakenIn>, NamingError> {
        let found = self.live_at(&names);
        let (1, Some(session)) = (found.len(), found.first()) else {
            if found.len() > 1 {
                return Err(NamingError::Ambiguous(found.len()));
            }
            return self.keep(names).map(|()| None);
        };
        let (reply, taken) = oneshot::channel();
        let message = Message::Name(names.rivals.clone(), reply);
        if !actor::send(&self.registry, session, message) {
            return Err(NamingError::Busy);
        }
        let taken = taken.await.map_err(|_| NamingError::Busy)??;
        if taken.is_none() {
            self.keep(names)?;
        }
        Ok(taken)
    }

    fn keep(&self, names: Names) -> Result<(), NamingError> {
        Ok(self.registry.dependencies.identities.name(names)?)
    }

    /// The live sessions that these names may be for.
    fn live_at(&self, names: &Names) -> Vec<Arc<Session>> {
        let mut found = Vec::new();
        for shard in &self.registry.shards {
            for (key, session) in shard.lock().iter() {
                let live = || session.peek(|core| !core.ended).unwrap_or(true);
                if names.are_for(key.player()) && live() {
                    found.push(Arc::clone(session));
                }
            }
        }
        found
    }

    fn find(&self, key: &Key) -> Option<Arc<Session>> {
        self.registry.shard(key).lock().get(key).map(Arc::clone)
    }

    async fn deliver(&self, key: Key, mut callback: Callback) -> Result<Answer, Refusal> {
        if self.registry.stop.is_cancelled() {
            return Err(self.registry.stopping());
        }
        let kit = key.bot.kit();
        let numbered = callback.numbered.is_some();
        let held = callback.held.is_some();
        let session = match held {
            // Whether it is new, the store says.
            true => self.find_or_make(key),
            false => self.find_or_admit(key, &mut callback)?,
        };
        let queue = |callback| {
            let (reply, answer) = oneshot::channel();
            (Message::Callback(callback, reply), answer)
        };
        match session.enter(callback, self.registry.options.mailbox_max, queue) {
            Entered::Idle(core, callback) => {
                let actor = Actor::new(Arc::clone(&self.registry), session, core);
                DetachOnDrop::new(&self.registry.tracker, actor.answer(callback)).await
            }
            // The actor answers every message it takes; without it the process is ending.
            Entered::Waits(answer) => answer
                .await
                .unwrap_or_else(|_| Err(self.registry.stopping())),
            // An edge that numbers its messages must not take one for received that was not, and what is answered to another
            // replica is stored.
            Entered::Full if numbered || held => Err(Refusal::Busy),
            Entered::Full => {
                self.registry.meters.defaulted("mailbox_full");
                Ok(Answer::default_of_game(kit, ""))
            }
        }
    }

    /// The session of this key; one that was not known has a place.
    fn find_or_admit(&self, key: Key, callback: &mut Callback) -> Result<Arc<Session>, Refusal> {
        let registry = &self.registry;
        if let Some(session) = registry.shard(&key).lock().get(&key) {
            // Touched under the lock, so that the sweep does not forget it meanwhile.
            session.touch(registry.clock_ms());
            return Ok(Arc::clone(session));
        }
        // Refused keys stay out of the registry.
        let place = begins::admit(registry, &key, callback.origin)?;
        callback.place = Some(Box::new(place));
        Ok(self.find_or_make(key))
    }

    fn find_or_make(&self, key: Key) -> Arc<Session> {
        self.registry.find_or_make(key)
    }

    /// Ends the games that another replica has left on this connection to a hub.
    ///
    /// # Errors
    /// [`StoreError`] if they cannot be read.
    pub async fn end_games(&self, bot: &BotAddress, connection: u64) -> Result<(), StoreError> {
        restore::end_games(&self.registry, bot, connection).await
    }

    /// Ends the sessions for which nothing was received for too long, and that no replica owns any more.
    ///
    /// # Errors
    /// [`StoreError`] if they cannot be read.
    pub async fn end_abandoned(&self) -> Result<(), StoreError> {
        match self.replica() {
            Some(replica) => restore::end_abandoned(&self.registry, replica).await,
            None => Ok(()),
        }
    }

    /// Whether what is stored of this game survives a power cut.
    #[must_use]
    pub fn survives_power_cuts(&self, game: &str) -> bool {
        self.registry.options.durability(game) == Durability::Power
    }

    /// How many sessions have not ended.
    #[must_use]
    pub fn live(&self) -> usize {
        self.registry.shares.taken()
    }

    /// How many sessions may live at once.
    #[must_use]
    pub fn max(&self) -> usize {
        self.registry.shares.max()
    }

    /// Whether a stop should wait: for a message that is being worked on, a game on a hub, which ends with its
    /// connection, a match of our own referee, or a session with a recent message. All others go on after the next
    /// start, and nobody waits for them now.
    #[must_use]
    pub fn in_play(&self) -> bool {
        let registry = &self.registry;
        let now_ms = registry.clock_ms();
        let options = &registry.options;
        let in_play = |session: &Arc<Session>| {
            let key = &session.key;
            match session.rest(false) {
                Rest::Busy => true,
                Rest::Empty | Rest::Ended => false,
                // Another replica goes on with it.
                Rest::Live if session.epoch().is_some() => false,
                Rest::Live
                    if key.bot.kit().card().wire == Wire::Hub || begins::is_ours(registry, key) =>
                {
                    true
                }
                Rest::Live => {
                    let fresh = session.peek(|core| core.fresh).unwrap_or(false);
                    let patience = match fresh {
                        true => options.begun_limit,
                        false => options.quiet_limit,
                    };
                    now_ms - session.touched_ms() < patience.as_millis() as i64
                }
            }
        };
        let mut shards = registry.shards.iter();
        shards.any(|shard| shard.lock().values().any(in_play))
    }

    /// A moment in microseconds since 1970, on a clock that is never set.
    #[must_use]
    pub fn wall_us(&self, at: Instant) -> i64 {
        self.registry.wall_us(at)
    }

    /// Which of them this process owns, where others share the store.
    #[must_use]
    pub fn replica(&self) -> Option<&Arc<Replica>> {
        self.registry.dependencies.replica.as_ref()
    }

    /// The game with this name.
    #[must_use]
    pub fn game(&self, name: &str) -> Option<&'static dyn Kit> {
        (self.registry.dependencies.find)(name)
    }

    /// Users' programs.
    #[must_use]
    pub fn bots(&self) -> &Bots {
        &self.registry.dependencies.bots
    }

    /// No new sessions from now on; those that live go on.
    pub fn drain(&self) {
        self.registry.draining.store(true, Ordering::Relaxed);
    }

    /// Ends sweeping and waits for the messages that are being worked on. Live sessions stay live in the store: the next start takes them up.
    pub async fn close(&self) {
        self.drain();
        self.registry.stop.cancel();
        self.registry.tracker.close();
        self.registry.tracker.wait().await;
    }
}
