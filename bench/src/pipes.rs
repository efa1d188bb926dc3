//! Games of our arbiter with programs on pipes.

use anyhow::{Context as _, ensure};
use drover::referee::SeatSpec;
use drover::referee::arbiter::ProgramRules;
use drover::referee::budget::ThinkBudget;
use drover::referee::{Pipes, Ports};
use drover::tournament::{MatchError, MatchSink, Plan, Referees, Schedule, Tally, play};
use games::Kit;
use serde_json::{Value, json};
use std::num::NonZeroUsize;
use std::process::Command;
use std::sync::Arc;
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
            kit: crate::kits::kit(game)?,
            player,
            seats,
        })
    }

    /// Games one after the other, on new decks, without transcripts.
    pub(crate) fn games(&self, games: u64, options: Value) -> Games {
        Games {
            plan: Arc::new(Plan {
                kit: self.kit,
                entrants: vec![SeatSpec::Program(self.player.clone().into()); self.seats],
                names: Vec::new(),
                knowledge: None,
                options,
                concurrency: NonZeroUsize::MIN,
                record: false,
            }),
            schedule: Schedule {
                entrants: self.seats,
                seats: self.seats,
                pool: false,
                rotate: false,
                games,
                seed: 1,
            },
            programs: Pipes {
                budget: ThinkBudget::Nodes(1),
                models: false,
                rules: ProgramRules::default(),
            },
        }
    }

    /// Rounds a second, starting and ending taken off.
    pub(crate) async fn rounds_a_second(
        &self,
        rounds: u32,
        options: &Value,
    ) -> anyhow::Result<f64> {
        let seconds = async |rounds: u32| {
            let mut options = options.clone();
            options["rounds"] = json!(rounds);
            anyhow::Ok(self.games(1, options).whole().await?.1.as_secs_f64())
        };
        // One round is next to nothing but starting and ending.
        let (whole, ends) = (seconds(rounds).await?, seconds(1).await?);
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

/// Games to be played.
pub(crate) struct Games {
    plan: Arc<Plan>,
    pub(crate) schedule: Schedule,
    programs: Pipes,
}

impl Games {
    /// Plays them.
    pub(crate) async fn play(&self, sink: &mut dyn MatchSink) -> Result<Tally, MatchError> {
        let matches = self.schedule.matches();
        let player = Referees::new(Ports::Pipes(self.programs.clone()));
        let plan = Arc::clone(&self.plan);
        play(plan, matches, Arc::new(player), sink, Arc::default()).await
    }

    /// Plays them, all without a fault. Gives how long that took, too.
    pub(crate) async fn whole(&self) -> anyhow::Result<(Tally, Duration)> {
        let begun = Instant::now();
        let tally = self.play(&mut ()).await?;
        let took = begun.elapsed();
        let faults = tally.entrants.iter().any(|one| !one.faults.is_empty());
        let whole = tally.games == self.schedule.games && !faults;
        ensure!(whole, "the player does not play whole games");
        Ok((tally, took))
    }
}
