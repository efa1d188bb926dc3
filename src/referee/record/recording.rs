//! The interface between a match and whatever stores it, and the writer that feeds it without delaying the
//! match.

use crate::store::types::{Entry, MatchResult, NewEntry, NewMatch};
use futures_util::future::BoxFuture;
use games::{Fact, Seat, Seats};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;

/// Lines that may wait for the writer; when the queue is full, the match slows to the store's pace.
const LINES_WAITING_MAX: usize = 1_024;
/// The maximum number of lines handed over at once.
const BATCH_MAX: usize = 64;

/// Why a match is not stored, as a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the match cannot be recorded: {0}")]
pub struct RecordError(pub String);

/// One line of one seat's transcript, seen from the referee: `Out` is the call, `In` the reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordLine {
    /// Whose transcript.
    pub seat: Seat,
    /// The line.
    pub entry: NewEntry,
}

/// Stores matches.
pub trait Recording: Send + Sync {
    /// The highest market number ever used for the game by our referees.
    fn last_market<'a>(&'a self, game: &'a str) -> BoxFuture<'a, Result<u64, RecordError>>;
    /// Whether the number of one of our matches or its players was used before.
    fn used<'a>(
        &'a self,
        game: &'a str,
        market: u64,
        ids: &'a [u64],
    ) -> BoxFuture<'a, Result<bool, RecordError>> {
        let _ = (game, market, ids);
        Box::pin(std::future::ready(Ok(false)))
    }
    /// The market and seat of one of our players in a game with this many `seats`, by its number on the wire.
    fn seat_of<'a>(
        &'a self,
        game: &'a str,
        id: u64,
        seats: usize,
    ) -> BoxFuture<'a, Result<Option<(u64, Seat)>, RecordError>> {
        let _ = (game, id, seats);
        Box::pin(std::future::ready(Ok(None)))
    }
    /// Opens a match. `ids`: each seat's number on the wire.
    fn open<'a>(
        &'a self,
        new: NewMatch,
        ids: &'a [u64],
    ) -> BoxFuture<'a, Result<Box<dyn MatchRecord>, RecordError>>;
    /// The game's matches by this referee of ours that were never closed.
    fn unfinished<'a>(
        &'a self,
        game: &'a str,
        referee: &'a str,
    ) -> BoxFuture<'a, Result<Vec<UnfinishedMatch>, RecordError>>;
    /// One seat's transcript of one of our matches, if there is such a match.
    fn transcript<'a>(
        &'a self,
        game: &'a str,
        market: u64,
        seat: Seat,
    ) -> BoxFuture<'a, Result<Option<Vec<Entry>>, RecordError>>;
}

/// Where one match is stored.
pub trait MatchRecord: Send {
    /// Adds lines. Those of one seat are in order.
    fn append(&mut self, lines: Vec<RecordLine>) -> BoxFuture<'_, Result<(), RecordError>>;
    /// Whether lines outlive this process, so that the match waits until they are stored.
    fn lasting(&self) -> bool {
        true
    }
    /// Passes the seeds of the bots in this process, by seat, before the first line.
    fn seeded(&mut self, seeds: &[u64]) {
        let _ = seeds;
    }
    /// Keeps a fact about a seat whose transcript has begun.
    fn note(&mut self, seat: Seat, fact: Fact) -> BoxFuture<'_, Result<(), RecordError>> {
        let _ = (seat, fact);
        Box::pin(std::future::ready(Ok(())))
    }
    /// Closes the match and its seats' transcripts.
    fn close(self: Box<Self>, result: MatchResult) -> BoxFuture<'static, Result<(), RecordError>>;
}

/// A match interrupted by a stop of the daemon.
pub struct UnfinishedMatch {
    /// Its row.
    pub row: NewMatch,
    /// Each seat's number on the wire.
    pub ids: Vec<u64>,
    /// The seed of each seat's bot, if it runs in this process.
    pub seeds: Vec<u64>,
    /// Each seat's transcript so far.
    pub past: Seats<Vec<Entry>>,
    /// Where its record continues.
    pub record: Box<dyn MatchRecord>,
}

/// Stores nothing: local play, tests.
#[derive(Clone, Copy, Debug, Default)]
pub struct Unrecorded;

impl Recording for Unrecorded {
    fn last_market<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<u64, RecordError>> {
        Box::pin(async { Ok(0) })
    }

    fn open<'a>(
        &'a self,
        _: NewMatch,
        _: &'a [u64],
    ) -> BoxFuture<'a, Result<Box<dyn MatchRecord>, RecordError>> {
        Box::pin(async { Ok(Box::new(Unrecorded) as Box<dyn MatchRecord>) })
    }

    fn unfinished<'a>(
        &'a self,
        _: &'a str,
        _: &'a str,
    ) -> BoxFuture<'a, Result<Vec<UnfinishedMatch>, RecordError>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn transcript<'a>(
        &'a self,
        _: &'a str,
        _: u64,
        _: Seat,
    ) -> BoxFuture<'a, Result<Option<Vec<Entry>>, RecordError>> {
        Box::pin(async { Ok(None) })
    }
}

impl MatchRecord for Unrecorded {
    fn append(&mut self, _: Vec<RecordLine>) -> BoxFuture<'_, Result<(), RecordError>> {
        Box::pin(async { Ok(()) })
    }

    fn lasting(&self) -> bool {
        false
    }

    fn close(self: Box<Self>, _: MatchResult) -> BoxFuture<'static, Result<(), RecordError>> {
        Box::pin(async { Ok(()) })
    }
}

/// A line on its way to the writer.
pub(in crate::referee) struct Queued {
    pub(in crate::referee) line: RecordLine,
    /// Notified when the line is stored, or cannot be.
    pub(in crate::referee) kept: Option<oneshot::Sender<()>>,
}

/// Writes one match's lines in the background.
pub(in crate::referee) struct Writer {
    lines: mpsc::Sender<Queued>,
    task: JoinHandle<(Box<dyn MatchRecord>, Result<(), RecordError>)>,
}

impl Writer {
    /// Starts writing to `record`.
    pub(in crate::referee) fn start(record: Box<dyn MatchRecord>) -> Self {
        let (lines, queue) = mpsc::channel(LINES_WAITING_MAX);
        Self {
            lines,
            task: tokio::spawn(write(record, queue)),
        }
    }

    /// Where lines go.
    pub(in crate::referee) fn lines(&self) -> mpsc::Sender<Queued> {
        self.lines.clone()
    }

    /// Waits until every line is stored. All other senders must be gone by now.
    pub(in crate::referee) async fn flush(self) -> Result<Box<dyn MatchRecord>, RecordError> {
        drop(self.lines);
        let (record, written) = self
            .task
            .await
            .map_err(|error| RecordError(format!("its writer failed: {error}")))?;
        written.map(|()| record)
    }
}

async fn write(
    mut record: Box<dyn MatchRecord>,
    mut queue: mpsc::Receiver<Queued>,
) -> (Box<dyn MatchRecord>, Result<(), RecordError>) {
    let mut written = Ok(());
    let mut batch = Vec::with_capacity(BATCH_MAX);
    while queue.recv_many(&mut batch, BATCH_MAX).await > 0 {
        let (lines, waiting): (Vec<_>, Vec<_>) = batch
            .drain(..)
            .map(|queued: Queued| (queued.line, queued.kept))
            .unzip();
        if written.is_ok() {
            written = record.append(lines).await;
        }
        for kept in waiting.into_iter().flatten() {
            // The match may have been stopped meanwhile.
            let _ = kept.send(());
        }
    }
    (record, written)
}
