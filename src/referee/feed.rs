//! A match passed on while it is played, for those who watch.

use super::record::RecordLine;
use crate::simulated;
use crate::store::types::{Direction, NewEntry};
use games::match_::{Content, Recorded};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// How a match that is passed on begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beginning {
    /// Under which id it is stored.
    pub match_id: String,
    /// When it began, in microseconds since 1970-01-01 UTC.
    pub started_us: i64,
    /// The seats' specs.
    pub seats: Vec<String>,
    /// Its number on the wire, if it has one.
    pub market: Option<u64>,
    /// The seats' numbers there; empty if it has none.
    pub ids: Vec<u64>,
}

impl Beginning {
    /// Of a match without numbers.
    pub(super) fn new(started_us: i64, seats: Vec<String>) -> Self {
        Self {
            match_id: simulated::ulid().to_string(),
            started_us,
            seats,
            market: None,
            ids: Vec::new(),
        }
    }
}

/// What is passed on of a match: how it begins, and then line after line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fed {
    /// It begins.
    Begins(Beginning),
    /// This was said. The lines of one seat are in order.
    Line(RecordLine),
}

/// Where a match is passed on. It never waits for who receives it: what waits there is at most the transcript, which the
/// match keeps itself, too.
#[derive(Clone, Debug)]
pub struct Feed(UnboundedSender<Fed>);

impl Feed {
    /// A feed, and where it leads.
    #[must_use]
    pub fn open() -> (Self, UnboundedReceiver<Fed>) {
        let (sender, fed) = unbounded_channel();
        (Self(sender), fed)
    }

    pub(super) fn begin(&self, beginning: Beginning) {
        self.pass(Fed::Begins(beginning));
    }

    pub(super) fn line(&self, line: RecordLine) {
        self.pass(Fed::Line(line));
    }

    fn pass(&self, fed: Fed) {
        // Of a match that was cut short nothing is received any more.
        let _ = self.0.send(fed);
    }
}

/// The feed of a match whose players are charged for their time. As in a transcript that is stored at the end, an answer is
/// stamped as long after its call as it was charged, so that a replay reproduces the clocks; a call is stamped after all that
/// was said before.
#[derive(Debug)]
pub(super) struct Charged {
    feed: Feed,
    last_us: i64,
    /// When each seat was called last.
    called_us: Vec<i64>,
}

impl Charged {
    pub(super) fn new(feed: Feed, seats: usize, began_us: i64) -> Self {
        Self {
            feed,
            last_us: began_us,
            called_us: vec![began_us; seats],
        }
    }

    pub(super) fn record(&mut self, line: &Recorded) {
        let seat = line.seat;
        let Some(called_us) = self.called_us.get_mut(seat.index()) else {
            return;
        };
        let (direction, text, took_us) = match &line.content {
            Content::Call(text) => {
                *called_us = self.last_us + 1;
                (Direction::Out, text.clone(), 0)
            }
            Content::Reply(replied) => {
                let took_us = i64::try_from(replied.took.as_micros());
                let text = replied.reply.encode();
                (Direction::In, text, took_us.unwrap_or(i64::MAX))
            }
        };
        let at_us = called_us.saturating_add(took_us);
        self.last_us = self.last_us.max(at_us);
        let entry = NewEntry::new(at_us, direction, text);
        self.feed.line(RecordLine { seat, entry });
    }
}

#[cfg(test)]
mod tests {
    use super::{Charged, Fed, Feed};
    use crate::store::types::Direction;
    use games::match_::{Content, Recorded, Replied};
    use games::{RecordedReply, Seat};
    use std::time::Duration;

    #[test]
    fn answers_are_stamped_as_they_were_charged_and_calls_after_all_before() {
        let (feed, mut fed) = Feed::open();
        let mut charged = Charged::new(feed, 2, 100);
        let call = |seat| Recorded {
            seat: Seat(seat),
            at_us: 0,
            content: Content::Call("call".to_owned()),
        };
        let reply = |seat, took_us| Recorded {
            seat: Seat(seat),
            at_us: 0,
            content: Content::Reply(Replied {
                reply: RecordedReply::Said("reply".to_owned()),
                took: Duration::from_micros(took_us),
                wanted: true,
                note: None,
                call: None,
            }),
        };
        for line in [call(0), call(1), reply(1, 500), reply(0, 50), call(0)] {
            charged.record(&line);
        }
        // Nobody sits there.
        charged.record(&call(2));
        let mut seen = Vec::new();
        while let Ok(Fed::Line(line)) = fed.try_recv() {
            seen.push((line.seat.0, line.entry.at_us, line.entry.direction));
        }
        let expected = [
            (0, 101, Direction::Out),
            (1, 102, Direction::Out),
            (1, 602, Direction::In),
            (0, 151, Direction::In),
            (0, 603, Direction::Out),
        ];
        assert_eq!(seen, expected);
    }
}
