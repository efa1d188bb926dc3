//! The hub's server: accepts players, seats them, runs their matches.

pub mod appointment;
mod matches;
mod serving;

use super::guest::Guest;
use super::guests::{Guests, Invited};
use super::lobby::{Joined, Lobby, Party, Ticket};
use super::maps::NamedMap;
use super::rooms::Room;
use crate::config::{Config, Smartdog};
use crate::link::{Peer, Shares};
use crate::referee::host::setup::{ids, merged};
use crate::referee::record::{RecordError, Recording, cancelled};
use crate::seldom::Rates;
use crate::store::types::MatchRow;
use games::{Frame, Kit, Reception, Seat, SetupError, Table, TableSetup};
use parking_lot::{Mutex, MutexGuard};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long connections have for their last messages at a stop.
const LAST_WORDS: Duration = Duration::from_secs(3);
/// What players receive if too many wait already.
pub(super) const FULL: &str = "error Nobody is let in at present";
/// Wrong tokens that an address may show at once.
const GUESSES_AT_ONCE: u32 = 20;
/// After this time it may show one more.
const ONE_MORE_GUESS: Duration = Duration::from_secs(3);
/// The answer to a guess.
pub(super) const GUESSES_USED_UP: &str =
    "error Too many wrong tokens came from your address: wait some seconds before the next";

/// Settings of a hub.
#[derive(Clone)]
pub struct HubSettings {
    /// The game: one whose players dial.
    pub kit: &'static dyn Kit,
    /// The name that our matches carry as their referee.
    pub referee: String,
    /// Its rooms.
    pub rooms: Vec<Room>,
    /// The maps that each room plays in turn; empty: the game's own.
    pub maps: Vec<NamedMap>,
    /// Rule options of every match.
    pub options: Value,
    /// The maximum number of concurrent matches; further parties wait.
    pub matches_max: usize,
    /// Most connections at once; more wait to be accepted. When slots are scarce, each peer gets its share.
    pub connections_max: usize,
    /// How long a room that could begin waits for more players.
    pub wait_for_player: Duration,
    /// Whether a player gets `wait` even if its arrival starts the match.
    pub always_wait: bool,
    /// Seeds the coin of rooms that could begin.
    pub seed: u64,
    /// Who may come in; empty: everybody, who then plays in rooms. The invited play when they have an
    /// appointment ([`HubServer::hold`]).
    pub invited: Vec<Invited>,
    /// Is notified of every player that is seated, and again when it has left.
    pub on_line: Option<OnLine>,
}

/// Called with the address from which a player dialled, its match's row and its seat; without row and seat
/// when the match is over.
pub type OnLine = Arc<dyn Fn(SocketAddr, Option<(Arc<MatchRow>, Seat)>) + Send + Sync>;

impl HubSettings {
    /// The official rooms for this game, by the configuration's defaults, with no rule options.
    #[must_use]
    pub fn new(kit: &'static dyn Kit) -> Self {
        Self {
            options: Value::Null,
            ..Self::configured(kit, &Config::default().referee.smartdog)
        }
    }

    /// The official rooms for this game.
    #[must_use]
    pub fn configured(kit: &'static dyn Kit, configured: &Smartdog) -> Self {
        Self {
            kit,
            referee: configured.name.clone(),
            rooms: Room::official(),
            maps: Vec::new(),
            options: configured.options.clone(),
            matches_max: configured.matches_max,
            connections_max: configured.connections_max,
            wait_for_player: configured.wait_for_player_ms,
            always_wait: configured.always_wait,
            seed: 0,
            invited: Vec::new(),
            on_line: None,
        }
    }

    /// Checks every map with the options, so that a wrong one is reported now and not to the first players.
    ///
    /// # Errors
    /// [`SetupError`] naming the map or option.
    pub fn check(&self) -> Result<(), SetupError> {
        if !self.maps.is_empty() && self.options.get("map").is_some_and(|map| !map.is_null()) {
            let why = "a folder of maps and the option `map` exclude each other";
            return Err(SetupError(why.to_owned()));
        }
        self.table(None, &Value::Null, 1, 1, 0)?;
        for (name, text) in &self.maps {
            let table = self.table(Some(text), &Value::Null, 1, 1, 0);
            table.map_err(|error| SetupError(format!("{name}: {error}")))?;
        }
        Ok(())
    }

