//! `bench turns`: turns of Planet Wars a second, over pipes with players that do not think and in
//! process by the rules alone, beside a simple judge.

use crate::pipes::{self, Table};
use crate::stats::spreads;
use anyhow::{Context as _, ensure};
use games::planetwars::map;
use games::planetwars::rules::{Act, Launch, NEUTRAL, PlanetWars, Ruleset, Setup};
use games::{MapStyle, Seat};
use serde_json::json;
use std::io::Write as _;
use std::process::Stdio;
use std::time::Instant;

/// Rounds in process for one over pipes: they are that much faster.
const IN_PROCESS: u32 = 200;

/// Measures turns of Planet Wars.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct TurnsArgs {
    /// Rounds of a game over pipes.
    #[arg(long, default_value_t = 1_000, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=50_000))]
    rounds: u32,
    /// How often each is measured, in turn.
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// How many play.
    #[arg(long, default_value_t = 20, value_name = "N")]
    players: usize,
    /// Planets of the map.
    #[arg(long, default_value_t = 99, value_name = "N")]
    planets: usize,
    /// The player: a program and its arguments; by default our own, with the bot idle.
    #[arg(long, value_name = "PROGRAM ARGS")]
    player: Option<String>,
    /// The judge to compare with: a program that takes the number of rounds and the player, if there is to be
    /// one, reads a map and prints the rounds it has played a second. benches/simple_judge.py is one.
    #[arg(long, value_name = "PROGRAM ARGS")]
    baseline: Option<String>,
}

/// Runs it and prints a table.
pub(crate) fn run(args: &TurnsArgs) -> anyhow::Result<()> {
    let table = Table::new("planetwars", args.players, args.player.as_deref(), "idle")?;
    let style = MapStyle {
        sizes: vec![
            ("players".to_owned(), args.players),
            ("planets".to_owned(), args.planets),
        ],
        ..MapStyle::default()
    };
    let maps = table.kit.maps().context("Planet Wars has no maps")?;
    let map = maps.draw(1, &style)?;
    // A busy machine must not end the game.
    let options = json!({"map": map, "start_ms": 60_000, "turn_ms": 20_000});
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let (mut rules, mut their_rules) = (Vec::new(), Vec::new());
    for _ in 0..args.repeat {
        ours.push(table.rounds_a_second(args.rounds, &options)?);
        rules.push(rounds_a_second(args, &map)?);
        if let Some(baseline) = &args.baseline {
            theirs.push(baseline_rounds(baseline, &map, args.rounds, &table.player)?);
            their_rules.push(baseline_rounds(baseline, &map, args.rounds, &[])?);
        }
    }
    let unit = &format!("rounds of {} bots a second", args.players);
    let rows = [
        ("over pipes, this judge", ours, unit.as_str()),
        ("over pipes, baseline", theirs, unit),
        ("in process, these rules", rules, unit),
        ("in process, baseline", their_rules, unit),
    ];
    spreads(0, rows);
    Ok(())
}

/// Rounds a second by the rules alone, every owner sending one ship a round from its first planet to the
/// next in the list.
fn rounds_a_second(args: &TurnsArgs, map: &str) -> anyhow::Result<f64> {
    let rounds = args.rounds.saturating_mul(IN_PROCESS).min(100_000);
    let setup = Setup {
        planets: map::read(map)?,
        players: (1..).take(args.players).collect(),
        teams: (0..args.players).map(|seat| seat as u8).collect(),
        ruleset: Ruleset {
            rounds,
            ..Ruleset::TEAM
        },
    };
    let mut game = PlanetWars::begin(&setup).map_err(anyhow::Error::msg)?;
    let begun = Instant::now();
    let mut acts: Vec<(Seat, Option<Act>)> = Vec::with_capacity(args.players);
    let mut sent = vec![0; args.players + 1];
    while game.turn() < rounds {
        acts.clear();
        let planets = game.planets();
        let goals = planets.iter().cycle().skip(1);
        for (planet, goal) in planets.iter().zip(goals) {
            let owner = planet.owner;
            let last = sent.get_mut(owner as usize);
            if owner == NEUTRAL || planet.ships == 0 || goal.id == planet.id {
                continue;
            }
            let Some(last) = last.filter(|last| **last <= game.turn()) else {
                continue;
            };
            *last = game.turn() + 1;
            let launch = Launch {
                from: planet.id,
                to: goal.id,
                ships: 1,
            };
            let act = Act {
                launches: vec![launch],
                ..Act::default()
            };
            acts.push((Seat(owner as u8 - 1), Some(act)));
        }
        ensure!(game.answered(&acts).is_empty(), "an order is refused");
        if games::Game::outcome(&game).is_some() {
            break;
        }
    }
    Ok(f64::from(game.turn()) / begun.elapsed().as_secs_f64())
}

/// Rounds a second of another judge, with players or by the rules alone.
fn baseline_rounds(
    baseline: &str,
    map: &str,
    rounds: u32,
    player: &[String],
) -> anyhow::Result<f64> {
    let mut judge = pipes::command(baseline)?
        .arg(rounds.to_string())
        .args(player)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("{baseline} does not start"))?;
    let mut input = judge.stdin.take().context("no pipe")?;
    input.write_all(map.as_bytes())?;
    drop(input);
    let output = judge.wait_with_output()?;
    let status = output.status;
    ensure!(status.success(), "the baseline ended with {status}");
    let said = String::from_utf8_lossy(&output.stdout);
    let rate = said.trim().parse();
    rate.with_context(|| format!("the baseline says {said:?} and no number"))
}
