//! Checkpoints: the log's pages go into the database alongside the writer, on a separate connection, so that
//! commits rarely wait for it. Under steady load such a checkpoint never reaches the log's moving end; when
//! the log has grown too long for that, the writer makes one itself.

use super::fault::{self, Verdict};
use sqlx::{Connection as _, SqliteConnection};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// A checkpoint that stops before the log's end.
pub(super) const CHECKPOINT: &str = "PRAGMA wal_checkpoint(PASSIVE)";

/// A checkpoint is due after this many pages, by estimate: 4 MiB per thousand.
const DUE_PAGES: u64 = 4_000;
/// Pages that every commit writes, and entries that fill a page.
const COMMIT_PAGES: u64 = 6;
const PAGE_ENTRIES: u64 = 16;
/// The writer makes a checkpoint itself when the log has this many pages.
const LOG_PAGES_MAX: i64 = 8_000;

/// The writer's side of checkpoints.
#[derive(Debug)]
pub(in crate::store) struct Checkpoints {
    connection: Option<SqliteConnection>,
    task: Option<JoinHandle<()>>,
    /// Written since the last one was due.
    pages: u64,
    signals: Arc<Signals>,
}

#[derive(Debug, Default)]
struct Signals {
    due: Notify,
    behind: AtomicBool,
    stop: CancellationToken,
}

impl Checkpoints {
    pub(in crate::store) fn new(connection: SqliteConnection) -> Self {
        Self {
            connection: Some(connection),
            task: None,
            pages: 0,
            signals: Arc::default(),
        }
    }

    /// Starts making them, in a task.
    pub(super) fn start(&mut self) {
        if let Some(connection) = self.connection.take() {
            self.task = Some(tokio::spawn(run(connection, Arc::clone(&self.signals))));
        }
    }

    /// Counts one more commit.
    pub(super) fn committed(&mut self, entries: u64) {
        self.pages += COMMIT_PAGES + entries / PAGE_ENTRIES;
        if self.pages >= DUE_PAGES {
            self.pages = 0;
            self.signals.due.notify_one();
        }
    }

    /// Whether the writer must make one itself, now.
    pub(super) fn are_behind(&self) -> bool {
        self.signals.behind.swap(false, Ordering::Relaxed)
    }

    /// Stops them and closes their connection.
    pub(super) async fn stop(&mut self) {
        self.signals.stop.cancel();
        if let Some(task) = self.task.take()
            && let Err(error) = task.await
        {
            tracing::warn!(%error, "the checkpoint task failed");
        }
    }
}

async fn run(mut connection: SqliteConnection, signals: Arc<Signals>) {
    let due = async || {
        signals
            .stop
            .run_until_cancelled(signals.due.notified())
            .await
    };
    while due().await.is_some() {
        let made: Result<(i64, i64, i64), _> =
            sqlx::query_as(CHECKPOINT).fetch_one(&mut connection).await;
        match made {
            Ok((_, log_pages, _)) => {
                let behind = log_pages >= LOG_PAGES_MAX;
                signals.behind.store(behind, Ordering::Relaxed);
            }
            Err(error) => match fault::judge(&error) {
                Verdict::End => fault::end(&error),
                _ => {
                    tracing::warn!(%error, "a checkpoint failed: the log grows until one succeeds");
                }
            },
        }
    }
    if let Err(error) = connection.close().await {
        tracing::warn!(%error, "the checkpoints' connection did not close cleanly");
    }
}
