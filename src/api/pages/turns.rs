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
    /// Step by step; empty where nothing is counted.
    counts: Vec<Count>,
}

/// What a step counts.
struct Count {
    at: Timestamp,
    /// The turn that it belongs to.
    turn: u32,
    /// The turn in which one decides from then on.
    next: u32,
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
        let steps = film.steps().iter().filter(|_| !film.turn().is_empty());
        let counts = steps.map(|step| Count {
            at: step.at.unwrap_or(Timestamp::MIN),
            turn: step.turn,
            next: step.next_turn(),
        });
        Ok(Self {
            name: film.turn(),
            counts: counts.collect(),
        })
    }

    /// The number of the turn to which the answer belongs that was asked for then; empty where nothing is counted.
    pub(super) fn at(&self, at: Timestamp) -> String {
        number(self.asked(at))
    }

    /// The same as a number; 0 where nothing is counted.
    pub(super) fn asked(&self, at: Timestamp) -> u32 {
        let next = self.counts.partition_point(|count| count.at <= at);
        let count = self.counts.get(next.saturating_sub(1));
        count.map_or(0, |count| count.next)
    }

    /// The turn of the last step by then; 0 before the first turn, and where nothing is counted.
    pub(super) fn passed(&self, at: Timestamp) -> u32 {
        let next = self.counts.partition_point(|count| count.at <= at);
        let count = next.checked_sub(1).and_then(|at| self.counts.get(at));
        count.map_or(0, |count| count.turn)
    }
}

/// A turn's number as it is shown: nothing has 0.
pub(super) fn number(turn: u32) -> String {
    match turn {
        0 => String::new(),
        turn => turn.to_string(),
    }
}
