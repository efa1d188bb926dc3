//! Checkpoints: the log's pages go into the database beside the writer, so that no commit waits for it.

use super::fault::{self, Verdict};
use sqlx::SqliteConnection;
use std::sync::Arc;
use tokio::sync::Notify;

/// Commits after which a checkpoint is due: some four thousand pages of the log.
const COMMITS: u64 = 500;

/// What the writer tells the one who makes checkpoints.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct Checkpoints {
    commits: u64,
    due: Arc<Notify>,
}

impl Checkpoints {
    /// One commit more.
    pub(super) fn committed(&mut self) {
        self.commits += 1;
        if self.commits.is_multiple_of(COMMITS) {
            self.due.notify_one();
        }
    }

    /// Makes checkpoints on its own connection whenever one is due, for ever.
    pub(in crate::store) async fn run(self, mut connection: SqliteConnection) {
        loop {
            self.due.notified().await;
            let made = sqlx::query("PRAGMA wal_checkpoint(PASSIVE)").execute(&mut connection);
            if let Err(error) = made.await {
                match fault::judge(&error) {
                    Verdict::End => fault::end(&error),
                    // Without it the log grows until the writer makes one itself.
                    Verdict::Unwritable | Verdict::Refused => {
                        tracing::warn!(%error, "a checkpoint failed");
                    }
                }
            }
        }
    }
}
