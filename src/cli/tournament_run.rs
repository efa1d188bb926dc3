//! `drover tournament run` and `resume`: plays the tournaments of a file.

mod resuming;

use super::common::{Common, concurrency, notify, read_text};
use super::game_arg::GameName;
use super::output::width;
use super::stopping::{STOPPED, on_signal};
use super::tournament_database::{Database, drawn_from, left};
use super::tournament_progress::Progress;
use super::tournament_tables::{Tables, rules};
use super::usage::{UsageError, refuse};
use super::users_bots;
use super::watching::{WatchArgs, stay};
use super::worker::{cores, within};
use crate::clock::now_us;
use crate::link::program::no_isolation;
use crate::referee::Recording;
use crate::store::{Queue, TournamentRow};
use crate::tournament::standings::{League, PlayedGame, Standings, Until};
use crate::tournament::{
    Aim, Course, Cup, Ended, Extent, Matches, Play, REFEREE, Remarks, Stop, Terms, TournamentFile,
    broken, offer, open_recording, shareable, standings_of, work,
};
use anyhow::Context as _;
use games::text::counted;
use parking_lot::Mutex;
use ratings::Verdict;
use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// The largest file read, in bytes.
const FILE_BYTES_MAX: u64 = 16 << 20;
/// Where entrants dial by default: the contest's port, on this machine alone.
const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 3002);
/// How many leaders a precision is asked of.
const LEADERS: usize = 4;
/// Seeds below this are tried out in hours.
const SEED_MIN: u64 = 1 << 40;

/// Which file is played, and how.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct RunArgs {
    /// The tournament's file.
    file: PathBuf,
    #[command(flatten)]
    database: Database,
    /// Play only this game of the file.
    #[arg(long, value_name = "GAME", value_parser = GameName::ALL)]
    game: Option<String>,
    /// Matches at once; the default is the file's, or one a core.
    #[arg(long, value_name = "C", value_parser = concurrency)]
    concurrency: Option<NonZeroUsize>,
    /// How much is stored: all that was said, or who played and how it ended. The default is the file's.
    #[arg(long, value_enum, value_name = "WHAT")]
    keep: Option<Extent>,
    /// Have the matches played by workers: those of the server's database (drover worker), or, if it is a file, one in this
    /// process. Results are the same for bots that play by nodes.
    #[arg(long)]
    workers: bool,
    #[command(flatten)]
    watch: WatchArgs,
    /// Let programs see and signal all processes of their user, as without Drover.
    #[arg(long)]
    no_isolation: bool,
    /// Begin a tournament that is finished, or was stopped, once more, under another number.
    #[arg(long)]
    again: bool,
    /// Play although a program cannot be started: it loses its matches.
    #[arg(long)]
    broken_lose: bool,
}

/// Which tournament is gone on with.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct ResumeArgs {
    #[command(flatten)]
    run: RunArgs,
    /// The tournament's number, or how it begins; without it, the newest of the file that is not over.
    #[arg(long, value_name = "ID")]
    id: Option<String>,
}

/// Whether tournaments that were left are gone on with.
enum Resumes {
    /// New ones begin.
    No,
    /// Those that were left are, of this number alone, if it is given.
    Yes(Option<String>),
}

/// Plays a file's tournaments.
pub(super) async fn run(common: &Common, args: RunArgs) -> anyhow::Result<ExitCode> {
    play(common, args, Resumes::No).await
}

/// Plays what was left of a file's tournaments.
pub(super) async fn resume(common: &Common, args: ResumeArgs) -> anyhow::Result<ExitCode> {
    play(common, args.run, Resumes::Yes(args.id)).await
}