    /// The map that comes at this place in the turn; `None`: the game's own.
    pub(super) fn map_of(&self, turn: u64) -> Option<&NamedMap> {
        let maps = self.maps.len().max(1) as u64;
        self.maps.get((turn % maps) as usize)
    }

    /// A match of this many players on this map, with these options over those of all matches.
    pub(super) fn table(
        &self,
        map: Option<&str>,
        options: &Value,
        players: usize,
        market: u64,
        seed: u64,
    ) -> Result<Box<dyn Table>, SetupError> {
        let own = match map {
            None => Value::Null,
            // A map of one row is still a text.
            Some(text) => json!({ "map": format!("{text}\n") }),
        };
        self.kit.table(&TableSetup {
            seed,
            options: merged(&merged(&own, &self.options), options),
            market,
            ids: ids(market, players),
        })
    }
}

/// The outcome for a player at the reception.
pub(super) enum Entrance {
    /// It is in a queue, perhaps already in a match, and has been notified. With the token that it showed.
    Queue(Ticket, Option<String>),
    /// It gets this reply.
    Refused(Frame),
}

/// A hub.
pub struct HubServer {
    pub(super) settings: HubSettings,
    pub(super) reception: &'static dyn Reception,
    pub(super) recording: Recording,
    lobby: Mutex<Lobby<Guest>>,
    /// The invited, if it is not open to all.
    pub(super) guests: Option<Mutex<Guests<Guest>>>,
    /// Wrong tokens of those who are not.
    pub(super) guesses: Rates<Peer>,
    /// One of them has come or gone, or its match has ended.
    pub(super) stirred: Notify,
    /// A room's wait has changed.
    changed: Notify,
    pub(super) next_market: AtomicU64,
    pub(super) next_ticket: AtomicU64,
    pub(super) permits: Arc<Semaphore>,
    shares: Arc<Shares>,
    connections: TaskTracker,
    pub(super) games: TaskTracker,
    pub(super) stop: CancellationToken,
    /// Cancelled with the beginning of a stop: ends that are still to be stored are left to the next start.
    pub(super) leave: CancellationToken,
}

/// Ends matches that nobody plays any more.
async fn close_cut(recording: &Recording, game: &str, referee: &str) -> Result<(), RecordError> {
    for cut in recording.unfinished(game, referee).await? {
        let why = "the hub was stopped in mid-game";
        cut.record.close(cancelled(why.to_owned())).await?;
    }
    Ok(())
}

impl HubServer {
    /// A hub that continues the recording's numbers. Matches interrupted by an earlier stop are closed: their
    /// players' connections are gone.
    ///
    /// # Errors
    /// [`SetupError`] if the game has no hub or its settings make no match; [`RecordError`], as a text in it,
    /// if the recording cannot be read.
    pub async fn open(
        settings: HubSettings,
        recording: Recording,
    ) -> Result<Arc<Self>, SetupError> {
        let game = settings.kit.card().name;
        let reception = settings
            .kit
            .card()
            .reception
            .ok_or_else(|| SetupError(format!("players of {game} do not dial a hub")))?;
        settings.check()?;
        let invited = settings.invited.clone();
        let guests = Guests::new(invited).map_err(|error| SetupError(error.to_string()))?;
        let failed = |error: RecordError| SetupError(error.to_string());
        let last = recording.last_market(game).await.map_err(failed)?;
        if !recording.is_shared() {
            close_cut(&recording, game, &settings.referee)
                .await
                .map_err(failed)?;
        }
        let rooms = settings.rooms.clone();
        Ok(Arc::new(Self {
            lobby: Mutex::new(Lobby::new(rooms, settings.wait_for_player, settings.seed)),
            guests: (!settings.invited.is_empty()).then(|| Mutex::new(guests)),
            guesses: Rates::new(GUESSES_AT_ONCE, ONE_MORE_GUESS),
            stirred: Notify::new(),
            reception,
            recording,
            changed: Notify::new(),
            next_market: AtomicU64::new(last + 1),
            next_ticket: AtomicU64::new(1),
            permits: Arc::new(Semaphore::new(
                settings.matches_max.min(Semaphore::MAX_PERMITS),
            )),
            shares: Shares::new(settings.connections_max, usize::MAX),
            connections: TaskTracker::new(),
            games: TaskTracker::new(),
            stop: CancellationToken::new(),
            leave: CancellationToken::new(),
            settings,
        }))
    }

