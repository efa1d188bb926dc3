//! The arguments of `drover play`.

use super::common::concurrency;
use super::game_arg::GameName;
use super::map::map_text;
use super::store_arg::StoreParser;
use super::usage::{UsageError, refuse};
use super::watching::WatchArgs;
use crate::config::Location;
use crate::link::program::{Cgroup, Guard, Held, Machine, no_isolation, protections};
use crate::referee::arbiter::ProgramRules;
use crate::referee::budget::ThinkBudget;
use crate::referee::query::option_value;
use crate::referee::{SeatPrograms, SeatSpec, SeatSpecError};
use crate::secrets::{self, NoRandomness};
use crate::tournament::Schedule;
use clap::{Args, Parser as _, ValueEnum};
use games::text::counted;
use games::{Kit, Maps};
use serde_json::{Map, Value};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The maximum number of matches of one run.
const GAMES_MAX: u64 = 100_000_000;

/// The seed where none is given.
pub const SEED: u64 = 1;

/// Seats of a match drawn from a pool, where the game leaves the number open.
const PLAYERS_OF_POOL: usize = 2;

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// For people.
    Table,
    /// One JSON object.
    Json,
    /// With a header line.
    Csv,
}

/// Plays matches on this machine and summarises them.
///
/// Without --wire and with built-in bots only, matches are played in process at full speed; with a url: seat
/// or --wire they go over HTTP. The same seed gives the same decks and seats; bots with a budget in nodes
/// then play the same matches, bots with a time budget may not.
#[derive(Clone, Debug, Args)]
pub struct PlayArgs {
    /// The game.
    #[arg(required_unless_present = "from", value_parser = GameName::ALL)]
    pub game: Option<String>,
    /// Who plays the next seat: builtin:NAME, bot:NAME or bot:NAME@VERSION (a bot added by drover bot add, in every
    /// game), cmd:PROGRAM ARGS (games on stdin and stdout), url:http://… (games over HTTP), filler. In games that have fillers, the remaining seats are fillers.
    #[arg(long = "seat", value_name = "SPEC", conflicts_with = "pool")]
    pub seats: Vec<String>,
    /// Draw each table's seats at random from these, separated by commas.
    #[arg(long, value_name = "SPEC,SPEC,…", value_delimiter = ',')]
    pub pool: Vec<String>,
    /// Seats per match, with --pool or --interactive and where the game leaves it open (with --pool two, or
    /// the fewest that the game allows).
    #[arg(long, value_name = "N")]
    pub players: Option<usize>,
    /// The number of matches.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..=GAMES_MAX))]
    pub games: u64,
    /// The seed of decks, seats, bots and numbers on the wire. The default is 1; where a url: plays, who might find it out,
    /// one that the system draws.
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// A built-in bot's budget per decision: 200ms, 2s, or 50000n for nodes. The default is the game's:
    /// 200ms, for smartdog 50ms, for planowanie 100ms, or its share of --timeout, for lighthouses 2ms, for
    /// planetwars 300ms. A bot: has as long as the game allows, and at most the time that is given here; nodes do not
    /// apply to it.
    #[arg(long, value_name = "BUDGET")]
    pub budget: Option<ThinkBudget>,
    /// Concurrent matches; the default is one per core.
    #[arg(long, value_name = "C", value_parser = concurrency)]
    pub concurrency: Option<NonZeroUsize>,
    /// The output format of results.
    #[arg(long, value_enum, default_value_t = Output::Table)]
    pub output: Output,
    /// A rule option, such as trade_payment=exchange; may be given more than once. In games with maps,
    /// map=PATH reads a map file.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    pub options: Vec<String>,
    /// Bots use no opponent models.
    #[arg(long)]
    pub no_models: bool,
    /// Give every match a deck of its own and keep every player in its seat.
    #[arg(long)]
    pub no_rotate: bool,
    /// Play over real HTTP on loopback, all built-in bots behind one gateway.
    #[arg(long)]
    pub wire: bool,
    /// Each player's time, such as 20s or 500ms: for the whole game where the game's clock covers all of it.
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub timeout: Option<Duration>,
    /// Memory limit of a cmd: program in MiB; 0: no limit. The default is the contest's.
    #[arg(long, value_name = "MIB")]
    pub memory_mib: Option<u64>,
    /// CPU time limit of a cmd: program in seconds per game.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..))]
    pub cpu_seconds: Option<u64>,
    /// Give every cmd: program a cgroup (version 2) under this directory.
    #[arg(long, value_name = "DIR")]
    pub cgroup: Option<PathBuf>,
    /// Processes and threads that a cmd: program may have at once, where it is isolated or has a cgroup.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub processes: Option<u32>,
    /// Confine cmd: programs where the system allows that: they read the system's files and their own folder,
    /// write to a scratch folder (TMPDIR) alone, and have no network.
    #[arg(long)]
    pub confine: bool,
    /// How often a match with cmd: programs is played again at most since others made the machine too busy for one to answer in
    /// time; what programs of the match take is no excuse.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(..=10))]
    pub replays_max: u32,
    /// Stop cmd: programs while it is not their turn, so that none thinks on another's time; in games where all are asked
    /// at once, none is.
    #[arg(long)]
    pub fair: bool,
    /// Let cmd: programs see and signal all processes of their user, as without Drover. By default each gets a
    /// user, process, mount and IPC namespace and a /tmp, /var/tmp and /dev/shm of its own where the system allows that.
    #[arg(long)]
    pub no_isolation: bool,
    /// Talk to one program by hand, cmd:PROGRAM ARGS or bot:NAME: send it any command, watch its replies, run whole games.
    #[arg(long, value_name = "SPEC", conflicts_with_all = ["seats", "pool", "games", "store", "log", "fair", "watch"])]
    pub interactive: Option<String>,
    /// Play a stored match on, once, from entry N of its referee's transcripts: the number in the log of a call,
    /// as `drover match explain` and `match export` show it. What came before stays; every player receives it again,
    /// and what a program answers then does not count. --seat 2=cmd:./mybot lets another player go on in the second seat; on
    /// the other seats our bots that played go on. --timeout and --option hold from there on, if what came
    /// before is the same by them. Not for games on hubs.
    #[arg(long, value_name = "ID:N", conflicts_with_all = ["game", "pool", "players", "games", "seed", "wire", "log", "interactive", "no_rotate", "concurrency", "watch"])]
    pub from: Option<String>,
    /// Keep every match in this database: a file, or a server's address (postgres://USER:PASSWORD@HOST/DATABASE). With
    /// --from: where the match is; the default is the configured one (store.path or store.url).
    #[arg(long, value_name = "PATH|URL", value_parser = StoreParser)]
    pub store: Option<Location>,
    /// Write every match's transcript into this directory.
    #[arg(long, value_name = "DIR")]
    pub log: Option<PathBuf>,
    /// Whether the run serves its pages.
    #[command(flatten)]
    pub watch: WatchArgs,
    /// How users' bots play, once they were looked for.
    #[arg(skip)]
    pub users_bots: SeatPrograms,
}

