//! `bench turns`: rounds a second of Lighthouses or Planet Wars over pipes, with players that do not think, compared with
//! the same lines sent back and forth without an engine, and with another engine.

use crate::pipes::{self, Table};
use crate::stats::spreads;
use anyhow::{Context as _, ensure};
use games::{Call, Kit, MapStyle, Reply, TableSetup};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Instant;

/// Rounds whose lines are sent again and again without an engine.
const RECORDED: u32 = 200;

/// Measures rounds over pipes.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct TurnsArgs {
    /// The game.
    #[arg(value_parser = ["lighthouses", "planetwars"])]
    game: String,
    /// Rounds of a game: by default 20,000 in Lighthouses, 1,000 in Planet Wars.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=30_000))]
    rounds: Option<u32>,
    /// How often each is measured, in turn.
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// How many play: by default 2 in Lighthouses, 20 in Planet Wars.
    #[arg(long, value_name = "N")]
    players: Option<usize>,
    /// Planets of the map.
    #[arg(long, default_value_t = 99, value_name = "N")]
    planets: usize,
    /// The island: a name of `drover map list lighthouses`.
    #[arg(long, default_value = "crescent", value_name = "NAME")]
    map: String,
    /// The player: a program and its arguments; by default our own, with the bot passer or idle.
    #[arg(long, value_name = "PROGRAM ARGS")]
    player: Option<String>,
    /// The engine to compare with: a program that takes the number of rounds and the player, reads a map and prints the
    /// rounds it has played a second. benches/simple_judge.py is one of Planet Wars.
    #[arg(long, value_name = "PROGRAM ARGS")]
    baseline: Option<String>,
}

/// Runs it and prints a table.
pub(crate) async fn run(args: &TurnsArgs) -> anyhow::Result<()> {
    let (bot, players, rounds) = match &*args.game {
        "lighthouses" => ("passer", 2, 20_000),
        _ => ("idle", 20, 1_000),
    };
    let (players, rounds) = (
        args.players.unwrap_or(players),
        args.rounds.unwrap_or(rounds),
    );
    let table = Table::new(&args.game, players, args.player.as_deref(), bot)?;
    let map = map(args, table.kit, players)?;
    // A busy machine must not end the game.
    let options = match bot {
        "passer" => json!({"map": map, "start_ms": 20_000, "hard_ms": 20_000}),
        _ => json!({"map": map, "start_ms": 60_000, "turn_ms": 20_000}),
    };
    let lines = lines(&table, &options)?;
    let (mut bare, mut engine, mut share) = (Vec::new(), Vec::new(), Vec::new());
    let mut others = Vec::new();
    for _ in 0..args.repeat {
        let without = ping_pong(&table, rounds, &lines)?;
        let with = table.rounds_a_second(rounds, &options).await?;
        bare.push(without);
        engine.push(with);
        share.push(100.0 * with / without);
        if let Some(baseline) = &args.baseline {
            others.push(baseline_rounds(baseline, &map, rounds, &table.player)?);
        }
    }
    let unit = &format!("rounds of {players} bots a second");
    let rows = [
        ("the same lines without an engine", bare, unit.as_str()),
        ("this engine", engine, unit),
        ("this engine's share", share, "%"),
        ("the baseline", others, unit),
    ];
    spreads(0, rows);
    Ok(())
}

/// The option `map`.
fn map(args: &TurnsArgs, kit: &dyn Kit, players: usize) -> anyhow::Result<String> {
    if args.game == "lighthouses" {
        return Ok(args.map.clone());
    }
    let sizes = [("players", players), ("planets", args.planets)];
    let style = MapStyle {
        sizes: sizes.map(|(name, size)| (name.to_owned(), size)).to_vec(),
        ..MapStyle::default()
    };
    let maps = kit.card().maps.context("Planet Wars has no maps")?;
    Ok(maps.draw(1, &style)?)
}

/// What is sent to a seat, and whether it is answered.
struct Sent {
    seat: usize,
    text: String,
    answered: bool,
}

/// The lines of a round, those together that are sent at once.
type Round = Vec<Vec<Sent>>;

