//! The host of our own matches: starts them, keeps their logs in memory, resumes them after a restart, and
//! ends them cleanly.

mod resume;

use super::callbacks::{Callbacks, Links};
use super::match_info::{HostedMatch, MatchEnd, MatchInfo, MatchRequest};
use super::numbers::Draw;
use super::registry::MatchRegistry;
use super::setup::{bot_seeds, drawn_seed, failures_max, hosted, merged, new_info, result, seats};
use super::started::{StartError, Started};
use crate::clock::{Steady, now_us};
use crate::config::{Config, Koehandel};
use crate::link::{HttpOptions, Reach, Target};
use crate::programs::{Account, Launch};
use crate::referee::drive::{DriveError, drive};
use crate::referee::feed::Feed;
use crate::referee::record::log::{self, LogLine, MatchLog};
use crate::referee::record::{
    DecisionTimes, MatchRecord, Patience, RecordError, Recording, Writer,
};
use crate::referee::seat::seat_builtin::{BuiltinSeat, Builtins, OurBot};
use crate::referee::seat::seat_link::{HttpSeat, SeatLink};
use crate::referee::seat::seat_spec::{SeatSpec, SeatSpecError};
use crate::referee::seat::{Discarded, Left, OwnAddress};
use futures_util::FutureExt as _;
use games::match_::{Attendance, Place, Rules};
use games::{Kit, Learnt, Match, Outcome, Participation, Seat, TableSetup, Wire};
use serde_json::Value;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Called with every match before its first callback.
pub type OnMatch = Arc<dyn Fn(&MatchInfo) + Send + Sync>;

/// Makes the link to a player with an address.
pub type Call = Arc<dyn Fn(&Target) -> Box<dyn SeatLink> + Send + Sync>;

/// How a host works.
#[derive(Clone)]
pub struct HostSettings {
    /// The name that our matches carry as their referee.
    pub referee: String,
    /// The maximum number of concurrent matches.
    pub matches_max: usize,
    /// How many ended matches stay in memory with their logs.
    pub ended_kept: usize,
    /// How players are called.
    pub http: HttpOptions,
    /// In place of [`HttpSeat`], another way to call players.
    pub call: Option<Call>,
    /// How our bots play on seats without a wire; `None`: they do not.
    pub builtins: Option<Builtins>,
    /// Rule options of every match, unless its request sets others.
    pub options: Value,
    /// Where our own bots are called, if this process has any.
    pub own: Option<OwnAddress>,
    /// Is notified of every match before its first callback.
    pub on_match: Option<OnMatch>,
    /// Whether the records of matches also hold what sessions of our own would ([`MatchRecord::alone`]).
    pub alone: bool,
}

impl From<&Koehandel> for HostSettings {
    fn from(configured: &Koehandel) -> Self {
        Self {
            referee: configured.name.clone(),
            matches_max: configured.matches_max,
            ended_kept: 50,
            http: HttpOptions::default(),
            call: None,
            builtins: None,
            options: configured.options.clone(),
            own: None,
            on_match: None,
            alone: false,
        }
    }
}

impl Default for HostSettings {
    /// Those of the configuration's defaults, with no rule options for any game.
    fn default() -> Self {
        Self {
            options: Value::Null,
            ..Self::from(&Config::default().referee.koehandel)
        }
    }
}

/// Runs matches of one game.
pub struct Host {
    pub(in crate::referee) kit: &'static dyn Kit,
    pub(in crate::referee) settings: HostSettings,
    pub(in crate::referee) recording: Recording,
    pub(in crate::referee) registry: MatchRegistry,
    tasks: TaskTracker,
    stop: CancellationToken,
    /// Cancelled with the beginning of a stop: a match that waits for its record is left to the next start.
    leave: CancellationToken,
}

/// What one match is played with.
pub(in crate::referee) struct Play {
    match_: Match,
    pub(in crate::referee) links: Links,
    pub(in crate::referee) record: MatchRecord,
    /// Wait before each message that asks for an answer.
    pub(in crate::referee) pause: Duration,
    /// Where the match is passed on, if somebody watches.
    pub(in crate::referee) feed: Option<Feed>,
}

impl Host {
    /// A host without any matches.
    #[must_use]
    pub fn new(kit: &'static dyn Kit, settings: HostSettings, recording: Recording) -> Arc<Self> {
        Arc::new(Self {
            kit,
            registry: MatchRegistry::new(settings.matches_max, settings.ended_kept),
            settings,
            recording,
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
            leave: CancellationToken::new(),
        })
    }