impl PlayArgs {
    /// The arguments of a run of this game in which nothing else is given.
    #[must_use]
    pub fn usual(game: &str) -> Self {
        #[derive(clap::Parser)]
        struct Alone {
            #[command(flatten)]
            args: PlayArgs,
        }
        Alone::parse_from(["play", game]).args
    }

    /// The entrants: the seats, padded with fillers, or the pool.
    ///
    /// # Errors
    /// [`UsageError`] naming the seat that cannot be used.
    pub fn entrants(&self, kit: &dyn Kit) -> Result<Vec<SeatSpec>, UsageError> {
        let (fewest, seats) = (*kit.card().seats.start(), *kit.card().seats.end());
        if let Some(players) = self
            .players
            .filter(|players| !kit.card().seats.contains(players))
        {
            let game = kit.card().name;
            return refuse(format!(
                "--players {players}, but a match of {game} has {fewest} to {seats} seats"
            ));
        }
        if self.players.is_some() && self.pool.is_empty() {
            return refuse(
                "--players goes with --pool: the seats of a match are as many as --seat",
            );
        }
        if self.seats.len() > seats {
            let (game, given) = (kit.card().name, self.seats.len());
            return refuse(format!(
                "--seat is given {}, but a match of {game} has {seats} seats",
                counted(given, "time")
            ));
        }
        let given = if self.pool.is_empty() {
            &self.seats
        } else {
            &self.pool
        };
        if given.is_empty() {
            return refuse("who plays? give --seat or --pool, such as --seat builtin:champion");
        }
        let parse = |text: &String| {
            let spec: SeatSpec = text.parse()?;
            spec.check(kit)?;
            Ok(spec)
        };
        let mut entrants = given
            .iter()
            .map(parse)
            .collect::<Result<Vec<_>, SeatSpecError>>()
            .map_err(|error| UsageError(error.to_string()))?;
        if self.pool.is_empty() && entrants.len() < fewest {
            SeatSpec::filler().check(kit).map_err(|_| {
                let (game, given) = (kit.card().name, entrants.len());
                UsageError(format!(
                    "--seat is given {}, but a match of {game} has {fewest} to {seats} seats",
                    counted(given, "time")
                ))
            })?;
            entrants.resize(fewest, SeatSpec::filler());
        }
        Ok(entrants)
    }

    /// A built-in bot's budget per decision.
    #[must_use]
    pub fn budget(&self, kit: &dyn Kit) -> ThinkBudget {
        let usual = match self.timeout {
            // The clock determines it.
            Some(_) => kit.card().limits.budget,
            None => kit.card().limits.play_budget,
        };
        self.budget.unwrap_or(ThinkBudget::Time(usual))
    }

    /// The schedule: who plays whom.
    #[must_use]
    pub fn schedule(&self, kit: &dyn Kit, entrants: usize) -> Schedule {
        let pool = !self.pool.is_empty();
        let open = self.players.unwrap_or(PLAYERS_OF_POOL);
        Schedule {
            entrants,
            seats: if pool {
                open.clamp(*kit.card().seats.start(), *kit.card().seats.end())
            } else {
                entrants
            },
            pool,
            rotate: !self.no_rotate,
            games: self.games,
            seed: self.seed.unwrap_or(SEED),
        }
    }

