//! The same bot in the shim's own process.

use crate::thinking::guarded;
use games::answer::{Allowance, Bounds, decide, think};
use games::neutral::PREFIX;
use games::{Budget, Dialogue, DialogueSetup, Frame, Kit, Next, SetupError};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// The bot's budget per decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thinking {
    /// The maximum time.
    pub time: Duration,
    /// The maximum number of nodes.
    pub nodes: u64,
}

/// The bot in this process. It follows every message from the arbiter and every answer, so that it can take
/// over at any moment.
pub(super) struct Local {
    kit: &'static dyn Kit,
    /// `None` once it has panicked.
    dialogue: Option<Box<dyn Dialogue>>,
    thinking: Thinking,
    /// Whether it takes time for a decision.
    thinks: bool,
    /// Whether the daemon's bot is a program that is not here.
    stands_in: bool,
    due: Due,
    /// The best answer so far.
    best: Frame,
    /// Whether a search beside the daemon's has come to its end.
    searched: bool,
}

/// What the last frame asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// No answer.
    Nothing,
    /// An answer that is ready; `said`: whether the bot is notified of it.
    Answer { said: bool },
    /// A decision.
    Decision {
        limit: Duration,
        target: Option<Duration>,
    },
}

impl Local {
    /// The bot before the first frame.
    pub(super) fn new(
        kit: &'static dyn Kit,
        bot: &str,
        seed: u64,
        thinking: Thinking,
    ) -> Result<Self, SetupError> {
        let mut setup = DialogueSetup::of(bot, seed);
        let stands_in = bot.starts_with(PREFIX);
        if let (true, Some(strongest)) = (stands_in, kit.card().bots.last()) {
            // The program is the daemon's.
            strongest.name.clone_into(&mut setup.fallback);
        }
        let dialogue = kit.dialogue(&setup)?;
        Ok(Self {
            kit,
            dialogue: Some(dialogue),
            thinking,
            thinks: stands_in
                || kit
                    .card()
                    .bots
                    .iter()
                    .any(|card| card.name == bot && card.thinks),
            stands_in,
            due: Due::Nothing,
            best: Frame::new(),
            searched: false,
        })
    }

    /// Runs `act` on the dialogue, which is dropped if it panics.
    fn guarded<T>(&mut self, act: impl FnOnce(&mut dyn Dialogue, &mut Frame) -> T) -> Option<T> {
        let mut dialogue = self.dialogue.take()?;
        let best = &mut self.best;
        let (dialogue, done) = guarded(|| {
            let done = act(dialogue.as_mut(), best);
            (dialogue, done)
        })
        .ok()?;
        self.dialogue = Some(dialogue);
        Some(done)
    }

    /// Processes the next frame: what it asks for. A bot that has panicked gives the game's default answers.
    pub(super) fn hear(&mut self, frame: &str) -> Due {
        self.best = self.kit.card().dialect.default_answer(frame).to_owned();
        self.searched = false;
        let heard = self.guarded(|dialogue, best| match dialogue.receive(frame.as_bytes()) {
            Err(_) => Due::Answer { said: false },
            Ok(Next::Wait) => {
                best.clear();
                Due::Nothing
            }
            Ok(Next::Over(ending)) => {
                *best = ending.last_word;
                Due::Answer { said: false }
            }
            Ok(Next::Send(frame)) => {
                *best = frame;
                Due::Answer { said: true }
            }
            Ok(Next::Think {
                limit,
                target,
                fallback,
            }) => {
                *best = fallback;
                Due::Decision { limit, target }
            }
        });
        self.due = heard.unwrap_or(Due::Answer { said: false });
        self.due
    }

    /// How long it thinks about a decision on its own.
    pub(super) fn needs(&self, target: Option<Duration>) -> Duration {
        let time = if self.thinks {
            self.thinking.time
        } else {
            Duration::ZERO
        };
        time.min(target.unwrap_or(time))
    }

    /// Whether the last frame has one answer only, so that the same bot elsewhere can give no other. Not of a bot that
    /// has panicked, or that stands in for a program.
    pub(super) fn is_certain(&self, due: Due) -> bool {
        let certain = match due {
            Due::Nothing => return true,
            Due::Answer { .. } => true,
            // A share of no time is granted to what is forced.
            Due::Decision { limit, target } => target == Some(Duration::ZERO) && !limit.is_zero(),
        };
        certain && !self.stands_in && self.dialogue.is_some()
    }

    /// Whether it takes time for a decision.
    pub(super) fn thinks(&self) -> bool {
        self.thinks
    }

    /// Whether its search beside the daemon's has come to its end.
    pub(super) fn has_searched(&self) -> bool {
        self.searched
    }

    /// Searches beside the daemon until it is done or `stop` says so.
    pub(super) fn search(&mut self, stop: &dyn Fn() -> bool) {
        let nodes = self.thinking.nodes;
        let stopped = Cell::new(false);
        let stop = || {
            stopped.set(stopped.get() || stop());
            stopped.get()
        };
        let budget = Budget { nodes, stop: &stop };
        self.guarded(|dialogue, best| think(dialogue, budget, best));
        self.searched = !stopped.get() || nodes != u64::MAX;
    }

    /// Its own answer to the last frame, which came at `received`; what it has searched beside the daemon is enough.
    pub(super) fn answer(&mut self, received: Instant, beside: bool) -> Frame {
        if let Due::Decision { limit, target } = self.due
            && !beside
        {
            let asked = Bounds { limit, target };
            // Asking the daemon may have used up some of it.
            let allowed = Allowance {
                nodes: self.thinking.nodes,
                ceiling: self.thinking.time,
                elapsed: &|| received.elapsed(),
            };
            self.guarded(|dialogue, best| decide(dialogue, asked, allowed, best));
        }
        self.say()
    }

    /// The best answer so far, of which it is notified.
    pub(super) fn say(&mut self) -> Frame {
        let best = std::mem::take(&mut self.best);
        self.told(&best);
        best
    }

    /// Notifies it of the answer to the last frame.
    pub(super) fn told(&mut self, said: &str) {
        if matches!(self.due, Due::Answer { said: true } | Due::Decision { .. }) {
            self.guarded(|dialogue, _| {
                dialogue.said(said);
                // The daemon stores them; here they would only pile up.
                drop(dialogue.facts());
            });
        }
        self.due = Due::Nothing;
    }
}

#[cfg(test)]
mod tests {
    use super::{Due, Local, Thinking};
    use std::time::{Duration, Instant};

    const HOURS: Duration = Duration::from_secs(36_000);

    /// Otherwise this test takes an hour.
    #[test]
    fn a_budget_in_nodes_is_spent_before_the_time_is() {
        let kit = games::find("planowanie").unwrap();
        let thinking = Thinking {
            time: HOURS,
            nodes: 3,
        };
        let mut local = Local::new(kit, "champion", 1, thinking).unwrap();
        for told in [
            "set_deck 23456789TJQKA CDHS",
            "set_players 4 0",
            "set_game 1 13 0",
            "set_cards 13 AS KS QS AH KH QH AD KD QD AC KC QC JC",
            "time_left 36000000",
        ] {
            assert_eq!(local.hear(told), Due::Answer { said: true }, "{told}");
            assert_eq!(local.answer(Instant::now(), false), "=\n");
        }
        let Due::Decision { target, .. } = local.hear("gen_declare") else {
            panic!("nothing is asked");
        };
        assert!(target > Some(HOURS / 100));
        assert!(local.answer(Instant::now(), false).starts_with("= "));
    }
}
