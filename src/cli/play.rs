//! `drover play`: local matches, one or many.

use super::common::{Common, game};
use super::play_args::{PlayArgs, SEED, rule_options, with_timeout};
use super::play_gateway::Gateway;
use super::play_progress::Progress;
use super::played::Played;
use super::stopping::{STOPPED, on_signal};
use super::trouble::Failures;
use super::usage::{UsageError, refuse};
use super::watching::stay;
use super::{play_from, users_bots};
use crate::daemon::{Signals, Watching};
use crate::link::program::{MachineReport, adopt_orphans, find, kill_all};
use crate::referee::budget::ThinkBudget;
use crate::referee::hub::{HubServer, HubSettings};
use crate::referee::seat_builtin::Builtins;
use crate::referee::{
    Host, HostSettings, HubPorts, InProcess, Notebook, Pipes, Ports, Recording, SeatPrograms,
    SeatSpec,
};
use crate::tournament::{
    self, Conditions, Extent, Kept, MatchError, Plan, PlannedMatch, REFEREE, Referees, Report,
    Stop, Tally, keep, open_recording,
};
use anyhow::Context as _;
use games::{Kit, Wire};
use serde_json::Value;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

/// Plays and prints the result on standard output. Ctrl-C ends early with the matches played so far.
///
/// # Errors
/// [`UsageError`] for an invalid command line; otherwise whatever failed.
pub(super) async fn run(common: &Common, mut args: PlayArgs) -> anyhow::Result<ExitCode> {
    if let Some(from) = args.from.clone() {
        return play_from::run(common, args, &from).await;
    }
    let kit = game(args.game.as_deref().unwrap_or_default())?;
    if let Some(spec) = args.interactive.clone() {
        tokio::spawn(async {
            if let Ok(mut signals) = Signals::new() {
                signals.next().await;
                kill_all();
                std::process::exit(STOPPED.into());
            }
        });
        let within = args.budget.and_then(ThinkBudget::time);
        args.users_bots = users_bots::all(common, within)?;
        let talk = move || super::interactive::run(kit, &args, &spec);
        tokio::task::spawn_blocking(talk).await??;
        return Ok(ExitCode::SUCCESS);
    }
    let mut entrants = args.entrants(kit)?;
    let within = args.budget.and_then(ThinkBudget::time);
    let seats = entrants.iter_mut().map(|spec| (kit, spec));
    args.users_bots = users_bots::seated(common, within, seats)?;
    args.users_bots.notes = args.store.is_some();
    args.watch.prepare(common)?;
    // What is watched is stored, if only for now.
    let temporary = args.watch.is_on() && args.store.is_none();
    let folder = temporary.then(|| tempfile::Builder::new().prefix("drover-play-").tempdir());
    let folder = folder
        .transpose()
        .context("cannot make a temporary folder")?;
    if let Some(folder) = &folder {
        args.store = Some(folder.path().join("play.db").into());
    }
    let specs = entrants.iter().map(SeatSpec::to_string).collect();
    match args.pool.is_empty() {
        true => args.seats = specs,
        false => args.pool = specs,
    }
    let stop = on_signal();
    let (played, open) = played(kit, args, &stop).await?;
    let stopped = stop.is_cancelled();
    let printed = played.print();
    if printed.is_ok() {
        open.stay(&stop).await;
    }
    open.close().await;
    let code = printed?;
    Ok(match stopped {
        true => ExitCode::from(STOPPED),
        false => code,
    })
}

/// Plays with any game and returns the result, for tests.
///
/// # Errors
/// As [`run`].
pub async fn play(
    kit: &'static dyn Kit,
    args: PlayArgs,
    stop: CancellationToken,
) -> anyhow::Result<Played> {
    let (played, open) = played(kit, args, &stop).await?;
    open.close().await;
    Ok(played)
}

