//! `drover tournament run` and `resume`: plays the tournaments of a file.

use super::common::{read_text, tell};
use super::play::on_signal;
use super::tournament::{Database, tournaments};
use super::usage::{UsageError, refuse};
use crate::clock::now_us;
use crate::link::program::{Guard, adopt_orphans, find, no_isolation};
use crate::referee::arbiter::ProgramRules;
use crate::referee::budget::ThinkBudget;
use crate::referee::hub::{HubServer, HubSettings, Invited};
use crate::referee::seat_builtin::Builtins;
use crate::referee::{Host, HostSettings, Recording, SeatSpec};
use crate::store::TournamentRow;
use crate::tournament::standings::{League, Live, PlayedGame, Until};
use crate::tournament::{
    Course, Cup, Dialled, Ended, Extent, Hosted, InProcess, MatchPlayer, Models, Play, Programs,
    REFEREE, Stop, TournamentFile, Watch, open_recording, standings_of,
};
use anyhow::Context as _;
use games::Wire;
use indicatif::{ProgressBar, ProgressStyle};
use parking_lot::Mutex;
use ratings::Verdict;
use ratings::schedule::Round;
use std::io::{IsTerminal as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

/// The largest file read, in bytes.
const FILE_BYTES_MAX: u64 = 16 << 20;
/// What ends the process if it was stopped by a signal.
const STOPPED: u8 = 130;
/// Where entrants dial by default: the contest's port, on this machine alone.
const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 3002);
/// How long matches on the hub may go on at a stop.
const DRAINED_WITHIN: Duration = Duration::from_secs(1);
/// How many leaders are named while it is played, and how many a precision is asked of.
const LEADERS: usize = 4;

/// Which file is played, and how.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct RunArgs {
    /// The tournament's file.
    file: PathBuf,
    #[command(flatten)]
    database: Database,
    /// Play only this game of the file.
    #[arg(long, value_name = "GAME")]
    game: Option<String>,
    /// Matches at once; the default is the file's, or one a core.
    #[arg(long, value_name = "C")]
    concurrency: Option<NonZeroUsize>,
    /// How much is stored: all that was said, or who played and how it ended. The default is the file's.
    #[arg(long, value_enum, value_name = "WHAT")]
    store: Option<Extent>,
    /// Let programs see and signal all processes of their user, as without Drover.
    #[arg(long)]
    no_isolation: bool,
}

/// Plays a file's tournaments, new ones or those that were left.
pub(super) async fn run(args: RunArgs, resumes: bool) -> anyhow::Result<ExitCode> {
    let text = read_text(&args.file, "a tournament's file", FILE_BYTES_MAX)?;
    let shown = args.file.display();
    let file = TournamentFile::read(&text).map_err(|why| UsageError(format!("{shown}: {why}")))?;
    let folder = args.file.parent().filter(|folder| *folder != Path::new(""));
    let folder = std::path::absolute(folder.unwrap_or(Path::new(".")))?;
    let games: Vec<&String> = file
        .games
        .iter()
        .filter(|game| args.game.as_ref().is_none_or(|only| only == *game))
        .collect();
    if games.is_empty() {
        let game = args.game.unwrap_or_default();
        return refuse(format!(
            "--game {game}: {shown} has no such game; it has {}",
            file.games.join(", ")
        ));
    }
    let cups = games
        .iter()
        .map(|game| file.cup(game, &folder))
        .collect::<Result<Vec<_>, _>>();
    let cups = cups.map_err(|why| UsageError(format!("{shown}: {why}")))?;
    for cup in &cups {
        for entrant in &cup.entrants {
            if let SeatSpec::Program(program) = &entrant.spec {
                // Before the first match: it may play only later.
                if let Err(why) = find(program) {
                    let why = format!("{shown}: entrant {:?}: {why}", entrant.name);
                    match resumes {
                        true => tell(&format!("{why}; it loses its matches")),
                        false => return refuse(why),
                    }
                }
            }
        }
    }
    for cup in &cups {
        until(&file, cup).map_err(|why| UsageError(format!("{shown}: {why}")))?;
    }
    let extent = file.extent(args.store);
    let extent = extent.map_err(|why| UsageError(format!("{shown}: {why}")))?;
    let recording = open_recording(&args.database.path(), extent).await?;
    let played = Run {
        args: &args,
        file: &file,
        extent,
        recording: recording.clone(),
        stop: Arc::new(Stop::on(&on_signal())),
    };
    let result = played.all(cups, resumes).await;
    recording.close().await;
    result
}