    /// Ends the matches of replicas that are gone, which go with their players' connections.
    ///
    /// # Errors
    /// [`RecordError`].
    pub async fn close_cut(&self) -> Result<(), RecordError> {
        let (game, referee) = (self.settings.kit.card().name, &self.settings.referee);
        close_cut(&self.recording, game, referee).await
    }

    /// Waits until every match has ended, at most `within`; those still running are then abandoned.
    pub async fn drain(&self, within: Duration) {
        self.games.close();
        self.leave.cancel();
        if tokio::time::timeout(within, self.games.wait())
            .await
            .is_err()
        {
            self.stop.cancel();
            self.games.wait().await;
        }
        // Last messages are still being sent.
        self.connections.close();
        let _ = tokio::time::timeout(LAST_WORDS, self.connections.wait()).await;
    }

    /// Its connections, to see how full it is.
    #[must_use]
    pub fn connections(&self) -> Arc<Shares> {
        Arc::clone(&self.shares)
    }

    /// How many matches are running.
    #[must_use]
    pub fn running(&self) -> usize {
        self.games.len()
    }

    /// How many players wait.
    #[must_use]
    pub fn waiting(&self) -> usize {
        match &self.guests {
            Some(guests) => guests.lock().waiting(),
            None => self.lobby().waiting(),
        }
    }

    pub(super) fn reception(&self) -> &'static dyn Reception {
        self.reception
    }

    pub(super) fn join(self: &Arc<Self>, room: Option<&str>, guest: Guest) -> Entrance {
        let ticket = self.next_ticket.fetch_add(1, Ordering::Relaxed);
        if let Some(guests) = &self.guests {
            return self.admit(&mut guests.lock(), room, ticket, guest);
        }
        let permit = Arc::clone(&self.permits).try_acquire_owned().ok();
        let out = guest.out.clone();
        // A waiting player is notified before its match can begin: both happen under the lock.
        let mut lobby = self.lobby();
        let joined = lobby.join(room, ticket, guest, permit.is_some(), Instant::now());
        let entrance = match joined {
            Joined::Waits(queued) => {
                out.say_line(self.reception.wait(queued));
                Entrance::Queue(ticket, None)
            }
            Joined::Begins(party) => {
                if self.settings.always_wait {
                    out.say_line(self.reception.wait(party.guests.len()));
                }
                if let Some(permit) = permit {
                    self.begin(party, permit);
                }
                Entrance::Queue(ticket, None)
            }
            Joined::NoRoom => Entrance::Refused(self.reception.no_room()),
            Joined::Full => Entrance::Refused(FULL.to_owned()),
        };
        drop(lobby);
        self.changed.notify_one();
        entrance
    }

    pub(super) fn leave(&self, ticket: Ticket) {
        if let Some(guests) = &self.guests {
            guests.lock().leave(ticket);
            self.stirred.notify_waiters();
        }
        self.lobby().leave(ticket);
        self.changed.notify_one();
    }

    fn lobby(&self) -> MutexGuard<'_, Lobby<Guest>> {
        self.lobby.lock()
    }

    /// Begins matches in rooms that have waited long enough.
    pub async fn matchmake(self: Arc<Self>) {
        loop {
            let due = self.lobby().next_due();
            let wait = async {
                match due {
                    Some(due) => tokio::time::sleep_until(due).await,
                    None => std::future::pending().await,
                }
                // A party leaves its queue only when there is a slot for its match.
                Arc::clone(&self.permits).acquire_owned().await
            };
            tokio::select! {
                biased;
                permit = wait => {
                    let party = self.lobby().due(Instant::now());
                    if let (Some(party), Ok(permit)) = (party, permit) {
                        self.begin(party, permit);
                    }
                }
                () = self.changed.notified() => {}
            }
        }
    }

    fn begin(self: &Arc<Self>, party: Party<Guest>, permit: OwnedSemaphorePermit) {
        let hub = Arc::clone(self);
        self.games.spawn(async move {
            hub.play(party).await;
            drop(permit);
        });
    }
}
