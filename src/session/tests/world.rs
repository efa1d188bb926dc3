//! What the tests drive.

use crate::history;
use crate::history::{GameRules, KitOf};
use crate::identities::Identities;
use crate::replay;
use crate::session::core::SessionState;
use crate::session::mailbox::Session;
use crate::session::{
    Answer, BotAddress, Dependencies, Key, Origin, Refusal, SessionOptions, Sessions,
};
use crate::store::types::{Direction, EntryId, SessionId};
use crate::store::{Settings, Store, StoreError};
use crate::thinking::{Pool, PoolOptions};
use crate::toy;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tempfile::TempDir;
use tokio::time::Instant;

/// A live session at rest.
#[derive(Debug)]
pub(crate) struct SessionView {
    pub(super) id: SessionId,
    pub(super) match_id: String,
    pub(super) referee: String,
    pub(super) seat: Option<u8>,
    pub(crate) market: u64,
    pub(crate) player: u64,
    /// How many entries its transcript has, and the last of them.
    pub(crate) entries: u64,
    pub(super) head: Option<EntryId>,
    /// Whether its dialogue is in memory.
    pub(super) awake: bool,
    pub(super) quarantined: bool,
}

impl SessionView {
    fn new(session: &Session, core: &SessionState) -> Option<Self> {
        let key = &session.key;
        (!core.ended).then(|| Self {
            id: core.id,
            match_id: core.match_id.to_string(),
            referee: key.bot.referee().to_owned(),
            seat: core.seat,
            market: key.market,
            player: key.id,
            entries: core.seq,
            head: core.head,
            awake: core.own.is_awake() || core.own.is_lent() || core.own.is_broken(),
            quarantined: core.own.quarantine.holds() || core.hangs(),
        })
    }
}

impl Sessions {
    /// Live sessions at rest, in no particular order, at most `limit`.
    pub(crate) fn list(&self, limit: usize) -> Vec<SessionView> {
        let shards = self.registry.shards.iter();
        let sessions = shards.flat_map(|shard| shard.lock().values().cloned().collect::<Vec<_>>());
        let view = |session: Arc<Session>| {
            let view = session.peek(|core| SessionView::new(&session, core));
            view.flatten()
        };
        sessions.filter_map(view).take(limit).collect()
    }

    /// Whether [`Sessions::drain`] was called.
    pub(crate) fn draining(&self) -> bool {
        self.registry.draining.load(Ordering::Relaxed)
    }
}

/// Sessions with everything below them.
pub(super) struct World {
    pub(super) sessions: Sessions,
    pub(super) parts: Dependencies,
    pub(super) options: SessionOptions,
    pub(super) folder: TempDir,
}

/// Options whose deadline is 200 ms after receipt.
pub(super) fn options() -> SessionOptions {
    SessionOptions {
        margin: Duration::from_millis(4800),
        budget_default: Duration::from_millis(50),
        ..SessionOptions::default()
    }
}

/// What sessions depend on, over a store in this folder.
pub(crate) async fn dependencies(folder: &Path, find: KitOf) -> Dependencies {
    let settings = Settings::at(folder.join("drover.db"), GameRules::found_by(find));
    dependencies_at(&settings, find).await
}

/// The same over the store of these settings.
pub(crate) async fn dependencies_at(settings: &Settings, find: KitOf) -> Dependencies {
    let pool = PoolOptions {
        threads: 1,
        ..PoolOptions::default()
    };
    // A program that another test is starting may hold the lock of the last one for a moment.
    let store = loop {
        match Store::open(settings).await {
            Err(StoreError::InUse { .. }) => tokio::task::yield_now().await,
            opened => break opened.unwrap(),
        }
    };
    Dependencies {
        store: store.into(),
        pool: Pool::start(&pool).unwrap(),
        identities: Identities::default(),
        bots: crate::programs::Bots::none(),
        replica: None,
        find,
    }
}

async fn open(options: &SessionOptions, folder: &TempDir) -> (Sessions, Dependencies) {
    let parts = dependencies(folder.path(), toy::find).await;
    let sessions = Sessions::open(options.clone(), parts.clone()).await;
    (sessions.unwrap(), parts)
}

impl World {
    /// The database.
    pub(super) fn store(&self) -> &Store {
        self.parts.store.database().unwrap()
    }

