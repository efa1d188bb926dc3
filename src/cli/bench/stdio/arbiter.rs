//! `drover bench arbiter`: what a game costs the arbiter, with players that do not think, beside a
//! simple arbiter of the usual kind.

use super::shim::own;
use super::whole::{Copies, faultless};
use crate::cli::bench::stats::median;
use anyhow::{Context as _, ensure};
use serde_json::Value;
use std::num::NonZeroUsize;
use std::process::Command;
use std::time::Instant;

/// Seats of a game.
const SEATS: usize = 4;

/// Measures what a game costs the arbiter.
#[derive(Clone, Debug, clap::Args)]
pub struct ArbiterArgs {
    /// Games in a round.
    #[arg(long, default_value_t = 40, value_name = "N")]
    pub games: u64,
    /// Rounds, the arbiters taking turns.
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub rounds: u32,
    /// The player: a program and its arguments; by default our own shim with the bot random, alone.
    #[arg(long, value_name = "PROGRAM ARGS")]
    pub player: Option<String>,
    /// The arbiter to compare with: a program that takes the number of games, the seed and the player,
    /// and plays. benches/simple_arbiter.py is one.
    #[arg(long, value_name = "PROGRAM ARGS")]
    pub baseline: Option<String>,
}

/// Runs it and prints a table.
///
/// # Errors
/// What kept it from measuring.
pub async fn run(args: ArbiterArgs) -> anyhow::Result<()> {
    tokio::task::spawn_blocking(move || measure(&args)).await?
}

fn measure(args: &ArbiterArgs) -> anyhow::Result<()> {
    let split = |text: &String| text.split_whitespace().map(str::to_owned).collect();
    let player: Vec<String> = match &args.player {
        Some(text) => split(text),
        None => own(&["shim", "planowanie", "--local", "--bot", "random"])?,
    };
    let (mut ours, mut starts, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..args.rounds {
        let seed = u64::from(round) + 1;
        ours.push(game_ms(&player, args.games, seed, &Value::Null)?);
        // One deal of one card: next to nothing but starting and ending.
        let short = serde_json::json!({ "deals": "1 0" });
        starts.push(game_ms(&player, args.games, seed, &short)?);
        if let Some(baseline) = &args.baseline {
            theirs.push(baseline_ms(baseline, &player, args.games, seed)?);
        }
    }
    let line = |name: &str, mut values: Vec<f64>| {
        if !values.is_empty() {
            let (least, most) = values
                .iter()
                .fold((f64::MAX, 0.0f64), |(least, most), value| {
                    (least.min(*value), most.max(*value))
                });
            let middle = median(&mut values);
            println!("{name:<34} {middle:>8.1} ms a game ({least:.1} to {most:.1})");
        }
    };
    line("this arbiter", ours);
    line("of which starting and ending", starts);
    line("the baseline", theirs);
    Ok(())
}

fn game_ms(player: &[String], games: u64, seed: u64, options: &Value) -> anyhow::Result<f64> {
    let kit = games::find("planowanie").context("this build has no Planowanie")?;
    let begun = Instant::now();
    let tally = Copies {
        kit,
        program: player,
        seats: SEATS,
        games,
        seed,
        rotate: true,
        concurrency: NonZeroUsize::MIN,
        options: options.clone(),
    }
    .play()?;
    let took = begun.elapsed();
    faultless(&tally, games)?;
    Ok(took.as_secs_f64() * 1e3 / games as f64)
}

fn baseline_ms(baseline: &str, player: &[String], games: u64, seed: u64) -> anyhow::Result<f64> {
    let mut words = baseline.split_whitespace();
    let program = words.next().context("--baseline names no program")?;
    let begun = Instant::now();
    let status = Command::new(program)
        .args(words)
        .args([games.to_string(), seed.to_string()])
        .args(player)
        .status()
        .with_context(|| format!("{program} does not start"))?;
    ensure!(status.success(), "the baseline ended with {status}");
    Ok(begun.elapsed().as_secs_f64() * 1e3 / games as f64)
}
