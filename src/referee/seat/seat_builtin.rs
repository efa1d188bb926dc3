//! A built-in bot on a seat of a match that has players over the wire beside it.

use super::budget::ThinkBudget;
use super::seat_link::{SeatLink, SeatReply};
use futures_util::future::BoxFuture;
use games::{Budget, Dialogue, Frame, Kit, Next, Progress};
use games::{DialogueSetup, SetupError};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Semaphore;

/// Part of the wire's limit that is left for everything but thinking.
const MARGIN: Duration = Duration::from_millis(500);

/// How built-in bots think there.
#[derive(Clone, Debug)]
pub struct Builtins {
    /// The bound on one decision.
    pub budget: ThinkBudget,
    /// Whether they may use opponent models.
    pub models: bool,
    /// How many may think at once.
    pub permits: Arc<Semaphore>,
}

/// A bot's dialogue as a seat.
pub(in crate::referee) struct BuiltinSeat {
    /// `None` once thinking has broken down.
    dialogue: Option<Box<dyn Dialogue>>,
    builtins: Builtins,
}

impl BuiltinSeat {
    /// The bot `name` of a game, its chance seeded by `seed`.
    pub(in crate::referee) fn new(
        kit: &dyn Kit,
        name: &str,
        seed: u64,
        builtins: Builtins,
    ) -> Result<Self, SetupError> {
        let setup = DialogueSetup {
            bot: name.to_owned(),
            seed,
            models: builtins.models,
            ..DialogueSetup::default()
        };
        Ok(Self {
            dialogue: Some(kit.dialogue(&setup)?),
            builtins,
        })
    }

    async fn answer(&mut self, text: &str) -> SeatReply {
        let Some(mut dialogue) = self.dialogue.take() else {
            return SeatReply::Failed("the bot broke down".to_owned());
        };
        let reply = match dialogue.receive(text.as_bytes()) {
            Err(error) => SeatReply::Failed(error.to_string()),
            Ok(Next::Wait | Next::Over(_)) => SeatReply::said(""),
            Ok(Next::Send(frame)) => {
                dialogue.said(&frame);
                SeatReply::said(frame)
            }
            Ok(Next::Think {
                within,
                worth,
                fallback,
            }) => {
                let limit = limit(within.saturating_sub(MARGIN), worth);
                return self.think(dialogue, limit, fallback).await;
            }
        };
        self.dialogue = Some(dialogue);
        reply
    }

    async fn think(
        &mut self,
        mut dialogue: Box<dyn Dialogue>,
        limit: Duration,
        fallback: Frame,
    ) -> SeatReply {
        // The semaphore is never closed.
        let place = Arc::clone(&self.builtins.permits).acquire_owned().await;
        let budget = self.builtins.budget;
        let thought = tokio::task::spawn_blocking(move || {
            let _place = place;
            let best = decide(dialogue.as_mut(), budget, limit, fallback);
            dialogue.said(&best);
            (dialogue, best)
        });
        match thought.await {
            Ok((dialogue, best)) => {
                self.dialogue = Some(dialogue);
                SeatReply::said(best)
            }
            Err(error) => SeatReply::Failed(format!("the bot broke down: {error}")),
        }
    }
}

/// How long a decision may be thought about at most.
pub(in crate::referee) fn limit(most: Duration, worth: Option<Duration>) -> Duration {
    worth.map_or(most, |worth| worth.min(most))
}

/// Thinks within the limit and the budget.
pub(in crate::referee) fn decide(
    dialogue: &mut dyn Dialogue,
    budget: ThinkBudget,
    limit: Duration,
    fallback: Frame,
) -> Frame {
    let began = Instant::now();
    let limit = budget.time().map_or(limit, |time| time.min(limit));
    let stop = || began.elapsed() >= limit;
    let mut best = fallback;
    loop {
        let slice = Budget {
            nodes: budget.nodes(),
            stop: &stop,
        };
        let progress = dialogue.think(slice, &mut best);
        // A budget in nodes is one slice.
        if progress == Progress::Done || stop() || budget.time().is_none() {
            return best;
        }
    }
}

impl SeatLink for BuiltinSeat {
    fn call<'a>(
        &'a mut self,
        text: &'a str,
        _within: Duration,
        _wanted: bool,
    ) -> BoxFuture<'a, SeatReply> {
        Box::pin(self.answer(text))
    }
}
