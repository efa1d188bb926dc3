//! Matches in process, without a wire, on threads of their own.

use super::budget::{Stopwatch, ThinkBudget};
use super::clock::now_us;
use super::schedule::{Deck, Schedule};
use super::tally::{Counted, Tally};
use super::watch::{KeptMatch, Watch};
use games::{Kit, PlaySetup, SetupError};
use serde_json::Value;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;

/// Decks whose results may wait to be counted.
const RESULTS_MAX: usize = 256;
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
    let next = AtomicU64::new(0);
    let (results, played) = mpsc::sync_channel(RESULTS_MAX);
    let mut tally = Tally::new(plan.bots.len());
    let mut failure = None;
    std::thread::scope(|scope| {
        for _ in 0..plan.concurrency.get() {
            let (next, results) = (&next, results.clone());
            scope.spawn(move || work(plan, abort, next, &results));
        }
        drop(results);
        for deck in played {
            match deck {
                Ok((counted, kept)) => {
                    tally.add(&counted);
                    kept.into_iter().for_each(|played| watch.played(played));
                    watch.done(tally.games);
                }
                Err(error) => failure = Some(error),
            }
        }
    });
    failure.map_or(Ok(tally), Err)
}

type DeckPlayed = (Vec<Counted>, Vec<KeptMatch>);

fn work(
    plan: &LocalPlan,
    abort: &AtomicBool,
    next: &AtomicU64,
    results: &mpsc::SyncSender<Result<DeckPlayed, SetupError>>,
) {
    loop {
        let number = next.fetch_add(1, Ordering::Relaxed);
        if number >= plan.schedule.decks() || abort.load(Ordering::Relaxed) {
            return;
        }
        let played = deck(plan, &plan.schedule.deck(number), number, abort);
        let failed = played.is_err();
        let Some(played) = played.transpose() else {
            return;
        };
        if results.send(played).is_err() || failed {
            // The rest of the plan would fail alike.
            next.store(plan.schedule.decks(), Ordering::Relaxed);
            return;
        }
    }
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
        let bots: Vec<String> = table
            .iter()
            .filter_map(|entrant| plan.bots.get(*entrant).cloned())
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
                blame: None,
                stderr: Vec::new(),
            });
        }
        counted.push(Counted {
            table: table.clone(),
            shares: plan.kit.win_shares(&played.outcome),
            duels: plan.kit.duels(&played.outcome),
            blame: None,
            outcome: played.outcome,
            refused: played.refused.values().to_vec(),
            missed: Vec::new(),
            took: clock.into_spans(),
        });
    }
    Ok(Some((counted, kept)))
}

fn thinks(kit: &dyn Kit, bot: &str) -> bool {
    kit.bots()
        .iter()
        .any(|card| card.name == bot && card.thinks)
}
