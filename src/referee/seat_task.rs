//! One seat's task: it hands over the seat's messages one after the other and gives up on a seat
//! that is dead (`koehandel/README.md` A23).

use super::journal::{Answer, Journal};
use super::seat_link::{SeatLink, SeatReply};
use super::transcript::recorded;
use crate::replay::RecordedReply;
use games::{Frame, Seat};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// One message on its way to a seat.
pub(super) struct Message {
    /// Its exact text.
    pub(super) text: Frame,
    /// How long the seat has.
    pub(super) within: Duration,
    /// Whether the match waits for the answer.
    pub(super) wanted: bool,
    /// Whether it was sent and stored before a restart already.
    pub(super) stored: bool,
}

/// A seat and who sits there.
pub(super) struct SeatTask {
    /// Which seat.
    pub(super) seat: Seat,
    /// Who is called; nobody sits on a filler's seat.
    pub(super) link: Option<Box<dyn SeatLink>>,
    /// Failures in a row so far.
    pub(super) failures: u16,
    /// Failures in a row after which the seat is not called any more.
    pub(super) failures_max: u16,
    /// Wait before each message that asks for an answer.
    pub(super) pause: Duration,
    /// Where everything is written down.
    pub(super) journal: Arc<Journal>,
    /// Where wanted answers go.
    pub(super) answers: mpsc::Sender<Answer>,
}

impl SeatTask {
    /// Delivers until the queue is closed.
    pub(super) async fn run(mut self, mut queue: mpsc::Receiver<Message>) {
        while let Some(message) = queue.recv().await {
            if message.wanted && self.link.is_some() && !self.pause.is_zero() {
                tokio::time::sleep(self.pause).await;
            }
            let called = self.link.is_some() && self.failures < self.failures_max;
            let sent = self.journal.sends(self.seat, &message, called).await;
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
            // What it said is its own secret, and so may be what its URL holds.
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
