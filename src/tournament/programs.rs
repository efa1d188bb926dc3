//! Matches against programs on pipes.

use super::cup::Cup;
use super::match_player::{MatchError, MatchPlayer, Plan};
use super::played_match::PlayedMatch;
use super::schedule::PlannedMatch;
use super::stop::Stop;
use crate::clock::now_us;
use crate::link::program::{ProgramOptions, sweep};
use crate::programs::{Bots, Launch, Opening, try_out};
use crate::referee::SeatSpec;
use crate::referee::arbiter::{self, ArbiterMatch, Ended, ProgramRules};
use crate::referee::budget::ThinkBudget;
use games::{DialogueSetup, Kit};
use serde_json::Value;
use std::sync::Arc;
use std::thread::Builder;
use std::time::Duration;

/// How long a program may take for its first answer until it is taken to be whole.
const TRIED_WITHIN: Duration = Duration::from_secs(2);
/// Programs that are tried at once.
const TRIED_AT_ONCE: usize = 32;

/// Plays with programs and built-in bots, as the arbiter.
pub struct Programs {
    /// The budget of each decision of a built-in bot.
    pub budget: ThinkBudget,
    /// Whether built-in bots may use opponent models.
    pub models: bool,
    /// How programs are run.
    pub rules: ProgramRules,
}

impl MatchPlayer for Programs {
    fn play(
        &self,
        plan: &Plan,
        planned: &PlannedMatch,
        seats: &[&SeatSpec],
        stop: &Stop,
    ) -> Result<Option<PlayedMatch>, MatchError> {
        let (rules, mut replaced) = (&self.rules, Vec::new());
        loop {
            let Some((played, excuse)) = self.once(plan, planned, seats, stop)? else {
                return Ok(None);
            };
            let again = excuse.filter(|_| replaced.len() < rules.replays_max as usize);
            let Some((why, machine)) = again.zip(rules.machine.as_ref()) else {
                let numbers = replaced
                    .iter()
                    .filter_map(|one: &PlayedMatch| one.match_id.clone());
                let before = numbers.collect::<Vec<_>>().join(", ");
                let again = match before.is_empty() {
                    true => before,
                    false => format!("played in place of {before}, which the machine disturbed"),
                };
                return Ok(Some(PlayedMatch {
                    again,
                    replaced,
                    ..played
                }));
            };
            machine.replays();
            let number = planned.number + 1;
            tracing::warn!("match {number} is played again: {why} while a program was late");
            replaced.push(PlayedMatch {
                again: format!(
                    "played again, and counts for nothing: {why} while a program was late"
                ),
                ..played
            });
        }
    }

    /// Whichever run they belonged to, no program is playing any more.
    fn finish(&self) {
        sweep(&[]);
    }
}

impl Programs {
    /// Plays it once; also why the machine made a program late, if it did.
    fn once(
        &self,
        plan: &Plan,
        planned: &PlannedMatch,
        seats: &[&SeatSpec],
        stop: &Stop,
    ) -> Result<Option<(PlayedMatch, Option<String>)>, MatchError> {
        let started_us = now_us();
        let ended = arbiter::play(
            &ArbiterMatch {
                kit: plan.kit,
                seats,
                seed: planned.seed,
                options: &plan.options,
                budget: self.budget,
                models: self.models,
                record: plan.record,
                rules: &self.rules,
            },
            stop.flag(),
        )?;
        Ok(ended.map(|mut ended| {
            let excuse = ended.excuse.take();
            let played = PlayedMatch {
                number: planned.number,
                match_id: Some(ulid::Ulid::generate().to_string()),
                seed: planned.seed,
                started_us,
                seats: seats.iter().map(ToString::to_string).collect(),
                ..ended.into()
            };
            (played, excuse)
        }))
    }
}

impl From<Ended> for PlayedMatch {
    /// What the game alone knows.
    fn from(ended: Ended) -> Self {
        Self {
            transcript: ended.transcript,
            blames: ended.blames,
            left: ended.left,
            refused: ended.noted.iter().map(|noted| noted.refused).collect(),
            missed: ended.noted.iter().map(|noted| noted.late).collect(),
            took: ended.took,
            participation: ended.participation,
            ..Self::ended(0, 0, ended.outcome)
        }
    }
}

/// Those of its programs that cannot be started, or end instead of answering, as sentences that name them. Blocks for up
/// to two seconds, or for every 32 programs so long.
#[must_use]
pub fn broken(cup: &Cup, rules: &ProgramRules) -> Vec<String> {
    let is_tried = |spec: &SeatSpec| matches!(spec, SeatSpec::Program(_) | SeatSpec::Bot(_));
    let programs = cup.entrants.iter();
    let programs: Vec<_> = programs.filter(|entrant| is_tried(&entrant.spec)).collect();
    let line_up = cup.kit.line_up(&cup.options, cup.seats);
    let seats = line_up.map_or(cup.seats, |line_up| line_up.owners.len());
    let mut broken = Vec::new();
    for some in programs.chunks(TRIED_AT_ONCE) {
        std::thread::scope(|scope| {
            let tries = some.iter().map(|entrant| {
                let native = move |options: ProgramOptions| {
                    let seated = (&cup.options, seats);
                    let tried = arbiter::try_out(cup.kit, &options, seated, rules, TRIED_WITHIN);
                    tried.ok()?
                };
                let work = move || match &entrant.spec {
                    SeatSpec::Program(program) => native(rules.options(cup.kit, program)),
                    SeatSpec::Bot(name) => {
                        // That one is not found is told elsewhere.
                        let launch = rules.bots.bots.find(&name.to_string())?;
                        match launch.is_native() {
                            true => native(rules.native(cup.kit, &launch)),
                            false => try_bot(cup.kit, launch, &rules.bots.bots),
                        }
                    }
                    _ => None,
                };
                (&entrant.name, Builder::new().spawn_scoped(scope, work))
            });
            for (name, tried) in tries.collect::<Vec<_>>() {
                // What cannot be tried now may well be started later.
                let tried = tried.ok().and_then(|tried| tried.join().ok()?);
                broken.extend(
                    tried.map(|why| format!("entrant {name:?}: its program cannot play: {why}")),
                );
            }
        });
    }
    broken
}

/// Why a user's bot that speaks the neutral protocol cannot play; `None` if it can.
fn try_bot(kit: &'static dyn Kit, launch: Arc<Launch>, bots: &Bots) -> Option<String> {
    let setup = DialogueSetup::of("", 1);
    let opening = Opening::of(kit, "", false, Value::Null, &setup);
    try_out(bots, launch, opening, TRIED_WITHIN)
}
