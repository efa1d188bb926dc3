//! The hub's server: accepts players, seats them, runs their matches.

use super::connection::{Guest, Outbox, Seated, converse};
use super::game::{Game, INBOX_MAX, Played, PlayerLine, PlayerState};
use super::lobby::{Joined, Lobby, Party, Ticket};
use super::maps::NamedMap;
use super::rooms::Room;
use crate::clock::now_us;
use crate::link::{Accepted, Acceptor, Crowd};
use crate::referee::host::match_info::MatchInfo;
use crate::referee::host::setup::{cancelled, drawn_seed, ids, merged, row};
use crate::referee::record::{MatchRecord, Patience, RecordError, Recording, Writer};
use crate::referee::seat::seat_spec::SeatSpec;
use crate::store::types::{MatchResult, NewMatch};
use games::{Frame, Kit, Reception, Seat, SetupError, Table, TableSetup};
use parking_lot::{Mutex, MutexGuard};
use serde_json::{Value, json};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// How long connections have for their last messages at a stop.
const LAST_WORDS: Duration = Duration::from_secs(3);
/// How long a match may wait until it can be recorded before it is given up: players would give up the hub.
const RECORDED_WITHIN: Duration = Duration::from_secs(5);
/// What players hear whose match cannot even begin to be recorded.
const UNRECORDED: &str = "error The match cannot be recorded at present, try again later";

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
    /// Is notified of every player that is seated, and again when it has left.
    pub on_line: Option<OnLine>,
}

/// Called with the address from which a player dialled, its match's row and its seat; without row and seat
/// when the match is over.
pub type OnLine = Arc<dyn Fn(SocketAddr, Option<(Arc<NewMatch>, Seat)>) + Send + Sync>;

impl HubSettings {
    /// The official rooms for this game.
    #[must_use]
    pub fn new(kit: &'static dyn Kit) -> Self {
        Self {
            kit,
            referee: "drover".to_owned(),
            rooms: Room::official(),
            maps: Vec::new(),
            options: Value::Null,
            matches_max: 1_000,
            connections_max: 4_096,
            wait_for_player: super::lobby::WAIT_FOR_PLAYER,
            always_wait: false,
            seed: 0,
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
        self.table(None, 1, 1, 0)?;
        for (name, text) in &self.maps {
            let table = self.table(Some(text), 1, 1, 0);
            table.map_err(|error| SetupError(format!("{name}: {error}")))?;
        }
        Ok(())
    }

    fn table(
        &self,
        map: Option<&str>,
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
            options: merged(&own, &self.options),
            market,
            ids: ids(market, players),
        })
    }
}

/// The outcome for a player at the reception.
pub(super) enum Entrance {
    /// It is in a queue, perhaps already in a match, and has been notified.
    Queue(Ticket),
    /// It gets this reply.
    Refused(Frame),
}