    /// The game.
    #[must_use]
    pub fn kit(&self) -> &'static dyn Kit {
        self.kit
    }

    /// How many seats a match has.
    #[must_use]
    pub fn seats(&self) -> usize {
        seats(self.kit)
    }

    /// How many matches are running.
    #[must_use]
    pub fn running(&self) -> usize {
        self.tasks.len()
    }

    /// Matches that are running or ended recently, newest first.
    #[must_use]
    pub fn matches(&self) -> Vec<Arc<HostedMatch>> {
        self.registry.matches()
    }

    /// Sets up a match and stores its row. Missing seats are fillers.
    ///
    /// # Errors
    /// [`StartError`] says why it cannot start.
    pub async fn start(self: &Arc<Self>, mut request: MatchRequest) -> Result<Started, StartError> {
        if self.tasks.is_closed() {
            return Err(StartError::Stopping);
        }
        let mut permit = self
            .registry
            .permit()
            .ok_or(StartError::Full(self.settings.matches_max))?;
        let seed = request.seed.unwrap_or_else(drawn_seed);
        let seeds = bot_seeds(seed, &request.seats);
        let launches = self.launches(&mut request.seats).await?;
        let mut links = self.links(
            &request.seats,
            &launches,
            &seeds,
            &request.learnt,
            request.reach.as_ref(),
        )?;
        let (game, seats) = (self.kit.card().name, self.seats());
        let drawn = Draw::new(request.numbers);
        let drawn = drawn.free(&self.recording, game, seats, |drawn| permit.claim(drawn));
        let numbers = drawn.await?;
        let info = new_info(self.kit, &request, numbers, self.settings.own.as_ref());
        let table = self.kit.table(&TableSetup {
            seed,
            options: merged(&self.settings.options, &request.options),
            market: info.market,
            ids: info.ids.clone(),
        })?;
        let row = info.row(&self.settings.referee, table.setup());
        let mut record = self.recording.open(&row, &info.ids, &seeds).await?;
        if self.settings.alone {
            record = record.alone(DecisionTimes::Stamped);
        }
        for (seat, link) in (0u8..).map(Seat).zip(&mut links) {
            if let Some(link) = link {
                link.begins(&info.match_id, record.session(seat));
            }
        }
        let most = failures_max(self.kit, &table.setup());
        let mut places = places(&links);
        for (place, tries) in places.iter_mut().zip(&request.tries) {
            place.failures = tries.map_or(0, |tries| most.saturating_sub(tries));
        }
        let log = MatchLog::new(info.ids.len());
        let hosted = hosted(info, log);
        permit.enter(Arc::clone(&hosted));
        Ok(self.spawn(
            hosted,
            Play {
                match_: Match::new(table, Rules::of_wire(Wire::Callbacks)).among(places),
                links,
                record,
                pause: request.pause,
                feed: request.feed,
            },
        ))
    }

    /// One seat's log, from memory or from the recording; `None` for an id never assigned.
    ///
    /// # Errors
    /// [`RecordError`] if the recording cannot be read.
    pub async fn log(&self, id: u64) -> Result<Option<Vec<LogLine>>, RecordError> {
        if let Some((hosted, seat)) = self.registry.find(id) {
            return Ok(Some(hosted.log.lines(seat)));
        }
        let game = self.kit.card().name;
        let Some((market, seat)) = self.recording.seat_of(game, id).await? else {
            return Ok(None);
        };
        let stored = self.recording.transcript(game, market, seat).await?;
        Ok(stored.map(|entries| log::from_entries(&entries)))
    }

    /// The player with this id, if its match is still running.
    pub(in crate::referee) fn running_seat(&self, id: u64) -> Option<SeatSpec> {
        let (hosted, seat) = self.registry.find(id)?;
        if hosted.end.get().is_some() {
            return None;
        }
        let spec = hosted.info.seats.get(seat.index())?;
        spec.parse().ok()
    }

    /// Starts no more matches and waits until all have ended, at most `within`; those still running are then
    /// interrupted and, where recorded, resumed at the next start. So are, at once, those that wait until they
    /// can be recorded.
    pub async fn drain(&self, within: Duration) {
        self.registry.close();
        self.tasks.close();
        self.leave.cancel();
        if tokio::time::timeout(within, self.tasks.wait())
            .await
            .is_err()
        {
            self.stop.cancel();
            self.tasks.wait().await;
        }
    }

    /// Interrupts every match now.
    pub async fn stop(&self) {
        self.drain(Duration::ZERO).await;
    }

    /// The users' programs on these seats, by seat; a seat then says which version it is.
    pub(in crate::referee) async fn launches(
        &self,
        specs: &mut [SeatSpec],
    ) -> Result<Vec<Option<Arc<Launch>>>, SeatSpecError> {
        let mut launches = Vec::with_capacity(specs.len());
        for spec in specs {
            let mut launch = None;
            if let (SeatSpec::Bot(name), Some(builtins)) = (&*spec, &self.settings.builtins) {
                launch = builtins.programs.bots.look(&name.to_string()).await;
                *spec = SeatSpec::found(name, launch.as_deref(), self.kit)?;
            }
            launches.push(launch);
        }
        Ok(launches)
    }

    /// The link to each seat's player, within `reach` or else that of all matches. Missing seats are fillers.
    /// `launches`: its program, if it is a user's. `seeds` and what it has `learnt`: of each seat's bot, if it has one
    /// here.
    pub(in crate::referee) fn links(
        &self,
        specs: &[SeatSpec],
        launches: &[Option<Arc<Launch>>],
        seeds: &[u64],
        learnt: &[Learnt],
        reach: Option<&Reach>,
    ) -> Result<Links, StartError> {
        let mut http = self.settings.http.clone();
        if let Some(reach) = reach {
            http.reach = reach.clone();
        }
        let mut links = Links::new();
        for (seat, (spec, seed)) in specs.iter().zip(seeds).enumerate() {
            spec.check(self.kit)?;
            let spec = OwnAddress::real(self.settings.own.as_ref(), spec)?;
            let launch = launches.get(seat).and_then(Option::as_ref);
            links.push(self.link(&spec, launch, *seed, learnt.get(seat), &http)?);
        }
        while links.len() < self.seats() {
            links.push(None);
        }
        Ok(links)
    }

    fn link(
        &self,
        spec: &SeatSpec,
        launch: Option<&Arc<Launch>>,
        seed: u64,
        learnt: Option<&Learnt>,
        http: &HttpOptions,
    ) -> Result<Option<Box<dyn SeatLink>>, StartError> {
        if spec.is_filler() {
            return Ok(None);
        }
        let bot = match (spec, launch) {
            (SeatSpec::Url(target), _) => {
                if let Some(call) = &self.settings.call {
                    return Ok(Some(call(target)));
                }
                let seat = HttpSeat::new(target.clone(), http.clone());
                return Ok(Some(Box::new(seat)));
            }
            (SeatSpec::Builtin(name), _) => Some(OurBot::Named(name)),
            (_, launch) => launch.map(OurBot::Program),
        };
        let (Some(bot), Some(builtins)) = (bot, &self.settings.builtins) else {
            return Err(SeatSpecError::NotCalled(spec.to_string()).into());
        };
        let seat = BuiltinSeat::new(self.kit, builtins.seating(bot, seed, learnt))?;
        Ok(Some(Box::new(seat)))
    }

    pub(in crate::referee) fn spawn(
        self: &Arc<Self>,
        hosted: Arc<HostedMatch>,
        play: Play,
    ) -> Started {
        if let Some(notify) = &self.settings.on_match {
            notify(&hosted.info);
        }
        if let Some(feed) = &play.feed {
            feed.begin(hosted.info.beginning());
        }
        let (begin, may_begin) = oneshot::channel();
        let (end, ended) = oneshot::channel::<()>();
        let host = Arc::clone(self);
        let run = Arc::clone(&hosted);
        let (match_id, players) = (&hosted.info.match_id, &hosted.info.names);
        tracing::info!(match_id, ?players, "a match begins");
        self.tasks.spawn(async move {
            // Dropped unsent: the caller that started the match is gone, but it begins all the same.
            let _ = may_begin.await;
            host.run(&run, play).await;
            host.registry.leave(&run.info.match_id);
            drop(end);
        });
        Started {
            hosted,
            begin,
            ended,
        }
    }

    async fn run(&self, hosted: &HostedMatch, play: Play) {
        let Play {
            match_,
            links,
            record,
            pause,
            feed,
        } = play;
        let account = |link: &Option<Box<dyn SeatLink>>| link.as_ref()?.account();
        let accounts: Vec<Option<Account>> = links.iter().map(account).collect();
        let rules = Rules {
            failures_max: failures_max(self.kit, &match_.table().setup()),
            acknowledged_within: self.kit.card().limits.answer,
            durable: record.lasting(),
            pause,
            ..Rules::of_wire(Wire::Callbacks)
        };
        let mut match_ = match_.with_rules(rules);
        let patience = Patience {
            leave: self.leave.clone(),
            within: Duration::MAX,
        };
        let writer = Writer::start(record, patience.clone());
        let (log, stop) = (Arc::clone(&hosted.log), self.stop.clone());
        let mut port = Callbacks::new(links, log, feed, &writer, stop);
        let driven = async {
            let outcome = drive(&mut match_, &mut port, &Steady::new()).await?;
            Ok((outcome, port.leave().await))
        };
        let played = AssertUnwindSafe(driven).catch_unwind().await;
        let played = played.unwrap_or(Err(DriveError::Broken));
        let match_id = &hosted.info.match_id;
        if matches!(played, Err(DriveError::Broken)) {
            tracing::error!(match_id, "{}", DriveError::Broken);
        }
        let (record, flushed) = writer.flush().await;
        if let Err(why @ (RecordError::Unwritable(_) | RecordError::Elsewhere)) = &flushed {
            tracing::warn!(match_id, %why, "a match is left to the next start");
            return;
        }
        if matches!(played, Err(DriveError::Stopped)) {
            return;
        }
        let end = match_end(hosted, played, &match_, &accounts, &flushed);
        self.close(hosted, end, record, patience, flushed).await;
    }

    /// Stores a match's end, and shows it then.
    async fn close(
        &self,
        hosted: &HostedMatch,
        mut end: MatchEnd,
        mut record: MatchRecord,
        patience: Patience,
        flushed: Result<(), RecordError>,
    ) {
        let match_id = &hosted.info.match_id;
        record.took(end.left.iter().map(|left| left.taken.clone()));
        let closed = patience.close(&mut record, &result(&end)).await;
        if let Err(why @ (RecordError::Unwritable(_) | RecordError::Elsewhere)) = &closed {
            tracing::warn!(match_id, %why, "a match's end is left to the next start");
            return;
        }
        if let Err(error) = flushed.and(closed) {
            tracing::error!(match_id, %error, "a match is not fully recorded");
            end.unrecorded = Some(error.to_string());
        }
        let cause = end.cause.word();
        tracing::info!(match_id, cause, detail = end.detail, "a match ended");
        // Set once: this is the match's only task.
        let _ = hosted.end.set(end);
    }
}

