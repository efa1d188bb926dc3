//! Folding a transcript into a dialogue: the same after a restart, a long rest or a panic.

use super::core::{Core, Last, Mind, Quarantine};
use super::options::Parts;
use super::place::Place;
use crate::store::types::{Direction, Entry, NewEntry};
use crate::store::{OpponentKind, StoreError};
use crate::thinking::{Panicked, guarded};
use games::{Dialogue, DialogueSetup, Fact, Next, SetupError};
use serde_json::Value;

/// Entries that are folded at once, on the caller's thread.
const AT_ONCE_MAX: usize = 64;

/// Why a transcript could not be folded.
#[derive(Debug, thiserror::Error)]
pub(super) enum FoldError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    Panicked(#[from] Panicked),
    #[error("its transcript could not be read in time")]
    Late,
}

impl FoldError {
    /// Whether the same transcript can never be folded by this version.
    pub(super) fn lasts(&self) -> bool {
        match self {
            FoldError::Setup(_)
            | FoldError::Panicked(_)
            | FoldError::Store(StoreError::Corrupt(_)) => true,
            FoldError::Store(_) | FoldError::Late => false,
        }
    }
}

/// A dialogue at the end of its transcript.
pub(super) struct Folded {
    pub(super) dialogue: Box<dyn Dialogue>,
    pub(super) last: Option<Box<Last>>,
    /// What it learnt in steps whose facts are not stored ([`Core::told`]).
    pub(super) learnt: Vec<Fact>,
}

/// What a session's dialogue starts from. The setup's `named` lists rivals by place and name; their
/// models and those of learnt types are read as they are now, for they only advise.
pub(super) async fn setup(
    parts: &Parts,
    place: &Place,
    core: &mut Core,
) -> Result<DialogueSetup, StoreError> {
    let game = place.kit().game();
    let models = core
        .setup
        .get("models")
        .and_then(Value::as_bool)
        .unwrap_or(false);
    let mut setup = DialogueSetup {
        bot: place.card().name.to_owned(),
        seed: core.seed,
        models,
        opening: core.setup.get("opening").cloned().unwrap_or_default(),
        ..DialogueSetup::default()
    };
    if !models || !place.card().thinks || !place.kit().advised() {
        return Ok(setup);
    }
    for pair in core
        .setup
        .get("named")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        if let Some([Value::String(rival), Value::String(name)]) =
            pair.as_array().map(Vec::as_slice)
            && let Some(stored) = parts.store.model(game, OpponentKind::Named, name).await?
        {
            setup.rivals.push((rival.clone(), stored.model));
        }
    }
    setup.types = parts.store.type_models(game).await?;
    Ok(setup)
}

/// Folds a session's whole transcript.
pub(super) async fn fold(
    parts: &Parts,
    place: &Place,
    core: &mut Core,
) -> Result<Folded, FoldError> {
    if core.quarantine == Quarantine::Unread {
        let hung = parts.store.has_fact(core.id, Quarantine::FACT).await?;
        core.quarantine = if hung {
            Quarantine::Stored
        } else {
            Quarantine::Clear
        };
    }
    let setup = setup(parts, place, core).await?;
    let entries = match core.head {
        Some(head) => parts.store.transcript(core.id, head).await?,
        None => Vec::new(),
    };
    let told = core.told;
    let entries_many = entries.len() > AT_ONCE_MAX;
    let dialogue = guarded(|| place.kit().dialogue(&setup))??;
    let replayed = move || guarded(move || replay(dialogue, &entries, told));
    let folded = if entries_many {
        // Others' turns must not wait for it.
        let folding = tokio::task::spawn_blocking(replayed).await;
        folding.map_err(|_| FoldError::Late)?
    } else {
        replayed()
    };
    folded.map_err(FoldError::from)
}

/// Hears and says everything again. Decisions are taken from the log, never recomputed.
fn replay(mut dialogue: Box<dyn Dialogue>, entries: &[Entry], told: u64) -> Folded {
    let (mut last, mut learnt) = (None, Vec::new());
    let mut learn = |dialogue: &mut dyn Dialogue, step: u64| {
        let facts = dialogue.facts();
        if step >= told {
            learnt.extend(facts);
        }
    };
    let mut number = 0;
    let mut rest = entries.iter().peekable();
    while let Some(entry) = rest.next() {
        if entry.direction == Direction::Out {
            // An opening word, said unasked.
            dialogue.said(&entry.text);
            learn(&mut *dialogue, entry.seq * 2);
            continue;
        }
        // Of several answers the last one was given: an edge overruled the others.
        let mut said = "";
        while let Some(next) = rest.next_if(|next| next.direction == Direction::Out) {
            said = &next.text;
        }
        number += 1;
        let next = dialogue.receive(entry.text.as_bytes());
        learn(&mut *dialogue, entry.seq * 2);
        if let Ok(Next::Think { .. } | Next::Send(_)) = next {
            dialogue.said(said);
            learn(&mut *dialogue, entry.seq * 2 + 1);
        }
        last = Some(Box::new(Last {
            text: entry.text.clone(),
            answer: said.to_owned(),
            mark: entry.seq + 1,
            number,
        }));
    }
    Folded {
        dialogue,
        last,
        learnt,
    }
}

/// Lets a session's dialogue hear and say what came before its first message.
pub(super) fn rehearse(core: &mut Core, before: &[NewEntry]) {
    let Mind::Awake(dialogue) = &mut core.mind else {
        return;
    };
    let rehearsed = guarded(|| {
        for entry in before {
            match entry.direction {
                Direction::Out => dialogue.said(&entry.text),
                // What came of it was done then.
                Direction::In => drop(dialogue.receive(entry.text.as_bytes())),
            }
        }
    });
    if let Err(panic) = rehearsed {
        tracing::error!(session = core.id.0, %panic, "a bot panicked before its first message");
        core.mind = Mind::Broken;
    }
}
