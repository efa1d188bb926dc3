//! `drover bench rounds`: rounds of Lighthouses a second over pipes, with players that do not think,
//! beside the same lines sent back and forth without an engine.

use super::shim::own;
use super::whole::{Copies, faultless};
use crate::cli::bench::stats::median;
use anyhow::{Context as _, ensure};
use games::{Call, Kit, Reply, TableSetup};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::num::NonZeroUsize;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

/// What a player that does not think answers.
const NAME: &str = "{\"name\": \"null\"}";
const PASS: &str = "{\"command\": \"pass\"}";

/// Measures rounds of Lighthouses over pipes.
#[derive(Clone, Debug, clap::Args)]
pub struct RoundsArgs {
    /// Rounds of a game.
    #[arg(long, default_value_t = 20_000, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=30_000))]
    pub rounds: u32,
    /// How often each is measured, in turn.
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub repeat: u32,
    /// How many play.
    #[arg(long, default_value_t = 2, value_name = "N")]
    pub players: usize,
    /// The map: a name of `drover map list lighthouses`.
    #[arg(long, default_value = "crescent", value_name = "NAME")]
    pub map: String,
    /// The player: a program and its arguments; by default our own, with the bot passer.
    #[arg(long, value_name = "PROGRAM ARGS")]
    pub player: Option<String>,
}

/// Runs it and prints a table.
///
/// # Errors
/// What kept it from measuring.
pub async fn run(args: RoundsArgs) -> anyhow::Result<()> {
    tokio::task::spawn_blocking(move || measure(&args)).await?
}

fn measure(args: &RoundsArgs) -> anyhow::Result<()> {
    let kit = games::find("lighthouses").context("this build has no Lighthouses")?;
    let player: Vec<String> = match &args.player {
        Some(text) => text.split_whitespace().map(str::to_owned).collect(),
        None => own(&["shim", "lighthouses", "--local", "--bot", "passer"])?,
    };
    let (mut raw, mut engine, mut share) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..args.repeat {
        let lines = rounds_of_lines(kit, args)?;
        let bare = ping_pong(&player, args, &lines)?;
        let whole = game_s(kit, &player, args, args.rounds)?;
        // One round is next to nothing but starting and ending.
        let ends = game_s(kit, &player, args, 1)?;
        let ours = f64::from(args.rounds - 1) / (whole - ends).max(f64::EPSILON);
        raw.push(bare);
        engine.push(ours);
        share.push(100.0 * ours / bare);
    }
    let line = |name: &str, mut values: Vec<f64>, unit: &str| {
        let least = values.iter().copied().fold(f64::MAX, f64::min);
        let most = values.iter().copied().fold(0.0, f64::max);
        let middle = median(&mut values);
        println!("{name:<34} {middle:>8.0} {unit} ({least:.0} to {most:.0})");
    };
    line("the same lines without an engine", raw, "rounds a second");
    line("this engine", engine, "rounds a second");
    line("this engine's share", share, "%");
    Ok(())
}

fn options(args: &RoundsArgs, rounds: u32) -> Value {
    // A busy machine must not end the game.
    json!({"map": args.map, "rounds": rounds, "start_ms": 20_000, "hard_ms": 20_000})
}

/// What is said in each of the first rounds, seat by seat: the state, and the result.
fn rounds_of_lines(
    kit: &dyn Kit,
    args: &RoundsArgs,
) -> anyhow::Result<(Vec<String>, Vec<Vec<String>>)> {
    let mut table = kit.table(&TableSetup {
        seed: 1,
        options: options(args, 200),
        market: 1,
        ids: (0..args.players as u64).collect(),
    })?;
    let (mut begins, mut rounds) = (Vec::new(), Vec::new());
    let mut calls = Vec::new();
    while table.outcome().is_none() {
        table.calls(&mut calls);
        for Call {
            seat,
            text,
            answer_within,
            ..
        } in calls.drain(..)
        {
            if answer_within.is_none() {
                continue;
            }
            if begins.len() < args.players {
                begins.push(text);
                table.answer(seat, Reply::Text(NAME.as_bytes()));
                continue;
            }
            if seat.index() == 0 {
                rounds.push(Vec::new());
            }
            if let Some(round) = rounds.last_mut() {
                round.push(text);
            }
            table.answer(seat, Reply::Text(PASS.as_bytes()));
        }
    }
    Ok((begins, rounds))
}

struct Bare {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// Rounds a second.
fn ping_pong(
    player: &[String],
    args: &RoundsArgs,
    (begins, rounds): &(Vec<String>, Vec<Vec<String>>),
) -> anyhow::Result<f64> {
    let (program, words) = player.split_first().context("--player names no program")?;
    let mut bares = Vec::new();
    for begin in begins {
        let mut child = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("{program} does not start"))?;
        let mut bare = Bare {
            input: child.stdin.take().context("no pipe")?,
            output: BufReader::new(child.stdout.take().context("no pipe")?),
            child,
        };
        trip(&mut bare, begin)?;
        bares.push(bare);
    }
    let begun = Instant::now();
    for round in rounds.iter().cycle().take(args.rounds as usize) {
        for (bare, state) in bares.iter_mut().zip(round) {
            trip(bare, state)?;
            bare.input.write_all(b"{\"success\": true}\n")?;
        }
    }
    let took = begun.elapsed();
    for Bare {
        mut child,
        input,
        output,
    } in bares
    {
        drop((input, output));
        ensure!(child.wait()?.success(), "{program} ended badly");
    }
    Ok(f64::from(args.rounds) / took.as_secs_f64())
}

fn trip(bare: &mut Bare, line: &str) -> anyhow::Result<()> {
    bare.input.write_all(format!("{line}\n").as_bytes())?;
    let mut answer = String::new();
    bare.output.read_line(&mut answer)?;
    ensure!(answer.ends_with('\n'), "the player says nothing");
    Ok(())
}

/// Seconds that a game takes, starting and ending included.
fn game_s(
    kit: &'static dyn Kit,
    player: &[String],
    args: &RoundsArgs,
    rounds: u32,
) -> anyhow::Result<f64> {
    let begun = Instant::now();
    let tally = Copies {
        kit,
        program: player,
        seats: args.players,
        games: 1,
        seed: 1,
        rotate: false,
        concurrency: NonZeroUsize::MIN,
        options: options(args, rounds),
    }
    .play()?;
    let took = begun.elapsed();
    faultless(&tally, 1)?;
    Ok(took.as_secs_f64())
}
