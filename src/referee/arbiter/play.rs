//! One match with programs.

use super::game::{Game, apart};
use super::players::{Pipe, PlayError, Player, ProgramRules, end};
use super::watch::Watch;
use crate::link::program::{LineFault, ProgramOptions};
use crate::referee::budget::ThinkBudget;
use crate::referee::refereed::Refereed;
use crate::referee::seat_spec::SeatSpec;
use crate::referee::spec::MatchSpec;
use games::match_::Rules;
use games::{Kit, Match, Seat, TableSetup, Wire, bot_seed};
use serde_json::Value;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Programs and built-in bots, as the arbiter has them.
#[derive(Clone, Debug)]
pub struct Pipes {
    /// The budget of each decision of a built-in bot.
    pub budget: ThinkBudget,
    /// Whether built-in bots may use opponent models.
    pub models: bool,
    /// How programs are run.
    pub rules: ProgramRules,
}

/// Plays a match to its end; `None` if it was stopped.
///
/// # Errors
/// [`PlayError`] for unknown bots or options, a wrong number of seats, or a program that does not exist.
pub async fn play(
    spec: MatchSpec,
    pipes: Pipes,
    stop: &CancellationToken,
) -> Result<Option<Refereed>, PlayError> {
    let stop = stop.clone();
    on_own_thread(move || async move { watched(spec, pipes, &stop, None).await }).await
}

/// Plays a match on a thread of its own, with what wakes it up there: a game is thousands of round trips, and from the
/// runtime's threads each would take one more wake-up.
async fn on_own_thread<T, F>(play: impl FnOnce() -> F + Send + 'static) -> Result<T, PlayError>
where
    T: Send + 'static,
    F: Future<Output = Result<T, PlayError>>,
{
    let play = move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.map_err(PlayError::Thread)?.block_on(play())
    };
    apart(play).await
}

/// The same, followed by `watch`.
pub(super) async fn watched(
    spec: MatchSpec,
    pipes: Pipes,
    stop: &CancellationToken,
    watch: Option<Watch<'_>>,
) -> Result<Option<Refereed>, PlayError> {
    let MatchSpec { seed, record, .. } = spec;
    let table = TableSetup::numbered(seed, spec.options, spec.seats.len());
    let table = spec.kit.table(&table)?;
    let machine = pipes.rules.machine.clone();
    let seating = move || {
        let seats = (0u8..).map(Seat).zip(&spec.seats);
        let player = |(seat, named)| pipes.seat(spec.kit, named, bot_seed(seed, seat));
        seats.map(player).collect::<Result<_, _>>()
    };
    let game = Game {
        match_: Match::new(table, Rules::of_wire(Wire::Stdio)),
        players: apart(seating).await?,
        record,
        machine,
        feed: spec.feed,
        watch,
    };
    Ok(game.play(stop).await)
}

impl Pipes {
    /// Seats a player. Blocks.
    pub(super) fn seat(
        &self,
        kit: &'static dyn Kit,
        spec: &SeatSpec,
        seed: u64,
    ) -> Result<Player, PlayError> {
        Player::seat(kit, spec, seed, self.budget, self.models, &self.rules)
    }
}

/// Starts a program as for a match, sends it what its first seat receives first, and waits for any answer, at most `within`.
/// Returns why it cannot play, as a sentence, if it could not be started or ended instead; silence is no such reason.
/// Blocks.
///
/// # Errors
/// [`PlayError::Setup`] for options that do not fit this many seats.
pub fn try_out(
    kit: &'static dyn Kit,
    program: &ProgramOptions,
    options: &Value,
    seats: usize,
    rules: &ProgramRules,
    within: Duration,
) -> Result<Option<String>, PlayError> {
    let setup = TableSetup::numbered(1, options.clone(), seats);
    let mut table = kit.table(&setup)?;
    let mut calls = Vec::new();
    table.calls(&mut calls);
    calls.retain(|call| call.seat == Seat(0));
    let mut pipes = match Pipe::start(kit, program, rules) {
        Ok(pipes) => pipes,
        Err(why) => return Ok(Some(why.to_string())),
    };
    let until = Instant::now() + within;
    let mut answered = pipes.program.is_some();
    for call in &calls {
        answered = answered && pipes.send_frame(&call.text).is_ok();
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
