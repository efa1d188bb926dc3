//! `bench shim-clocks`: games of Planowanie with a few seconds a player, one of whom is a shim of a daemon whose
//! every commit survives a power cut. None may be lost by its clock.

use crate::pipes::Table;
use crate::process::Daemon;
use crate::site::Folder;
use crate::stats::shown;
use anyhow::ensure;
use drover::referee::SeatSpec;
use serde_json::json;
use std::path::PathBuf;

/// Players of a game.
const SEATS: usize = 4;

/// Plays short games of Planowanie over shims: none may be lost by its clock.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ShimClocksArgs {
    /// How many games, spread evenly over the clocks.
    #[arg(long, default_value_t = 50, value_name = "N")]
    games: u64,
    /// Milliseconds that each player has for a whole game, one table row each.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "3000,4000",
        value_name = "MS"
    )]
    time_ms: Vec<u64>,
    /// The bot behind the shim.
    #[arg(long, default_value = "champion", value_name = "NAME")]
    bot: String,
    /// The bot on the other seats, in this process.
    #[arg(long, default_value = "greedy", value_name = "NAME")]
    rival: String,
    /// What a commit survives.
    #[arg(long, default_value = "power", value_parser = ["power", "process"])]
    durability: String,
    /// Where the database lives.
    #[arg(long, default_value = ".", value_name = "DIR")]
    folder: PathBuf,
}

/// Runs it and prints a table.
pub(crate) async fn run(args: ShimClocksArgs) -> anyhow::Result<()> {
    let folder = Folder::new(&args.folder)?;
    let mut daemon = Daemon::new(folder.path())?;
    daemon.set("STORE__DURABILITY", &args.durability);
    let running = daemon.start().await?;
    println!(
        "{:<10} {:>6} {:>9} {:>8} {:>9} {:>9} {:>8}",
        "clock", "games", "answers", "p50", "p99", "longest", "forfeits"
    );
    let (mut forfeits, clocks) = (0, args.time_ms.len().max(1) as u64);
    for time_ms in &args.time_ms {
        let table = Table::with("planowanie", SEATS, daemon.shim("planowanie", &args.bot)?)?;
        let mut games = table.games(args.games.div_ceil(clocks), json!({ "time_ms": time_ms }));
        let rival: SeatSpec = format!("builtin:{}", args.rival).parse()?;
        let rivals = games.plan().entrants.iter_mut().skip(1);
        rivals.for_each(|seat| *seat = rival.clone());
        let tally = games.play(&mut ()).await?;
        let ours = tally.entrants.first();
        let faults: u64 = ours.iter().flat_map(|ours| ours.faults.values()).sum();
        let took = ours.map(|ours| ours.took.clone()).unwrap_or_default();
        let quantile = |share| took.quantile(share).map_or_else(String::new, shown);
        println!(
            "{:<10} {:>6} {:>9} {:>8} {:>9} {:>9} {faults:>8}",
            format!("{time_ms} ms"),
            tally.games,
            took.count(),
            quantile(0.5),
            quantile(0.99),
            quantile(1.0),
        );
        forfeits += faults;
    }
    running.terminate().await?;
    ensure!(forfeits == 0, "{forfeits} games were lost");
    Ok(())
}
