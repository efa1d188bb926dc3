//! `bench shim`: what a shim adds to each reply, and how soon it gives its first.

use crate::process::{Daemon, drover, own};
use crate::site::Folder;
use crate::stats::{Latencies, shown};
use anyhow::anyhow;
use drover::link::program::{Program, ProgramLimits, ProgramOptions};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// What every player receives first.
const OPENING: [&str; 4] = [
    "set_deck 23456789TJQKA CDHS",
    "set_players 4 0",
    "set_game 1 5 0",
    "set_cards 5 2C 5D 9H KS AS",
];
/// What is then said in turn, over and over.
const ROUND: [&str; 2] = ["time_left 180000", "gen_declare"];
/// Round trips before those that are measured.
const WARM_UP: u32 = 500;
/// How long any answer may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest line of these answers.
const LINE_MAX: usize = 1_024;

/// Measures what a shim adds to each reply.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ShimArgs {
    /// Round trips measured of each player.
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    round_trips: u32,
    /// How often each player is started.
    #[arg(long, default_value_t = 20, value_name = "N")]
    starts: u32,
    /// The bot that plays.
    #[arg(long, default_value = "random", value_name = "NAME")]
    bot: String,
    /// Where the databases live.
    #[arg(long, default_value = ".", value_name = "DIR")]
    folder: PathBuf,
}

/// Runs it and prints a table.
pub(crate) async fn run(args: ShimArgs) -> anyhow::Result<()> {
    println!(
        "{:<26} {:>9} {:>9} {:>9} {:>11} {:>11}",
        "player", "p50", "p99", "longest", "added p50", "added p99"
    );
    row("bare pipe child", own(&["echo"])?, &args, None).await?;
    let local = drover(&["shim", "planowanie", "--local", "--bot", &args.bot])?;
    let direct = row("the bot, spoken to directly", local, &args, None).await?;
    for durability in ["process", "power"] {
        let folder = Folder::new(&args.folder)?;
        let mut daemon = Daemon::new(folder.path())?;
        daemon.set("STORE__DURABILITY", durability);
        let running = daemon.start().await?;
        let shim = daemon.shim("planowanie", &args.bot)?;
        row(&format!("shim, {durability}"), shim, &args, Some(direct)).await?;
        running.terminate().await?;
    }
    Ok(())
}

/// Measures one player and prints its line.
async fn row(
    name: &str,
    words: Vec<String>,
    args: &ShimArgs,
    base: Option<[Duration; 2]>,
) -> anyhow::Result<[Duration; 2]> {
    let ShimArgs {
        round_trips,
        starts,
        ..
    } = *args;
    let measured = tokio::task::spawn_blocking(move || -> anyhow::Result<_> {
        let trips = trips(&words, round_trips)?;
        let mut first = Latencies::default();
        for _ in 0..starts {
            first.add(first_reply(&words)?);
        }
        Ok((trips, first))
    });
    let (mut trips, mut first) = measured.await??;
    let [p50, p99, longest] = trips.quantiles([0.5, 0.99, 1.0]);
    let added = |value: Duration, at: usize| {
        let base = base.and_then(|base| base.get(at).copied());
        base.map_or_else(String::new, |base| shown(value.saturating_sub(base)))
    };
    println!(
        "{name:<26} {:>9} {:>9} {:>9} {:>11} {:>11}",
        shown(p50),
        shown(p99),
        shown(longest),
        added(p50, 0),
        added(p99, 1),
    );
    let [median, worst] = first.quantiles([0.5, 1.0]);
    println!(
        "{:<26} spawn to first reply: median {}, longest of {} {}",
        "",
        shown(median),
        first.count(),
        shown(worst)
    );
    Ok([p50, p99])
}

fn start(words: &[String]) -> anyhow::Result<Program> {
    Ok(Program::start(&ProgramOptions {
        program: words.to_vec().into(),
        line_max: LINE_MAX,
        stderr_kept: LINE_MAX,
        limits: ProgramLimits::default(),
        guard: None,
    })?)
}

/// Says a line and waits for the end of the reply.
fn trip(program: &mut Program, text: &str) -> anyhow::Result<()> {
    let deadline = Instant::now() + PATIENCE;
    let broken = |fault| anyhow!("{text}: {fault:?}");
    program.say(text, deadline).map_err(broken)?;
    while !program.line(deadline).map_err(broken)?.is_empty() {}
    Ok(())
}

/// Ends a player by its own word.
fn dismiss(mut program: Program) {
    program.dismiss(None);
    let _ended = program.end();
}

fn trips(words: &[String], round_trips: u32) -> anyhow::Result<Latencies> {
    let mut program = start(words)?;
    for text in OPENING {
        trip(&mut program, text)?;
    }
    let mut measured = Latencies::default();
    for (number, text) in (0..WARM_UP + round_trips).zip(ROUND.iter().cycle()) {
        let begun = Instant::now();
        trip(&mut program, text)?;
        if number >= WARM_UP {
            measured.add(begun.elapsed());
        }
    }
    dismiss(program);
    Ok(measured)
}

fn first_reply(words: &[String]) -> anyhow::Result<Duration> {
    let begun = Instant::now();
    let mut program = start(words)?;
    trip(&mut program, OPENING[0])?;
    let took = begun.elapsed();
    dismiss(program);
    Ok(took)
}
