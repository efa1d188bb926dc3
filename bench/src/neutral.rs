//! `bench neutral`: what the protocol of users' bots costs: programs that do nothing against built-in bots that do
//! nothing, in the same matches at our own tables.

use crate::process::command;
use crate::site::Folder;
use crate::stats::shown;
use anyhow::{Context as _, ensure};
use serde::Deserialize;
use serde_json::Value;
use std::io::{BufRead as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Each game that has a bot which always acts alike: that bot, its act, and the options of short matches.
const GAMES: [(&str, &str, &str, &[&str]); 3] = [
    (
        "lighthouses",
        "passer",
        "\"pass\"",
        &["rounds=200", "start_ms=20000"],
    ),
    (
        "planetwars",
        "idle",
        "{\"launches\":[],\"upgrades\":[],\"message\":null}",
        &["rounds=200"],
    ),
    ("smartdog", "stand", "[]", &["map=drawn"]),
];

/// Measures what the protocol of users' bots costs.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct NeutralArgs {
    /// Matches a row.
    #[arg(long, default_value_t = 20, value_name = "N")]
    matches: u32,
    /// How often each row is measured, in turn.
    #[arg(long, default_value_t = 3, value_name = "N")]
    repeat: u32,
    /// Where the shelf of users' bots lives.
    #[arg(long, default_value = ".", value_name = "DIR")]
    folder: PathBuf,
}

/// Acts alike whenever it is asked.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct NeutralPlayerArgs {
    /// The act, as JSON.
    act: String,
}

/// A message to a program, as far as one that does nothing reads it.
#[derive(Deserialize)]
struct Told<'a> {
    #[serde(rename = "type")]
    kind: &'a str,
    #[serde(default)]
    number: u64,
    #[serde(default)]
    past: bool,
}

/// Is a user's bot that acts alike whenever it is asked.
pub(crate) fn player(args: &NeutralPlayerArgs) -> anyhow::Result<()> {
    let (input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    for line in input.lines() {
        let line = line?;
        let told: Told<'_> = serde_json::from_str(&line)?;
        match told.kind {
            "hello" => writeln!(output, "{{\"type\":\"ready\",\"protocol\":1}}")?,
            "ask" if !told.past => {
                let (number, act) = (told.number, &args.act);
                writeln!(
                    output,
                    "{{\"type\":\"act\",\"number\":{number},\"act\":{act}}}"
                )?;
            }
            _ => continue,
        }
        output.flush()?;
    }
    Ok(())
}

/// What one row says of one time.
#[derive(Clone)]
struct Row {
    matches_a_second: f64,
    p50: f64,
    p99: f64,
    scores: Vec<Value>,
}

/// Runs it and prints a table.
pub(crate) async fn run(args: NeutralArgs) -> anyhow::Result<()> {
    let folder = Folder::new(&args.folder)?;
    let folder = folder.path();
    println!(
        "{:<12} {:<24} {:>12} {:>10} {:>10} {:>10}",
        "game", "both players", "matches/s", "p50", "p99", "slower"
    );
    for (game, bot, act, options) in GAMES {
        add(folder, game, act).await?;
        let seats = [format!("builtin:{bot}"), format!("bot:{game}")];
        let mut rows = vec![Vec::new(); seats.len()];
        for _ in 0..args.repeat {
            for (seat, rows) in seats.iter().zip(&mut rows) {
                rows.push(play(folder, game, (seat, options), args.matches).await?);
            }
        }
        let scores = rows.iter().flatten().map(|row| &row.scores);
        let same = scores.clone().all(|of| Some(of) == scores.clone().next());
        ensure!(same, "{game}: they did not play alike");
        let medians: Vec<_> = rows.iter().map(|rows| median(rows)).collect();
        let (builtin, _, _) = medians[0];
        for (seat, (rate, p50, p99)) in seats.iter().zip(medians) {
            let ms = |ms: f64| shown(Duration::from_secs_f64(ms / 1e3));
            println!(
                "{game:<12} {seat:<24} {rate:>12.1} {:>10} {:>10} {:>9.1}x",
                ms(p50),
                ms(p99),
                builtin / rate
            );
        }
    }
    Ok(())
}

/// The medians of the rate, of p50 and of p99.
fn median(rows: &[Row]) -> (f64, f64, f64) {
    let of = |what: fn(&Row) -> f64| {
        let mut all: Vec<f64> = rows.iter().map(what).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or(f64::NAN)
    };
    (
        of(|row| row.matches_a_second),
        of(|row| row.p50),
        of(|row| row.p99),
    )
}

/// Adds this executable as a user's bot with the name of this game.
async fn add(folder: &Path, game: &str, act: &str) -> anyhow::Result<()> {
    let own = folder.join(game);
    std::fs::create_dir(&own)?;
    std::fs::copy(std::env::current_exe()?, own.join("player"))?;
    // A string of JSON is one of TOML.
    let act = Value::from(act);
    let manifest = format!(
        "name = \"{game}\"\nversion = \"1\"\ngames = [\"{game}\"]\nrun = [\"./player\", \"neutral-player\", {act}]\n"
    );
    std::fs::write(own.join("bot.toml"), manifest)?;
    let mut command = command(["bot", "add", game])?;
    let told = command.current_dir(folder).output().await?;
    let why = String::from_utf8_lossy(&told.stderr);
    ensure!(told.status.success(), "{why}");
    Ok(())
}

async fn play(
    folder: &Path,
    game: &str,
    (seat, options): (&str, &[&str]),
    matches: u32,
) -> anyhow::Result<Row> {
    let mut command = command([
        "play", game, "--seat", seat, "--seat", seat, "--output", "json",
    ])?;
    command.args(["--games", &matches.to_string(), "--concurrency", "1"]);
    command.args(options.iter().flat_map(|option| ["--option", option]));
    let begun = Instant::now();
    let told = command.current_dir(folder).output().await?;
    let took = begun.elapsed();
    let why = String::from_utf8_lossy(&told.stderr);
    ensure!(told.status.success(), "{why}");
    let told: Value = serde_json::from_slice(&told.stdout)?;
    let seats = told["seats"].as_array().context("no seats")?;
    let ms = |key: &str| {
        seats
            .first()
            .and_then(|seat| seat[key].as_f64())
            .context("no times")
    };
    Ok(Row {
        matches_a_second: f64::from(matches) / took.as_secs_f64(),
        p50: ms("decision_ms_p50")?,
        p99: ms("decision_ms_p99")?,
        scores: seats
            .iter()
            .map(|seat| seat["mean_score"].clone())
            .collect(),
    })
}
