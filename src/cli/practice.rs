//! `drover practice`: a user's bot against the rung of the ladder that is a little stronger than it.

use super::common::{Common, game};
use super::game_arg::GameName;
use super::output::Format;
use super::play::{AllPlayed, Run, Work};
use super::play_args::{PlayArgs, rule_options};
use super::play_progress::Progress;
use super::practice_report::PracticeReport;
use super::stopping::{STOPPED, on_signal};
use super::store_arg::StoreParser;
use super::trouble::{CONDUCT_WITHIN, Trouble, at_fault};
use super::usage::{UsageError, refuse};
use super::users_bots::{self, OnShelf};
use super::watching::WatchArgs;
use crate::config::{Config, Flags, Location};
use crate::programs::BotName;
use crate::referee::budget::ThinkBudget;
use crate::referee::{OnEnd, SeatConduct, SeatPrograms, SeatSpec};
use crate::tournament::{FinishedMatch, PlannedMatch, Schedule};
use games::text::counted;
use games::{BotCard, Kit};
use parking_lot::Mutex;
use ratings::{Climb, Score};
use std::cmp::Ordering;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// Seats of a match, where the game leaves the number open.
const PLAYERS: usize = 2;
/// Reports of ended programs that may wait: there is one a match.
const CONDUCTS_MAX: usize = 4;

/// Plays a bot against the rung of the game's ladder that is a little stronger than it, and says which rung it holds.
///
/// After each match the bot is rated again, and meets the lowest rung that is not rated below it; in games of more than two
/// that rung has all other seats. Ctrl-C ends early with the matches played so far.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct Args {
    /// The game.
    #[arg(value_parser = GameName::ALL)]
    game: String,
    /// Who practises: the folder of a bot with its bot.toml, or bot:NAME or bot:NAME@VERSION from the shelf.
    #[arg(long, value_name = "PATH")]
    bot: String,
    /// How many matches at most.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    games: u64,
    /// Seats per match, where the game leaves it open; the default is two, or the fewest that the game allows.
    #[arg(long, value_name = "N")]
    players: Option<usize>,
    /// The seed of decks and built-in bots.
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// A built-in bot's budget per decision, as in drover play: the ladder is weaker with less. A time is also the
    /// most that the bot itself has, unless it speaks its game's native protocol.
    #[arg(long, value_name = "BUDGET")]
    budget: Option<ThinkBudget>,
    /// A rule option, such as rounds=100; may be given more than once.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Keep every match in this database: a file, or a server's address (postgres://USER:PASSWORD@HOST/DATABASE).
    #[arg(long, value_name = "PATH|URL", default_value = "practice.db", value_parser = StoreParser)]
    store: Location,
    /// Where a daemon on that database shows the matches' pages, to be named with each match; without it a match has its
    /// id.
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    #[command(flatten)]
    watch: WatchArgs,
    /// The output format: a line a match as it ends, or all at the end.
    #[arg(long, value_enum, default_value_t)]
    output: Format,
}

/// Who practises.
struct Bot {
    spec: SeatSpec,
    /// `None` for one that has none, as it speaks its game's own protocol.
    fallback: Option<String>,
    programs: SeatPrograms,
    /// Where it is kept meanwhile, if it is not on the shelf.
    _place: Option<TempDir>,
}

/// The practice while it goes on.
struct Practice {
    climb: Climb,
    report: PracticeReport,
    /// Why it cannot go on.
    failed: Option<anyhow::Error>,
}