    /// Has a seed drawn where strangers play, unless one is given.
    ///
    /// # Errors
    /// The system gives no random numbers.
    pub fn draw_seed(&mut self, entrants: &[SeatSpec]) -> Result<(), NoRandomness> {
        let is_called = |spec: &SeatSpec| matches!(spec, SeatSpec::Url(_));
        if self.seed.is_none() && entrants.iter().any(is_called) {
            // Every JSON reader reads it as the same number.
            self.seed = Some(secrets::bits()? >> 11);
        }
        Ok(())
    }

    /// How cmd: programs are run, each with namespaces of its own if it `isolates`.
    ///
    /// # Errors
    /// [`UsageError`] if the cgroup cannot be used.
    pub fn programs(&self, kit: &dyn Kit, isolates: bool) -> Result<ProgramRules, UsageError> {
        let not_isolated = (!isolates).then(|| "programs are not isolated".to_owned());
        let cgroup = match &self.cgroup {
            Some(directory) => Some(Arc::new(Cgroup::at(directory).map_err(|why| {
                UsageError(format!("--cgroup {}: {why}", directory.display()))
            })?)),
            None => None,
        };
        Ok(ProgramRules {
            bots: self.users_bots.clone(),
            processes: self.processes,
            confined: self.confine,
            memory: match self.memory_mib {
                Some(0) => None,
                Some(mib) => Some(mib.saturating_mul(1 << 20)),
                None => kit.card().stdio.memory,
            },
            cpu_seconds: self.cpu_seconds,
            cgroup,
            fair: self.fair,
            machine: Some(Machine::watch()),
            replays_max: self.replays_max,
            goes_on: false,
            guard: Some(match self.confine {
                true => Guard::from_protections(&protections(not_isolated)),
                false => Guard {
                    isolates,
                    must: Held::default(),
                },
            }),
        })
    }

    /// Whether cmd: programs are isolated from each other.
    ///
    /// # Errors
    /// Why they are not, in a sentence.
    pub fn isolation(&self) -> Result<(), String> {
        match self.no_isolation {
            true => Err("--no-isolation".to_owned()),
            false => no_isolation().map_or(Ok(()), Err),
        }
    }

    /// Concurrent matches.
    #[must_use]
    pub fn concurrency(&self) -> NonZeroUsize {
        let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.concurrency.unwrap_or_else(cores)
    }
}

/// A duration such as 500ms, 20s or 3m.
fn time(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text)
        .ok()
        .filter(|time| !time.is_zero())
        .ok_or_else(|| format!("{text:?} is not a duration such as 500ms, 20s or 3m"))
}

/// Rule options of the form `name=value` as one JSON object, or null without any.
///
/// # Errors
/// [`UsageError`] for any other form, or a name that the game does not have.
pub fn rule_options(kit: &dyn Kit, given: &[String]) -> Result<Value, UsageError> {
    let mut options = Map::new();
    for text in given {
        let Some((name, value)) = text.split_once('=') else {
            return refuse(format!("--option {text:?} is not NAME=VALUE"));
        };
        if !kit.card().options.iter().any(|card| card.name == name) {
            let known: Vec<&str> = kit.card().options.iter().map(|card| card.name).collect();
            let (game, known) = (kit.card().name, known.join(", "));
            return Err(UsageError(format!(
                "{game} has no option {name:?}; there are: {known}"
            )));
        }
        let value = match kit.card().maps {
            Some(maps) if name == "map" && is_path(value) => map_of(maps, value)?,
            _ => option_value(value),
        };
        options.insert(name.to_owned(), value);
    }
    Ok(if options.is_empty() {
        Value::Null
    } else {
        Value::Object(options)
    })
}

/// Whether a map's name is that of a file: no map of our own has a dot or a slash in its name.
fn is_path(map: &str) -> bool {
    map.contains(['/', '.']) && !map.contains('\n')
}

/// The map in this file.
fn map_of(maps: &dyn Maps, path: &str) -> Result<Value, UsageError> {
    let text =
        map_text(Path::new(path)).map_err(|why| UsageError(format!("--option map: {why}")))?;
    let checked = maps.check(&text);
    checked.map_err(|why| UsageError(format!("--option map: {path}: {why}")))?;
    Ok(Value::String(text))
}

/// The rule options with each player's time, where the game has a configurable clock.
pub(super) fn with_timeout(
    kit: &dyn Kit,
    options: Value,
    timeout: Option<Duration>,
) -> Result<Value, UsageError> {
    let Some(timeout) = timeout else {
        return Ok(options);
    };
    let Some(name) = kit.card().stdio.time_option else {
        let game = kit.card().name;
        return refuse(format!(
            "--timeout: {game} has no clock to set; see --option"
        ));
    };
    let mut all = match options {
        Value::Object(options) => options,
        _ => Map::new(),
    };
    let ms = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
    all.insert(name.to_owned(), Value::from(ms));
    Ok(Value::Object(all))
}
