//! Messages that an edge has numbered: each is heard once, whatever was lost on the way, and what the
//! edge answered by itself while we were away is what was said.

use super::actor::{Actor, Turn};
use super::answer::{Answer, Refusal};
use super::core::{DialogueState, SessionState};
use super::deciding;
use super::mailbox::{Local, Numbered};
use crate::store::types::{Direction, NewEntry};
use crate::thinking::Panicked;
use bytes::Bytes;
use games::{Dialogue, Fact, Next, WireError};
use serde_json::json;

/// What a numbered message is to its session.
pub(super) enum Heard {
    /// Known already; its answer again.
    Before(Answer),
    /// The first one: the session begins.
    First,
    /// The next one.
    Next,
}

impl Actor {
    /// A message that was answered without us: what was said then is what was said.
    pub(super) fn taken_over(
        core: &mut SessionState,
        mut turn: Turn,
        dialogue: Box<dyn Dialogue>,
        heard: Result<Result<Next, WireError>, Panicked>,
        said: String,
    ) -> Turn {
        core.mind = match heard {
            Ok(Ok(Next::Think { .. } | Next::Send(_))) => deciding::told(dialogue, &said),
            Ok(Ok(Next::Over(ending))) => {
                turn.ending = Some(ending);
                DialogueState::Awake(dialogue)
            }
            Ok(Ok(Next::Wait) | Err(_)) => DialogueState::Awake(dialogue),
            Err(panic) => {
                tracing::error!(session = core.id.0, %panic, "a bot panicked on a message");
                DialogueState::Asleep
            }
        };
        core.pending_facts.push(Fact {
            kind: "local".to_owned(),
            data: json!({ "entry": core.seq }),
        });
        turn.said = said;
        turn
    }

    fn broken(&self) -> bool {
        let core = self.core.as_deref();
        core.is_some_and(|core| matches!(core.mind, DialogueState::Broken))
    }

    /// Where a numbered message stands: heard before, the session's first, or the next.
    pub(super) async fn number(
        &mut self,
        numbered: &Numbered,
        text: &str,
    ) -> Result<Heard, Refusal> {
        let last = self.core.as_deref().and_then(|core| core.last.as_deref());
        let begun = self.core.as_deref().is_some_and(|core| core.seq > 0);
        let heard = match last {
            Some(last) => last.number,
            None if begun && self.broken() => return Err(Refusal::Over),
            None if begun => return Err(Refusal::Unfit),
            None => 0,
        };
        if numbered.number > heard + 1 {
            return Err(Refusal::Gap(heard));
        }
        if numbered.number == heard + 1 {
            let first = self.core.is_none();
            return Ok(if first { Heard::First } else { Heard::Next });
        }
        self.shared.meters.repeated.increment(1);
        let Some(last) = last.filter(|last| last.number == numbered.number && last.text == text)
        else {
            return Ok(Heard::Before(Answer::nothing()));
        };
        let answer = Answer {
            text: Bytes::from(last.answer.clone()),
            sending: None,
            ended: None,
        };
        if let Some(local) = numbered
            .local
            .as_ref()
            .filter(|local| local.said != last.answer)
        {
            self.overruled(numbered.number, local).await;
        }
        Ok(Heard::Before(answer))
    }

    /// Our answer did not reach the edge in time, and it gave another one: that is what was said.
    async fn overruled(&mut self, number: u64, local: &Local) {
        let Some(core) = self.core.as_deref_mut().filter(|core| !core.ended) else {
            return;
        };
        if local.said.is_empty() {
            return;
        }
        let entry = NewEntry {
            at_us: local.at_us,
            direction: Direction::Out,
            text: local.said.clone(),
        };
        let fact = Fact {
            kind: "local".to_owned(),
            data: json!({ "message": number, "overruled": true }),
        };
        let kept = self
            .shared
            .append(core, vec![entry], vec![(fact, None)], None);
        if let Err(error) = kept.await {
            tracing::warn!(session = core.id.0, %error, "a local answer could not be stored");
            return;
        }
        // The dialogue has heard otherwise: it is folded anew.
        core.sleep();
    }
}