struct Run<'a> {
    args: &'a RunArgs,
    file: &'a TournamentFile,
    extent: Extent,
    recording: Recording,
    stop: Arc<Stop>,
}

impl Run<'_> {
    async fn all(&self, cups: Vec<Cup>, resumes: bool) -> anyhow::Result<ExitCode> {
        let stored = self.stored(&cups, resumes).await?;
        let mut listener = self.listener(&cups, &stored).await?;
        let mut out = std::io::stdout();
        let mut all = Vec::new();
        for mut cup in cups {
            cup.note_isolation(self.isolation());
            let game = cup.kit.game();
            let mut course = self.course(cup, &stored).await?;
            let began = Instant::now();
            let before = course.games().len();
            let ended = match self.play(&mut course, &mut listener).await {
                Ok(ended) => ended,
                Err(error) => {
                    self.tell_how_to_go_on(&mut out)?;
                    return Err(error);
                }
            };
            if course.games().len() == before && matches!(ended, Ended::Over(_)) {
                tell(&format!("{game}: nothing is left to play"));
                all.push((game.to_owned(), course.standings()?));
                continue;
            }
            let standings = course.standings()?;
            let matches = course.games().len();
            writeln!(
                out,
                "{}, {game}, {matches} matches, tournament {}",
                self.file.name,
                course.id()
            )?;
            write!(out, "{}\n{}", standings.table(), standings.crosstable())?;
            let seconds = began.elapsed().as_secs_f64();
            let now = matches - before;
            writeln!(out, "{now} matches in {seconds:.1} s")?;
            match ended {
                Ended::Over(why) => {
                    writeln!(out, "over: {why}\n")?;
                    all.push((game.to_owned(), standings));
                }
                Ended::Stopped => {
                    self.tell_how_to_go_on(&mut out)?;
                    return Ok(ExitCode::from(STOPPED));
                }
            }
        }
        let all: Vec<_> = all
            .iter()
            .map(|(game, standings)| (game.clone(), standings))
            .collect();
        let league = League::new(&all);
        if !league.entrants.is_empty() {
            write!(out, "League\n{}", league.table())?;
        }
        Ok(ExitCode::SUCCESS)
    }

    fn tell_how_to_go_on(&self, out: &mut impl std::io::Write) -> std::io::Result<()> {
        let (file, database) = (self.args.file.display(), self.args.database.path());
        let database = database.display();
        writeln!(
            out,
            "stopped; go on with: drover tournament resume {file} --database {database}"
        )
    }

    /// What is stored under the names of this file's tournaments, newest first.
    async fn stored(&self, cups: &[Cup], resumes: bool) -> anyhow::Result<Vec<TournamentRow>> {
        let store = self.recording.store().filter(|_| resumes);
        let Some(store) = store else {
            return Ok(Vec::new());
        };
        let mut stored = tournaments(store).await?;
        let of = |cup: &Cup, found: &TournamentRow| {
            found.name == cup.name && found.game == cup.kit.game()
        };
        stored.retain(|found| cups.iter().any(|cup| of(cup, found)));
        if stored.is_empty() {
            let (file, database) = (self.args.file.display(), store.path().display());
            return refuse(format!(
                "{database} has no tournament of {file}: there is nothing to resume; drover tournament run {file} \
                 begins it"
            ));
        }
        Ok(stored)
    }

    /// The newest of the stored tournaments that was begun with this file, or a new one.
    async fn course(&self, cup: Cup, stored: &[TournamentRow]) -> anyhow::Result<Course> {
        let (recording, extent) = (self.recording.clone(), self.extent);
        let of_game = || stored.iter().filter(|found| found.game == cup.kit.game());
        let found = of_game()
            .find(|found| Course::fits(found, &cup))
            .or(of_game().next());
        match found.cloned() {
            Some(found) => Course::resume(found, cup, recording, extent).await,
            // A new run, or one that was stopped before it came to this game.
            None => Course::begin(cup, recording, extent).await,
        }
    }

    /// Listens where entrants dial, before anything is stored: a port that is taken is told before the first match.
    /// Who dials already waits for its game.
    async fn listener(
        &self,
        cups: &[Cup],
        stored: &[TournamentRow],
    ) -> anyhow::Result<Option<TcpListener>> {
        let over = |cup: &Cup| {
            let mut same = stored.iter().filter(|found| Course::fits(found, cup));
            same.next().is_some_and(|found| found.ended_us.is_some())
        };
        if !cups.iter().any(|cup| cup.is_dialled() && !over(cup)) {
            return Ok(None);
        }
        let address = self.file.listen.unwrap_or(LISTEN);
        let listener = TcpListener::bind(address).await;
        listener
            .with_context(|| format!("listen: {address} cannot be listened on"))
            .map(Some)
    }

    async fn play(
        &self,
        course: &mut Course,
        listener: &mut Option<TcpListener>,
    ) -> anyhow::Result<Ended> {
        if let Some(why) = course.ended() {
            return Ok(Ended::Over(why.to_owned()));
        }
        let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let concurrency = self
            .args
            .concurrency
            .or(self.file.concurrency)
            .unwrap_or_else(cores);
        let (player, server) = self.player(course.cup(), concurrency, listener).await?;
        let progress = Arc::new(Mutex::new(Progress::new(course.cup())));
        let (until, started_us) = (until(self.file, course.cup())?, course.started_us());
        let target = |cup: &Cup, games: &[PlayedGame]| {
            if let Some(minutes) = self.file.minutes_max
                && (now_us() - started_us) as f64 >= minutes * 60e6
            {
                return Some(format!("it has lasted {minutes} minutes"));
            }
            if let Some(until) = &until {
                let test = until.test(games);
                if test.verdict() != Verdict::Open {
                    return Some(until.standing(&test, &cup.named()));
                }
            }
            let precision = self.file.precision?;
            let half = standings_of((&cup.setup, None), &cup.named(), games)
                .ok()?
                .precision(LEADERS)?;
            (half <= precision)
                .then(|| format!("the leaders' ratings are known within {half:.1} Elo"))
        };
        let play = Play {
            player,
            concurrency,
            stop: Arc::clone(&self.stop),
            target: &target,
            watcher: Arc::clone(&progress) as _,
        };
        let ended = course.play(&play).await;
        server.stop().await;
        progress.lock().finish();
        ended
    }

    /// What plays the tournament's matches: a clock runs wherever the contest has one.
    async fn player(
        &self,
        cup: &Cup,
        concurrency: NonZeroUsize,
        listener: &mut Option<TcpListener>,
    ) -> anyhow::Result<(Arc<dyn MatchPlayer + Send>, Server)> {
        let (budget, models) = (cup.budget, cup.models != Models::None);
        Ok(match cup.kit.wire() {
            Wire::Stdio => {
                adopt_orphans().context("programs' orphans cannot be adopted")?;
                let rules = ProgramRules {
                    memory: cup.kit.stdio().and_then(|wire| wire.memory),
                    goes_on: true,
                    guard: Some(Guard {
                        isolates: self.isolation().is_ok(),
                    }),
                    ..ProgramRules::default()
                };
                (
                    Arc::new(Programs {
                        budget,
                        models,
                        rules,
                    }),
                    Server::None,
                )
            }
            Wire::Callbacks => {
                let settings = HostSettings {
                    referee: REFEREE.to_owned(),
                    // Its own bound is the runner's: one that has just ended may still be there.
                    matches_max: 2 * concurrency.get(),
                    ended_kept: 0,
                    builtins: Some(builtins(budget, models, concurrency)),
                    alone: true,
                    ..HostSettings::default()
                };
                // Its matches are stored as all others are, with their places in the tournament.
                let host = Host::new(cup.kit, settings, Recording::none());
                let player = Hosted {
                    host: Arc::clone(&host),
                    runtime: Handle::current(),
                    silent: Some(Mutex::default()),
                };
                (Arc::new(player), Server::Host(host))
            }
            // Where nobody dials, the order in which lines arrive is not left to chance.
            Wire::Hub if !cup.is_dialled() => {
                (Arc::new(InProcess { budget, models }), Server::None)
            }
            Wire::Hub => {
                let listener = listener.take().context("one game a file is dialled")?;
                let (hub, stop) = self.hub(cup, concurrency, listener).await?;
                let player = Dialled {
                    hub: Arc::clone(&hub),
                    runtime: Handle::current(),
                    builtins: builtins(budget, models, concurrency),
                    within: self.file.within()?,
                };
                (Arc::new(player), Server::Hub(hub, stop))
            }
        })
    }

    /// The hub that entrants of a game dial whose players do so.
    async fn hub(
        &self,
        cup: &Cup,
        concurrency: NonZeroUsize,
        listener: TcpListener,
    ) -> anyhow::Result<(Arc<HubServer>, CancellationToken)> {
        let invited = cup.entrants.iter().filter_map(|entrant| {
            Some(Invited {
                name: entrant.name.clone(),
                token: entrant.token?,
            })
        });
        let settings = HubSettings {
            referee: REFEREE.to_owned(),
            matches_max: concurrency.get(),
            invited: invited.collect(),
            ..HubSettings::new(cup.kit)
        };
        let hub = HubServer::open(settings, self.recording.clone()).await?;
        let stop = CancellationToken::new();
        tell(&format!(
            "listening for {} players on {}",
            cup.kit.game(),
            listener.local_addr()?
        ));
        let (serving, stopped) = (Arc::clone(&hub), stop.clone());
        tokio::spawn(async move {
            if let Err(error) = serving.serve(listener, stopped).await {
                tell(&format!("the hub ended: {error}"));
            }
        });
        Ok((hub, stop))
    }

    fn isolation(&self) -> Result<(), String> {
        match self.args.no_isolation {
            true => Err("--no-isolation".to_owned()),
            false => no_isolation().map_or(Ok(()), Err),
        }
    }
}

