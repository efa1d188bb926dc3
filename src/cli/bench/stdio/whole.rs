//! What benches share that play whole games over pipes.

use crate::referee::SeatSpec;
use crate::referee::arbiter::ProgramRules;
use crate::referee::budget::ThinkBudget;
use crate::tournament::{MatchError, Plan, Programs, Schedule, Stop, Tally, play};
use anyhow::ensure;
use games::Kit;
use serde_json::Value;
use std::num::NonZeroUsize;

/// Games among copies of one program.
pub(super) struct Copies<'a> {
    pub(super) kit: &'static dyn Kit,
    /// The program and its arguments.
    pub(super) program: &'a [String],
    pub(super) seats: usize,
    pub(super) games: u64,
    pub(super) seed: u64,
    /// Whether as many games as there are seats share a deck.
    pub(super) rotate: bool,
    /// Games at once.
    pub(super) concurrency: NonZeroUsize,
    /// Rule options.
    pub(super) options: Value,
}

impl Copies<'_> {
    /// Plays them all.
    pub(super) fn play(self) -> Result<Tally, MatchError> {
        let schedule = Schedule {
            entrants: self.seats,
            seats: self.seats,
            pool: false,
            rotate: self.rotate,
            games: self.games,
            seed: self.seed,
        };
        let plan = Plan {
            kit: self.kit,
            entrants: vec![SeatSpec::Program(self.program.to_vec()); self.seats],
            options: self.options,
            concurrency: self.concurrency,
            record: false,
        };
        let player = Programs {
            // No built-in bot plays.
            budget: ThinkBudget::Nodes(1),
            models: false,
            rules: ProgramRules::default(),
        };
        let matches = schedule.matches();
        play(&plan, matches, &player, &mut (), &Stop::default())
    }
}

/// All games were played, to their end.
pub(super) fn faultless(tally: &Tally, games: u64) -> anyhow::Result<()> {
    let faults = tally
        .entrants
        .iter()
        .any(|entrant| !entrant.faults.is_empty());
    ensure!(
        tally.games == games && !faults,
        "the player does not play whole games"
    );
    Ok(())
}
