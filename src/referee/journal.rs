//! Everything that a match's seats write down: the log that people read and the lines that are kept.

use super::clock::Stamps;
use super::log::{LogLine, MatchLog, shown};
use super::record::RecordLine;
use super::transcript::Kept;
use crate::store::types::{Direction, NewEntry};
use games::Seat;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;
use tokio::sync::mpsc;

/// One match's pen.
pub(super) struct Journal {
    stamps: Stamps,
    /// Held while a reply is stamped and handed over, so that stamps rise in the order in which the
    /// match hears its answers.
    order: Mutex<()>,
    log: Arc<MatchLog>,
    lines: mpsc::Sender<RecordLine>,
}

/// A call that has gone out.
pub(super) struct Sent {
    at_us: i64,
    since: Instant,
    query: String,
    wanted: bool,
}

impl Journal {
    /// A journal whose stamps rise from `last_us` on.
    pub(super) fn new(log: Arc<MatchLog>, lines: mpsc::Sender<RecordLine>, last_us: i64) -> Self {
        Self {
            stamps: Stamps::after(last_us),
            order: Mutex::default(),
            log,
            lines,
        }
    }

    /// Notes that a call goes out now. `stored`: its line is kept already, from before a restart.
    pub(super) async fn sends(&self, seat: Seat, query: &str, wanted: bool, stored: bool) -> Sent {
        let at_us = self.stamps.next();
        if !stored {
            let entry = NewEntry {
                at_us,
                direction: Direction::Out,
                text: query.to_owned(),
            };
            // A writer that has failed says so at the end; the match goes on.
            let _ = self.lines.send(RecordLine { seat, entry }).await;
        }
        Sent {
            at_us,
            since: Instant::now(),
            query: query.to_owned(),
            wanted,
        }
    }

    /// Notes a reply and hands it to the match if it waits for one.
    pub(super) async fn hears(
        &self,
        seat: Seat,
        sent: Sent,
        kept: Kept,
        note: Option<&str>,
        answers: &mpsc::Sender<(Seat, Kept)>,
    ) {
        self.log.push(
            seat,
            LogLine {
                at_us: sent.at_us,
                query: sent.query,
                reply: shown(&kept, note),
                took_us: i64::try_from(sent.since.elapsed().as_micros()).unwrap_or(i64::MAX),
                wanted: sent.wanted,
                missed: sent.wanted && !matches!(kept, Kept::Said(_)),
            },
        );
        let line = self.lines.reserve().await.ok();
        let answer = if sent.wanted {
            answers.reserve().await.ok()
        } else {
            None
        };
        let _in_order = self.order.lock().unwrap_or_else(PoisonError::into_inner);
        let at_us = self.stamps.next();
        if let Some(line) = line {
            let entry = NewEntry {
                at_us,
                direction: Direction::In,
                text: kept.encode(),
            };
            line.send(RecordLine { seat, entry });
        }
        if let Some(answer) = answer {
            answer.send((seat, kept));
        }
    }
}
