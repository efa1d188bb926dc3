//! Matches among built-in bots in this process, without a wire. Where the game takes out who is late, that is reported as
//! our hub reports it.

use super::match_player::{MatchError, MatchPlayer, Plan};
use super::played_match::PlayedMatch;
use super::schedule::PlannedMatch;
use super::stop::Stop;
use crate::clock::now_us;
use crate::histogram::Histogram;
use crate::referee::budget::{Stopwatch, ThinkBudget};
use crate::referee::seat_spec::FILLER;
use crate::referee::{DecisionTimes, SeatSpec};
use games::{Blame, Cause, Kit, Part, Participation, PlaySetup, Seat};

/// For bots that do not search, the decisions over every sixteenth deck are timed.
const TIMED_EVERY: u64 = 16;

/// Plays in process.
pub struct InProcess {
    /// The budget of each decision.
    pub budget: ThinkBudget,
    /// Whether bots may use opponent models.
    pub models: bool,
}

impl MatchPlayer for InProcess {
    fn play(
        &self,
        plan: &Plan,
        planned: &PlannedMatch,
        seats: &[&SeatSpec],
        stop: &Stop,
    ) -> Result<Option<PlayedMatch>, MatchError> {
        let name = |spec: &&SeatSpec| spec.builtin().unwrap_or(FILLER).to_owned();
        let setup = PlaySetup {
            bots: seats.iter().map(name).collect(),
            seed: planned.seed,
            options: plan.options.clone(),
            models: self.models,
            learnt: plan.learnt(planned)?,
            record: plan.record,
        };
        let bots = setup.bots.iter();
        let timed = planned.deck.is_multiple_of(TIMED_EVERY);
        let measured = bots.map(|bot| timed || thinks(plan.kit, bot)).collect();
        let started_us = now_us();
        let clock = Stopwatch::new(self.budget, measured, stop.flag());
        let played = plan.kit.play(&setup, &clock)?;
        if stop.is_set() {
            return Ok(None);
        }
        let times = clock.into_times();
        let took = times.iter().map(|times| Histogram::of(times));
        let late = played.late.iter();
        let blame = |seat: &Seat| Blame {
            seat: *seat,
            cause: Cause::TimeForfeit,
            detail: format!("player {} was out of time", seat.0 + 1),
        };
        let all = || (0u8..).map(Seat).take(seats.len());
        let part = |seat: Seat| match played.late.contains(&seat) {
            true => Participation {
                how: Part::Silent,
                detail: blame(&seat).detail,
                ..Participation::played()
            },
            false => Participation::played(),
        };
        let participation = all().map(|seat| Some(part(seat))).collect();
        let missed = all().map(|seat| u32::from(played.late.contains(&seat)));
        Ok(Some(PlayedMatch {
            started_us,
            seats: setup
                .bots
                .iter()
                .map(|bot| format!("builtin:{bot}"))
                .collect(),
            transcript: played.transcript,
            blames: late.map(blame).collect(),
            refused: played.refused.values().to_vec(),
            missed: missed.collect(),
            took: took.collect(),
            times: DecisionTimes::Measured(times),
            participation,
            ..PlayedMatch::ended(planned.number, planned.seed, played.outcome)
        }))
    }
}

fn thinks(kit: &dyn Kit, bot: &str) -> bool {
    kit.card()
        .bots
        .iter()
        .any(|card| card.name == bot && card.thinks)
}