/// What was played, and what is open until it is shown.
async fn played(
    kit: &'static dyn Kit,
    mut args: PlayArgs,
    stop: &CancellationToken,
) -> anyhow::Result<(Played, Open)> {
    let failures = Failures::default();
    let all_reported = failures.receive_reports(&mut args.users_bots);
    let entrants = args.entrants(kit)?;
    args.draw_seed(&entrants)?;
    let options = prepared(kit, &args)?;
    let began = Instant::now();
    let specs: Vec<String> = entrants.iter().map(SeatSpec::to_string).collect();
    let run = Run {
        kit,
        args: &args,
        stop,
    };
    let plan = run.plan(entrants, options.clone());
    let wire = run.over_http(&plan.entrants);
    for spec in &plan.entrants {
        if let SeatSpec::Program(program) = spec {
            // Before the first game: an entrant of a pool may play only later.
            find(program).map_err(|why| UsageError(format!("seat {spec}: {why}")))?;
        }
    }
    let schedule = args.schedule(kit, plan.entrants.len());
    let work = Work {
        matches: Box::new(schedule.matches()),
        progress: Progress::new(args.games, args.log.clone(), failures.clone()),
    };
    let AllPlayed {
        tally,
        not_isolated,
        machine,
        open,
    } = run.all(plan, work).await?;
    args.users_bots = SeatPrograms::default();
    if specs.iter().any(|spec| spec.starts_with("bot:")) {
        all_reported.wait().await;
    }
    let conditions = Conditions {
        game: kit.card().name.to_owned(),
        games_planned: args.games,
        seed: args.seed.unwrap_or(SEED),
        budget: args.budget(kit),
        options,
        pool: !args.pool.is_empty(),
        rotated: !args.no_rotate,
        models: !args.no_models,
        wire,
        not_isolated,
        machine,
        when_silent: kit.card().stdio.when_silent,
        from: None,
    };
    let report = Report::new(conditions, &specs, &tally, began.elapsed());
    let played = Played::new(&report.with_failures(&failures.take()), args.output)?;
    Ok((played, open))
}

/// The rule options, once the rest is checked and the transcripts' folder is there.
fn prepared(kit: &dyn Kit, args: &PlayArgs) -> anyhow::Result<Value> {
    let options = with_timeout(kit, rule_options(kit, &args.options)?, args.timeout)?;
    if let Some(log) = &args.log {
        std::fs::create_dir_all(log)
            .with_context(|| format!("cannot make the directory {}", log.display()))?;
    }
    if args.wire && kit.card().wire != Wire::Callbacks {
        let game = kit.card().name;
        return refuse(format!(
            "--wire plays over HTTP, which {game} players do not speak; run drover referee {game} and dial it"
        ));
    }
    Ok(options)
}

/// Matches to be played, as these arguments say.
pub(super) struct Run<'a> {
    /// The game.
    pub(super) kit: &'static dyn Kit,
    /// The arguments.
    pub(super) args: &'a PlayArgs,
    /// Ends it early.
    pub(super) stop: &'a CancellationToken,
}

/// Which matches are played, and who is notified of them.
pub(super) struct Work {
    /// The matches; each is asked for when it can begin.
    pub(super) matches: Box<dyn Iterator<Item = PlannedMatch> + Send>,
    /// What shows them and passes them on.
    pub(super) progress: Progress,
}

/// Matches that were played.
pub(super) struct AllPlayed {
    tally: Tally,
    /// Why programs were not isolated, if they were not.
    not_isolated: Option<String>,
    machine: Option<MachineReport>,
    /// What is open until the result is shown.
    pub(super) open: Open,
}

/// Where matches are stored, and the pages that show them.
pub(super) struct Open {
    pages: Option<Watching>,
    recording: Recording,
    /// It has the database, if there is one.
    gateway: Option<Gateway>,
}

impl Open {
    /// Waits for the stop, if somebody looks at the pages.
    pub(super) async fn stay(&self, stop: &CancellationToken) {
        stay(self.pages.as_ref(), stop).await;
    }

    pub(super) async fn close(self) {
        if let Some(pages) = self.pages {
            pages.stop().await;
        }
        match self.gateway {
            Some(gateway) => gateway.stop().await,
            None => self.recording.close().await,
        }
    }

    /// With what was played on it; it is closed if that failed.
    async fn with(self, tally: anyhow::Result<anyhow::Result<Tally>>) -> anyhow::Result<AllPlayed> {
        match tally {
            Ok(Ok(tally)) => Ok(AllPlayed {
                tally,
                not_isolated: None,
                machine: None,
                open: self,
            }),
            Ok(Err(error)) | Err(error) => {
                self.close().await;
                Err(error)
            }
        }
    }
}

