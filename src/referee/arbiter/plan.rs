//! Many games with programs, on threads of their own.

use super::game::{Ended, Game};
use super::players::{Player, ProgramRules};
use crate::clock::now_us;
use crate::link::program::sweep;
use crate::referee::budget::ThinkBudget;
use crate::referee::lanes::{DeckPlayed, Lanes};
use crate::referee::schedule::{Deck, Schedule};
use crate::referee::seat_spec::SeatSpec;
use crate::referee::sides::{Seen, Sides};
use crate::referee::tally::Tally;
use crate::referee::watch::{KeptMatch, Watch};
use games::{Kit, Seat, SetupError, TableSetup, bot_seed};
use serde_json::Value;
use std::num::NonZeroUsize;
use std::sync::atomic::AtomicBool;

/// The number of every match on a wire that has none.
const MARKET: u64 = 1;

/// What is played.
pub struct ArbiterPlan {
    /// The game.
    pub kit: &'static dyn Kit,
    /// Who enters: programs and built-in bots.
    pub seats: Vec<SeatSpec>,
    /// Who meets whom.
    pub schedule: Schedule,
    /// How long each decision of a built-in bot may take.
    pub budget: ThinkBudget,
    /// Games at once.
    pub concurrency: NonZeroUsize,
    /// Rule options.
    pub options: Value,
    /// Whether built-in bots may use opponent models.
    pub models: bool,
    /// Whether transcripts are kept and handed to [`Watch::played`].
    pub record: bool,
    /// How programs are treated.
    pub programs: ProgramRules,
}

/// Plays the plan until it is done or `abort` is set; games cut by that are not counted.
/// Blocks: call it on a thread that may.
///
/// # Errors
/// [`SetupError`] for unknown bots or options or a wrong number of seats.
pub fn play(
    plan: &ArbiterPlan,
    abort: &AtomicBool,
    watch: &mut dyn Watch,
) -> Result<Tally, SetupError> {
    let lanes = Lanes {
        schedule: &plan.schedule,
        threads: plan.concurrency,
        abort,
    };
    let played = lanes.play(watch, &|dealt, _| deck(plan, dealt, abort));
    // Whoever's they were, nobody plays any more.
    sweep(&[]);
    played
}

/// One deck's games, or `None` if they were cut.
fn deck(
    plan: &ArbiterPlan,
    deck: &Deck,
    abort: &AtomicBool,
) -> Result<Option<DeckPlayed>, SetupError> {
    let mut counted = Vec::with_capacity(deck.tables.len());
    let mut kept = Vec::with_capacity(deck.tables.len());
    for (turn, table) in deck.tables.iter().enumerate() {
        let sides = Sides::new(plan.kit, &plan.options, table)?;
        let Some((ended, mut played)) = one(plan, &sides, deck.seed, abort)? else {
            return Ok(None);
        };
        played.number = deck.first + turn as u64;
        let faults = ended.blames.iter();
        let seen = Seen {
            faults: faults.map(|blame| (blame.seat, blame.cause)).collect(),
            refused: ended.noted.iter().map(|noted| noted.refused).collect(),
            missed: ended.noted.iter().map(|noted| noted.late).collect(),
            outcome: ended.outcome,
            took: ended.took,
        };
        counted.push(sides.counted(plan.kit, seen));
        kept.push(played);
    }
    Ok(Some((counted, kept)))
}

fn one(
    plan: &ArbiterPlan,
    sides: &Sides,
    seed: u64,
    abort: &AtomicBool,
) -> Result<Option<(Ended, KeptMatch)>, SetupError> {
    let seats: Vec<&SeatSpec> = sides
        .entrants()
        .filter_map(|entrant| plan.seats.get(entrant))
        .collect();
    let mut rules = plan.kit.table(&TableSetup {
        seed,
        options: plan.options.clone(),
        market: MARKET,
        ids: (1..=seats.len() as u64).collect(),
    })?;
    let started_us = now_us();
    let mut players = Vec::with_capacity(seats.len());
    for (place, spec) in seats.iter().enumerate() {
        let seed = bot_seed(seed, Seat(place as u8));
        let (budget, models) = (plan.budget, plan.models);
        players.push(Player::seat(
            plan.kit,
            spec,
            seed,
            budget,
            models,
            &plan.programs,
        )?);
    }
    let ended = Game::new(rules.as_mut(), &mut players, abort, plan.record).play();
    let stderr = end(&mut players);
    let Some(mut ended) = ended else {
        return Ok(None);
    };
    let transcript = std::mem::take(&mut ended.transcript);
    let kept = KeptMatch {
        number: 0,
        seed,
        started_us,
        seats: seats.iter().map(ToString::to_string).collect(),
        outcome: ended.outcome.clone(),
        transcript,
        blames: ended.blames.clone(),
        stderr,
    };
    Ok(Some((ended, kept)))
}

/// Ends all programs, with nothing left of them; what they said on their standard error.
fn end(players: &mut [Player]) -> Vec<String> {
    // All are told first, so that they end at the same time.
    for player in &mut *players {
        if let Player::Program(pipes) = player {
            pipes.dismiss();
        }
    }
    for player in &mut *players {
        if let Player::Program(pipes) = player {
            pipes.end();
        }
    }
    let mut markers = Vec::new();
    let ended = players.iter_mut().map(|player| match player {
        Player::Program(pipes) => {
            pipes.settle();
            markers.extend(pipes.marker.take());
            pipes.stderr()
        }
        Player::Builtin(_) => String::new(),
    });
    let stderr = ended.collect();
    if !markers.is_empty() {
        sweep(&markers);
    }
    stderr
}
