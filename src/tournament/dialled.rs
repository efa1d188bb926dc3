//! Matches among players that dial our hub, and built-in bots.

use super::match_player::{MatchError, MatchPlayer, Plan, Playing};
use super::played_match::PlayedMatch;
use super::schedule::PlannedMatch;
use super::stop::Stop;
use crate::referee::SeatSpec;
use crate::referee::hub::{Appointment, HubServer, Place};
use crate::referee::seat_builtin::Builtins;
use std::sync::Arc;
use std::time::Duration;

/// Plays on a hub, which records the matches: those that were played have no transcript here. The hub has
/// invited the entrants that are `remote`, by their names in the plan; its owner stops it.
pub struct Dialled {
    /// The hub that they dial.
    pub hub: Arc<HubServer>,
    /// How built-in bots play.
    pub builtins: Builtins,
    /// How long a player is waited for that neither waits nor plays. One that did not come within this time is
    /// not waited for again until it has dialled, and nobody in one round for more than three times this in all.
    pub within: Duration,
}

impl MatchPlayer for Dialled {
    fn records(&self) -> bool {
        true
    }

    fn play<'a>(
        &'a self,
        plan: &'a Plan,
        planned: &'a PlannedMatch,
        seats: &'a [SeatSpec],
        stop: &'a Stop,
    ) -> Playing<'a> {
        Box::pin(async {
            tokio::select! {
                played = self.one(plan, planned, seats) => played.map(Some),
                () = stop.cancelled() => Ok(None),
            }
        })
    }
}

impl Dialled {
    async fn one(
        &self,
        plan: &Plan,
        planned: &PlannedMatch,
        seats: &[SeatSpec],
    ) -> Result<PlayedMatch, MatchError> {
        let names = plan.seat_names(planned)?.into_iter();
        let place = |(spec, name): (&SeatSpec, Option<String>)| Place {
            spec: spec.clone(),
            name: name.unwrap_or_default(),
        };
        let appointment = Appointment {
            places: seats.iter().zip(names).map(place).collect(),
            seed: planned.seed,
            deck: planned.deck,
            options: plan.options.clone(),
            builtins: self.builtins.clone(),
            learnt: plan.learnt(planned)?,
            within: self.within,
            slot: planned.slot.clone(),
        };
        let held = self.hub.hold(appointment).await;
        let held = held.map_err(|error| MatchError::Appointment(planned.number, error))?;
        Ok(PlayedMatch {
            match_id: Some(held.match_id),
            started_us: held.started_us,
            seats: seats.iter().map(ToString::to_string).collect(),
            blames: held.blames,
            refused: held.refused,
            missed: held.missed,
            took: held.took,
            participation: held.participation,
            ..PlayedMatch::ended(planned.number, planned.seed, held.outcome)
        })
    }
}
