//! Everything recorded for a match's seats: the log that people read and the lines that are stored.

use super::log::{LogLine, MatchLog, shown};
use super::recording::RecordLine;
use super::writer::Queued;
use crate::clock::Stamps;
use crate::referee::seat::seat_task::Message;
use crate::replay::RecordedReply;
use crate::store::types::{Direction, NewEntry};
use games::Seat;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::{mpsc, oneshot};

/// Records one match.
pub(in crate::referee) struct Journal {
    stamps: Stamps,
    /// Held while a reply is stamped and passed on, so that stamps rise in the order in which the match
    /// receives its answers.
    order: Mutex<()>,
    log: Arc<MatchLog>,
    lines: mpsc::Sender<Queued>,
    /// Whether a call is sent, and an answer passed to the match, only once its line is stored.
    waits: bool,
}

/// A call that has gone out.
pub(in crate::referee) struct Sent {
    at_us: i64,
    since: Instant,
    query: String,
    wanted: bool,
}

/// An answer on its way to the match.
pub(in crate::referee) struct Answer {
    pub(in crate::referee) seat: Seat,
    pub(in crate::referee) kept: RecordedReply,
    /// Fires when it is stored, if the match must wait for that; dropped if it cannot be.
    pub(in crate::referee) safe: Option<oneshot::Receiver<()>>,
}

impl Journal {
    /// A journal whose stamps rise from `last_us` on. `waits`: calls and answers go on only once they are
    /// stored, so that a resumed match repeats at most one open call per seat, and follows the same answers.
    pub(in crate::referee) fn new(
        log: Arc<MatchLog>,
        lines: mpsc::Sender<Queued>,
        last_us: i64,
        waits: bool,
    ) -> Self {
        Self {
            stamps: Stamps::after(last_us),
            order: Mutex::default(),
            log,
            lines,
            waits,
        }
    }

    /// Records that a call goes out; if there is a player to be `called` and the journal waits, its line is
    /// stored when this returns. A call that a restart repeats is already recorded. `None`: it cannot be
    /// recorded, and must not go out.
    pub(in crate::referee) async fn sends(
        &self,
        seat: Seat,
        call: &Message,
        called: bool,
    ) -> Option<Sent> {
        let at_us = self.stamps.next();
        if !call.stored {
            let entry = NewEntry::new(at_us, Direction::Out, call.text.clone());
            let (kept, safe) = receipt(self.waits && called);
            let line = RecordLine { seat, entry };
            self.lines.send(Queued { line, kept }).await.ok()?;
            if let Some(safe) = safe {
                safe.await.ok()?;
            }
        }
        Some(Sent {
            at_us,
            since: Instant::now(),
            query: call.text.clone(),
            wanted: call.wanted,
        })
    }

    /// Records a reply and passes it to the match if it waits for one.
    pub(in crate::referee) async fn hears(
        &self,
        seat: Seat,
        sent: Sent,
        kept: RecordedReply,
        note: Option<&str>,
        answers: &mpsc::Sender<Answer>,
    ) {
        self.log.push(
            seat,
            LogLine {
                at_us: sent.at_us,
                query: sent.query,
                reply: shown(&kept, note),
                took_us: i64::try_from(sent.since.elapsed().as_micros()).unwrap_or(i64::MAX),
                wanted: sent.wanted,
                missed: sent.wanted && !matches!(kept, RecordedReply::Said(_)),
                improper: sent.wanted && note.is_some(),
            },
        );
        let line = self.lines.reserve().await.ok();
        let answer = if sent.wanted {
            answers.reserve().await.ok()
        } else {
            None
        };
        let (told, safe) = receipt(self.waits && sent.wanted);
        let _in_order = self.order.lock();
        let at_us = self.stamps.next();
        if let Some(line) = line {
            let entry = NewEntry::new(at_us, Direction::In, kept.encode());
            let line_of = RecordLine { seat, entry };
            line.send(Queued {
                line: line_of,
                kept: told,
            });
        }
        if let Some(answer) = answer {
            answer.send(Answer { seat, kept, safe });
        }
    }
}

type Receipt = (Option<oneshot::Sender<()>>, Option<oneshot::Receiver<()>>);

/// Both ends of a receipt, if requested.
fn receipt(asked_for: bool) -> Receipt {
    if asked_for {
        let (told, safe) = oneshot::channel();
        (Some(told), Some(safe))
    } else {
        (None, None)
    }
}
