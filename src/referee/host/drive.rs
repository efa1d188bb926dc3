//! Drives a game's table against its seats: in order for each player, in parallel across players.

use crate::referee::record::journal::{Answer, Journal};
use crate::referee::seat::seat_link::SeatLink;
use crate::referee::seat::seat_task::{Message, SeatTask};
use crate::replay::{PendingCall, RecordedReply};
use games::{Cause, Outcome, Seat, Seats, Table};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Messages that may wait for one player; when the queue is full, the match waits for that player.
const QUEUE_MAX: usize = 256;
/// Answers on their way to the match: at most one is open per seat.
const ANSWERS_MAX: usize = 64;
/// The maximum number of calls of one match, far above the game's own bounds.
const CALLS_MAX: u64 = 1_000_000;

/// The seats' players: a link, or none (a filler).
pub(in crate::referee) type Links = Vec<Option<Box<dyn SeatLink>>>;

/// How a match is driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::referee) struct DriveOptions {
    /// Failures in a row after which a player is a filler (A23).
    pub(in crate::referee) failures_max: u16,
    /// How long a player has to acknowledge a message that asks for no answer.
    pub(in crate::referee) within: Duration,
    /// Wait before each message that asks for an answer.
    pub(in crate::referee) pause: Duration,
}

/// Why a match did not reach its end, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(in crate::referee) enum DriveError {
    #[error("the referee waits for nobody and yet has no result")]
    Stalled,
    #[error("the match was cut after {CALLS_MAX} calls")]
    Endless,
    #[error("seat {0} does not exist in this match")]
    NoSeat(u8),
    #[error("the referee was stopped")]
    Stopped,
    #[error("the match cannot be recorded")]
    Unrecorded,
    #[error("the rules broke down in this match")]
    Broken,
}

impl DriveError {
    /// Its entry in the closed list of causes.
    pub(in crate::referee) fn cause(&self) -> Cause {
        match self {
            Self::Stalled | Self::Endless => Cause::Stalled,
            Self::NoSeat(_) | Self::Stopped | Self::Unrecorded | Self::Broken => Cause::Cancelled,
        }
    }
}

/// Where an interrupted match continues; the default is the beginning.
#[derive(Default)]
pub(super) struct Past {
    /// Calls that are still to be answered.
    pub(super) pending: Vec<PendingCall>,
    /// Each seat's failures in a row, by seat.
    pub(super) failures: Vec<u16>,
    /// Its latest stamp, in microseconds since 1970-01-01 UTC.
    pub(super) last_us: i64,
}

/// Plays the match to its end and delivers all of its messages, unless it is stopped or its record is `broken`.
pub(in crate::referee) async fn drive(
    table: &mut dyn Table,
    links: Links,
    past: Past,
    journal: Arc<Journal>,
    options: DriveOptions,
    (stop, broken): (&CancellationToken, &CancellationToken),
) -> Result<Outcome, DriveError> {
    let (answers, heard) = mpsc::channel(ANSWERS_MAX);
    let mut tasks = JoinSet::new();
    let mut queues = Vec::with_capacity(links.len());
    for (place, link) in links.into_iter().enumerate() {
        let seat = Seat(u8::try_from(place).unwrap_or(u8::MAX));
        let (queue, messages) = mpsc::channel(QUEUE_MAX);
        let task = SeatTask {
            seat,
            link,
            failures: past.failures.get(place).copied().unwrap_or_default(),
            failures_max: options.failures_max,
            pause: options.pause,
            journal: Arc::clone(&journal),
            answers: answers.clone(),
        };
        tasks.spawn(task.run(messages));
        queues.push(queue);
    }
    drop((answers, journal));
    let driver = Driver {
        queues: queues.into_iter().collect(),
        heard,
        open: 0,
        calls: 0,
        within: options.within,
    };
    // Dropping the tasks ends them; after a proper end they first deliver what is still queued.
    let delivered = async {
        let outcome = driver.play(table, past.pending).await?;
        while tasks.join_next().await.is_some() {}
        Ok(outcome)
    };
    tokio::select! {
        biased;
        () = broken.cancelled() => Err(DriveError::Unrecorded),
        () = stop.cancelled() => Err(DriveError::Stopped),
        ended = delivered => ended,
    }
}

struct Driver {
    queues: Seats<mpsc::Sender<Message>>,
    heard: mpsc::Receiver<Answer>,
    /// How many answers the table waits for.
    open: u32,
    calls: u64,
    within: Duration,
}

impl Driver {
    async fn play(
        mut self,
        table: &mut dyn Table,
        pending: Vec<PendingCall>,
    ) -> Result<Outcome, DriveError> {
        for call in pending {
            self.send(call).await?;
        }
        let mut calls = Vec::new();
        loop {
            table.calls(&mut calls);
            for call in calls.drain(..) {
                let sent_us = None;
                self.send(PendingCall { call, sent_us }).await?;
            }
            if let Some(outcome) = table.outcome() {
                return Ok(outcome);
            }
            let (seat, kept) = self.answer().await?;
            table.answer(seat, kept.reply());
        }
    }

    async fn send(&mut self, PendingCall { call, sent_us }: PendingCall) -> Result<(), DriveError> {
        self.calls += 1;
        if self.calls > CALLS_MAX {
            return Err(DriveError::Endless);
        }
        let wanted = call.answer_within.is_some();
        self.open += u32::from(wanted);
        let queue = self
            .queues
            .get(call.seat)
            .ok_or(DriveError::NoSeat(call.seat.0))?;
        let within = call.answer_within.unwrap_or(self.within);
        let message = Message {
            text: call.text,
            within,
            wanted,
            stored: sent_us.is_some(),
        };
        queue.send(message).await.map_err(|_| DriveError::Stalled)
    }

    /// The next answer that the table waits for.
    async fn answer(&mut self) -> Result<(Seat, RecordedReply), DriveError> {
        if self.open == 0 {
            return Err(DriveError::Stalled);
        }
        self.open -= 1;
        let answer = self.heard.recv().await.ok_or(DriveError::Stalled)?;
        if let Some(safe) = answer.safe {
            safe.await.map_err(|_| DriveError::Unrecorded)?;
        }
        Ok((answer.seat, answer.kept))
    }
}
