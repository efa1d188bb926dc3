//! Feeds a match's record without delaying the match, and waits while nothing can be written.

use super::error::RecordError;
use super::recording::{MatchRecord, RecordLine};
use crate::store::types::MatchResult;
use std::time::Duration;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Lines that may wait for the writer; when the queue is full, the match slows to the store's pace.
const LINES_WAITING_MAX: usize = 1_024;
/// The maximum number of lines handed over at once.
const BATCH_MAX: usize = 64;
/// The wait before something is tried again that could not be written: at first, and at most.
const WAIT_FIRST: Duration = Duration::from_millis(50);
const WAIT_MOST: Duration = Duration::from_secs(1);

/// How long a match waits while nothing can be written.
#[derive(Clone, Debug)]
pub(in crate::referee) struct Patience {
    /// Ends every wait: the match is left as it is stored.
    pub(in crate::referee) leave: CancellationToken,
    /// The longest wait.
    pub(in crate::referee) within: Duration,
}

impl Patience {
    /// Begins to try something.
    fn tries(&self) -> Tries<'_> {
        Tries {
            patience: self,
            begun: Instant::now(),
            wait: WAIT_FIRST,
        }
    }

    /// Closes a match.
    ///
    /// # Errors
    /// [`RecordError::Unwritable`] once it is not waited for any more, and any other error at once.
    pub(in crate::referee) async fn close(
        &self,
        record: &mut MatchRecord,
        result: &MatchResult,
    ) -> Result<(), RecordError> {
        let mut tries = self.tries();
        while let Err(error) = record.try_close(result).await {
            tries.after(error).await?;
        }
        Ok(())
    }

    /// Stores the record's pending lines; errors as [`Self::close`].
    async fn store(&self, record: &mut MatchRecord) -> Result<(), RecordError> {
        let mut tries = self.tries();
        while let Err(error) = record.retry().await {
            tries.after(error).await?;
        }
        Ok(())
    }
}

/// Something that is tried again and again.
struct Tries<'a> {
    patience: &'a Patience,
    begun: Instant,
    wait: Duration,
}

impl Tries<'_> {
    /// Waits before the next attempt, unless there is to be none.
    async fn after(&mut self, error: RecordError) -> Result<(), RecordError> {
        let passing = matches!(error, RecordError::Unwritable(_));
        if !passing || self.begun.elapsed() >= self.patience.within {
            return Err(error);
        }
        tokio::select! {
            biased;
            () = self.patience.leave.cancelled() => return Err(error),
            () = tokio::time::sleep(self.wait) => {}
        }
        self.wait = (self.wait * 2).min(WAIT_MOST);
        Ok(())
    }
}

/// Writes one match's lines in the background.
pub(in crate::referee) struct Writer {
    lines: mpsc::Sender<RecordLine>,
    stored: watch::Receiver<u64>,
    broken: CancellationToken,
    task: JoinHandle<(MatchRecord, Result<(), RecordError>)>,
}

impl Writer {
    /// Starts writing to `record`.
    pub(in crate::referee) fn start(record: MatchRecord, patience: Patience) -> Self {
        let (lines, queue) = mpsc::channel(LINES_WAITING_MAX);
        let broken = CancellationToken::new();
        let guard = broken.clone().drop_guard();
        let (count, stored) = watch::channel(0);
        Self {
            lines,
            stored,
            broken,
            task: tokio::spawn(write(record, patience, queue, Progress { count, guard })),
        }
    }

    /// Where lines go.
    pub(in crate::referee) fn lines(&self) -> mpsc::Sender<RecordLine> {
        self.lines.clone()
    }

    /// How many lines are stored.
    pub(in crate::referee) fn stored(&self) -> watch::Receiver<u64> {
        self.stored.clone()
    }

    /// Cancelled once a line cannot be stored: the match must not go on. [`Self::flush`] says why.
    pub(in crate::referee) fn broken(&self) -> &CancellationToken {
        &self.broken
    }

    /// Waits until every line is stored, or one cannot be. All other senders must be gone by now.
    pub(in crate::referee) async fn flush(self) -> (MatchRecord, Result<(), RecordError>) {
        drop(self.lines);
        self.task.await.unwrap_or_else(|error| {
            let why = format!("its writer failed: {error}");
            (MatchRecord::none(), Err(RecordError::Failed(why)))
        })
    }
}

/// What others know of a writer.
struct Progress {
    /// How many lines are stored.
    count: watch::Sender<u64>,
    guard: DropGuard,
}

async fn write(
    mut record: MatchRecord,
    patience: Patience,
    mut queue: mpsc::Receiver<RecordLine>,
    progress: Progress,
) -> (MatchRecord, Result<(), RecordError>) {
    let mut batch = Vec::with_capacity(BATCH_MAX);
    while queue.recv_many(&mut batch, BATCH_MAX).await > 0 {
        let lines = batch.len() as u64;
        let mut written = record.append(std::mem::take(&mut batch)).await;
        if let Err(RecordError::Unwritable(why)) = &written {
            record.note_wait(why);
            written = patience.store(&mut record).await;
        }
        if written.is_err() {
            // Before those who wait find out that there is nothing to wait for.
            drop(progress.guard);
            return (record, written);
        }
        progress.count.send_modify(|count| *count += lines);
    }
    (record, Ok(()))
}