/// What is sent in each of the first rounds, and before them.
fn lines(players: &Table, options: &Value) -> anyhow::Result<Vec<Round>> {
    let mut options = options.clone();
    options["rounds"] = json!(RECORDED);
    let setup = TableSetup::numbered(1, options, players.seats);
    let mut table = players.kit.table(&setup)?;
    let (mut rounds, mut calls) = (vec![Round::new()], Vec::new());
    while table.outcome().is_none() {
        table.calls(&mut calls);
        ensure!(!calls.is_empty(), "the game waits for nothing");
        let asks = |call: &Call| call.seat.index() == 0 && call.answer_within.is_some();
        if calls.iter().any(asks) {
            rounds.push(Round::new());
        }
        let sent = calls.iter().map(|call| Sent {
            seat: call.seat.index(),
            text: call.text.clone(),
            answered: call.answer_within.is_some(),
        });
        if let Some(round) = rounds.last_mut() {
            round.push(sent.collect());
        }
        for call in calls.drain(..).filter(|call| call.answer_within.is_some()) {
            let answer = players.kit.card().dialect.default_answer(&call.text);
            table.answer(call.seat, Reply::Text(answer.as_bytes()));
        }
    }
    Ok(rounds)
}

/// A player and its pipes.
struct Bare {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

/// Rounds a second without an engine.
fn ping_pong(table: &Table, count: u32, rounds: &[Round]) -> anyhow::Result<f64> {
    let player = table.player.split_first();
    let (program, words) = player.context("--player names no program")?;
    let start = |_| {
        let mut child = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("the player does not start")?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        Ok(Bare {
            input: input.context("no pipe")?,
            output: BufReader::new(output.context("no pipe")?),
            child,
        })
    };
    let mut bares = (0..table.seats)
        .map(start)
        .collect::<anyhow::Result<Vec<_>>>()?;
    // The first round may begin with a greeting.
    let (before, rounds) = rounds.split_at(2.min(rounds.len()));
    ensure!(!rounds.is_empty(), "the game has no rounds");
    for round in before {
        trips(table.kit, &mut bares, round)?;
    }
    let begun = Instant::now();
    for round in rounds.iter().cycle().take(count as usize) {
        trips(table.kit, &mut bares, round)?;
    }
    let took = begun.elapsed();
    for bare in bares {
        let Bare {
            mut child,
            input,
            output,
        } = bare;
        drop((input, output));
        ensure!(child.wait()?.success(), "the player ended badly");
    }
    Ok(f64::from(count) / took.as_secs_f64())
}

/// Sends the lines of a round and reads what is answered.
fn trips(kit: &dyn Kit, bares: &mut [Bare], round: &[Vec<Sent>]) -> anyhow::Result<()> {
    for together in round {
        for sent in together {
            let input = &mut bares[sent.seat].input;
            input.write_all(format!("{}\n", sent.text).as_bytes())?;
        }
        for sent in together.iter().filter(|sent| sent.answered) {
            let (output, mut line) = (&mut bares[sent.seat].output, String::new());
            loop {
                line.clear();
                output.read_line(&mut line)?;
                ensure!(line.ends_with('\n'), "the player says nothing");
                if kit.card().dialect.completes(line.trim_end().as_bytes()) {
                    break;
                }
            }
        }
    }
    Ok(())
}

/// Rounds a second of another engine.
fn baseline_rounds(
    baseline: &str,
    map: &str,
    rounds: u32,
    player: &[String],
) -> anyhow::Result<f64> {
    let mut engine = pipes::command(baseline)?
        .arg(rounds.to_string())
        .args(player)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("{baseline} does not start"))?;
    let mut input = engine.stdin.take().context("no pipe")?;
    input.write_all(map.as_bytes())?;
    drop(input);
    let output = engine.wait_with_output()?;
    let status = output.status;
    ensure!(status.success(), "the baseline ended with {status}");
    let rate = String::from_utf8_lossy(&output.stdout).trim().parse();
    rate.with_context(|| format!("the baseline prints no number: {output:?}"))
}
