//! Matches against programs on pipes.

use super::match_player::{MatchError, MatchPlayer, Plan, PlayedMatch};
use super::schedule::PlannedMatch;
use super::stop::Stop;
use crate::clock::now_us;
use crate::link::program::sweep;
use crate::referee::arbiter::{self, ArbiterMatch, ProgramRules};
use crate::referee::budget::ThinkBudget;
use crate::referee::{DecisionTimes, SeatSpec};

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
        Ok(ended.map(|ended| PlayedMatch {
            number: planned.number,
            seed: planned.seed,
            started_us,
            seats: seats.iter().map(ToString::to_string).collect(),
            outcome: ended.outcome,
            transcript: ended.transcript,
            blames: ended.blames,
            stderr: ended.stderr,
            refused: ended.noted.iter().map(|noted| noted.refused).collect(),
            missed: ended.noted.iter().map(|noted| noted.late).collect(),
            took: ended.took,
            times: DecisionTimes::Stamped,
        }))
    }

    /// Whichever run they belonged to, no program is playing any more.
    fn finish(&self) {
        sweep(&[]);
    }
}
