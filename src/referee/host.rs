//! The host of our own matches: starts them, keeps their logs at hand, takes them up again after a
//! restart, and ends them in good order.

use super::board::Board;
use super::clock::now_us;
use super::drive::{DriveError, DriveOptions, Links, drive};
use super::journal::Journal;
use super::log::{self, LogLine, MatchLog};
use super::match_info::{HostedMatch, MatchEnd, MatchInfo, MatchRequest};
use super::past::Past;
use super::record::{MatchRecord, RecordError, Recording, UnfinishedMatch, Writer};
use super::seat_link::HttpSeat;
use super::seat_spec::{SeatSpec, SeatSpecError};
use crate::link::HttpOptions;
use crate::store::types::{MatchResult, NewMatch, NewSeat};
use futures_util::FutureExt as _;
use games::{Cause, Kit, Seat, SetupError, Table, TableSetup};
use serde_json::Value;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Failures in a row after which a player is a filler, where the game has no such option.
const FAILURES_MAX: u16 = 10;

/// Called with every match before its first callback.
pub type OnMatch = Arc<dyn Fn(&MatchInfo) + Send + Sync>;

/// How a host works.
#[derive(Clone)]
pub struct HostSettings {
    /// The name that our matches carry as their referee.
    pub referee: String,
    /// Most matches at once.
    pub matches_max: usize,
    /// How many ended matches stay at hand with their logs.
    pub ended_kept: usize,
    /// How players are called.
    pub http: HttpOptions,
    /// Rule options of every match, unless it asks for others.
    pub options: Value,
    /// Told of every match before its first callback.
    pub on_match: Option<OnMatch>,
}

impl Default for HostSettings {
    fn default() -> Self {
        Self {
            referee: "drover".to_owned(),
            matches_max: 200,
            ended_kept: 50,
            http: HttpOptions::default(),
            options: Value::Null,
            on_match: None,
        }
    }
}

