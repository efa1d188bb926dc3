//! What a game counts, such as its deals, at the moments of a match.

use super::visit::Visit;
use crate::api::problem::Problem;
use crate::api::replays::Watched;
use jiff::Timestamp;

/// The turns of a match, as far as the caller sees it.
#[derive(Default)]
pub(super) struct Turns {
    /// What one is called; empty where nothing is counted, and of a match that cannot be replayed.
    pub(super) name: &'static str,
    /// The number of the turn in which one decides, from when on.
    counts: Vec<(Timestamp, u32)>,
}

impl Turns {
    /// Those of the replay that the caller is shown.
    ///
    /// # Errors
    /// The store's.
    pub(super) async fn read(visit: &Visit, id: &str) -> Result<Self, Problem> {
        let watched = Watched::read(visit, id, None).await?.or_first();
        let Ok(Some(film)) = watched.film(visit).await else {
            return Ok(Self::default());
        };
        let steps = film.steps().iter();
        let counts = steps.map(|step| (step.at.unwrap_or(Timestamp::MIN), step.next_turn()));
        Ok(Self {
            name: film.turn(),
            counts: counts.collect(),
        })
    }

    /// The number of the turn to which the answer belongs that was asked for then; empty where nothing is counted.
    pub(super) fn at(&self, at: Timestamp) -> String {
        let count = self.count(at);
        count.map_or_else(String::new, |turn| turn.to_string())
    }

    /// The same as a number.
    pub(super) fn count(&self, at: Timestamp) -> Option<u32> {
        let next = self.counts.partition_point(|(from, _)| *from <= at);
        let count = self.counts.get(next.saturating_sub(1));
        let count = count.filter(|_| !self.name.is_empty());
        count.map(|(_, turn)| *turn)
    }
}