    pub(super) async fn new(options: SessionOptions) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (sessions, parts) = open(&options, &folder).await;
        Self {
            sessions,
            parts,
            options,
            folder,
        }
    }

    /// A world in which the session of match 1 and player 1 has begun, and its key.
    pub(super) async fn begun(options: SessionOptions) -> (Self, Key) {
        let (world, at) = (Self::new(options).await, key(1, 1));
        assert_eq!(world.say(&at, "begin").await, "");
        (world, at)
    }

    /// The session that is the only live one, as soon as it is listed.
    pub(super) async fn only(&self) -> SessionView {
        until(|| self.sessions.list(1).pop()).await
    }

    /// [`World::say`] of what the bot itself must answer.
    pub(super) async fn bot_answers(&self, key: &Key, rest: &str) -> String {
        let said = self.say(key, rest).await;
        assert!(said.starts_with("?n=") && said != "?n=0", "{said}");
        said
    }

    /// The same after a stop and a start.
    pub(super) async fn restart(self) -> Self {
        self.sessions.close().await;
        drop(self.sessions);
        self.parts.store.close().await;
        let (sessions, parts) = open(&self.options, &self.folder).await;
        Self {
            sessions,
            parts,
            ..self
        }
    }

    /// One message that the transport delivers and whose answer it takes.
    pub(super) async fn say(&self, key: &Key, rest: &str) -> String {
        let answer = self.send(key, rest).await.unwrap();
        if let Some(sending) = answer.sending {
            sending.handed();
        }
        String::from_utf8(answer.text.to_vec()).unwrap()
    }

    /// Why a message is refused.
    pub(super) async fn refusal(&self, key: &Key, rest: &str) -> Refusal {
        self.send(key, rest).await.unwrap_err()
    }

    /// One message whose answer is left to the caller.
    pub(super) async fn send(&self, key: &Key, rest: &str) -> Result<Answer, Refusal> {
        self.send_from(Origin::default(), key, rest).await
    }

    /// The same from somebody whom limits bind.
    pub(super) async fn send_from(
        &self,
        origin: Origin,
        key: &Key,
        rest: &str,
    ) -> Result<Answer, Refusal> {
        let text = format!("market={}&id={}&type={rest}", key.market, key.id);
        let begins = rest == "begin";
        self.sessions
            .callback(origin, key.clone(), begins, text, Instant::now())
            .await
    }

    /// A dialogue as the only live session's began.
    pub(super) async fn opened_twin(&self) -> Box<dyn games::Dialogue> {
        let live = self.parts.store.live().await.unwrap().pop().unwrap();
        let (store, opened) = (self.store(), live.opened);
        let setup =
            replay::dialogue_setup(store, toy::kit(), &opened.bot, opened.seed, &opened.setup)
                .await;
        toy::kit().dialogue(&setup.unwrap()).unwrap()
    }

    /// What a dialogue as the only live session's, of match 1 and player 1, says to these messages if
    /// it is never put away.
    pub(super) async fn twin(&self, script: &[&str]) -> Vec<String> {
        let mut twin = self.opened_twin().await;
        let mut said = Vec::new();
        for text in script {
            let frame = format!("market=1&id=1&type={text}");
            let mut best = String::new();
            if let Ok(games::Next::Think { fallback, .. }) = twin.receive(frame.as_bytes()) {
                best = fallback;
                twin.think(games::Budget::nodes(1), &mut best);
                twin.said(&best);
            }
            said.push(best);
        }
        said
    }

    /// The whole transcript of a live session, as direction and text.
    pub(super) async fn transcript(&self, key: &Key) -> Vec<(Direction, String)> {
        let view = until(|| {
            self.sessions.list(1000).into_iter().find(|view| {
                view.market == key.market
                    && view.player == key.id
                    && view.referee == key.bot.referee()
            })
        })
        .await;
        let Some(head) = view.head else {
            return Vec::new();
        };
        let entries = history::transcript(self.store().reader(), view.id, head)
            .await
            .unwrap();
        let lines = entries.into_iter();
        lines.map(|entry| (entry.direction, entry.text)).collect()
    }
}

/// Whether less than this has passed since a moment.
pub(super) fn within(most_ms: u64, since: Instant) {
    let took = since.elapsed();
    assert!(took < Duration::from_millis(most_ms), "{took:?}");
}

/// Waits for the thing itself, at most ten seconds.
pub(super) async fn until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begun.elapsed() < Duration::from_secs(10), "it did not come");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

pub(super) fn key_at(bot: &str, referee: &str, market: u64, id: u64) -> Key {
    let bot = Arc::new(BotAddress::new(toy::kit(), bot, referee).unwrap());
    Key { bot, market, id }
}

pub(super) fn key(market: u64, id: u64) -> Key {
    key_at("champion", "r", market, id)
}