async fn play(common: &Common, mut args: RunArgs, resumes: Resumes) -> anyhow::Result<ExitCode> {
    args.watch.prepare(common)?;
    let shown = args.file.display();
    let (file, mut cups) = read(&args)?;
    let extent = file.extent(args.keep);
    let extent = extent.map_err(|why| UsageError(format!("{shown}: {why}")))?;
    if let Some(seed) = file.seed.filter(|seed| *seed < SEED_MIN) {
        notify(&format!(
            "{shown}: seed = {seed} is found by trying: anybody who finds it knows all decks; leave it out, or take one from 2^40"
        ));
    }
    args.database.check_folder()?;
    if args.workers {
        for cup in &cups {
            shareable(cup).map_err(|why| UsageError(format!("{shown}: --workers: {why}")))?;
        }
    }
    if matches!(resumes, Resumes::No) {
        // Before anything is stored.
        seat_users_bots(common, &mut cups, &[])?;
        args.try_programs(&cups).await?;
    }
    let recording = open_recording(args.database.location(), extent).await?;
    let pages = args.watch.serve(&recording).await?;
    let stop = on_signal();
    let played = Run {
        args: &args,
        file: &file,
        extent,
        recording: recording.clone(),
        stop: Arc::new(Stop::on(&stop)),
    };
    let result = played.all(common, cups, resumes).await;
    if result.is_ok() {
        stay(pages.as_ref(), &stop).await;
    }
    if let Some(pages) = pages {
        pages.stop().await;
    }
    recording.close().await;
    result
}

/// The file, and the tournaments of it that are wanted.
fn read(args: &RunArgs) -> anyhow::Result<(TournamentFile, Vec<Cup>)> {
    let text = read_text(&args.file, "a tournament's file", FILE_BYTES_MAX)?;
    let file = TournamentFile::read(&args.file, &text);
    let file = file.map_err(|why| UsageError(why.to_string()))?;
    let folder = args.file.parent().filter(|folder| *folder != Path::new(""));
    let folder = std::path::absolute(folder.unwrap_or(Path::new(".")))?;
    let wanted = |game: &&str| args.game.as_ref().is_none_or(|only| only == game);
    let games: Vec<&str> = file
        .games
        .iter()
        .map(String::as_str)
        .filter(wanted)
        .collect();
    if games.is_empty() {
        let (game, shown) = (
            args.game.as_deref().unwrap_or_default(),
            args.file.display(),
        );
        return refuse(format!(
            "--game {game}: {shown} has no such game; it has {}",
            file.games.join(", ")
        ));
    }
    let cups = file.cups(&games, &args.file, &folder);
    let cups = cups.map_err(|why| UsageError(why.to_string()))?;
    Ok((file, cups))
}

/// Finds the users' bots among the entrants. A tournament that was begun goes on with the versions that it was begun
/// with.
fn seat_users_bots(
    common: &Common,
    cups: &mut [Cup],
    stored: &[TournamentRow],
) -> anyhow::Result<()> {
    for cup in cups {
        let of_game = || {
            stored
                .iter()
                .filter(|found| found.game == cup.kit.card().name)
        };
        let open = of_game().find(|found| found.ended_us.is_none());
        let setup = open.or(of_game().next()).map(|found| &found.setup);
        users_bots::enter(common, cup, setup)?;
        cup.note_versions();
    }
    Ok(())
}

impl RunArgs {
    /// The file as a command line names it.
    fn quoted(&self) -> String {
        shell_words::quote(&self.file.to_string_lossy()).into_owned()
    }

    /// Tries all programs before the first match: some may play only later.
    async fn try_programs(&self, cups: &[Cup]) -> anyhow::Result<()> {
        let (shown, mut mistakes) = (self.file.display(), Vec::new());
        for cup in cups {
            let rules = rules(cup, 0, self.isolation().is_ok())?;
            let cup = cup.clone();
            let tried = tokio::task::spawn_blocking(move || broken(&cup, &rules));
            mistakes.extend(tried.await.context("trying the programs failed")?);
        }
        if mistakes.is_empty() {
            return Ok(());
        }
        let reported = format!("{shown}: {}", mistakes.join("; "));
        if self.broken_lose {
            notify(&format!("{reported}; it loses its matches"));
            return Ok(());
        }
        refuse(format!(
            "{reported}: fix that, or let such programs lose with --broken-lose"
        ))
    }

    fn isolation(&self) -> Result<(), String> {
        match self.no_isolation {
            true => Err("--no-isolation".to_owned()),
            false => no_isolation().map_or(Ok(()), Err),
        }
    }
}

struct Run<'a> {
    args: &'a RunArgs,
    file: &'a TournamentFile,
    extent: Extent,
    recording: Recording,
    stop: Arc<Stop>,
}

