//! What a worker needs to know of a match besides its tournament's row.

use crate::referee::SeatSpec;
use crate::store::{Held, QueuedMatch};
use crate::tournament::cup::Cup;
use crate::tournament::keep::Extent;
use crate::tournament::schedule::PlannedMatch;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What of a run's settings its workers go by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Terms {
    /// How much of each match is stored.
    pub extent: Extent,
    /// How often a match is played again at most since the machine made a program late.
    pub replays_max: u32,
    /// The digests of users' bots' folders, by `bot:NAME@VERSION`: only where the same are on the shelf it is played.
    pub bots: BTreeMap<String, String>,
}

/// One match, as it lies in the queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) planned: PlannedMatch,
    pub(super) terms: Terms,
}

impl Task {
    pub(super) fn read(task: Value) -> anyhow::Result<Self> {
        let read = serde_json::from_value(task);
        read.map_err(|error| {
            anyhow::anyhow!("a match is planned in a form that is not known: {error}")
        })
    }

    /// The match, to be played by this claim.
    pub(super) fn claimed(self, held: Held) -> PlannedMatch {
        let mut planned = self.planned;
        if let Some(slot) = &mut planned.slot {
            slot.claim = Some(held.claim);
        }
        planned
    }
}

/// The match as it is put into the queue.
pub(super) fn queued(cup: &Cup, planned: PlannedMatch, terms: Terms) -> QueuedMatch {
    let runs = |entrant: &usize| {
        let entrant = cup.entrants.get(*entrant);
        entrant.is_some_and(|entrant| matches!(entrant.spec, SeatSpec::Program(_)))
    };
    QueuedMatch {
        number: planned.number,
        needs_cmd: planned.table.iter().any(runs),
        task: json!(Task { planned, terms }),
    }
}
