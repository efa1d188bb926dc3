//! `bench shim-games`: many games at once whose players are shims of one daemon. How long their
//! turns take, and how many are late.

use crate::added::Added;
use crate::pipes::Table;
use crate::process::{Daemon, drover};
use crate::site::Folder;
use crate::stats::shown;
use anyhow::{Context as _, ensure};
use drover::histogram::Histogram;
use drover::referee::budget::ThinkBudget;
use serde_json::json;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// Players of a game.
const SEATS: usize = 2;

/// Plays many games of Lighthouses at once over shims.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ShimGamesArgs {
    /// Games at once.
    #[arg(long, default_value_t = 20, value_name = "N")]
    games: u64,
    /// Rounds of a game.
    #[arg(long, default_value_t = 200, value_name = "N")]
    rounds: u32,
    /// Milliseconds that a turn may be thought about.
    #[arg(long, default_value_t = 20, value_name = "MS")]
    budget_ms: u64,
    /// The bots, one table row each; both players of a game are the same.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "passer,champion",
        value_name = "NAMES"
    )]
    bots: Vec<String>,
    /// What a commit survives.
    #[arg(long, default_value = "process", value_parser = ["power", "process"])]
    durability: String,
    /// Where the database lives.
    #[arg(long, default_value = ".", value_name = "DIR")]
    folder: PathBuf,
    #[command(flatten)]
    added: Added,
}

/// Runs it and prints a table.
pub(crate) async fn run(args: ShimGamesArgs) -> anyhow::Result<()> {
    println!(
        "{} games of {} rounds at once, {} ms a turn, soft limit 100 ms; two greetings a game are among the times",
        args.games, args.rounds, args.budget_ms
    );
    println!(
        "{:<28} {:>8} {:>9} {:>9} {:>9} {:>9} {:>6} {:>8} {:>7}",
        "player", "turns", "p50", "p99", "p99.9", "longest", "late", "refused", "took"
    );
    let mut late = 0;
    for bot in &args.bots {
        if bot == "passer" {
            let local = drover(&["shim", "lighthouses", "--local", "--bot", bot])?;
            row(&format!("{bot}, without a daemon"), local, &args).await?;
        }
        let folder = Folder::new(&args.folder)?;
        let mut daemon = Daemon::new(folder.path())?;
        daemon.set("STORE__DURABILITY", &args.durability);
        daemon.set("THINKING__BUDGET_MS_LIGHTHOUSES", args.budget_ms);
        args.added.to(&daemon).await?;
        let running = daemon.start().await?;
        let shim = daemon.shim("lighthouses", bot)?;
        late += row(&format!("{bot}, over a shim"), shim, &args).await?;
        running.terminate().await?;
    }
    ensure!(late == 0, "{late} turns were late");
    Ok(())
}

/// Prints one line; how many turns were late.
async fn row(name: &str, player: Vec<String>, args: &ShimGamesArgs) -> anyhow::Result<u64> {
    let mut games = Table::with("lighthouses", SEATS, player)?.games(
        args.games,
        // Forty programs that start at once do not greet within two seconds.
        json!({"rounds": args.rounds, "start_ms": 30_000}),
    );
    games.programs.budget = ThinkBudget::Time(Duration::from_millis(1));
    games.plan.concurrency = NonZeroUsize::new(usize::try_from(args.games)?).context("no games")?;
    let (tally, took) = tokio::task::spawn_blocking(move || games.whole()).await??;
    let mut times = Histogram::default();
    let (mut late, mut refused) = (0, 0);
    for entrant in &tally.entrants {
        times.merge(&entrant.took);
        late += entrant.missed;
        refused += entrant.refused;
    }
    let quantile = |share| times.quantile(share).map_or_else(String::new, shown);
    println!(
        "{name:<28} {:>8} {:>9} {:>9} {:>9} {:>9} {late:>6} {refused:>8} {:>6.1}s",
        times.count(),
        quantile(0.5),
        quantile(0.99),
        quantile(0.999),
        quantile(1.0),
        took.as_secs_f64(),
    );
    Ok(late)
}