fn builtins(budget: ThinkBudget, models: bool, concurrency: NonZeroUsize) -> Builtins {
    Builtins {
        budget,
        models,
        permits: Arc::new(Semaphore::new(concurrency.get())),
    }
}

/// What runs beside a tournament's matches.
enum Server {
    None,
    Host(Arc<Host>),
    Hub(Arc<HubServer>, CancellationToken),
}

impl Server {
    async fn stop(self) {
        match self {
            Self::None => {}
            Self::Host(host) => host.stop().await,
            Self::Hub(hub, stop) => {
                stop.cancel();
                hub.drain(DRAINED_WITHIN).await;
            }
        }
    }
}

/// The criterion that ends it, where both whom it names play.
fn until(file: &TournamentFile, cup: &Cup) -> Result<Option<Until>, UsageError> {
    let until = file
        .until
        .as_deref()
        .map(|text| Until::parse(text, &cup.named()));
    let until = until.transpose();
    until.map_err(|why| UsageError(format!("{}: until: {why}", cup.kit.game())))
}

/// The standings while it is played: a bar on a terminal, a line a round elsewhere.
struct Progress {
    names: Vec<String>,
    live: Live,
    rounds: Option<u32>,
    bar: Option<ProgressBar>,
    matches: u64,
}

impl Progress {
    fn new(cup: &Cup) -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(0);
            match ProgressStyle::with_template("{prefix} {bar:20} {pos}/{len} matches  {msg}") {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            }
        });
        Self {
            names: cup
                .entrants
                .iter()
                .map(|entrant| entrant.name.clone())
                .collect(),
            live: Live::default(),
            rounds: cup.format.rounds(&cup.field()),
            bar,
            matches: 0,
        }
    }

    /// The leaders by the live ladder.
    fn leaders(&self) -> String {
        let standing = self.live.standing().into_iter();
        let leaders = standing.take(LEADERS).filter_map(|(entrant, rating)| {
            let name = self.names.get(entrant)?;
            Some(format!("{name} {rating:.0}"))
        });
        leaders.collect::<Vec<_>>().join(", ")
    }

    fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Watch for Progress {
    fn round(&mut self, round: &Round, matches: usize) {
        let number = round.number + 1;
        let of = self
            .rounds
            .map_or(String::new(), |rounds| format!(" of {rounds}"));
        match &self.bar {
            Some(bar) => {
                bar.set_prefix(format!("round {number}{of}"));
                bar.set_length(matches as u64);
                bar.set_position(0);
            }
            None => {
                let (why, played) = (&round.why, self.matches);
                let mut line = format!("round {number}{of} ({why}): {matches} matches");
                if played > 0 {
                    let leaders = self.leaders();
                    line.push_str(&format!("; {played} before; {leaders}"));
                }
                tell(&line);
            }
        }
    }

    fn ended(&mut self, game: &PlayedGame) {
        self.matches += 1;
        self.live.add(game);
        if let Some(bar) = &self.bar {
            bar.inc(1);
            bar.set_message(self.leaders());
        }
    }
}