/// Why a match does not start, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    /// Too many run already.
    #[error(
        "{0} matches are running, which is the most this referee runs at once; try again when one has ended"
    )]
    Full(usize),
    /// The referee is stopping.
    #[error("this referee is stopping and starts no more matches")]
    Stopping,
    /// A seat that cannot be used.
    #[error(transparent)]
    Seat(#[from] SeatSpecError),
    /// Options or a number of seats that the game does not have.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// It could not be kept.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// A match that has been set up. Its first callback goes out when [`Started::begin`] is called or
/// this is dropped.
#[must_use = "the match begins when this is dropped"]
pub struct Started {
    /// The match.
    pub hosted: Arc<HostedMatch>,
    begin: oneshot::Sender<()>,
    ended: oneshot::Receiver<()>,
}

impl Started {
    /// Lets the match begin.
    pub fn begin(self) -> Ending {
        // The match waits for this; it can only be gone when the host was stopped.
        let _ = self.begin.send(());
        Ending {
            hosted: self.hosted,
            ended: self.ended,
        }
    }
}

/// Waits for a match's end.
pub struct Ending {
    hosted: Arc<HostedMatch>,
    ended: oneshot::Receiver<()>,
}

impl Ending {
    /// The match once it has ended, or has been left to the next start by a stop of the host.
    pub async fn wait(self) -> Arc<HostedMatch> {
        // An error means that the match's task is gone: it has ended as well.
        let _ = self.ended.await;
        self.hosted
    }
}

/// Runs matches of one game.
pub struct Host {
    kit: &'static dyn Kit,
    settings: HostSettings,
    recording: Arc<dyn Recording>,
    next_market: AtomicU64,
    board: Board,
    tasks: TaskTracker,
    stop: CancellationToken,
}

impl Host {
    /// A host that goes on with the recording's numbers.
    ///
    /// # Errors
    /// [`RecordError`] if they cannot be read.
    pub async fn open(
        kit: &'static dyn Kit,
        settings: HostSettings,
        recording: Arc<dyn Recording>,
    ) -> Result<Arc<Self>, RecordError> {
        let last = recording.last_market(kit.game()).await?;
        Ok(Arc::new(Self {
            kit,
            board: Board::new(settings.matches_max, settings.ended_kept),
            settings,
            recording,
            next_market: AtomicU64::new(last + 1),
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
        }))
    }

    /// The game.
    #[must_use]
    pub fn kit(&self) -> &'static dyn Kit {
        self.kit
    }

    /// How many seats a match has.
    #[must_use]
    pub fn seats(&self) -> usize {
        *self.kit.seats().end()
    }

    /// Matches that run and that have ended lately, newest first.
    #[must_use]
    pub fn matches(&self) -> Vec<Arc<HostedMatch>> {
        self.board.matches()
    }

    /// Sets a match up and keeps its row. Missing seats are fillers.
    ///
    /// # Errors
    /// [`StartError`] says what keeps it from starting.
    pub async fn start(self: &Arc<Self>, request: MatchRequest) -> Result<Started, StartError> {
        if self.tasks.is_closed() {
            return Err(StartError::Stopping);
        }
        let market = self.next_market.fetch_add(1, Ordering::Relaxed);
        let info = self.info(&request, market);
        let links = self.links(&request.seats)?;
        let table = self.kit.table(&TableSetup {
            seed: request.seed.unwrap_or_else(drawn_seed),
            options: merged(&self.settings.options, &request.options),
            market,
            ids: info.ids.clone(),
        })?;
        let permit = self
            .board
            .permit()
            .ok_or(StartError::Full(self.settings.matches_max))?;
        let row = self.row(&info, table.setup());
        let record = self.recording.open(row, &info.ids).await?;
        let hosted = hosted(info);
        permit.enter(Arc::clone(&hosted));
        Ok(self.spawn(hosted, table, links, Past::none(self.seats()), record))
    }

    /// Takes up the matches that a stop cut. One that cannot go on is closed as cancelled.
    ///
    /// # Errors
    /// [`RecordError`] if they cannot be read.
    pub async fn resume(self: &Arc<Self>) -> Result<usize, RecordError> {
        let mut resumed = 0;
        for cut in self.recording.unfinished(self.kit.game()).await? {
            let id = cut.row.id.clone();
            match self.resume_one(cut).await {
                Ok(()) => resumed += 1,
                Err(why) => tracing::warn!(match_id = id, why, "a match cannot be resumed"),
            }
        }
        Ok(resumed)
    }

    async fn resume_one(self: &Arc<Self>, cut: UnfinishedMatch) -> Result<(), String> {
        let UnfinishedMatch { row, past, record } = cut;
        let opened = self
            .kit
            .reopen(&row.setup)
            .map_err(|error| error.to_string())
            .and_then(|table| Ok((table, self.links(&specs(&row)?).map_err(|e| e.to_string())?)));
        let (table, links) = match opened {
            Ok(opened) => opened,
            Err(why) => {
                let detail = format!("it could not be resumed after a restart: {why}");
                return match record.close(cancelled(detail)).await {
                    Ok(()) => Err(why),
                    Err(error) => Err(format!("{why}; {error}")),
                };
            }
        };
        let info = MatchInfo {
            match_id: row.id.clone(),
            game: row.game.clone(),
            market: row.market,
            ids: ids(row.market, self.seats()),
            seats: row.seats.iter().map(|seat| seat.spec.clone()).collect(),
            names: row.seats.iter().map(|seat| seat.name.clone()).collect(),
            started_us: row.started_us,
        };
        let log = MatchLog::of_past(&past);
        let hosted = Arc::new(HostedMatch {
            info,
            log: Arc::new(log),
            end: OnceLock::new(),
        });
        self.board.enter(Arc::clone(&hosted));
        let _going_on = self
            .spawn(hosted, table, links, Past::new(&past), record)
            .begin();
        Ok(())
    }

    /// One seat's log, from memory or from the recording; `None` for an id never given out.
    ///
    /// # Errors
    /// [`RecordError`] if the recording cannot be read.
    pub async fn log(&self, id: u64) -> Result<Option<Vec<LogLine>>, RecordError> {
        let seats = self.seats() as u64;
        let Some(place) = id.checked_sub(1) else {
            return Ok(None);
        };
        let (market, seat) = (place / seats + 1, Seat((place % seats) as u8));
        if let Some(hosted) = self.board.find(market) {
            return Ok(Some(hosted.log.lines(seat)));
        }
        if market >= self.next_market.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let stored = self
            .recording
            .transcript(self.kit.game(), market, seat)
            .await?;
        Ok(stored.map(|entries| log::from_entries(&entries)))
    }

    /// Starts nothing more and waits until every match has ended, at most `within`; what then still
    /// runs is cut and, where it is recorded, taken up at the next start.
    pub async fn drain(&self, within: Duration) {
        self.board.close();
        self.tasks.close();
        if tokio::time::timeout(within, self.tasks.wait())
            .await
            .is_err()
        {
            self.stop.cancel();
            self.tasks.wait().await;
        }
    }

    /// Cuts every match now.
    pub async fn stop(&self) {
        self.drain(Duration::ZERO).await;
    }

    fn info(&self, request: &MatchRequest, market: u64) -> MatchInfo {
        let seat_of = |place: usize| request.seats.get(place).cloned();
        let count = self.seats().max(request.seats.len());
        MatchInfo {
            match_id: ulid::Ulid::generate().to_string(),
            game: self.kit.game().to_owned(),
            market,
            ids: ids(market, self.seats()),
            seats: (0..count)
                .map(|place| seat_of(place).unwrap_or_else(SeatSpec::filler).to_string())
                .collect(),
            names: (0..count)
                .map(|place| request.names.get(place).cloned().flatten())
                .collect(),
            started_us: now_us(),
        }
    }

    fn row(&self, info: &MatchInfo, setup: Value) -> NewMatch {
        let seats = info.seats.iter().zip(&info.names).enumerate();
        NewMatch {
            id: info.match_id.clone(),
            game: info.game.clone(),
            referee: self.settings.referee.clone(),
            market: info.market,
            ours: true,
            started_us: info.started_us,
            setup,
            seats: seats
                .map(|(place, (spec, name))| NewSeat {
                    seat: place as u8,
                    spec: spec.clone(),
                    name: name.clone(),
                })
                .collect(),
        }
    }

    fn links(&self, specs: &[SeatSpec]) -> Result<Links, SeatSpecError> {
        let mut links = Links::new();
        for spec in specs {
            spec.check(self.kit)?;
            links.push(match spec {
                SeatSpec::Url(target) => {
                    Some(Box::new(HttpSeat::new(target.clone(), self.settings.http)))
                }
                spec if spec.is_filler() => None,
                other => return Err(SeatSpecError::NotCalled(other.to_string())),
            });
        }
        while links.len() < self.seats() {
            links.push(None);
        }
        Ok(links)
    }

    fn spawn(
        self: &Arc<Self>,
        hosted: Arc<HostedMatch>,
        table: Box<dyn Table>,
        links: Links,
        past: Past,
        record: Box<dyn MatchRecord>,
    ) -> Started {
        if let Some(tell) = &self.settings.on_match {
            tell(&hosted.info);
        }
        let (begin, may_begin) = oneshot::channel();
        let (end, ended) = oneshot::channel::<()>();
        let host = Arc::clone(self);
        let run = Arc::clone(&hosted);
        self.tasks.spawn(async move {
            // Dropped unsent: whoever started the match has gone, and the match begins all the same.
            let _ = may_begin.await;
            let running = AssertUnwindSafe(host.run(&run, table, links, past, record));
            if running.catch_unwind().await.is_err() {
                tracing::error!(
                    match_id = run.info.match_id,
                    "the rules broke down in this match"
                );
            }
            host.board.leave(run.info.market);
            drop(end);
        });
        Started {
            hosted,
            begin,
            ended,
        }
    }

    async fn run(
        &self,
        hosted: &HostedMatch,
        mut table: Box<dyn Table>,
        links: Links,
        past: Past,
        record: Box<dyn MatchRecord>,
    ) {
        let writer = Writer::start(record);
        let journal = Journal::new(Arc::clone(&hosted.log), writer.lines(), past.last_us);
        let options = DriveOptions {
            failures_max: failures_max(self.kit, &table.setup()),
            within: self.kit.answer_within(),
        };
        let played = drive(
            table.as_mut(),
            links,
            past,
            Arc::new(journal),
            options,
            &self.stop,
        )
        .await;
        let flushed = writer.flush().await;
        let end = match played {
            Err(DriveError::Stopped) => return,
            Ok(outcome) => MatchEnd {
                at_us: now_us(),
                cause: outcome.cause,
                detail: String::new(),
                outcome: Some(outcome),
            },
            Err(error) => MatchEnd {
                at_us: now_us(),
                cause: error.cause(),
                detail: error.to_string(),
                outcome: None,
            },
        };
        let closed = match flushed {
            Ok(record) => record.close(result(&end)).await,
            Err(error) => Err(error),
        };
        if let Err(error) = closed {
            tracing::error!(match_id = hosted.info.match_id, %error, "a match is not kept whole");
        }
        // Set once: this is the match's only task.
        let _ = hosted.end.set(end);
    }
}

