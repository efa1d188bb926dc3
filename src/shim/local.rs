//! The same bot in the shim's own process.

use crate::link::relay::Heard;
use games::{Budget, Dialogue, DialogueSetup, Frame, Kit, Next, Progress, SetupError};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Part of a decision's time that is left for everything but thinking: a share, and at most so much.
const MARGIN_SHARE: u32 = 8;
const MARGIN_MAX: Duration = Duration::from_millis(500);

/// What is thought at least: a share of what the wire allows, and at most so long.
const REST_SHARE: u32 = 20;
const REST_MAX: Duration = Duration::from_millis(200);

/// How long the bot may think a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thinking {
    /// At most so long.
    pub time: Duration,
    /// At most so many nodes.
    pub nodes: u64,
}

/// A bot that hears what the arbiter says.
pub(super) struct Local {
    kit: &'static dyn Kit,
    /// `None` once it has broken down.
    dialogue: Option<Box<dyn Dialogue>>,
    thinking: Thinking,
}

impl Local {
    /// The bot at the end of this transcript.
    pub(super) fn fold(
        kit: &'static dyn Kit,
        bot: &str,
        seed: u64,
        thinking: Thinking,
        exchanges: &[Heard],
    ) -> Result<Self, SetupError> {
        let mut dialogue = kit.dialogue(&DialogueSetup {
            bot: bot.to_owned(),
            seed,
            ..DialogueSetup::default()
        })?;
        let folded = catch_unwind(AssertUnwindSafe(|| {
            for heard in exchanges {
                let next = dialogue.receive(heard.text.as_bytes());
                if let Ok(Next::Think { .. } | Next::Send(_)) = next {
                    dialogue.said(heard.said.as_deref().unwrap_or_default());
                }
            }
            dialogue
        }));
        Ok(Self {
            kit,
            dialogue: folded.ok(),
            thinking,
        })
    }

    /// Its answer to the next frame, which came at `received`; the game's default if it breaks down.
    pub(super) fn answer(&mut self, frame: &str, received: Instant) -> Frame {
        let default = || self.kit.default_answer(frame).to_owned();
        let Some(mut dialogue) = self.dialogue.take() else {
            return default();
        };
        let thinking = self.thinking;
        let mut best = default();
        let answered = catch_unwind(AssertUnwindSafe(|| {
            reply(dialogue.as_mut(), frame, received, thinking, &mut best);
            dialogue
        }));
        self.dialogue = answered.ok();
        best
    }
}

/// `best` is the answer, or the best so far if this panics.
fn reply(
    dialogue: &mut dyn Dialogue,
    frame: &str,
    received: Instant,
    thinking: Thinking,
    best: &mut Frame,
) {
    match dialogue.receive(frame.as_bytes()) {
        Err(_) => return,
        Ok(Next::Wait) => {
            best.clear();
            return;
        }
        Ok(Next::Over(ending)) => {
            *best = ending.last_word;
            return;
        }
        Ok(Next::Send(frame)) => *best = frame,
        Ok(Next::Think {
            within,
            worth,
            fallback,
        }) => {
            *best = fallback;
            let limit = within.saturating_sub(MARGIN_MAX.min(within / MARGIN_SHARE));
            let limit = worth.map_or(limit, |worth| worth.min(limit));
            // The daemon may have used most of it up before it was not waited for any more.
            let deadline = received + limit.min(thinking.time);
            let deadline = deadline.max(Instant::now() + (within / REST_SHARE).min(REST_MAX));
            let stop = || Instant::now() >= deadline;
            let slice = Budget {
                nodes: thinking.nodes,
                stop: &stop,
            };
            while dialogue.think(slice, best) == Progress::More && !stop() {}
        }
    }
    dialogue.said(best);
}
