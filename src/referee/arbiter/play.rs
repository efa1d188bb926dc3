//! One match with programs.

use super::game::{Ended, Game};
use super::players::{PlayError, Player, ProgramRules};
use super::watch::Watch;
use crate::link::program::sweep;
use crate::referee::budget::ThinkBudget;
use crate::referee::seat_spec::SeatSpec;
use games::{Kit, Seat, TableSetup, bot_seed};
use serde_json::Value;
use std::sync::atomic::AtomicBool;

/// The match to play.
pub struct ArbiterMatch<'a> {
    /// The game.
    pub kit: &'static dyn Kit,
    /// Programs and built-in bots, by seat.
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
    let ended = Game::new(table.as_mut(), &mut players, abort, plan.record, watch).play();
    let stderr = end(&mut players);
    Ok(ended.map(|ended| Ended { stderr, ..ended }))
}

/// Ends all programs, leaving nothing behind; returns their standard error.
pub(super) fn end(players: &mut [Player]) -> Vec<String> {
    // All are notified first, so that they end at the same time.
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