fn hosted(info: MatchInfo) -> Arc<HostedMatch> {
    let log = Arc::new(MatchLog::new(info.ids.len()));
    Arc::new(HostedMatch {
        info,
        log,
        end: OnceLock::new(),
    })
}

/// Each seat's number on the wire: so many a market, hence unique where markets are.
fn ids(market: u64, seats: usize) -> Vec<u64> {
    let first = (market - 1) * seats as u64 + 1;
    (0..seats as u64).map(|seat| first + seat).collect()
}

fn specs(row: &NewMatch) -> Result<Vec<SeatSpec>, String> {
    let parse = |seat: &NewSeat| {
        seat.spec
            .parse::<SeatSpec>()
            .map_err(|error| error.to_string())
    };
    row.seats.iter().map(parse).collect()
}

fn result(end: &MatchEnd) -> MatchResult {
    let scores = end
        .outcome
        .as_ref()
        .map(|outcome| outcome.scores.values().to_vec());
    MatchResult {
        at_us: end.at_us,
        cause: end.cause,
        blame: None,
        detail: end.detail.clone(),
        scores: scores.unwrap_or_default(),
    }
}

fn cancelled(detail: String) -> MatchResult {
    MatchResult {
        at_us: now_us(),
        cause: Cause::Cancelled,
        blame: None,
        detail,
        scores: Vec::new(),
    }
}

/// The host's options with the match's own over them.
fn merged(ours: &Value, theirs: &Value) -> Value {
    match (ours, theirs) {
        (Value::Object(ours), Value::Object(theirs)) => {
            let mut all = ours.clone();
            all.extend(theirs.clone());
            Value::Object(all)
        }
        (ours, Value::Null) => ours.clone(),
        (_, theirs) => theirs.clone(),
    }
}

/// A seed that every JSON reader takes for the same number.
fn drawn_seed() -> u64 {
    (ulid::Ulid::generate().random() & ((1 << 53) - 1)) as u64
}

/// A23's bound: the match's own option, else the game's default, else [`FAILURES_MAX`].
fn failures_max(kit: &dyn Kit, setup: &Value) -> u16 {
    let name = "failures_max";
    let own = setup
        .get("options")
        .and_then(|options| options.get(name))
        .and_then(Value::as_u64);
    let card = kit.options().iter().find(|card| card.name == name);
    own.or_else(|| card?.default.parse().ok())
        .and_then(|bound| u16::try_from(bound).ok())
        .unwrap_or(FAILURES_MAX)
}
