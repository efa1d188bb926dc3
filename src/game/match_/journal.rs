//! The one journal of a match: stamps rise, and consecutive lines of one player are one entry.

use super::effect::{Content, Effect, Recorded, Replied};
use super::reply::RecordedReply;
use crate::game::Seat;
use crate::wire::Frame;
use std::collections::VecDeque;
use std::time::Duration;

/// What is recorded of a match.
#[derive(Debug, Default)]
pub(super) struct Journal {
    /// The latest stamp.
    last_us: i64,
    /// How many lines were recorded.
    recorded: u64,
    /// Consecutive lines of one player.
    open: Option<(Seat, i64, String)>,
}

impl Journal {
    /// Stamps rise from here on.
    pub(super) fn follow(&mut self, at_us: i64) {
        self.last_us = self.last_us.max(at_us);
    }

    pub(super) fn recorded(&self) -> u64 {
        self.recorded
    }

    /// The next stamp: now, or just above the last one.
    pub(super) fn stamp(&mut self, now_us: i64) -> i64 {
        self.last_us = now_us.max(self.last_us.saturating_add(1));
        self.last_us
    }

    /// A message goes out; its stamp.
    pub(super) fn call(
        &mut self,
        effects: &mut VecDeque<Effect>,
        seat: Seat,
        text: Frame,
        now_us: i64,
    ) -> i64 {
        self.flush(effects);
        let at_us = self.stamp(now_us);
        self.push(effects, seat, at_us, Content::Call(text));
        at_us
    }

    pub(super) fn reply(
        &mut self,
        effects: &mut VecDeque<Effect>,
        seat: Seat,
        replied: Replied,
        now_us: i64,
    ) {
        self.flush(effects);
        let at_us = self.stamp(now_us);
        self.push(effects, seat, at_us, Content::Reply(replied));
    }

    /// A line that a player said unasked. An empty one is an entry of its own: among others it would be lost.
    pub(super) fn line(
        &mut self,
        effects: &mut VecDeque<Effect>,
        seat: Seat,
        line: &str,
        now_us: i64,
    ) {
        match &mut self.open {
            Some((speaker, _, text)) if *speaker == seat && !line.is_empty() => {
                text.push('\n');
                text.push_str(line);
            }
            _ => {
                self.flush(effects);
                self.open = Some((seat, self.stamp(now_us), line.to_owned()));
                if line.is_empty() {
                    self.flush(effects);
                }
            }
        }
    }

    /// Records the lines that may have had more to come.
    pub(super) fn flush(&mut self, effects: &mut VecDeque<Effect>) {
        if let Some((seat, at_us, text)) = self.open.take() {
            let replied = Replied {
                reply: RecordedReply::Said(text),
                took: Duration::ZERO,
                wanted: true,
                note: None,
                call: None,
            };
            self.push(effects, seat, at_us, Content::Reply(replied));
        }
    }

    fn push(&mut self, effects: &mut VecDeque<Effect>, seat: Seat, at_us: i64, content: Content) {
        self.recorded += 1;
        effects.push_back(Effect::Record(Recorded {
            seat,
            at_us,
            content,
        }));
    }
}
