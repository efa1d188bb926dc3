//! Matches in process, without a wire, on threads of their own.

use super::budget::{Stopwatch, ThinkBudget};
use super::lanes::{DeckPlayed, Lanes};
use super::schedule::{Deck, Schedule};
use super::sides::{Seen, Sides};
use super::tally::Tally;
use super::watch::{KeptMatch, Watch};
use crate::clock::now_us;
use games::{Kit, PlaySetup, SetupError};
use serde_json::Value;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};

/// Of bots that do not think, one deck's decisions in so many are timed.
const TIMED_EVERY: u64 = 16;

/// What is played in process.
pub struct LocalPlan {
    /// The game.
    pub kit: &'static dyn Kit,
    /// The built-in bots that enter, by name.
    pub bots: Vec<String>,
    /// Who meets whom.
    pub schedule: Schedule,
    /// How long each decision may take.
    pub budget: ThinkBudget,
    /// Threads that play.
    pub concurrency: NonZeroUsize,
    /// Rule options.
    pub options: Value,
    /// Whether bots may use opponent models.
    pub models: bool,
    /// Whether transcripts are kept and handed to [`Watch::played`].
    pub record: bool,
}

/// Plays the plan until it is done or `abort` is set; matches cut by that are not counted.
/// Blocks: call it on a thread that may.
///
/// # Errors
/// [`SetupError`] for unknown bots or options or a wrong number of seats.
pub fn play(
    plan: &LocalPlan,
    abort: &AtomicBool,
    watch: &mut dyn Watch,
) -> Result<Tally, SetupError> {
    let lanes = Lanes {
        schedule: &plan.schedule,
        threads: plan.concurrency,
        abort,
    };
    lanes.play(watch, &|dealt, number| deck(plan, dealt, number, abort))
}

/// One deck's matches, or `None` if they were cut.
fn deck(
    plan: &LocalPlan,
    deck: &Deck,
    number: u64,
    abort: &AtomicBool,
) -> Result<Option<DeckPlayed>, SetupError> {
    let mut counted = Vec::with_capacity(deck.tables.len());
    let mut kept = Vec::new();
    let timed = number.is_multiple_of(TIMED_EVERY);
    for (turn, table) in deck.tables.iter().enumerate() {
        let sides = Sides::new(plan.kit, &plan.options, table)?;
        let bots: Vec<String> = sides
            .entrants()
            .filter_map(|entrant| plan.bots.get(entrant).cloned())
            .collect();
        let measured = bots
            .iter()
            .map(|bot| timed || thinks(plan.kit, bot))
            .collect();
        let setup = PlaySetup {
            bots: bots.clone(),
            seed: deck.seed,
            options: plan.options.clone(),
            models: plan.models,
            record: plan.record,
        };
        let started_us = now_us();
        let clock = Stopwatch::new(plan.budget, measured, abort);
        let played = plan.kit.play(&setup, &clock)?;
        if abort.load(Ordering::Relaxed) {
            return Ok(None);
        }
        if plan.record {
            kept.push(KeptMatch {
                number: deck.first + turn as u64,
                seed: deck.seed,
                started_us,
                seats: bots.iter().map(|bot| format!("builtin:{bot}")).collect(),
                outcome: played.outcome.clone(),
                transcript: played.transcript,
                blames: Vec::new(),
                stderr: Vec::new(),
            });
        }
        let seen = Seen {
            outcome: played.outcome,
            faults: Vec::new(),
            refused: played.refused.values().to_vec(),
            missed: Vec::new(),
            took: clock.into_spans(),
        };
        counted.push(sides.counted(plan.kit, seen));
    }
    Ok(Some((counted, kept)))
}

fn thinks(kit: &dyn Kit, bot: &str) -> bool {
    kit.bots()
        .iter()
        .any(|card| card.name == bot && card.thinks)
}