/// A hub.
pub struct HubServer {
    settings: HubSettings,
    reception: &'static dyn Reception,
    recording: Recording,
    lobby: Mutex<Lobby<Guest>>,
    /// A room's wait has changed.
    changed: Notify,
    next_market: AtomicU64,
    next_ticket: AtomicU64,
    permits: Arc<Semaphore>,
    crowd: Crowd,
    connections: TaskTracker,
    games: TaskTracker,
    stop: CancellationToken,
    /// Cancelled with the beginning of a stop: ends that are still to be stored are left to the next start.
    leave: CancellationToken,
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
        let game = settings.kit.game();
        let reception = settings
            .kit
            .reception()
            .ok_or_else(|| SetupError(format!("players of {game} do not dial a hub")))?;
        settings.check()?;
        let failed = |error: RecordError| SetupError(error.to_string());
        let last = recording.last_market(game).await.map_err(failed)?;
        for cut in recording
            .unfinished(game, &settings.referee)
            .await
            .map_err(failed)?
        {
            let why = "the hub was stopped in mid-game";
            cut.record
                .close(cancelled(why.to_owned()))
                .await
                .map_err(failed)?;
        }
        let rooms = settings.rooms.clone();
        Ok(Arc::new(Self {
            lobby: Mutex::new(Lobby::new(rooms, settings.wait_for_player, settings.seed)),
            reception,
            recording,
            changed: Notify::new(),
            next_market: AtomicU64::new(last + 1),
            next_ticket: AtomicU64::new(1),
            permits: Arc::new(Semaphore::new(
                settings.matches_max.min(Semaphore::MAX_PERMITS),
            )),
            crowd: Crowd::new(settings.connections_max),
            connections: TaskTracker::new(),
            games: TaskTracker::new(),
            stop: CancellationToken::new(),
            leave: CancellationToken::new(),
            settings,
        }))
    }

    /// Accepts players until `stop`; running matches then play on: see [`HubServer::drain`].
    ///
    /// # Errors
    /// Only if the listener itself is unusable.
    pub async fn serve(
        self: &Arc<Self>,
        listener: TcpListener,
        stop: CancellationToken,
    ) -> io::Result<()> {
        listener.local_addr()?;
        let mut acceptor = Acceptor::new("hub", self.crowd.clone());
        let matchmaker = tokio::spawn(Arc::clone(self).begin_when_due());
        loop {
            let accepted = tokio::select! {
                accepted = acceptor.next(&listener, |_| false) => accepted,
                () = stop.cancelled() => break,
            };
            let Accepted {
                stream,
                peer,
                stay,
                permit,
            } = accepted;
            let (hub, stop) = (Arc::clone(self), stop.clone());
            self.connections.spawn(async move {
                converse(hub, (stream, peer), stay, stop).await;
                drop(permit);
            });
        }
        matchmaker.abort();
        self.lobby().close();
        drop(listener);
        Ok(())
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
    pub fn crowd(&self) -> Crowd {
        self.crowd.clone()
    }

    /// How many players wait in rooms.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.lobby().waiting()
    }

    pub(super) fn reception(&self) -> &'static dyn Reception {
        self.reception
    }

    pub(super) fn join(self: &Arc<Self>, room: Option<&str>, guest: Guest) -> Entrance {
        let ticket = self.next_ticket.fetch_add(1, Ordering::Relaxed);
        let permit = Arc::clone(&self.permits).try_acquire_owned().ok();
        let out = guest.out.clone();
        // A waiting player is notified before its match can begin: both happen under the lock.
        let mut lobby = self.lobby();
        let joined = lobby.join(room, (ticket, guest), permit.is_some(), Instant::now());
        let entrance = match joined {
            Joined::Waits(queued) => {
                out.say_line(self.reception.wait(queued));
                Entrance::Queue(ticket)
            }
            Joined::Begins(party) => {
                if self.settings.always_wait {
                    out.say_line(self.reception.wait(party.guests.len()));
                }
                if let Some(permit) = permit {
                    self.begin(party, permit);
                }
                Entrance::Queue(ticket)
            }
            Joined::NoRoom => Entrance::Refused(self.reception.no_room()),
            Joined::Full => Entrance::Refused("error Nobody is let in at present".to_owned()),
        };
        drop(lobby);
        self.changed.notify_one();
        entrance
    }

    pub(super) fn leave(&self, ticket: Ticket) {
        self.lobby().leave(ticket);
        self.changed.notify_one();
    }

    fn lobby(&self) -> MutexGuard<'_, Lobby<Guest>> {
        self.lobby.lock()
    }

    /// Begins matches in rooms that have waited long enough.
    async fn begin_when_due(self: Arc<Self>) {
        loop {
            let due = self.lobby().next_due();
            let wait = async {
                match due {
                    Some(due) => tokio::time::sleep_until(due.into()).await,
                    None => std::future::pending().await,
                }
                // A party leaves its queue only when there is a slot for its match.
                Arc::clone(&self.permits).acquire_owned().await
            };
            tokio::select! {
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

    async fn play(self: &Arc<Self>, party: Party<Guest>) {
        let settings = &self.settings;
        let players = party.guests.len();
        let market = self.next_market.fetch_add(1, Ordering::Relaxed);
        let at = settings.maps.len().max(1) as u64;
        let map = settings.maps.get((party.before % at) as usize);
        let text = map.map(|(_, text)| text.as_str());
        // A hub without maps uses the game's own, chosen by the seed.
        let seed = if map.is_some() {
            drawn_seed()
        } else {
            party.before
        };
        let table = match settings.table(text, players, market, seed) {
            Ok(table) => table,
            Err(error) => {
                tracing::error!(%error, room = party.room.name, "a match cannot begin");
                return;
            }
        };
        let info = MatchInfo {
            match_id: ulid::Ulid::generate().to_string(),
            game: settings.kit.game().to_owned(),
            market,
            ids: ids(market, players),
            seats: vec![SeatSpec::Remote.to_string(); players],
            names: party
                .guests
                .iter()
                .map(|guest| Some(guest.name.clone()).filter(|name| !name.is_empty()))
                .collect(),
            started_us: now_us(),
        };
        let row = row(&info, &settings.referee, table.setup());
        let record = match self.recording.open(&row, &info.ids, &[]).await {
            Ok(record) => record,
            Err(error) => return refuse(&party.guests, &row.id, &error),
        };
        tracing::info!(
            match_id = info.match_id,
            room = party.room.name,
            map = map.map(|(name, _)| name.as_str()),
            players = ?info.names,
            "a match begins"
        );
        let row = Arc::new(row);
        let writer = Writer::start(record, patience(&self.stop, RECORDED_WITHIN));
        let (said, inbox) = mpsc::channel(INBOX_MAX);
        let (mut places, mut lines) = (Vec::with_capacity(players), Vec::with_capacity(players));
        for (seat, guest) in (0u8..).map(Seat).zip(party.guests) {
            tracing::debug!(match_id = info.match_id, seat = seat.0, peer = %guest.peer, "seated");
            if let Some(tell) = &settings.on_line {
                tell(guest.peer, Some((Arc::clone(&row), seat)));
            }
            lines.push(guest.peer);
            let seated = Seated {
                seat,
                inbox: said.clone(),
            };
            if guest.seated.send(seated).is_err() {
                let (line, at) = (None, Instant::now());
                // The inbox has room for every player.
                let _ = said.try_send(PlayerLine { seat, line, at });
            }
            places.push(PlayerState::new(guest.name, guest.out));
        }
        drop(said);
        let outs: Vec<_> = places.iter().map(|place| place.out.clone()).collect();
        let game = Game::new(table, places, inbox, writer.lines());
        let played = game.play((&self.stop, writer.broken())).await;
        let result = self.end(played, writer, &outs).await;
        tracing::info!(
            match_id = info.match_id,
            cause = result.cause.word(),
            scores = ?result.scores,
            detail = result.detail,
            "a match ended"
        );
        if let Some(tell) = &settings.on_line {
            lines.into_iter().for_each(|line| tell(line, None));
        }
    }

    /// Tells the players the end once it is stored. If it cannot be, the match is given up.
    async fn end(self: &Arc<Self>, played: Played, writer: Writer, outs: &[Outbox]) -> MatchResult {
        let Played { result, last_words } = played;
        let (mut record, flushed) = writer.flush().await;
        let ended = match (result, flushed) {
            (Some(result), Ok(())) => self.store_end(&mut record, &result).await.map(|()| result),
            (_, Err(error)) => Err(error.to_string()),
            (None, Ok(())) => Err("the hub was stopped".to_owned()),
        };
        let result = match ended {
            Ok(result) => {
                for (out, words) in outs.iter().zip(last_words) {
                    out.say(words);
                }
                result
            }
            Err(why) => {
                let given_up = self.reception.given_up() + "\n";
                outs.iter().for_each(|out| out.say(given_up.clone()));
                let result = cancelled(why);
                self.games
                    .spawn(Arc::clone(self).close_later(record, result.clone()));
                result
            }
        };
        outs.iter().for_each(Outbox::close);
        result
    }

    /// Stores the end that the rules came to; `Err` says why nothing of it is stored.
    async fn store_end(&self, record: &mut MatchRecord, end: &MatchResult) -> Result<(), String> {
        let mut stored = patience(&self.stop, RECORDED_WITHIN)
            .close(record, end)
            .await;
        if stored.is_err() && record.has_end() {
            // It can have no other end any more.
            stored = patience(&self.stop, Duration::MAX).close(record, end).await;
        }
        stored.map_err(|error| error.to_string())
    }

    /// Closes a match that was given up, as soon as that can be stored; the next start does it otherwise.
    async fn close_later(self: Arc<Self>, mut record: MatchRecord, result: MatchResult) {
        let patience = patience(&self.leave, Duration::MAX);
        if let Err(error) = patience.close(&mut record, &result).await {
            tracing::warn!(%error, "a match that was given up is closed by the next start");
        }
    }
}

fn patience(leave: &CancellationToken, within: Duration) -> Patience {
    let leave = leave.clone();
    Patience { leave, within }
}

/// Sends the players of a match away that cannot be recorded.
fn refuse(guests: &[Guest], match_id: &str, error: &RecordError) {
    tracing::warn!(match_id, %error, "a match does not begin");
    for guest in guests {
        guest.out.say_line(Some(UNRECORDED.to_owned()));
        guest.out.close();
    }
}