pub(super) async fn run(common: &Common, mut args: Args) -> anyhow::Result<ExitCode> {
    args.watch.prepare(common)?;
    let kit = game(&args.game)?;
    let players = players(kit, args.players)?;
    let options = rule_options(kit, &args.options)?;
    let config = common.load(&Flags::new())?.config;
    let (sender, conducts) = sync_channel(CONDUCTS_MAX);
    let on_end = OnEnd(Arc::new(move |conduct| {
        // Nobody receives the last one if the run was stopped.
        let _ = sender.try_send(conduct);
    }));
    let within = args.budget.and_then(ThinkBudget::time);
    let stop = on_signal();
    let bot = Bot::find(&args.bot, kit, &config, &stop)?.playing(within, on_end);
    let rungs = rungs(kit);
    let names = rungs.iter().map(|card| card.name);
    let report = PracticeReport {
        game: kit.card().name,
        bot: bot.spec.to_string(),
        fallback: bot.fallback,
        rungs: rungs.clone(),
        store: args.store.clone(),
        url: args.url.clone(),
        api: config.api.listen,
        config: common.named(),
        output: args.output,
        rows: Vec::new(),
    };
    let practice = Arc::new(Mutex::new(Practice {
        climb: Climb::new(&bot.spec.to_string(), names)?,
        report,
        failed: None,
    }));
    let schedule = Schedule {
        entrants: players,
        seats: players,
        pool: false,
        rotate: false,
        games: args.games,
        seed: args.seed,
    };
    let work = work(&practice, schedule, kit, conducts, stop.clone());
    let play = PlayArgs {
        users_bots: bot.programs,
        seed: Some(args.seed),
        budget: args.budget,
        concurrency: Some(NonZeroUsize::MIN),
        store: Some(args.store),
        watch: args.watch,
        ..PlayArgs::usual(&args.game)
    };
    let run = Run {
        kit,
        args: &play,
        stop: &stop,
    };
    let rung = |card: &&BotCard| SeatSpec::Builtin(card.name.to_owned());
    let entrants = std::iter::once(bot.spec).chain(rungs.iter().map(rung));
    let plan = run.plan(entrants.collect(), options);
    let AllPlayed { open, .. } = run.all(plan, work).await?;
    let stopped = stop.is_cancelled();
    let summed_up = practice.lock().sum_up();
    if summed_up.is_ok() {
        open.stay(&stop).await;
    }
    open.close().await;
    summed_up?;
    Ok(match stopped {
        true => ExitCode::from(STOPPED),
        false => ExitCode::SUCCESS,
    })
}

/// Matches as the practice wants them, one after the other, and what it learns from each.
fn work(
    practice: &Arc<Mutex<Practice>>,
    schedule: Schedule,
    kit: &'static dyn Kit,
    conducts: Receiver<SeatConduct>,
    stop: CancellationToken,
) -> Work {
    let (next, ended) = (practice.clone(), practice.clone());
    Work {
        matches: Box::new(
            schedule
                .matches()
                .map_while(move |one| next.lock().next(one)),
        ),
        progress: Progress::shown_by(Box::new(move |finished| {
            if ended.lock().receive(kit, finished, &conducts).is_err() {
                // Nobody reads what is shown.
                stop.cancel();
            }
        })),
    }
}

/// How many seats a match has.
fn players(kit: &dyn Kit, given: Option<usize>) -> Result<usize, UsageError> {
    let (fewest, most) = (*kit.card().seats.start(), *kit.card().seats.end());
    let players = given.unwrap_or(PLAYERS.clamp(fewest, most));
    if players < 2 || !kit.card().seats.contains(&players) {
        let (game, fewest) = (kit.card().name, fewest.max(2));
        return refuse(format!(
            "--players {players}, but a match of {game} to practise in has {fewest} to {most} seats"
        ));
    }
    Ok(players)
}

/// The rungs of a game, weakest first: where several bots are one, the first of them.
fn rungs(kit: &dyn Kit) -> Vec<&'static BotCard> {
    let mut rungs: Vec<&BotCard> = kit.card().bots.iter().collect();
    rungs.dedup_by_key(|card| card.rung);
    rungs
}

