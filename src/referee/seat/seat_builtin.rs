//! A built-in bot on a seat of a match that also has players over the wire.

use super::budget::ThinkBudget;
use super::seat_link::{SeatLink, SeatReply};
use crate::replay::{Line, RecordedReply, replay};
use crate::store::types::{Direction, Entry};
use crate::thinking::guarded;
use futures_util::future::BoxFuture;
use games::{Dialogue, DialogueSetup, Kit, Learnt, Next, SetupError};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// How built-in bots think there.
#[derive(Clone, Debug)]
pub struct Builtins {
    /// The budget of one decision.
    pub budget: ThinkBudget,
    /// Whether they may use opponent models.
    pub models: bool,
    /// How many may think at once.
    pub permits: Arc<Semaphore>,
}

/// A bot in this process.
pub(in crate::referee) struct Builtin {
    /// `None` once it has panicked.
    dialogue: Option<Box<dyn Dialogue>>,
    budget: ThinkBudget,
}

impl Builtin {
    /// The game's bot as it is set up.
    pub(in crate::referee) fn new(
        kit: &dyn Kit,
        setup: &DialogueSetup,
        budget: ThinkBudget,
    ) -> Result<Self, SetupError> {
        Ok(Self {
            dialogue: Some(kit.dialogue(setup)?),
            budget,
        })
    }

    /// Follows what its seat has heard and said, as the referee's transcript has it.
    ///
    /// # Errors
    /// A sentence, if it cannot.
    pub(in crate::referee) fn take_up(&mut self, past: &[Entry]) -> Result<(), String> {
        let Some(dialogue) = &mut self.dialogue else {
            return Ok(());
        };
        let replies: Vec<_> = past
            .iter()
            .map(|entry| RecordedReply::decode(&entry.text))
            .collect();
        // What the referee sent is what the bot received.
        let lines = past.iter().zip(&replies);
        let lines = lines.filter_map(|(entry, reply)| match (entry.direction, reply) {
            (Direction::Out, _) => Some(Line {
                direction: Direction::In,
                text: &entry.text,
            }),
            (Direction::In, RecordedReply::Said(text)) => Some(Line {
                direction: Direction::Out,
                text,
            }),
            (Direction::In, _) => None,
        });
        let replayed = guarded(|| replay(&mut **dialogue, lines));
        let replayed = replayed.map_err(|panic| panic.to_string())?;
        replayed.differences.into_iter().next().map_or(Ok(()), Err)
    }

    /// Its answer to a frame; `None` if it has panicked.
    pub(in crate::referee) fn answer(&mut self, frame: &str) -> Option<String> {
        let dialogue = self.dialogue.as_deref_mut()?;
        let budget = self.budget;
        let received = Instant::now();
        let answered = guarded(|| {
            let next = dialogue.receive(frame.as_bytes()).ok()?;
            Some(budget.answer(dialogue, next, received))
        });
        answered.unwrap_or_else(|panic| {
            tracing::error!(%panic, "a built-in bot panicked");
            self.dialogue = None;
            None
        })
    }
}

/// A bot's dialogue as a seat.
pub(in crate::referee) struct BuiltinSeat {
    bot: Builtin,
    permits: Arc<Semaphore>,
}

impl BuiltinSeat {
    /// The game's bot `name`, its randomness seeded by `seed`, with what it has `learnt` if it may use that.
    pub(in crate::referee) fn new(
        kit: &dyn Kit,
        (name, seed): (&str, u64),
        builtins: &Builtins,
        learnt: Option<&Learnt>,
    ) -> Result<Self, SetupError> {
        let Learnt { rivals, types } = learnt.cloned().unwrap_or_default();
        let setup = DialogueSetup {
            models: builtins.models,
            rivals,
            types,
            ..DialogueSetup::of(name, seed)
        };
        Ok(Self {
            bot: Builtin::new(kit, &setup, builtins.budget)?,
            permits: Arc::clone(&builtins.permits),
        })
    }

    async fn answer(&mut self, text: &str) -> SeatReply {
        let received = Instant::now();
        let Some(mut dialogue) = self.bot.dialogue.take() else {
            return SeatReply::Failed("the bot broke down".to_owned());
        };
        let reply = match dialogue.receive(text.as_bytes()) {
            Err(error) => SeatReply::Failed(error.to_string()),
            Ok(next @ Next::Think { .. }) => return self.think(dialogue, next, received).await,
            Ok(next) => SeatReply::said(self.bot.budget.answer(&mut *dialogue, next, received)),
        };
        self.bot.dialogue = Some(dialogue);
        reply
    }

    async fn think(
        &mut self,
        mut dialogue: Box<dyn Dialogue>,
        next: Next,
        received: Instant,
    ) -> SeatReply {
        // The semaphore is never closed.
        let place = Arc::clone(&self.permits).acquire_owned().await;
        let budget = self.bot.budget;
        let thought = tokio::task::spawn_blocking(move || {
            let _place = place;
            let best = budget.answer(dialogue.as_mut(), next, received);
            (dialogue, best)
        });
        match thought.await {
            Ok((dialogue, best)) => {
                self.bot.dialogue = Some(dialogue);
                SeatReply::said(best)
            }
            Err(error) => SeatReply::Failed(format!("the bot broke down: {error}")),
        }
    }
}

impl SeatLink for BuiltinSeat {
    fn take_up(&mut self, past: &[Entry]) -> Result<(), String> {
        self.bot.take_up(past)
    }

    fn call<'a>(
        &'a mut self,
        text: &'a str,
        _within: Duration,
        _wanted: bool,
    ) -> BoxFuture<'a, SeatReply> {
        Box::pin(self.answer(text))
    }
}
