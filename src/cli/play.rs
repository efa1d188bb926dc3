//! `drover play`: local matches, one or many.

use super::play_args::{Output, PlayArgs, game, rule_options};
use super::play_keep::{REFEREE, keep, open_recording};
use super::play_progress::Progress;
use super::usage::UsageError;
use crate::link::program::{adopt_orphans, kill_all};
use crate::referee::arbiter::{self, ArbiterPlan};
use crate::referee::budget::ThinkBudget;
use crate::referee::local::{self, LocalPlan};
use crate::referee::report::{Conditions, Report};
use crate::referee::seat_builtin::Builtins;
use crate::referee::seat_spec::FILLER;
use crate::referee::tally::Tally;
use crate::referee::watch::Watch;
use crate::referee::wired::{self, WiredPlan};
use crate::referee::{Host, HostSettings, OnMatch, OwnAddress, Recording, SeatSpec, Unrecorded};
use anyhow::Context as _;
use futures_util::future::BoxFuture;
use games::{Kit, SetupError, Wire};
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// What `--wire` needs of a gateway.
#[derive(Clone, Debug)]
pub struct GatewayWanted {
    /// The game.
    pub game: String,
    /// How long each decision may take.
    pub budget: ThinkBudget,
    /// Whether bots may use opponent models.
    pub models: bool,
    /// Matches at once; each may have all its seats there.
    pub matches: usize,
    /// The database to keep everything in, if any.
    pub store: Option<PathBuf>,
}

/// A gateway that answers callbacks for built-in bots.
pub struct GatewayReady {
    /// A bot is called at `{base_url}/{game}/{bot}`: no slash at the end.
    pub base_url: String,
    /// What is secret about that address, if anything.
    pub own: Option<OwnAddress>,
    /// Where matches are kept, if a database was wanted: gateway and referee share it.
    pub recording: Option<Arc<dyn Recording>>,
    /// Told of every match, so that seats can be named.
    pub on_match: Option<OnMatch>,
    /// Ends it, everything kept.
    pub stop: BoxFuture<'static, ()>,
}

/// Starts a gateway in this process; who wires the verbs gives it.
pub type StartGateway =
    Arc<dyn Fn(GatewayWanted) -> BoxFuture<'static, anyhow::Result<GatewayReady>> + Send + Sync>;

/// Plays and prints the result on the standard output. Ctrl-C ends early with what was played.
///
/// # Errors
/// [`UsageError`] for a command line that makes no sense; else what went wrong.
pub async fn run(args: PlayArgs, gateway: Option<StartGateway>) -> anyhow::Result<()> {
    let kit = game(&args.game)?;
    if let Some(spec) = args.interactive.clone() {
        tokio::spawn(async {
            if signalled().await {
                kill_all();
                std::process::exit(130);
            }
        });
        return tokio::task::spawn_blocking(move || super::interactive::run(kit, &args, &spec))
            .await?;
    }
    let text = play(kit, args, gateway, on_signal()).await?;
    print!("{text}");
    Ok(())
}

/// Plays with any game and gives the result as text, for [`run`] and for tests.
///
/// # Errors
/// As [`run`].
pub async fn play(
    kit: &'static dyn Kit,
    args: PlayArgs,
    gateway: Option<StartGateway>,
    stop: CancellationToken,
) -> anyhow::Result<String> {
    let entrants = args.entrants(kit)?;
    let options = with_timeout(kit, rule_options(kit, &args.options)?, args.timeout)?;
    if let Some(log) = &args.log {
        std::fs::create_dir_all(log)
            .with_context(|| format!("cannot make the directory {}", log.display()))?;
    }
    if args.wire && kit.wire() != Wire::Callbacks {
        let game = kit.game();
        let why = format!(
            "--wire plays over HTTP, which {game} players do not speak; run drover referee {game} and dial it"
        );
        return Err(UsageError(why).into());
    }
    let began = Instant::now();
    let wire = args.wire || entrants.iter().any(|spec| matches!(spec, SeatSpec::Url(_)));
    let plan = Plan {
        kit,
        args: &args,
        entrants: &entrants,
        options: &options,
    };
    let programs = |spec: &SeatSpec| matches!(spec, SeatSpec::Program(_));
    let tally = if wire {
        plan.over_wire(gateway, stop).await?
    } else if entrants.iter().any(programs) {
        plan.with_programs(stop).await?
    } else {
        plan.in_process(stop).await?
    };
    let conditions = Conditions {
        game: kit.game().to_owned(),
        games_planned: args.games,
        seed: args.seed,
        budget: args.budget(kit),
        options,
        pool: !args.pool.is_empty(),
        rotated: !args.no_rotate,
        models: !args.no_models,
        wire,
    };
    let specs: Vec<String> = entrants.iter().map(SeatSpec::to_string).collect();
    let report = Report::new(conditions, &specs, &tally, began.elapsed());
    Ok(match args.output {
        Output::Table => report.table(),
        Output::Json => report.json()? + "\n",
        Output::Csv => report.csv()?,
    })
}