impl Run<'_> {
    /// What all its matches have in common.
    pub(super) fn plan(&self, entrants: Vec<SeatSpec>, options: Value) -> Plan {
        let wire = self.over_http(&entrants);
        Plan {
            kit: self.kit,
            entrants,
            names: Vec::new(),
            knowledge: None,
            options,
            concurrency: self.args.concurrency(),
            record: self.args.log.is_some() || self.args.store.is_some() && !wire,
        }
    }

    /// Whether matches among these are played over HTTP, or as those are.
    fn over_http(&self, entrants: &[SeatSpec]) -> bool {
        let called = |spec: &SeatSpec| match spec {
            SeatSpec::Url(_) => true,
            SeatSpec::Bot(_) => self.kit.card().wire == Wire::Callbacks,
            _ => false,
        };
        self.args.wire || entrants.iter().any(called)
    }

    /// Plays in the way that these entrants need.
    pub(super) async fn all(&self, plan: Plan, work: Work) -> anyhow::Result<AllPlayed> {
        let (kit, args) = (self.kit, self.args);
        let programs = |spec: &SeatSpec| matches!(spec, SeatSpec::Program(_));
        let users_bots = |spec: &SeatSpec| matches!(spec, SeatSpec::Bot(_));
        let any = |is: &dyn Fn(&SeatSpec) -> bool| plan.entrants.iter().any(is);
        if self.over_http(&plan.entrants) {
            return self.over_wire(plan, work).await;
        }
        if kit.card().wire == Wire::Hub && any(&users_bots) {
            return self.on_hub(plan, work).await;
        }
        if !any(&programs) && !any(&users_bots) {
            let player = Ports::Process(InProcess {
                budget: args.budget(kit),
                models: !args.no_models,
                timed: false,
            });
            let recording = self.recording().await?;
            return self.kept(plan, player, work, recording).await;
        }
        let isolated = match any(&programs) {
            true => args.isolation(),
            // Users' bots are protected as `drover bot protections` says.
            false => Ok(()),
        };
        let mut rules = args.programs(kit, isolated.is_ok())?;
        adopt_orphans().context("programs' orphans cannot be adopted")?;
        let recording = self.recording().await?;
        rules.bots.notebook = recording.store().map(|store| Notebook {
            store: store.clone().into(),
        });
        let machine = rules.machine.clone();
        let player = Ports::Pipes(Pipes {
            budget: args.budget(kit),
            models: !args.no_models,
            rules,
        });
        let played = self.kept(plan, player, work, recording).await?;
        Ok(AllPlayed {
            not_isolated: isolated.err(),
            machine: machine.map(|machine| machine.report()),
            ..played
        })
    }

    /// Where matches are stored, if they are.
    async fn recording(&self) -> anyhow::Result<Recording> {
        match &self.args.store {
            Some(location) => open_recording(location.clone(), Extent::Full).await,
            None => Ok(Recording::none()),
        }
    }

    /// Plays on this machine, and stores the matches if requested.
    async fn kept(
        &self,
        plan: Plan,
        ports: Ports,
        work: Work,
        recording: Recording,
    ) -> anyhow::Result<AllPlayed> {
        let open = Open {
            pages: self.args.watch.serve(&recording).await?,
            recording: recording.clone(),
            gateway: None,
        };
        let player = Referees::new(ports);
        if recording.store().is_none() {
            let tally = self.watched(plan, player, work, None, self.stop).await;
            return open.with(tally).await;
        }
        let player = player.shown(self.args.watch.live(&recording));
        let (sender, played) = mpsc::channel(MATCHES_WAITING_MAX);
        let options = plan.options.clone();
        let keeping = keep(self.kit, options, recording, played);
        // What cannot be stored need not be played.
        let stop = self.stop.child_token();
        let unkept = stop.clone();
        let keeping = tokio::spawn(async move { keeping.await.inspect_err(|_| unkept.cancel()) });
        let tally = self.watched(plan, player, work, Some(sender), &stop).await;
        let kept = keeping.await.context("storing the matches failed");
        let stored = tally.and_then(|tally| {
            kept??;
            Ok(tally)
        });
        open.with(stored).await
    }

    /// Plays and shows progress. The outer error is ours, the inner one the matches'.
    async fn watched(
        &self,
        plan: Plan,
        player: Referees,
        work: Work,
        keep: Option<mpsc::Sender<Kept>>,
        stop: &CancellationToken,
    ) -> anyhow::Result<anyhow::Result<Tally>> {
        let Work { matches, progress } = work;
        let mut progress = progress.kept(keep);
        let (plan, player, stop) = (Arc::new(plan), Arc::new(player), Arc::new(Stop::on(stop)));
        let tally = tournament::play(plan, matches, player, &mut progress, stop).await;
        progress.finish().context("cannot write a transcript")?;
        // Unknown names were rejected before: only option values are left.
        Ok(tally.map_err(|error| match error {
            MatchError::Setup(error) => UsageError(error.to_string()).into(),
            error => error.into(),
        }))
    }

    /// How our bots play at a table that others may join.
    fn builtins(&self) -> Builtins {
        Builtins {
            budget: self.args.budget(self.kit),
            models: !self.args.no_models,
            permits: Arc::new(Semaphore::new(self.args.concurrency().get())),
            programs: self.args.users_bots.clone(),
        }
    }

    /// Plays on a hub that nobody dials.
    async fn on_hub(&self, plan: Plan, work: Work) -> anyhow::Result<AllPlayed> {
        if self.args.log.is_some() {
            return refuse(
                "--log: a hub writes no transcripts of users' bots; keep them with --store",
            );
        }
        let recording = self.recording().await?;
        let settings = HubSettings {
            referee: REFEREE.to_owned(),
            matches_max: self.args.concurrency().get(),
            ..HubSettings::new(self.kit)
        };
        let hub = HubServer::open(settings, recording.clone()).await?;
        let open = Open {
            pages: self.args.watch.serve(&recording).await?,
            recording,
            gateway: None,
        };
        let player = Referees::new(Ports::Hub(HubPorts {
            hub: Arc::clone(&hub),
            builtins: self.builtins(),
            within: Duration::ZERO,
        }));
        let tally = self.watched(plan, player, work, None, self.stop).await;
        hub.drain(Duration::ZERO).await;
        open.with(tally).await
    }

    async fn over_wire(&self, mut plan: Plan, work: Work) -> anyhow::Result<AllPlayed> {
        let (args, kit) = (self.args, self.kit);
        let gateway = match args.wire {
            true => Some(Gateway::start(kit, args).await?),
            false => None,
        };
        let recording = match &gateway {
            Some(gateway) if args.store.is_some() => gateway.recording(),
            Some(_) => Recording::none(),
            None => self.recording().await?,
        };
        let pages = args.watch.serve(&recording).await?;
        let settings = HostSettings {
            referee: REFEREE.to_owned(),
            // The runner has its own bound: one that has just ended may still be there.
            matches_max: 2 * args.concurrency().get(),
            ended_kept: 0,
            builtins: Some(self.builtins()),
            own: gateway.as_ref().map(|gateway| gateway.own.clone()),
            on_match: gateway.as_ref().map(Gateway::on_match),
            alone: true,
            ..HostSettings::default()
        };
        let host = Host::new(kit, settings, recording.clone());
        if let Some(gateway) = &gateway {
            for spec in &mut plan.entrants {
                self.call(spec, gateway.own.listener)?;
            }
        }
        let player = Referees::new(Ports::Callbacks(Arc::clone(&host)));
        let tally = self.watched(plan, player, work, None, self.stop).await;
        host.stop().await;
        let open = Open {
            pages,
            recording,
            gateway,
        };
        open.with(tally).await
    }

    /// Puts a built-in bot behind the gateway.
    fn call(&self, spec: &mut SeatSpec, gateway: SocketAddr) -> anyhow::Result<()> {
        if let Some(name) = spec.builtin().filter(|_| !spec.is_filler()) {
            *spec = format!("url:http://{gateway}/{}/{name}", self.kit.card().name).parse()?;
        }
        Ok(())
    }
}

/// The maximum number of matches waiting to be stored.
const MATCHES_WAITING_MAX: usize = 64;
