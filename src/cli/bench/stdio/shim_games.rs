//! `drover bench shim-games`: many games at once whose players are shims of one daemon. How long their
//! turns take, and how many are late.

use super::shim::{own, words};
use super::whole::{Copies, faultless};
use crate::cli::bench::child::Daemon;
use crate::cli::bench::site::Folder;
use crate::cli::bench::stats::shown;
use crate::referee::histogram::Histogram;
use crate::tournament::Tally;
use anyhow::{Context as _, ensure};
use serde_json::json;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Instant;

/// Players of a game.
const SEATS: usize = 2;

/// Plays many games of Lighthouses at once over shims.
#[derive(Clone, Debug, clap::Args)]
pub struct ShimGamesArgs {
    /// Games at once.
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub games: u64,
    /// Rounds of a game.
    #[arg(long, default_value_t = 200, value_name = "N")]
    pub rounds: u32,
    /// Milliseconds that a turn may be thought about.
    #[arg(long, default_value_t = 20, value_name = "MS")]
    pub budget_ms: u64,
    /// The bots, one table row each; both players of a game are the same.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "passer,champion",
        value_name = "NAMES"
    )]
    pub bots: Vec<String>,
    /// What a commit survives.
    #[arg(long, default_value = "process", value_parser = ["power", "process"])]
    pub durability: String,
    /// Where the database lives.
    #[arg(long, default_value = ".", value_name = "DIR")]
    pub folder: PathBuf,
}

/// Runs it and prints a table.
///
/// # Errors
/// What kept it from measuring, or that a turn was late.
pub async fn run(args: ShimGamesArgs) -> anyhow::Result<()> {
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
        let local = own(&["shim", "lighthouses", "--local", "--bot", bot])?;
        if bot == "passer" {
            row(&format!("{bot}, without a daemon"), local, &args).await?;
        }
        let folder = Folder::new(&args.folder)?;
        let mut daemon = Daemon::new(folder.path())?;
        daemon.set("STORE__DURABILITY", &args.durability);
        daemon.set("THINKING__BUDGET_MS_LIGHTHOUSES", args.budget_ms);
        let mut running = daemon.spawn()?;
        running.ready().await?;
        let socket = folder.path().join("drover.sock");
        let shim = own_words(&words("lighthouses", bot, &socket)?)?;
        late += row(&format!("{bot}, over a shim"), shim, &args).await?;
        running.terminate().await?;
    }
    ensure!(late == 0, "{late} turns were late");
    Ok(())
}

fn own_words(words: &[String]) -> anyhow::Result<Vec<String>> {
    own(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Prints one line; how many turns were late.
async fn row(name: &str, player: Vec<String>, args: &ShimGamesArgs) -> anyhow::Result<u64> {
    let begun = Instant::now();
    let (games, rounds) = (args.games, args.rounds);
    let tally = tokio::task::spawn_blocking(move || play(player, games, rounds)).await??;
    let took = begun.elapsed();
    faultless(&tally, games)?;
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

fn play(player: Vec<String>, games: u64, rounds: u32) -> anyhow::Result<Tally> {
    let kit = games::find("lighthouses").context("this build has no Lighthouses")?;
    let at_once = usize::try_from(games).ok().and_then(NonZeroUsize::new);
    Ok(Copies {
        kit,
        program: &player,
        seats: SEATS,
        games,
        seed: 1,
        rotate: false,
        concurrency: at_once.context("no games")?,
        // Forty programs that start at once do not greet within two seconds.
        options: json!({"rounds": rounds, "start_ms": 30_000}),
    }
    .play()?)
}