/// How a match ended, with the first answer of each seat that counted as none. The rules' own end stands, since its players
/// may have been notified.
fn match_end(
    hosted: &HostedMatch,
    played: Result<(Outcome, Vec<Option<String>>), DriveError>,
    match_: &Match,
    accounts: &[Option<Account>],
    recorded: &Result<(), RecordError>,
) -> MatchEnd {
    let (played, none) = match played {
        Ok((outcome, none)) => (Ok(outcome), none),
        Err(error) => (Err(error), Vec::new()),
    };
    let outcome = match &played {
        Err(DriveError::Unrecorded) => match_.table().outcome(),
        played => played.clone().ok(),
    };
    let (cause, detail) = match &outcome {
        Some(outcome) => (outcome.cause, String::new()),
        None => {
            let error = played.err().unwrap_or(DriveError::Unrecorded);
            let why = recorded.as_ref().err().map(ToString::to_string);
            (error.cause(), why.unwrap_or_else(|| error.to_string()))
        }
    };
    let conduct = match_.conduct();
    let seats = hosted.info.seats.iter().zip(accounts).zip(&conduct);
    // Programs of users by their own account, players that are called by their answers.
    let participation = seats.map(|((spec, account), conduct)| {
        Some(match account {
            Some(account) => account.participation(),
            None if spec.starts_with("url:") => conduct.participation_called(),
            None => Participation::played(),
        })
    });
    let left = accounts.iter().zip(&conduct).enumerate();
    let left = left.map(|(seat, (account, conduct))| Left {
        discarded: none.get(seat).cloned().flatten().map(|reply| Discarded {
            first: format!("its answer counted as none: {reply}"),
            all: conduct.never_answered(),
        }),
        ..account.as_ref().map(Left::from).unwrap_or_default()
    });
    MatchEnd {
        at_us: now_us(),
        cause,
        detail,
        outcome,
        unrecorded: None,
        participation: participation.collect(),
        left: left.collect(),
        conduct,
    }
}

/// Who has a seat, as the match must know it.
pub(super) fn places(links: &Links) -> Vec<Place> {
    let place = |link: &Option<Box<dyn SeatLink>>| {
        Place::new(match link {
            Some(_) => Attendance::Outside,
            None => Attendance::Filler,
        })
    };
    links.iter().map(place).collect()
}