struct Plan<'a> {
    kit: &'static dyn Kit,
    args: &'a PlayArgs,
    entrants: &'a [SeatSpec],
    options: &'a Value,
}

impl Plan<'_> {
    async fn in_process(&self, stop: CancellationToken) -> anyhow::Result<Tally> {
        let (args, kit) = (self.args, self.kit);
        let name = |spec: &SeatSpec| spec.builtin().unwrap_or(FILLER).to_owned();
        let plan = LocalPlan {
            kit,
            bots: self.entrants.iter().map(name).collect(),
            schedule: args.schedule(kit, self.entrants.len()),
            budget: args.budget(kit),
            concurrency: args.concurrency(),
            options: self.options.clone(),
            models: !args.no_models,
            record: args.store.is_some() || args.log.is_some(),
        };
        self.watched(stop, move |abort, watch| local::play(&plan, abort, watch))
            .await
    }

    /// Plays with programs on pipes.
    async fn with_programs(&self, stop: CancellationToken) -> anyhow::Result<Tally> {
        let (args, kit) = (self.args, self.kit);
        let plan = ArbiterPlan {
            kit,
            seats: self.entrants.to_vec(),
            schedule: args.schedule(kit, self.entrants.len()),
            budget: args.budget(kit),
            concurrency: args.concurrency(),
            options: self.options.clone(),
            models: !args.no_models,
            record: args.store.is_some() || args.log.is_some(),
            programs: args.programs(kit)?,
        };
        adopt_orphans().context("programs' orphans cannot be adopted")?;
        self.watched(stop, move |abort, watch| arbiter::play(&plan, abort, watch))
            .await
    }

    /// Plays on threads of their own, shows how far that has come, and keeps what is to be kept.
    async fn watched(
        &self,
        stop: CancellationToken,
        play: impl FnOnce(&AtomicBool, &mut dyn Watch) -> Result<Tally, SetupError> + Send + 'static,
    ) -> anyhow::Result<Tally> {
        let (args, kit) = (self.args, self.kit);
        let (keeping, sender) = match &args.store {
            Some(path) => {
                let recording = open_recording(path).await?;
                let (sender, played) = tokio::sync::mpsc::channel(MATCHES_WAITING_MAX);
                let options = self.options.clone();
                (
                    Some(tokio::spawn(keep(kit, options, recording, played))),
                    Some(sender),
                )
            }
            None => (None, None),
        };
        let abort = Arc::new(AtomicBool::new(false));
        let aborting = Arc::clone(&abort);
        let watcher = tokio::spawn(async move {
            stop.cancelled().await;
            aborting.store(true, Ordering::Relaxed);
        });
        let mut progress = Progress::new(args.games, args.log.clone(), sender);
        let playing = tokio::task::spawn_blocking(move || {
            let tally = play(&abort, &mut progress);
            (tally, progress)
        });
        let (tally, progress) = playing.await.context("playing broke down")?;
        watcher.abort();
        progress
            .finish()
            .context("a transcript cannot be written")?;
        if let Some(keeping) = keeping {
            keeping.await.context("keeping the matches broke down")??;
        }
        // Unknown names were refused before: what is left are option values.
        tally.map_err(|error| UsageError(error.to_string()).into())
    }

    async fn over_wire(
        &self,
        gateway: Option<StartGateway>,
        stop: CancellationToken,
    ) -> anyhow::Result<Tally> {
        let (args, kit) = (self.args, self.kit);
        let ready = match gateway {
            Some(start) if args.wire => Some(start(self.wanted()).await?),
            None if args.wire => anyhow::bail!("this build has no gateway to play over"),
            _ => None,
        };
        let recording: Arc<dyn Recording> = match (&ready, &args.store) {
            (Some(ready), Some(_)) => ready
                .recording
                .clone()
                .context("the gateway keeps no matches")?,
            (None, Some(path)) => open_recording(path).await?,
            (_, None) => Arc::new(Unrecorded),
        };
        let builtins = Builtins {
            budget: args.budget(kit),
            models: !args.no_models,
            permits: Arc::new(Semaphore::new(args.concurrency().get())),
        };
        let settings = HostSettings {
            referee: REFEREE.to_owned(),
            matches_max: args.concurrency().get(),
            ended_kept: 0,
            builtins: Some(builtins),
            own: ready.as_ref().and_then(|ready| ready.own.clone()),
            on_match: ready.as_ref().and_then(|ready| ready.on_match.clone()),
            ..HostSettings::default()
        };
        let host = Host::new(kit, settings, recording);
        let plan = WiredPlan {
            seats: self.called(ready.as_ref().map(|ready| ready.base_url.as_str()))?,
            schedule: args.schedule(kit, self.entrants.len()),
            concurrency: args.concurrency(),
            options: self.options.clone(),
            record: args.log.is_some(),
        };
        let mut progress = Progress::new(args.games, args.log.clone(), None);
        let tally = wired::play(&host, &plan, &mut progress, &stop).await;
        host.stop().await;
        if let Some(ready) = ready {
            ready.stop.await;
        }
        progress
            .finish()
            .context("a transcript cannot be written")?;
        Ok(tally?)
    }

    fn wanted(&self) -> GatewayWanted {
        GatewayWanted {
            game: self.kit.game().to_owned(),
            budget: self.args.budget(self.kit),
            models: !self.args.no_models,
            matches: self.args.concurrency().get(),
            store: self.args.store.clone(),
        }
    }

    /// The entrants with built-in bots behind the gateway, if there is one.
    fn called(&self, base_url: Option<&str>) -> anyhow::Result<Vec<SeatSpec>> {
        let called = |spec: &SeatSpec| match (base_url, spec.builtin()) {
            (Some(base), Some(name)) if !spec.is_filler() => {
                Ok(format!("url:{base}/{}/{name}", self.kit.game()).parse()?)
            }
            _ => Ok(spec.clone()),
        };
        self.entrants.iter().map(called).collect()
    }
}

