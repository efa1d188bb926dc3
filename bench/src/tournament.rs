//! `bench tournament`: kills a tournament again and again, and compares it with one that ran through.

use crate::process::drover;
use crate::site::Folder;
use crate::stats::report;
use anyhow::{Context as _, ensure};
use drover::history::GameRules;
use drover::history::{self, ALL_ROUNDS, PageAt};
use drover::store::Store;
use games::Histogram;
use games::rng::Rng;
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};
use tokio::process::{Child, Command};

/// Runs that may come to nothing, besides those that are killed.
const RUNS_MAX: u32 = 1_000;

/// Kills a tournament again and again, and compares its results with those of one that ran through.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct TournamentArgs {
    /// The game.
    #[arg(long, default_value = "planowanie", value_name = "GAME")]
    game: String,
    /// The bots that play, in turn.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "rules,greedy,random",
        value_name = "NAMES"
    )]
    bots: Vec<String>,
    /// A bot's budget a decision.
    #[arg(long, default_value = "50n", value_name = "BUDGET")]
    budget: String,
    /// How many entrants there are.
    #[arg(long, default_value_t = 20, value_name = "N")]
    entrants: u32,
    /// How many rounds are played, in groups of four with all rotations.
    #[arg(long, default_value_t = 100, value_name = "N")]
    rounds: u32,
    /// How often the tournament is killed.
    #[arg(long, default_value_t = 10, value_name = "N")]
    kills: u32,
    /// Matches at once; the default is one a core.
    #[arg(long, value_name = "C")]
    concurrency: Option<NonZeroUsize>,
    /// How much is stored: full or results.
    #[arg(long, default_value = "full", value_name = "WHAT")]
    store: String,
    /// Seeds the tournament and the moments of the kills.
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Where the databases live.
    #[arg(long, default_value = ".", value_name = "DIR")]
    folder: PathBuf,
}

/// Runs both and prints what came of it.
pub(crate) async fn run(args: TournamentArgs) -> anyhow::Result<()> {
    let (whole, broken) = (Folder::new(&args.folder)?, Folder::new(&args.folder)?);
    for folder in [&whole, &broken] {
        std::fs::write(folder.path().join("cup.toml"), args.file())
            .context("the file cannot be written")?;
    }
    let begun = Instant::now();
    let status = args.start("run", whole.path())?.wait().await?;
    let took = begun.elapsed();
    ensure!(status.success(), "the tournament ended with {status}");
    let mut rng = Rng::new(args.seed, 0);
    let (mut kills, mut runs) = (0, 0);
    loop {
        let mut child = args.start(if runs == 0 { "run" } else { "resume" }, broken.path())?;
        runs += 1;
        ensure!(runs < RUNS_MAX, "the tournament never comes to its end");
        // Moments all over the whole, which every kill makes a little longer.
        let most = 2 * took.as_millis() as u32 / args.kills.max(1);
        let life = Duration::from_millis(rng.below(most.max(1)).into());
        let ended = tokio::time::timeout(life, child.wait()).await;
        if kills < args.kills && ended.is_err() {
            child
                .kill()
                .await
                .context("the tournament cannot be killed")?;
            kills += 1;
            continue;
        }
        let status = child.wait().await?;
        ensure!(status.success(), "the tournament ended with {status}");
        break;
    }
    let (first, thought) = played(whole.path()).await?;
    let (second, _) = played(broken.path()).await?;
    let differing = first
        .iter()
        .zip(&second)
        .filter(|(one, other)| one != other)
        .count();
    let cores = args
        .concurrency
        .or(std::thread::available_parallelism().ok())
        .map_or(1, NonZeroUsize::get);
    let outside = 1.0 - thought.as_secs_f64() / (took.as_secs_f64() * cores as f64);
    let wrong = match differing + first.len().abs_diff(second.len()) {
        0 => Vec::new(),
        count => vec![format!("{count} matches differ")],
    };
    println!(
        "without a kill: {:.1} s, {:.1} matches a second, {:.1} % of the time outside bots",
        took.as_secs_f64(),
        first.len() as f64 / took.as_secs_f64(),
        100.0 * outside
    );
    let figures = [
        ("kills", u64::from(kills)),
        ("runs", u64::from(runs)),
        ("matches without a kill", first.len() as u64),
        ("matches with kills", second.len() as u64),
        ("of them as without", first.len() as u64 - differing as u64),
    ];
    report(&figures, begun, &wrong);
    Ok(())
}

impl TournamentArgs {
    /// The tournament's file.
    fn file(&self) -> String {
        let Self {
            game,
            budget,
            rounds,
            seed,
            store,
            ..
        } = self;
        let mut file = format!(
            "name = \"Bench\"\ngames = [\"{game}\"]\nseed = {seed}\nseats = 4\nbudget = \"{budget}\"\nstore = \"{store}\"\n\
             [schedule]\nformat = \"groups\"\nrounds = {rounds}\n"
        );
        let bots = self.bots.iter().cycle();
        for (number, bot) in (1..=self.entrants).zip(bots) {
            // Writing to a string does not fail.
            let _ = writeln!(
                file,
                "[[entrant]]\nname = \"{bot} {number}\"\nplayer = \"builtin:{bot}\""
            );
        }
        file
    }

    fn start(&self, verb: &str, folder: &Path) -> anyhow::Result<Child> {
        let words = drover(&["tournament", verb, "cup.toml"])?;
        let (program, words) = words.split_first().context("no program")?;
        let mut command = Command::new(program);
        command.args(words).current_dir(folder);
        if let Some(concurrency) = self.concurrency {
            command.args(["--concurrency", &concurrency.to_string()]);
        }
        command
            .kill_on_drop(true)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.spawn().context("the tournament does not start")
    }
}

/// The outcome of each match, and how long all bots thought.
async fn played(folder: &Path) -> anyhow::Result<(Vec<String>, Duration)> {
    let store = Store::open_readonly(folder.join("tournament.db"), GameRules::all()).await?;
    let all = history::tournaments(store.reader(), None, &PageAt::first(1)).await?;
    let tournament = all.items.first().context("no tournament is stored")?;
    let (mut lines, mut thought) = (Vec::new(), Duration::ZERO);
    for played in history::tournament_matches(store.reader(), &tournament.id, ALL_ROUNDS).await? {
        for notes in &played.notes {
            thought += Histogram::of_pairs(&notes.took).sum();
        }
        lines.push(format!(
            "{} {} {} {} {:?} {} {:?}",
            played.number,
            played.round,
            played.table,
            played.seed,
            played.entrants,
            played.cause.word(),
            played.scores
        ));
    }
    store.close().await;
    Ok((lines, thought))
}
