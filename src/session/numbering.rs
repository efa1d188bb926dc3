//! Messages that an edge has numbered: each is received once, whatever was lost on the way, and what the
//! edge answered by itself while we were away is what was said.

use super::append;
use super::bot_address::BotAddress;
use super::core::SessionState;
use super::fold;
use super::mailbox::Answer;
use super::message::{Local, Numbered, Refusal};
use super::registry::Registry;
use crate::store::types::{Direction, NewEntry};
use games::Fact;
use games::seat::{LastMessage, Order};
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

/// Where a numbered message stands: received before, the session's first, or the next.
pub(super) async fn number(
    registry: &Registry,
    core: Option<&mut SessionState>,
    bot: &BotAddress,
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
    if core.own.last.is_none() && core.seq > 0 {
        return Err(match core.own.is_broken() {
            true => Refusal::Over,
            false => Refusal::Unfit,
        });
    }
    let last = match LastMessage::order(core.own.last.as_deref(), numbered.number, text) {
        Order::Gap(received) => return Err(Refusal::Gap(received)),
        Order::Next => return Ok(MessageOrder::Next),
        Order::Known(last) => last,
    };
    registry.meters.repeated.increment(1);
    let Some(last) = last else {
        return Ok(MessageOrder::Before(Answer::nothing()));
    };
    let answer = Answer::new(last.answer.clone());
    let local = numbered.local.as_ref();
    if let Some(local) = local.filter(|local| local.said != last.answer) {
        let said = 2 * last.mark - 1;
        overruled(registry, core, bot, numbered.number, said, local).await?;
    }
    Ok(MessageOrder::Before(answer))
}

/// Our answer did not reach the edge in time, and it gave another one: that is what was said. What it says is learnt now;
/// what ours said stays among the facts, which have been shown. `said`: the half step of both answers.
async fn overruled(
    registry: &Registry,
    core: &mut SessionState,
    bot: &BotAddress,
    number: u64,
    said: u64,
    local: &Local,
) -> Result<(), Refusal> {
    if core.ended || local.said.is_empty() {
        return Ok(());
    }
    let entry = NewEntry::new(local.at_us, Direction::Out, local.said.clone());
    append::catch_up(registry, core)
        .await
        .map_err(|_| Refusal::Unfit)?;
    // The dialogue has said otherwise: it is folded again.
    core.sleep();
    let stored_to = std::mem::replace(&mut core.facts_stored_to, said);
    let waking = fold::wake_with(&registry.dependencies, bot, core, entry.clone());
    if let Err(error) = waking.await {
        tracing::warn!(session = core.id.0, %error, "what a local answer says could not be learnt");
        if !error.lasts() {
            // The edge sends it again.
            core.facts_stored_to = stored_to;
            return Err(Refusal::Unfit);
        }
        core.own.break_down();
    }
    let mut facts = append::facts(registry, bot.kit(), core, None);
    let fact = Fact::new("local", json!({ "message": number, "overruled": true }));
    facts.push((fact, None));
    if let Err(error) = append::append(registry, core, vec![entry], facts, None).await {
        tracing::warn!(session = core.id.0, %error, "a local answer could not be stored");
        core.sleep();
        core.facts_stored_to = stored_to;
        return Err(Refusal::Unfit);
    }
    core.facts_stored_to = core.seq * 2;
    Ok(())
}
