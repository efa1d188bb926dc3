//! One seat's task: it delivers the seat's messages one after the other and gives up on a seat that is dead
//! (`koehandel/README.md` A23).

use super::seat_link::{SeatLink, SeatReply};
use crate::referee::record::journal::{Answer, Journal};
use crate::referee::record::transcript::recorded;
use crate::replay::RecordedReply;
use games::{Frame, Seat};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// One message on its way to a seat.
pub(in crate::referee) struct Message {
    /// Its exact text.
    pub(in crate::referee) text: Frame,
    /// How long the seat has.
    pub(in crate::referee) within: Duration,
    /// Whether the match waits for the answer.
    pub(in crate::referee) wanted: bool,
    /// Whether it was already sent and stored before a restart.
    pub(in crate::referee) stored: bool,
}

/// A seat and its player.
pub(in crate::referee) struct SeatTask {
    /// Which seat.
    pub(in crate::referee) seat: Seat,
    /// The link to the player; a filler's seat has none.
    pub(in crate::referee) link: Option<Box<dyn SeatLink>>,
    /// Failures in a row so far.
    pub(in crate::referee) failures: u16,
    /// Failures in a row after which the seat is no longer called.
    pub(in crate::referee) failures_max: u16,
    /// Wait before each message that asks for an answer.
    pub(in crate::referee) pause: Duration,
    /// Where everything is recorded.
    pub(in crate::referee) journal: Arc<Journal>,
    /// Where wanted answers go.
    pub(in crate::referee) answers: mpsc::Sender<Answer>,
}

impl SeatTask {
    /// Delivers until the queue is closed, or what is to be delivered cannot be recorded.
    pub(in crate::referee) async fn run(mut self, queue: mpsc::Receiver<Message>) {
        self.deliver(queue).await;
        if let Some(link) = &mut self.link {
            link.leave().await;
        }
    }

    async fn deliver(&mut self, mut queue: mpsc::Receiver<Message>) {
        while let Some(message) = queue.recv().await {
            if message.wanted && self.link.is_some() && !self.pause.is_zero() {
                tokio::time::sleep(self.pause).await;
            }
            let called = self.link.is_some() && self.failures < self.failures_max;
            let Some(sent) = self.journal.sends(self.seat, &message, called).await else {
                return;
            };
            let (kept, note) = self.call(&message).await;
            self.journal
                .hears(self.seat, sent, kept, note.as_deref(), &self.answers)
                .await;
        }
    }

    async fn call(&mut self, message: &Message) -> (RecordedReply, Option<String>) {
        let Some(link) = &mut self.link else {
            return (RecordedReply::Said(String::new()), None);
        };
        if self.failures >= self.failures_max {
            return (RecordedReply::Dead, None);
        }
        let reply = link
            .call(&message.text, message.within, message.wanted)
            .await;
        let kept = recorded(&reply, message.wanted);
        match kept.alive() {
            Some(true) => self.failures = 0,
            Some(false) => self.failed(&reply),
            None => {}
        }
        let note = match reply {
            SeatReply::Said { note, .. } => note,
            SeatReply::Late | SeatReply::Failed(_) => None,
        };
        (kept, note)
    }

    fn failed(&mut self, reply: &SeatReply) {
        self.failures += 1;
        if self.failures == self.failures_max {
            // Its answer is secret, and its URL may contain secrets too.
            let last = match reply {
                SeatReply::Said { .. } => "said",
                SeatReply::Late => "late",
                SeatReply::Failed(_) => "failed",
            };
            tracing::info!(
                seat = self.seat.0,
                failures = self.failures,
                last,
                "player is treated as a filler from now on"
            );
        }
    }
}
