//! `bench arbiter`: what a game costs the arbiter, with players that do not think, next to a simple
//! arbiter of the usual kind.

use crate::pipes::{self, Table};
use crate::stats::spreads;
use anyhow::ensure;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Seats of a game.
const SEATS: usize = 4;

/// Measures what a game costs the arbiter.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ArbiterArgs {
    /// Games in a round.
    #[arg(long, default_value_t = 40, value_name = "N")]
    games: u64,
    /// Rounds, the arbiters taking turns.
    #[arg(long, default_value_t = 5, value_name = "N")]
    rounds: u32,
    /// The player: a program and its arguments; by default our own shim with the bot random, alone.
    #[arg(long, value_name = "PROGRAM ARGS")]
    player: Option<String>,
    /// The arbiter to compare with: a program that takes the number of games, the seed and the player,
    /// and plays. benches/simple_arbiter.py is one.
    #[arg(long, value_name = "PROGRAM ARGS")]
    baseline: Option<String>,
}

/// Runs it and prints a table.
pub(crate) async fn run(args: &ArbiterArgs) -> anyhow::Result<()> {
    let table = Table::new("planowanie", SEATS, args.player.as_deref(), "random")?;
    let a_game = |took: Duration| took.as_secs_f64() * 1e3 / args.games as f64;
    let (mut ours, mut starts, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    for seed in 1..=u64::from(args.rounds) {
        // One deal of one card: next to nothing but starting and ending.
        let short = json!({ "deals": "1 0" });
        for (options, took) in [(Value::Null, &mut ours), (short, &mut starts)] {
            let mut games = table.games(args.games, options);
            (games.schedule.seed, games.schedule.rotate) = (seed, true);
            took.push(a_game(games.whole().await?.1));
        }
        if let Some(baseline) = &args.baseline {
            let words = [args.games.to_string(), seed.to_string()];
            let begun = Instant::now();
            let mut baseline = pipes::command(baseline)?;
            let status = baseline.args(words).args(&table.player).status()?;
            ensure!(status.success(), "the baseline ended with {status}");
            theirs.push(a_game(begun.elapsed()));
        }
    }
    let rows = [
        ("this arbiter", ours, "ms a game"),
        ("of which starting and ending", starts, "ms a game"),
        ("the baseline", theirs, "ms a game"),
    ];
    spreads(1, rows);
    Ok(())
}
