//! What a worker needs to know of a match besides its tournament's row.

use crate::referee::SeatSpec;
use crate::store::{ArchiveKey, Held, QueuedMatch};
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
    /// The users' bots, by `bot:NAME@VERSION`.
    pub bots: BTreeMap<String, CarriedBot>,
}

/// A user's bot as workers find it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CarriedBot {
    /// The digest of its folder as it was added.
    pub digest: String,
    /// Whether it is built.
    pub builds: bool,
}

impl CarriedBot {
    /// Its folder as it was added.
    pub(super) fn folder(&self) -> ArchiveKey {
        ArchiveKey {
            digest: self.digest.clone(),
            platform: String::new(),
        }
    }

    /// What was built of it on machines like this one.
    pub(super) fn built(&self) -> ArchiveKey {
        let platform = format!("{}-{}", std::env::consts::ARCH, distribution());
        ArchiveKey {
            platform,
            ..self.folder()
        }
    }
}

/// The system whose libraries programs are built against, as /etc/os-release has it.
fn distribution() -> String {
    let about = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let value = |key: &str| {
        let mut lines = about.lines();
        let value = lines.find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
        value.unwrap_or_default().trim_matches('"').to_owned()
    };
    format!("{}-{}", value("ID"), value("VERSION_ID"))
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
