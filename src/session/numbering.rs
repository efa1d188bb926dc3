//! Messages that an edge has numbered: each is heard once, whatever was lost on the way, and what the
//! edge answered by itself while we were away is what was said.

use super::core::{DialogueState, SessionState};
use super::mailbox::Answer;
use super::message::{Local, Numbered, Refusal};
use super::registry::Registry;
use crate::store::types::{Direction, NewEntry};
use games::Fact;
use serde_json::json;

/// What a numbered message is to its session.
pub(super) enum MessageOrder {
    /// Known already; its answer again.
    Before(Answer),
    /// The first one: the session begins.
    First,
    /// The next one.
    Next,
}

/// Where a numbered message stands: heard before, the session's first, or the next.
pub(super) async fn number(
    registry: &Registry,
    core: Option<&mut SessionState>,
    numbered: &Numbered,
    text: &str,
) -> Result<MessageOrder, Refusal> {
    let Some(core) = core else {
        return match numbered.number {
            0 => {
                registry.meters.repeated.increment(1);
                Ok(MessageOrder::Before(Answer::nothing()))
            }
            1 => Ok(MessageOrder::First),
            _ => Err(Refusal::Gap(0)),
        };
    };
    let last = core.last.as_deref();
    let begun = core.seq > 0;
    let heard = match last {
        Some(last) => last.number,
        None if begun && matches!(core.mind, DialogueState::Broken) => return Err(Refusal::Over),
        None if begun => return Err(Refusal::Unfit),
        None => 0,
    };
    if numbered.number > heard + 1 {
        return Err(Refusal::Gap(heard));
    }
    if numbered.number == heard + 1 {
        return Ok(MessageOrder::Next);
    }
    registry.meters.repeated.increment(1);
    let Some(last) = last.filter(|last| last.number == numbered.number && last.text == text) else {
        return Ok(MessageOrder::Before(Answer::nothing()));
    };
    let answer = Answer::of(last.answer.clone());
    if let Some(local) = numbered
        .local
        .as_ref()
        .filter(|local| local.said != last.answer)
    {
        overruled(registry, core, numbered.number, local).await?;
    }
    Ok(MessageOrder::Before(answer))
}

/// Our answer did not reach the edge in time, and it gave another one: that is what was said.
async fn overruled(
    registry: &Registry,
    core: &mut SessionState,
    number: u64,
    local: &Local,
) -> Result<(), Refusal> {
    if core.ended || local.said.is_empty() {
        return Ok(());
    }
    let entry = NewEntry::new(local.at_us, Direction::Out, local.said.clone());
    let fact = Fact::new("local", json!({ "message": number, "overruled": true }));
    let kept = registry.append(core, vec![entry], vec![(fact, None)], None);
    if let Err(error) = kept.await {
        tracing::warn!(session = core.id.0, %error, "a local answer could not be stored");
        return Err(Refusal::Unfit);
    }
    // The dialogue has heard otherwise: it is folded anew.
    core.sleep();
    Ok(())
}
