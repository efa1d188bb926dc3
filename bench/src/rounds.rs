//! `bench rounds`: rounds of Lighthouses a second over pipes, with players that do not think,
//! beside the same lines sent back and forth without an engine.

use crate::pipes::Table;
use crate::stats::spreads;
use anyhow::{Context as _, ensure};
use games::{Call, Reply, TableSetup};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

/// What a player that does not think answers.
const NAME: &str = "{\"name\": \"null\"}";
const PASS: &str = "{\"command\": \"pass\"}";

/// Measures rounds of Lighthouses over pipes.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct RoundsArgs {
    /// Rounds of a game.
    #[arg(long, default_value_t = 20_000, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=30_000))]
    rounds: u32,
    /// How often each is measured, in turn.
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// How many play.
    #[arg(long, default_value_t = 2, value_name = "N")]
    players: usize,
    /// The map: a name of `drover map list lighthouses`.
    #[arg(long, default_value = "crescent", value_name = "NAME")]
    map: String,
    /// The player: a program and its arguments; by default our own, with the bot passer.
    #[arg(long, value_name = "PROGRAM ARGS")]
    player: Option<String>,
}

/// Runs it and prints a table.
pub(crate) fn run(args: &RoundsArgs) -> anyhow::Result<()> {
    let player = args.player.as_deref();
    let table = Table::new("lighthouses", args.players, player, "passer")?;
    // A busy machine must not end the game.
    let options = json!({"map": args.map, "start_ms": 20_000, "hard_ms": 20_000});
    let (mut raw, mut engine, mut share) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..args.repeat {
        let bare = ping_pong(&table, args.rounds, &rounds_of_lines(&table, &options)?)?;
        let ours = table.rounds_a_second(args.rounds, &options)?;
        raw.push(bare);
        engine.push(ours);
        share.push(100.0 * ours / bare);
    }
    let rows = [
        ("the same lines without an engine", raw, "rounds a second"),
        ("this engine", engine, "rounds a second"),
        ("this engine's share", share, "%"),
    ];
    spreads(0, rows);
    Ok(())
}

/// What is said in each of the first rounds, seat by seat: the state, and the result.
fn rounds_of_lines(
    players: &Table,
    options: &Value,
) -> anyhow::Result<(Vec<String>, Vec<Vec<String>>)> {
    let mut options = options.clone();
    options["rounds"] = json!(200);
    let mut table = players.kit.table(&TableSetup {
        seed: 1,
        options,
        market: 1,
        ids: (0..players.seats as u64).collect(),
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
            if begins.len() < players.seats {
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
    table: &Table,
    count: u32,
    (begins, rounds): &(Vec<String>, Vec<Vec<String>>),
) -> anyhow::Result<f64> {
    let (program, words) = table
        .player
        .split_first()
        .context("--player names no program")?;
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
    for round in rounds.iter().cycle().take(count as usize) {
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
    Ok(f64::from(count) / took.as_secs_f64())
}

fn trip(bare: &mut Bare, line: &str) -> anyhow::Result<()> {
    bare.input.write_all(format!("{line}\n").as_bytes())?;
    let mut answer = String::new();
    bare.output.read_line(&mut answer)?;
    ensure!(answer.ends_with('\n'), "the player says nothing");
    Ok(())
}