/// The rule options with each player's time, where the game has a clock to set.
fn with_timeout(
    kit: &dyn Kit,
    options: Value,
    timeout: Option<Duration>,
) -> Result<Value, UsageError> {
    let Some(timeout) = timeout else {
        return Ok(options);
    };
    let Some(name) = kit.stdio().time_option else {
        let game = kit.game();
        let why = format!("--timeout: {game} has no clock to set; see --option");
        return Err(UsageError(why));
    };
    let mut all = match options {
        Value::Object(options) => options,
        _ => Map::new(),
    };
    let ms = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
    all.insert(name.to_owned(), Value::from(ms));
    Ok(Value::Object(all))
}

/// Matches that may wait to be kept.
const MATCHES_WAITING_MAX: usize = 64;

/// Cancelled by the first Ctrl-C or SIGTERM; the second one ends the process, and programs with it.
fn on_signal() -> CancellationToken {
    let stop = CancellationToken::new();
    let cancel = stop.clone();
    tokio::spawn(async move {
        while signalled().await {
            if cancel.is_cancelled() {
                kill_all();
                std::process::exit(130);
            }
            cancel.cancel();
        }
    });
    stop
}

/// Waits for Ctrl-C or SIGTERM; false if they cannot be heard.
async fn signalled() -> bool {
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        return tokio::signal::ctrl_c().await.is_ok();
    };
    tokio::select! {
        heard = tokio::signal::ctrl_c() => heard.is_ok(),
        heard = terminate.recv() => heard.is_some(),
    }
}
