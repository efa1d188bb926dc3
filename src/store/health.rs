//! The writer's health: what `/readyz` and `/metrics` show.

use super::types::LedgerRow;
use parking_lot::Mutex;
use serde::Serialize;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Upper bounds of the batch histogram: appends per commit. The last bucket has no bound.
pub const BATCH_BOUNDS: [u64; 8] = [1, 2, 4, 8, 16, 64, 256, 1024];

/// Ledger rows kept for the writer before further ones are dropped and counted.
const LEDGER_PENDING_MAX: usize = 16_384;

/// The writer's health.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Health {
    /// Why nothing can be written at present, if so.
    pub failing: Option<String>,
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
    /// Time spent in commits so far, in microseconds.
    pub committing_us: u64,
    /// Ledger rows dropped because the writer could not keep up.
    pub ledger_dropped: u64,
}

/// The writer's side of [`Health`], and the ledger rows that wait.
#[derive(Debug, Default)]
pub(super) struct Gauges {
    failing: Mutex<Option<String>>,
    last_commit_us: AtomicU64,
    commits: AtomicU64,
    appends: AtomicU64,
    entries: AtomicU64,
    committing_us: AtomicU64,
    batches: [AtomicU64; BATCH_BOUNDS.len() + 1],
    ledger: Mutex<Vec<LedgerRow>>,
    ledger_waiting: AtomicUsize,
    ledger_dropped: AtomicU64,
}

impl Gauges {
    pub(super) fn committed(&self, appends: u64, entries: u64, at_us: i64, took_us: u64) {
        let bucket = BATCH_BOUNDS
            .iter()
            .take_while(|bound| appends > **bound)
            .count();
        // A commit of ledger rows alone is not a batch.
        if let Some(count) = self.batches.get(bucket).filter(|_| appends > 0) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        self.last_commit_us.store(at_us as u64, Ordering::Relaxed);
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.appends.fetch_add(appends, Ordering::Relaxed);
        self.entries.fetch_add(entries, Ordering::Relaxed);
        self.committing_us.fetch_add(took_us, Ordering::Relaxed);
    }

    /// Records why writing fails, or that it works again; true if that changed.
    pub(super) fn set_failing(&self, why: Option<String>) -> bool {
        let mut failing = self.failing.lock();
        let news = failing.is_some() != why.is_some();
        *failing = why;
        news
    }

    pub(super) fn failing(&self) -> Option<String> {
        self.failing.lock().clone()
    }

    pub(super) fn note_ledger(&self, row: LedgerRow) {
        let mut ledger = self.ledger.lock();
        if ledger.len() < LEDGER_PENDING_MAX {
            ledger.push(row);
            self.ledger_waiting.store(ledger.len(), Ordering::Relaxed);
        } else {
            self.ledger_dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(super) fn ledger_waiting(&self) -> usize {
        self.ledger_waiting.load(Ordering::Relaxed)
    }

    pub(super) fn take_ledger(&self) -> Vec<LedgerRow> {
        self.ledger_waiting.store(0, Ordering::Relaxed);
        std::mem::take(&mut *self.ledger.lock())
    }

    pub(super) fn drop_ledger(&self, rows: usize) {
        self.ledger_dropped
            .fetch_add(rows as u64, Ordering::Relaxed);
    }

    pub(super) fn health(&self, queue_depth: usize, queue_capacity: usize) -> Health {
        let mut health = Health {
            failing: self.failing(),
            last_commit_us: self.last_commit_us.load(Ordering::Relaxed) as i64,
            queue_depth,
            queue_capacity,
            commits: self.commits.load(Ordering::Relaxed),
            appends: self.appends.load(Ordering::Relaxed),
            entries: self.entries.load(Ordering::Relaxed),
            committing_us: self.committing_us.load(Ordering::Relaxed),
            ledger_dropped: self.ledger_dropped.load(Ordering::Relaxed),
            ..Health::default()
        };
        for (shown, count) in health.batches.iter_mut().zip(&self.batches) {
            *shown = count.load(Ordering::Relaxed);
        }
        health
    }
}