impl Run<'_> {
    async fn all(
        &self,
        common: &Common,
        mut cups: Vec<Cup>,
        resumes: Resumes,
    ) -> anyhow::Result<ExitCode> {
        let stored = match resumes {
            Resumes::Yes(id) => self.resumed(common, &mut cups, id).await?,
            Resumes::No => {
                self.check_begun(&cups).await?;
                Vec::new()
            }
        };
        let mut listener = self.listener(&cups, &stored).await?;
        let mut out = std::io::stdout();
        let mut all = Vec::new();
        for mut cup in cups {
            cup.note_isolation(self.args.isolation());
            let game = cup.kit.card().name;
            let mut course = self.course(cup, &stored).await?;
            let reported = drawn_from(course.id(), &course.cup().setup, false);
            notify(&format!(
                "{game}, tournament {}: {}",
                course.id(),
                reported.trim_end()
            ));
            let began = Instant::now();
            let before = course.games().len();
            let ended = match self.play(common, &mut course, &mut listener).await {
                Ok(ended) => ended,
                Err(error) => {
                    // The error is reported, whether this can be or not.
                    let _ = self.report_how_to_go_on(&mut out);
                    return Err(error);
                }
            };
            if course.games().len() == before && matches!(ended, Ended::Over(_)) {
                notify(&format!("{game}: nothing is left to play"));
                all.push((game.to_owned(), course.standings()?));
                continue;
            }
            let standings = course.standings()?;
            self.print(&course, &standings, before, began, &mut out)?;
            match ended {
                Ended::Over(_) => {
                    writeln!(out)?;
                    all.push((game.to_owned(), standings));
                }
                Ended::Stopped => {
                    self.report_how_to_go_on(&mut out)?;
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
            write!(out, "League\n{}", league.table(width()))?;
        }
        Ok(ExitCode::SUCCESS)
    }

    /// The standings of a game after it was played, or stopped.
    fn print(
        &self,
        course: &Course,
        standings: &Standings,
        before: usize,
        began: Instant,
        out: &mut impl std::io::Write,
    ) -> std::io::Result<()> {
        let (game, matches) = (course.cup().kit.card().name, course.games().len());
        writeln!(
            out,
            "{}, {game}, {}, tournament {}",
            self.file.name,
            counted(matches, "match"),
            course.id()
        )?;
        write!(
            out,
            "{}\n{}",
            standings.table(width()),
            standings.crosstable(width())
        )?;
        let seconds = began.elapsed().as_secs_f64();
        let now = matches - before;
        writeln!(out, "{} in {seconds:.1} s", counted(now, "match"))?;
        let over = course.ended().is_some();
        write!(
            out,
            "{}",
            drawn_from(course.id(), &course.cup().setup, over)
        )
    }

    fn report_how_to_go_on(&self, out: &mut impl std::io::Write) -> std::io::Result<()> {
        let (file, at) = (self.args.quoted(), self.args.database.named());
        let workers = if self.args.workers { " --workers" } else { "" };
        writeln!(
            out,
            "stopped; go on with: drover tournament resume {file}{at}{workers}"
        )
    }

    /// The stored tournament that is played on, or a new one.
    async fn course(&self, cup: Cup, stored: &[TournamentRow]) -> anyhow::Result<Course> {
        let (recording, extent) = (self.recording.clone(), self.extent);
        match left(stored, &cup).cloned() {
            Some(found) => {
                if let (false, Some(store)) = (self.args.workers, recording.store()) {
                    // What this process plays no worker plays any more.
                    Queue::new(store.clone()).withdraw(&found.id, true).await?;
                }
                Course::resume(found, cup, recording, extent).await
            }
            // A new run, or one that was stopped before it came to this game.
            None => Course::begin(cup, recording, extent).await,
        }
    }

    /// Listens where entrants dial, before anything is stored: a port that is taken is reported before the first match.
    /// An entrant that has dialled already waits for its game.
    async fn listener(
        &self,
        cups: &[Cup],
        stored: &[TournamentRow],
    ) -> anyhow::Result<Option<TcpListener>> {
        let dials = |cup: &Cup| {
            cup.is_dialled() && left(stored, cup).is_none_or(|found| found.ended_us.is_none())
        };
        if !cups.iter().any(dials) {
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
        common: &Common,
        course: &mut Course,
        listener: &mut Option<TcpListener>,
    ) -> anyhow::Result<Ended> {
        if let Some(why) = course.ended() {
            return Ok(Ended::Over(why.to_owned()));
        }
        let concurrency = self.args.concurrency.or(self.file.concurrency);
        let concurrency = concurrency.unwrap_or_else(cores);
        if self.args.workers {
            return self.play_by_workers(common, course, concurrency).await;
        }
        let tables = Tables {
            cup: course.cup(),
            concurrency,
            replays_max: self.file.replays_max,
            isolates: self.args.isolation().is_ok(),
            within: self.file.within()?,
            referee: REFEREE,
            recording: &self.recording,
        };
        let (player, server) = tables.player(listener).await?;
        let player = player.shown(self.args.watch.live(&self.recording));
        let here = Matches::Here(Arc::new(player), concurrency);
        let ended = self.play_on(course, here).await;
        server.stop().await;
        ended
    }

    /// Has the matches played by those of a server's database, or by one in this process.
    async fn play_by_workers(
        &self,
        common: &Common,
        course: &mut Course,
        concurrency: NonZeroUsize,
    ) -> anyhow::Result<Ended> {
        let store = self.recording.store();
        let store = store.context("a tournament needs a database")?.clone();
        let end = CancellationToken::new();
        let shelf = users_bots::shelf(common, &end)?;
        let bots = users_bots::carried(&shelf, course.cup())?;
        let worker = match store.location().file() {
            Some(_) => {
                let (worker, end) = (within(common, store, concurrency, &end), end.clone());
                Some(tokio::spawn(async move { work(&worker, &end).await }))
            }
            None => {
                tokio::select! {
                    () = self.stop.cancelled() => return Ok(Ended::Stopped),
                    offered = offer(&store, &shelf, &bots) => offered?,
                }
                None
            }
        };
        let terms = Terms {
            extent: self.extent,
            replays_max: self.file.replays_max,
            bots,
        };
        let ended = self.play_on(course, Matches::Workers(terms)).await;
        end.cancel();
        if let Some(worker) = worker {
            worker.await.context("the worker failed")?;
        }
        ended
    }

    async fn play_on(&self, course: &mut Course, matches: Matches) -> anyhow::Result<Ended> {
        let progress = Progress::new(course.cup(), course.games());
        let progress = Arc::new(Mutex::new(progress));
        let (until, started_us) = (self.file.until(course.cup())?, course.started_us());
        let target =
            |cup: &Cup, games: &[PlayedGame]| self.aim(until.as_ref(), started_us, cup, games);
        let play = Play {
            matches,
            stop: Arc::clone(&self.stop),
            target: &target,
            broken_lose: self.args.broken_lose,
            watcher: Arc::clone(&progress) as _,
        };
        let ended = course.play(&play).await;
        progress.lock().finish();
        ended
    }

    /// Whether enough has been played of a tournament that began then.
    fn aim(&self, until: Option<&Until>, started_us: i64, cup: &Cup, games: &[PlayedGame]) -> Aim {
        let mut open = None;
        if let Some(until) = until {
            let test = until.test(games);
            let reported = until.standing(&test, &cup.named());
            if test.verdict() != Verdict::Open {
                return Aim::Reached(reported);
            }
            open = Some(reported);
        }
        let minutes = self.file.minutes_max;
        let over = minutes.filter(|minutes| (now_us() - started_us) as f64 >= minutes * 60e6);
        let lasted = over.map(|minutes| format!("it has lasted {minutes} minutes"));
        let known = || {
            let precision = self.file.precision?;
            let standings = standings_of(&cup.setup, Remarks::default(), &cup.named(), games);
            let half = standings.ok()?.precision(LEADERS)?;
            (half <= precision)
                .then(|| format!("the leaders' ratings are known within {half:.1} Elo"))
        };
        match lasted.or_else(known) {
            Some(why) => Aim::Reached([why].into_iter().chain(open).collect::<Vec<_>>().join("; ")),
            None => Aim::Open(open),
        }
    }
}
