//! One match with programs.

use super::game::{Ended, Game};
use super::players::{Pipes, PlayError, Player, ProgramRules};
use super::watch::Watch;
use crate::link::program::{LineFault, ProgramOptions, sweep};
use crate::referee::budget::ThinkBudget;
use crate::referee::seat::Left;
use crate::referee::seat_spec::SeatSpec;
use games::{Kit, Seat, TableSetup, bot_seed};
use serde_json::Value;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The match to play.
pub struct ArbiterMatch<'a> {
    /// The game.
    pub kit: &'static dyn Kit,
    /// Programs and bots of ours, by seat.
    pub seats: &'a [&'a SeatSpec],
    /// Seeds the table and the bots.
    pub seed: u64,
    /// Rule options.
    pub options: &'a Value,
    /// The time budget of each decision of a built-in bot.
    pub budget: ThinkBudget,
    /// Whether built-in bots may use opponent models.
    pub models: bool,
    /// Whether the transcript is recorded.
    pub record: bool,
    /// How programs are run.
    pub rules: &'a ProgramRules,
}

/// Plays it to its end; `None` if `abort` was set meanwhile. Blocks: call it on a thread that may.
///
/// # Errors
/// [`PlayError`] for unknown bots or options, a wrong number of seats, or a program that does not exist.
pub fn play(plan: &ArbiterMatch<'_>, abort: &AtomicBool) -> Result<Option<Ended>, PlayError> {
    watched(plan, abort, None)
}

/// The same, followed by `watch`.
pub(super) fn watched(
    plan: &ArbiterMatch<'_>,
    abort: &AtomicBool,
    watch: Option<Watch<'_>>,
) -> Result<Option<Ended>, PlayError> {
    let (options, seats) = (plan.options.clone(), plan.seats.len());
    let setup = TableSetup::numbered(plan.seed, options, seats);
    let mut table = plan.kit.table(&setup)?;
    let seats = (0u8..).map(Seat).zip(plan.seats);
    let mut players = seats
        .map(|(seat, spec)| {
            let seed = bot_seed(plan.seed, seat);
            Player::seat(plan.kit, spec, seed, plan.budget, plan.models, plan.rules)
        })
        .collect::<Result<Vec<_>, _>>()?;
    let game = Game::new(table.as_mut(), &mut players, abort, plan.record, watch);
    let ended = game.on(plan.rules.machine.as_ref()).play();
    let left = end(&mut players);
    Ok(ended.map(|ended| ended.with(left)))
}

/// Starts a program as for a match, says to it what its first seat hears first, and waits for any answer, at most `within`.
/// Returns why it cannot play, as a sentence, if it could not be started or ended instead; silence is no such reason.
/// Blocks.
///
/// # Errors
/// [`PlayError::Setup`] for options that do not fit so many seats.
pub fn try_out(
    kit: &'static dyn Kit,
    program: &ProgramOptions,
    (options, seats): (&Value, usize),
    rules: &ProgramRules,
    within: Duration,
) -> Result<Option<String>, PlayError> {
    let setup = TableSetup::numbered(1, options.clone(), seats);
    let mut table = kit.table(&setup)?;
    let mut calls = Vec::new();
    table.calls(&mut calls);
    calls.retain(|call| call.seat == Seat(0));
    let mut pipes = match Pipes::start(kit, program, rules) {
        Ok(pipes) => pipes,
        Err(why) => return Ok(Some(why.to_string())),
    };
    let until = Instant::now() + within;
    let mut answered = pipes.program.is_some();
    for call in &calls {
        answered = answered && pipes.tell(&call.text).is_ok();
    }
    if let Some(program) = pipes.program.as_mut().filter(|_| answered) {
        answered = program.line(until) != Err(LineFault::Gone);
    }
    pipes.saw(&LineFault::Gone);
    pipes.end();
    let mut players = [Player::Program(Box::new(pipes))];
    let left = end(&mut players);
    let [Player::Program(pipes)] = &players else {
        return Ok(None);
    };
    let said = left
        .iter()
        .filter_map(|left| left.stderr.trim().lines().last());
    let failure = pipes.failure.as_deref().into_iter().chain(said);
    // One that ran on has not ended, whatever it closed.
    let ran_on = pipes.seen.is_some() && pipes.failure.as_deref() == pipes.seen;
    Ok((!answered && !ran_on).then(|| failure.collect::<Vec<_>>().join(": ")))
}

/// Ends all programs, so that nothing of them runs on; returns what each left behind.
pub(super) fn end(players: &mut [Player]) -> Vec<Left> {
    // All are notified first, so that they end at the same time.
    for player in &mut *players {
        match player {
            Player::Program(pipes) => pipes.dismiss(),
            Player::Builtin(bot) => bot.hang_up(),
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
            let stderr = match &pipes.failure {
                Some(failure) if !pipes.started => failure.clone(),
                _ => pipes.stderr(),
            };
            Left {
                stderr,
                ..Left::default()
            }
        }
        Player::Builtin(bot) => {
            let _ = bot.conduct();
            bot.account().map(Left::from).unwrap_or_default()
        }
    });
    let left = ended.collect();
    if !markers.is_empty() {
        sweep(&markers);
    }
    left
}
