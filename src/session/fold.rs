//! Folding a transcript into a dialogue: the same after a restart, a long rest or a panic.

use super::core::{Core, Last};
use super::options::Parts;
use super::place::Place;
use crate::store::types::{Direction, Entry};
use crate::store::{OpponentKind, StoreError};
use crate::thinking::{Panicked, guarded};
use games::{Dialogue, DialogueSetup, Fact, Next, SetupError};
use serde_json::Value;

/// Why a transcript could not be folded.
#[derive(Debug, thiserror::Error)]
pub(super) enum FoldError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    Panicked(#[from] Panicked),
}

/// A dialogue at the end of its transcript.
pub(super) struct Folded {
    pub(super) dialogue: Box<dyn Dialogue>,
    pub(super) last: Option<Box<Last>>,
    /// What it learnt from its last answer alone.
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
        ..DialogueSetup::default()
    };
    if !models || !place.card().thinks {
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
    let setup = setup(parts, place, core).await?;
    let entries = match core.head {
        Some(head) => parts.store.transcript(core.id, head).await?,
        None => Vec::new(),
    };
    let dialogue = guarded(|| place.kit().dialogue(&setup))??;
    guarded(move || replay(dialogue, &entries)).map_err(FoldError::from)
}

/// Hears and says everything again. Decisions are taken from the log, never recomputed.
fn replay(mut dialogue: Box<dyn Dialogue>, entries: &[Entry]) -> Folded {
    let (mut last, mut learnt) = (None, Vec::new());
    let mut rest = entries.iter().peekable();
    while let Some(entry) = rest.next() {
        if entry.direction == Direction::Out {
            // An opening word, said unasked.
            dialogue.said(&entry.text);
            continue;
        }
        let said = rest
            .next_if(|next| next.direction == Direction::Out)
            .map_or("", |said| said.text.as_str());
        match dialogue.receive(entry.text.as_bytes()) {
            Ok(Next::Think { .. } | Next::Send(_)) => {
                drop(dialogue.facts());
                dialogue.said(said);
                learnt = dialogue.facts();
            }
            Ok(Next::Wait | Next::Over(_)) | Err(_) => {
                drop(dialogue.facts());
                learnt.clear();
            }
        }
        last = Some(Box::new(Last {
            text: entry.text.clone(),
            answer: said.to_owned(),
            mark: entry.seq + 1,
        }));
    }
    Folded {
        dialogue,
        last,
        learnt,
    }
}