impl Bot {
    /// The bot that is meant by `text`.
    fn find(
        text: &str,
        kit: &dyn Kit,
        config: &Config,
        stop: &CancellationToken,
    ) -> anyhow::Result<Self> {
        let OnShelf {
            launch,
            bots,
            place,
        } = users_bots::find(&format!("--bot {text}"), text, config, stop)?;
        if !launch.plays(kit.card().name) {
            let (game, games) = (kit.card().name, launch.games.join(", "));
            return refuse(format!(
                "--bot {text}: it does not play {game}; its games are: {games}"
            ));
        }
        let name = BotName {
            name: launch.name.clone(),
            version: Some(launch.version.clone()),
        };
        Ok(Self {
            spec: SeatSpec::found(&name, Some(&launch), kit)?,
            fallback: (!launch.is_native()).then_some(launch.fallback),
            programs: SeatPrograms {
                bots,
                ..SeatPrograms::default()
            },
            _place: place,
        })
    }

    fn playing(mut self, within: Option<Duration>, on_end: OnEnd) -> Self {
        self.programs.within = within;
        self.programs.on_end = Some(on_end);
        self
    }
}

impl Practice {
    /// Shows what came of it; an error if it could not go on.
    fn sum_up(&mut self) -> anyhow::Result<()> {
        let held = self.climb.held()?;
        let (next, score) = (self.climb.next()?, self.climb.score());
        self.report.sum_up(held, next, score)?;
        self.failed.take().map_or(Ok(()), Err)
    }

    /// Who sits where in the next match: the bot changes its seat each time.
    fn next(&mut self, planned: PlannedMatch) -> Option<PlannedMatch> {
        if self.failed.is_some() {
            return None;
        }
        let rung = match self.climb.next() {
            Ok(rung) => rung,
            Err(error) => {
                self.failed = Some(error.into());
                return None;
            }
        };
        let mut table = vec![rung + 1; planned.table.len()];
        let own = planned.number as usize % table.len().max(1);
        if let Some(seat) = table.get_mut(own) {
            *seat = 0;
        }
        Some(PlannedMatch { table, ..planned })
    }

    /// Counts a match that has ended, and shows it.
    fn receive(
        &mut self,
        kit: &dyn Kit,
        finished: &FinishedMatch,
        conducts: &Receiver<SeatConduct>,
    ) -> std::io::Result<()> {
        let table = &finished.planned.table;
        let own = table.iter().position(|entrant| *entrant == 0);
        let rival = table.iter().find(|entrant| **entrant != 0);
        let (Some(own), Some(rung)) = (own, rival.map(|rival| rival - 1)) else {
            return Ok(());
        };
        let score = score(finished, own);
        let conduct = match self.report.fallback {
            Some(_) => conducts.recv_timeout(CONDUCT_WITHIN).ok(),
            None => Some(at_fault(finished, own)),
        };
        let Some(conduct) = conduct else {
            let (bot, within) = (&self.report.bot, CONDUCT_WITHIN.as_secs());
            self.failed = Some(anyhow::anyhow!(
                "how {bot} fared in its last match is unknown: it had not exited {within} s after the match"
            ));
            return Ok(());
        };
        let trouble = Trouble::from_conduct(&conduct);
        let counts = trouble.counts();
        if counts && let Err(error) = self.climb.add(rung, score) {
            self.failed = Some(error.into());
        }
        if trouble.is_hopeless() {
            let (bot, game) = (&self.report.bot, kit.card().name);
            let why = trouble.sentence();
            self.failed = Some(anyhow::anyhow!(
                "{bot} took none of its {} in a match of {game}: {why}{}",
                counted(conduct.asked, "decision"),
                trouble.stderr()
            ));
        }
        self.report.played(finished, own, rung, score, &trouble)
    }
}

/// The bot's result: whom of the others it beat, more of them or fewer.
fn score(finished: &FinishedMatch, own: usize) -> Score {
    let duels = finished.counted.duels.iter();
    let lead = duels.filter_map(|duel| match own {
        own if own == duel.first.index() => Some(duel.share - 0.5),
        own if own == duel.second.index() => Some(0.5 - duel.share),
        _ => None,
    });
    match lead.sum::<f64>().total_cmp(&0.0) {
        Ordering::Greater => Score::Win,
        Ordering::Less => Score::Loss,
        Ordering::Equal => Score::Draw,
    }
}
