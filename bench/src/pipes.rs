//! Games of our arbiter with programs on pipes.

use anyhow::{Context as _, ensure};
use drover::referee::SeatSpec;
use drover::referee::arbiter::{self, ArbiterPlan, ProgramRules};
use drover::referee::budget::ThinkBudget;
use drover::referee::schedule::Schedule;
use drover::referee::tally::Tally;
use drover::referee::watch::{KeptMatch, Watch};
use games::Kit;
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// A game, and the program that sits on all its seats.
pub(crate) struct Table {
    pub(crate) kit: &'static dyn Kit,
    pub(crate) player: Vec<String>,
    pub(crate) seats: usize,
}

impl Table {
    /// The game with the program that is named, or else with Drover's own shim and this bot.
    pub(crate) fn new(
        game: &str,
        seats: usize,
        named: Option<&str>,
        bot: &str,
    ) -> anyhow::Result<Self> {
        let player = match named {
            Some(text) => text.split_whitespace().map(str::to_owned).collect(),
            None => crate::process::drover(&["shim", game, "--local", "--bot", bot])?,
        };
        Self::with(game, seats, player)
    }

    pub(crate) fn with(game: &str, seats: usize, player: Vec<String>) -> anyhow::Result<Self> {
        Ok(Self {
            kit: crate::kit(game)?,
            player,
            seats,
        })
    }

    /// Games one after the other, on new decks, without transcripts.
    pub(crate) fn plan(&self, games: u64, options: Value) -> ArbiterPlan {
        ArbiterPlan {
            kit: self.kit,
            seats: vec![SeatSpec::Program(self.player.clone()); self.seats],
            schedule: Schedule {
                entrants: self.seats,
                seats: self.seats,
                pool: false,
                rotate: false,
                games,
                seed: 1,
            },
            budget: ThinkBudget::Nodes(1),
            concurrency: NonZeroUsize::MIN,
            options,
            models: false,
            record: false,
            programs: ProgramRules::default(),
        }
    }

    /// Rounds a second, starting and ending taken off.
    pub(crate) fn rounds_a_second(&self, rounds: u32, options: &Value) -> anyhow::Result<f64> {
        let seconds = |rounds: u32| {
            let mut options = options.clone();
            options["rounds"] = json!(rounds);
            anyhow::Ok(play(&self.plan(1, options))?.1.as_secs_f64())
        };
        // One round is next to nothing but starting and ending.
        let (whole, ends) = (seconds(rounds)?, seconds(1)?);
        Ok(f64::from(rounds - 1) / (whole - ends).max(f64::EPSILON))
    }
}

/// A program and its arguments.
pub(crate) fn command(text: &str) -> anyhow::Result<Command> {
    let mut words = text.split_whitespace();
    let mut command = Command::new(words.next().context("--baseline names no program")?);
    command.args(words);
    Ok(command)
}

/// Plays whole games without a fault. Gives how long that took, too.
pub(crate) fn play(plan: &ArbiterPlan) -> anyhow::Result<(Tally, Duration)> {
    let begun = Instant::now();
    let tally = arbiter::play(plan, &AtomicBool::new(false), &mut Nobody)?;
    let took = begun.elapsed();
    let faults = tally.entrants.iter().any(|one| !one.faults.is_empty());
    let whole = tally.games == plan.schedule.games && !faults;
    ensure!(whole, "the player does not play whole games");
    Ok((tally, took))
}

struct Nobody;

impl Watch for Nobody {
    fn done(&mut self, _: u64) {}
    fn played(&mut self, _: KeptMatch) {}
}
