//! The same bot in the shim's own process.

use games::answer::{Bounds, MARGIN};
use games::neutral::PREFIX;
use games::seat::{By, Due as SeatDue, OwnSeat, Settings};
use games::{DialogueSetup, Frame, Kit, SetupError};
use std::cell::Cell;
use std::time::Duration;
use tokio::time::Instant;

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
    seat: OwnSeat,
    thinking: Thinking,
    /// Whether it takes time for a decision.
    thinks: bool,
    /// Whether the daemon's bot is a program that is not here.
    stands_in: bool,
    /// The answer to the last frame, where that is no decision.
    ready: Frame,
    /// Whether a search next to the daemon's has come to its end.
    searched: bool,
}

/// What the last frame asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Due {
    /// No answer.
    Nothing,
    /// An answer that is ready.
    Answer,
    /// A decision.
    Decision(Bounds),
}

impl Local {
    /// The bot before the first frame.
    pub(super) fn new(
        kit: &'static dyn Kit,
        bot: &str,
        seed: u64,
        thinking: Thinking,
    ) -> Result<Self, SetupError> {
        let mut setup = DialogueSetup::new(bot, seed);
        let stands_in = bot.starts_with(PREFIX);
        if let (true, Some(strongest)) = (stands_in, kit.card().bots.last()) {
            // The program is the daemon's.
            strongest.name.clone_into(&mut setup.fallback);
        }
        let settings = Settings {
            limits: kit.card().limits,
            margin: MARGIN,
            ceiling: thinking.time,
            nodes: thinking.nodes,
        };
        let mut seat = OwnSeat::new(settings, None);
        seat.wake(kit.dialogue(&setup)?);
        Ok(Self {
            kit,
            seat,
            thinking,
            thinks: stands_in || kit.card().bot(bot).is_some_and(|card| card.thinks),
            stands_in,
            ready: Frame::new(),
            searched: false,
        })
    }

    /// Processes the next frame: what it asks for. A bot that has panicked gives the game's default answers.
    pub(super) fn receive(&mut self, frame: &str) -> Due {
        self.searched = false;
        let default = self.kit.card().dialect.default_answer(frame);
        let due = self.seat.receive(frame, default);
        if let Some(asked) = self.seat.asked() {
            return Due::Decision(asked);
        }
        let SeatDue::Answer(reply) = due else {
            return Due::Nothing;
        };
        let silent = reply.by == By::Wire && reply.text.is_empty() && reply.ending.is_none();
        self.ready = reply.text;
        match silent {
            true => Due::Nothing,
            false => Due::Answer,
        }
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
            Due::Answer => true,
            Due::Decision(asked) => asked.is_forced(),
        };
        certain && !self.stands_in && self.seat.is_awake()
    }

    /// Whether it takes time for a decision.
    pub(super) fn thinks(&self) -> bool {
        self.thinks
    }

    /// Whether its search next to the daemon's has come to its end.
    pub(super) fn has_searched(&self) -> bool {
        self.searched
    }

    /// Searches next to the daemon until it is done or `stop` says so.
    pub(super) fn search(&mut self, stop: &dyn Fn() -> bool) {
        let stopped = Cell::new(false);
        let stop = || {
            stopped.set(stopped.get() || stop());
            stopped.get()
        };
        // One that panics has found nothing, and is not asked again.
        let _ = self.seat.search(&stop);
        self.searched = !stopped.get() || self.thinking.nodes != u64::MAX;
    }

    /// Its own answer to the last frame, which came at `received`; `searched`: what it has searched next to the daemon is
    /// enough.
    pub(super) fn answer(&mut self, received: Instant, searched: bool) -> Frame {
        if searched || self.seat.asked().is_none() {
            return self.say();
        }
        // Asking the daemon may have used up some of the time.
        let due = self.seat.think(&|| received.elapsed());
        self.give(due)
    }

    /// The best answer so far, of which it is notified.
    pub(super) fn say(&mut self) -> Frame {
        match self.seat.asked() {
            Some(_) => {
                let due = self.seat.settle(Duration::ZERO);
                self.give(due)
            }
            None => {
                let ready = std::mem::take(&mut self.ready);
                self.said(&ready);
                ready
            }
        }
    }

    fn give(&mut self, due: SeatDue) -> Frame {
        let text = match due {
            SeatDue::Answer(reply) => reply.text,
            // A seat without a program has no other step.
            SeatDue::Think(_) | SeatDue::Ask(_) => Frame::new(),
        };
        self.said(&text);
        text
    }

    /// Notifies it of the answer to the last frame.
    pub(super) fn said(&mut self, text: &str) {
        // One that panics is not asked again.
        let _ = self.seat.said_elsewhere(text);
        // The daemon stores them; here they would only pile up.
        drop(self.seat.facts());
    }
}

#[cfg(test)]
mod tests {
    use super::{Due, Local, Thinking};
    use std::time::Duration;
    use tokio::time::Instant;

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
        for frame in [
            "set_deck 23456789TJQKA CDHS",
            "set_players 4 0",
            "set_game 1 13 0",
            "set_cards 13 AS KS QS AH KH QH AD KD QD AC KC QC JC",
            "time_left 36000000",
        ] {
            assert_eq!(local.receive(frame), Due::Answer, "{frame}");
            assert_eq!(local.answer(Instant::now(), false), "=\n");
        }
        let Due::Decision(asked) = local.receive("gen_declare") else {
            panic!("nothing is asked");
        };
        assert!(asked.target > Some(HOURS / 100));
        assert!(local.answer(Instant::now(), false).starts_with("= "));
    }
}
