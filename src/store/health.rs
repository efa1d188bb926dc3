//! The writer's health: what `/readyz` and `/metrics` show.

use super::types::LedgerRow;
use parking_lot::Mutex;
use serde::Serialize;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Notify;

/// Upper bounds of the batch histogram: appends per commit. The last bucket has no bound.
pub const BATCH_BOUNDS: [u64; 8] = [1, 2, 4, 8, 16, 64, 256, 1024];

/// Ledger rows kept for the writer before further ones are dropped and counted.
const LEDGER_PENDING_MAX: usize = 16_384;

/// The writer's health.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Health {
    /// Why nothing can be written at present, if so.
    pub failing: Option<String>,
    /// What the check of the file found, if it is damaged.
    pub damaged: Option<String>,
    /// When the last commit returned, in microseconds since 1970-01-01 UTC; 0 before the first.
    pub last_commit_us: i64,
    /// Commands waiting for the writer.
    pub queue_depth: usize,
    /// How many may wait.
    pub queue_capacity: usize,
    /// Commits so far.
    pub commits: u64,
    /// Appends committed so far.
    pub appends: u64,
    /// Entries committed so far.
    pub entries: u64,
    /// Commits by their number of appends, by [`BATCH_BOUNDS`], with one more bucket for larger ones.
    pub batches: [u64; BATCH_BOUNDS.len() + 1],
    /// Time spent on writing commits so far, in microseconds; they are synced meanwhile.
    pub committing_us: u64,
    /// Syncs of the log so far, each for all commits since the last one.
    pub syncs: u64,
    /// Ledger rows dropped because the writer could not keep up.
    pub ledger_dropped: u64,
}

/// The writer's side of [`Health`], and the ledger rows that wait.
#[derive(Debug, Default)]
pub(super) struct Gauges {
    health: Mutex<Health>,
    ledger: Mutex<Vec<LedgerRow>>,
    ledger_waiting: AtomicUsize,
    /// Notified when sessions have ended: they can be packed.
    pub(super) ended: Notify,
}

impl Gauges {
    pub(super) fn committed(&self, appends: u64, entries: u64, at_us: i64, took_us: u64) {
        let bounds = BATCH_BOUNDS.iter();
        let bucket = bounds.take_while(|bound| appends > **bound).count();
        let mut health = self.health.lock();
        // A commit of ledger rows alone is not a batch.
        if let Some(count) = health.batches.get_mut(bucket).filter(|_| appends > 0) {
            *count += 1;
        }
        health.last_commit_us = at_us;
        health.commits += 1;
        health.appends += appends;
        health.entries += entries;
        health.committing_us += took_us;
    }

    /// Counts a sync of the log.
    pub(super) fn synced(&self) {
        self.health.lock().syncs += 1;
    }

    /// Records why writing fails, or that it works again; true if that changed.
    pub(super) fn set_failing(&self, why: Option<String>) -> bool {
        let news = why.is_some();
        std::mem::replace(&mut self.health.lock().failing, why).is_some() != news
    }

    /// Records what is wrong with the file.
    pub(super) fn set_damaged(&self, why: String) {
        self.health.lock().damaged = Some(why);
    }

    pub(super) fn note_ledger(&self, row: LedgerRow) {
        let mut ledger = self.ledger.lock();
        if ledger.len() < LEDGER_PENDING_MAX {
            ledger.push(row);
            self.ledger_waiting.store(ledger.len(), Ordering::Relaxed);
        } else {
            self.drop_ledger(1);
        }
    }

    pub(super) fn ledger_waiting(&self) -> usize {
        self.ledger_waiting.load(Ordering::Relaxed)
    }

    /// The longest waiting rows, at most `count`.
    pub(super) fn take_ledger(&self, count: usize) -> Vec<LedgerRow> {
        let mut ledger = self.ledger.lock();
        let count = count.min(ledger.len());
        let later = ledger.split_off(count);
        self.ledger_waiting.store(later.len(), Ordering::Relaxed);
        std::mem::replace(&mut *ledger, later)
    }

    pub(super) fn drop_ledger(&self, rows: usize) {
        self.health.lock().ledger_dropped += rows as u64;
    }

    pub(super) fn health(&self, queue_depth: usize, queue_capacity: usize) -> Health {
        Health {
            queue_depth,
            queue_capacity,
            ..self.health.lock().clone()
        }
    }
}
